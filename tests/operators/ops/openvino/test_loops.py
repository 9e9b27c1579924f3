"""OpenVINO's loops and iterators against its own execution, over all small sizes."""

from __future__ import annotations

import pytest

import shapesmt

pytest.importorskip("openvino", reason="openvino (extra `peers`) isn't installed")

from tests.support import openvino as oracle
from tests.support.openvino_loops import (
    backward_iterator,
    counted_loop,
    growing_iterator,
    growing_loop,
    partial_iterator,
)


@pytest.mark.parametrize(("start", "end", "stride"), [(1, -1, 1), (-2, 0, -1), (0, 2, 2), (1, -2, 2), (-1, 1, -2)])
def test_loops_over_a_part_of_an_axis(start, end, stride, agree):
    agree(partial_iterator(start, end, stride), "[2,1..5,4]", "[2,4]")


@pytest.mark.parametrize("build", [growing_iterator, backward_iterator])
def test_a_state_of_an_iterator_that_changes_its_shape(build, tmp_path):
    """OpenVINO runs some such models and refuses others, depending on the shapes that the file declares."""
    path = oracle.saved(oracle.made(build, "[2,2..4,4]", "[1,4]"), tmp_path)
    findings = shapesmt.check(path, declared="ignore").findings
    assert [(f.verdict.name, f.law) for f in findings] == [("UNKNOWN", "a state keeps its shape from trip to trip")]


def test_loops(agree):
    agree(growing_loop, "[1..3,2]")
    agree(counted_loop(2), "[2,1..4,4]", "[1..2,4]")
    agree(backward_iterator, "[2,1..4,4]", "[2,4]")
