"""Which names are misspelt, and which are others."""

from __future__ import annotations

import pytest

from shapesmt.network.declarations import misspelt

KNOWN = ["batch", "height", "sequence_length", "N"]


@pytest.mark.parametrize(
    "name",
    ["hieght", "heigth", "heght", "heiight", "haight", "Height", "sequence-length", "Sequence Length", "bacth", "n"],
)
def test_slips(name):
    assert misspelt(name, KNOWN)


@pytest.mark.parametrize(
    "name", ["", "h", "heights", "weight", "width", "seq_len", "M", "past", "batch1", "bat", "hgieht"]
)
def test_other_names(name):
    assert not misspelt(name, KNOWN)


@pytest.mark.parametrize(
    ("name", "other"), [("seq_q", "seq_k"), ("seq_q_len", "seq_k_len"), ("x1y", "x2y"), ("a", "ab"), ("past", "pasta")]
)
def test_names_of_a_kind_are_told_apart(name, other):
    assert not misspelt(name, [other])
    assert not misspelt(other, [name])
