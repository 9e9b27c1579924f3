"""Random models before and after, at every admissible size."""

from __future__ import annotations

from collections import Counter
from random import Random

import onnx
import pytest

from tests.oracle.graphs import generate
from tests.oracle.runner import assignments
from tests.tasks.simplify.compared import differences, simplify
from tests.tasks.simplify.moved import WAYS, moved

DEFAULT, FULL = 60, 3000


def with_more_outputs(model: onnx.ModelProto, seed: int) -> onnx.ModelProto:
    """Some inner tensors are outputs as well, so that their names have to stay."""
    r = Random(f"outputs {seed}")
    known = {o.name for o in model.graph.output}
    names = [n for node in model.graph.node for n in node.output if n not in known and r.random() < 0.15]
    model.graph.output.extend(onnx.ValueInfoProto(name=n) for n in names)
    return model


def wrong_in(seed: int, counts: Counter[str]) -> list[str]:
    """How the simplified model of this seed differs from the model."""
    case = generate(seed, most=12)
    model = with_more_outputs(case.model, seed)
    ranges = {name: f"{lo}..{hi}" for name, (lo, hi) in case.ranges.items()}
    copy, rewrites, before, after = simplify(model, ranges)
    counts["before"] += before
    counts["after"] += after
    counts.update(r.rule for r in rewrites)
    sizes = {name: range(lo, hi + 1) for name, (lo, hi) in case.ranges.items()}
    return [*differences(model, copy, assignments(sizes))]


def test_random_models_compute_the_same_with_fewer_nodes(request: pytest.FixtureRequest, full: bool) -> None:
    first = request.config.getoption("--seed")
    counts: Counter[str] = Counter()
    for seed in range(first, first + (FULL if full else DEFAULT)):
        assert wrong_in(seed, counts) == [], f"seed {seed}"
    assert counts["after"] < 0.9 * counts["before"]


def moved_wrong_in(seed: int, counts: Counter[str]) -> list[str]:
    """How the simplified model differs where a part of this seed's model is in a function, branches or a loop."""
    case = generate(seed, most=12)
    plain = with_more_outputs(case.model, seed)
    found = moved(plain, seed)
    if found is None:
        return []
    way, model = found
    copy, _, before, after = simplify(model, {name: f"{lo}..{hi}" for name, (lo, hi) in case.ranges.items()})
    counts.update({way: 1, "before": before, "after": after})
    sizes = {name: range(lo, hi + 1) for name, (lo, hi) in case.ranges.items()}
    return [*differences(model, copy, assignments(sizes), plain)]


def test_parts_in_functions_branches_and_loops(request: pytest.FixtureRequest, full: bool) -> None:
    first = request.config.getoption("--seed")
    counts: Counter[str] = Counter()
    for seed in range(first, first + (FULL if full else DEFAULT // 2)):
        assert moved_wrong_in(seed, counts) == [], f"seed {seed}"
    assert counts.keys() >= {*WAYS}
    assert counts["after"] < 0.9 * counts["before"]
