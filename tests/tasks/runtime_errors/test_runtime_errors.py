"""Random models: a message that ONNX Runtime prints is never impossible, and the answer has the sizes of the run."""

from __future__ import annotations

from random import Random

import onnx

import shapesmt
from shapesmt.reports.answers import Candidate, ErrorOrigin
from tests.oracle.graphs import Case, generate
from tests.tasks.runtime_errors.printed import said


def failing(case: Case, random: Random) -> tuple[dict[str, int], str]:
    """Sizes in and around the ranges at which a model fails, and what the runtime says; "" if none of some does."""
    named = {d.dim_param for i in case.model.graph.input for d in i.type.tensor_type.shape.dim if d.dim_param}
    for _ in range(12):
        sizes = {n: random.randint(*case.ranges.get(n, (1, 8))) + random.choice((0, 0, 5)) for n in sorted(named)}
        if message := said(case.model, sizes):
            return sizes, message
    return {}, ""


def holds(candidate: Candidate, sizes: dict[str, int]) -> bool:
    """Whether the sizes are within the bounds of a candidate."""
    ranges = [(candidate.bounds[n], size) for n, size in sizes.items() if n in candidate.bounds]
    return all(r.min <= size and (r.max is None or size <= r.max) for r, size in ranges)


def test_the_answer_has_the_sizes_at_which_a_message_was_printed(seeds: range, full: bool) -> None:
    told = same = 0
    for seed in range(seeds.start, seeds.start + (400 if full else 40)):
        case = generate(seed)
        sizes, message = failing(case, Random(seed))
        if not message or "Name:" not in message:
            continue
        model = onnx.ModelProto.FromString(case.model.SerializeToString())
        empty = {name: "0.." for name, size in sizes.items() if not size}  # sizes are from 1 on by default
        answer = shapesmt.explain(model, error=message, dims=empty)
        assert isinstance(answer, ErrorOrigin)
        assert answer.possible is True, f"seed {seed}: {message}"
        assert any(holds(c, sizes) for c in answer.candidates), f"seed {seed} at {sizes}: {message}"
        least = answer.candidates[0].counterexample
        told += 1
        same += least is not None and said(case.model, dict(least.symbols)) == message
    assert same >= 0.8 * told > 0, f"{same} of {told} say the same at the least input"
