"""What the rules prove at given sizes, held against a second evaluator that is written from ONNX's specification.

Where the two differ, ONNX Runtime is asked. A difference that a run decides for shapesmt is listed below with what the
specification leaves open, or what the runtime does otherwise; any other is a fault of the one or the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from tests.oracle.graphs import generate
from tests.oracle.growing import grow
from tests.oracle.onnx_peer import Call, outcomes
from tests.oracle.runner import input_shape, plain, varied
from tests.oracle.second.compared import contradicts, differing, fixed, ours, second, supports
from tests.oracle.singles import drawn, families
from tests.support.node_cases import node_cases

SINGLES, GRAPHS, CASES = 1000, 100, 300  # without --full
LARGE = 20_000  # elements of an input that is left out
SECONDS = 5  # that ONNX Runtime has for a model

POOLED = "the quotient is cut, not rounded down, where the window is larger than the axis"
REDUCED = "a reduction other than none, mean and sum is taken for mean"
EXPLAINED = {
    "AveragePool": POOLED,
    "LpPool": POOLED,
    "MaxPool": POOLED,
    "CenterCropPad": "a negative size is one of 0",
    "Compress": "conditions behind the last place are ignored",
    "DFT": "an empty axis that isn't the one transformed",
    "GatherND": "an index tuple of no numbers is left out where there is none",
    "MeanVarianceNormalization": "an axis outside the rank is ignored",
    "NegativeLogLikelihoodLoss": REDUCED,
    "PRelu": "the input is stretched, too",
    "SoftmaxCrossEntropyLoss": REDUCED,
    "Squeeze": "an empty list of axes is none: all axes of size 1 go",
}
"""What ONNX Runtime does otherwise, or the specification leaves open: in each case a run speaks for what is proved."""


def from_node_cases() -> Iterator[Call]:
    """The node cases of the `onnx` package, whatever sizes they have."""
    for case in node_cases():
        names, given = [i.name for i in case.model.graph.input], case.data_sets[0][0]
        if all(isinstance(v, np.ndarray) and v.size <= LARGE for v in given):
            try:
                yield fixed(case.model, dict(zip(names, given, strict=False)))
            except (KeyError, TypeError, ValueError):  # a type that NumPy or this package doesn't write
                continue


def from_graphs(seeds: Sequence[int]) -> Iterator[Call]:
    """Random graphs at sizes drawn from their ranges."""
    for seed in seeds:
        random = Random(seed)
        for case in (generate(seed), grow(seed)):
            ranges = {n: random.randint(*ends) for n, ends in case.ranges.items()}
            shapes = {i.name: (i, input_shape(i, ranges)) for i in case.model.graph.input}
            yield fixed(case.model, {n: fed(i, shape) for n, (i, shape) in shapes.items()})


def fed(info: Any, shape: tuple[int, ...]) -> Any:
    """What an input holds."""
    array = plain(info, shape)
    return np.asarray(varied(info.name, array.dtype, shape))


def differences(calls: Sequence[Call]) -> tuple[list[str], Counter[str]]:
    """What isn't explained, and how many models were judged how."""
    said, found = [second(call) for call in calls], [ours(call) for call in calls]
    counts = Counter(each.verdict for each in said)
    wrong = []
    for call, one, two, run in zip(calls, said, found, outcomes(calls, SECONDS), strict=True):
        counts["run alike"] += not run.refused and not contradicts(run, one)
        text = differing(call, one, two) or contradicts(run, one)
        ops = {node.op_type for node in call.proto.graph.node}
        by_type = one.verdict == "runs" and two.verdict == "FAILS" and bool(run.refused)
        if text and not by_type and not (ops & EXPLAINED.keys() and supports(run, two)):
            wrong.append(f"{call}: {text}; ONNX Runtime: {run.refused[:200] or run.made}")
    return wrong, counts


def test_node_cases(full: bool, pytestconfig: pytest.Config) -> None:
    calls = list(from_node_cases())
    sample = calls if full else Random(pytestconfig.getoption("--seed")).sample(calls, CASES)
    wrong, counts = differences(sample)
    assert wrong == []
    assert counts["run alike"] > len(sample) * 3 // 4


def test_random_graphs(seeds: range, full: bool) -> None:
    wrong, counts = differences(list(from_graphs(range(seeds[0], seeds[0] + GRAPHS * (10 if full else 1)))))
    assert wrong == []
    assert counts["runs"]


def test_single_operators(seeds: range, full: bool) -> None:
    every = families(range(seeds[0], seeds[0] + 40))
    calls = [drawn(every, seed) for seed in range(seeds[0], seeds[0] + SINGLES * (10 if full else 1))]
    calls = [fixed(call.proto, call.feeds) for call in calls if call.proto.graph.node[0].domain == ""]
    wrong, counts = differences(calls)
    assert wrong == []
    assert counts["run alike"] > len(calls) // 3


def test_it_shares_no_code_with_the_rules() -> None:
    folder = Path(__file__).parent / "second"
    for path in folder.glob("*.py"):
        assert path.name == "compared.py" or "shapesmt" not in path.read_text(), path.name
