"""What is written of a model keeps its samples as they are: simplified, and with its shapes in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import onnx
import pytest

import shapesmt
from shapesmt.base.errors import ModelError
from tests.oracle.samples.models import generate

DEFAULT, FULL = 12, 200


def verdicts(model: onnx.ModelProto) -> dict[str, str]:
    """The verdict on each output; without those that aren't known."""
    answer = shapesmt.check(model, samples="batch").samples
    return {} if answer is None else {n: o.verdict for n, o in answer.outputs.items() if o.verdict != "unknown"}


@pytest.mark.parametrize("write", [shapesmt.simplify, shapesmt.tighten])
def test_samples_are_kept(write: Callable[..., Any], request: pytest.FixtureRequest, full: bool) -> None:
    first = request.config.getoption("--seed")
    compared = 0
    for seed in range(first, first + (FULL if full else DEFAULT)):
        model = generate(seed).model
        try:
            written = write(model, valid_only=True)
        except ModelError:  # it runs for no input
            continue
        before, after = verdicts(model), verdicts(written)
        both = before.keys() & after.keys()
        assert {n: before[n] for n in both} == {n: after[n] for n in both}, seed
        compared += len(both)
    assert compared > 0
