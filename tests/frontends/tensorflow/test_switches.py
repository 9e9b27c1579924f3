"""Branches and loops that TensorFlow's first version wrote as switches."""

from __future__ import annotations

import pytest

import shapesmt
from shapesmt.frontends import load

pytest.importorskip("tensorboard", reason="tensorboard (extra `tensorflow`) isn't installed")

from tests.support.graph_text import X, graph, node


def test_switches_that_make_no_branch_or_loop_are_not_judged():
    text = graph(
        X,
        node("in", "Enter", "x"),
        node("m", "Merge", "in", "back"),
        node("more", "Relu", "m"),
        node("back", "NextIteration", "more"),
    )
    assert [n.inputs for n in load(text).nodes if n.op == "NextIteration"] == [[]]
    assert shapesmt.check(text).verdict.value == "UNKNOWN"
