"""Operators of PyTorch of one operand."""

from __future__ import annotations

import pytest

import shapesmt
from shapesmt import Verdict
from tests.oracle.torch.calls import f, graph_of, op


@pytest.mark.parametrize(
    ("training", "lower", "verdict"),
    [(False, 0.5, Verdict.PROVED), (True, 0.1, Verdict.PROVED), (True, 0.5, Verdict.UNKNOWN)],
)
def test_noise_is_drawn_in_training_for_elements_that_are_not_positive(
    training: bool, lower: float, verdict: Verdict
) -> None:
    ends = {"lower": lower, "upper": 0.2}
    call = op("rrelu_with_noise.default", self=f(3), noise=f(3), training=training, **ends)
    assert shapesmt.check(graph_of(call)).verdict is verdict
