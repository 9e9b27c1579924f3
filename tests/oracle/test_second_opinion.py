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
from onnx.parser import parse_model

from tests.oracle.faults import FOLDS
from tests.oracle.graphs import generate
from tests.oracle.growing import grow
from tests.oracle.onnx_peer import Call, outcomes
from tests.oracle.runner import input_shape, plain, varied
from tests.oracle.second.compared import (
    OTHER_SHAPE,
    allows,
    by_type,
    contradicts,
    differing,
    first_difference,
    fixed,
    ours,
    second,
)
from tests.oracle.singles import drawn, families
from tests.support.node_cases import node_cases

SINGLES, GRAPHS, CASES = 1000, 100, 300  # without --full
LARGE = 20_000  # elements of an input that is left out
SECONDS = 5  # that ONNX Runtime has for a model
POOLS = ("AveragePool", "LpPool", "MaxPool")
POOLS = ("AveragePool", "LpPool", "MaxPool")
CUMULATED = ("CumProd", "CumSum")
REDUCTIONS = ("ArgMax", "ArgMin", *(f"Reduce{fold}" for fold in FOLDS))

AXIS, LABELS, WEIGHTS = "an axis is outside the rank", "a label for each place", "a weight for each class"
LOSSES = ("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
EXPLAINED = {
    **{(op, OTHER_SHAPE): "the quotient is cut, not rounded down, where the window is larger" for op in POOLS},
    **{(op, AXIS): "no axis is looked at where nothing is normalized" for op in ("Hardmax", "LogSoftmax", "Softmax")},
    **{(op, AXIS): "the axes of a scalar aren't looked at" for op in REDUCTIONS},
    **{(op, "the reduction is one of three"): "any other is taken for mean" for op in LOSSES},
    **{(op, WEIGHTS): "weights that no label asks for are left out" for op in LOSSES},
    ("CenterCropPad", "a size is negative"): "a negative size is one of 0",
    ("Clip", "an end is a scalar"): "a list of one number is one",
    ("Compress", "conditions are a list"): "conditions of several axes are one",
    ("Compress", "more conditions than places"): "conditions behind the last place are ignored",
    **{(op, "padding is less than the kernel"): "only ONNX Runtime asks for it" for op in POOLS},
    ("ConvTranspose", OTHER_SHAPE): "nothing less than no padding makes the size where strides are larger than filters",
    ("DFT", "the length is positive"): "an empty axis stays empty",
    **{(op, "the axis is one number"): "it isn't looked at where there is nothing" for op in CUMULATED},
    **{(op, AXIS): "it isn't looked at where there is nothing" for op in CUMULATED},
    ("GRU", "a sample isn't empty"): "samples of no numbers end the process",
    ("GatherND", "a tuple has no numbers"): "it is left out where there is none",
    ("GatherND", "an index is outside"): "slices of no numbers are never looked up",
    ("GatherND", "batches differ"): "so many index tuples for each batch do",
    ("GatherND", "too many batch axes"): "all axes of the indices may be batch axes",
    ("GlobalLpPool", "no axis but the batch is empty"): "kernels of older operator sets ask for it",
    ("GroupNormalization", "an element for each channel"): "one serves all",
    ("GroupNormalization", "a 0 copies a size that the input has"): "ONNX's function writes 0 for an empty axis",
    ("GroupNormalization", "the sizes that are given divide the number of elements"): "empty samples have no groups",
    ("LayerNormalization", "what is normalized has an element"): "nothing has no mean",
    ("MeanVarianceNormalization", AXIS): "it is ignored",
    ("Pad", "more is reflected than there is"): "what is empty grows along its other axes",
    ("PRelu", "the slope doesn't broadcast to the input"): "the input is stretched, too",
    ("QLinearMatMul", "the first operand has one scale and zero point"): "one operand has one scale",
    ("STFT", "a frame fits the signal"): "a window of no numbers fits any",
    ("Squeeze", OTHER_SHAPE): "an empty list of axes is none: all axes of size 1 go",
}
"""What ONNX Runtime does otherwise, or the specification leaves open: in no case a run speaks against what is proved.

Each is of an operator, in what the first node differs, and why.
"""
NUMBERS = {(op, LABELS) for op in LOSSES}
"""What shapesmt refuses of numbers that a file declares, and ONNX Runtime too; of a fixed model, these are all."""


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
        where = first_difference(call, one, two)
        declared = where in NUMBERS and two.verdict == "FAILS"
        if text and not (by_type(run, one, two) or declared or (where in EXPLAINED and allows(run, two))):
            wrong.append(f"{where} {call}: {text}; ONNX Runtime: {run.refused[:200] or run.made}")
    return wrong, counts


def test_node_cases(full: bool, pytestconfig: pytest.Config) -> None:
    calls = list(from_node_cases())
    sample = calls if full else Random(pytestconfig.getoption("--seed")).sample(calls, CASES)
    wrong, counts = differences(sample)
    assert not wrong, "\n".join(wrong)
    assert counts["run alike"] > len(sample) * 3 // 4


@pytest.mark.parametrize("stash", [1, 5])
@pytest.mark.parametrize("sizes", [(0, 2, 0, 0), (1, 2, 0, 0), (0, 2, 0), (0, 2, 3, 4)])
def test_groups_of_nothing(sizes: tuple[int, ...], stash: int) -> None:
    text = f"""<ir_version: 10, opset_import: ["": 21]> g (float[{",".join(map(str, sizes))}] x, float[2] s) => (y) {{
        y = GroupNormalization<num_groups = 2, stash_type = {stash}>(x, s, s) }}"""
    feeds = {"x": np.zeros(sizes, np.float32), "s": np.ones(2, np.float32)}
    wrong, counts = differences([fixed(parse_model(text), feeds)])
    assert (wrong, counts["runs"]) == ([], 1)


def test_random_graphs(seeds: range, full: bool) -> None:
    wrong, counts = differences(list(from_graphs(range(seeds[0], seeds[0] + GRAPHS * (10 if full else 1)))))
    assert not wrong, "\n".join(wrong)
    assert counts["runs"]


def test_single_operators(seeds: range, full: bool) -> None:
    every = families(range(seeds[0], seeds[0] + 40))
    calls = [drawn(every, seed) for seed in range(seeds[0], seeds[0] + SINGLES * (10 if full else 1))]
    calls = [fixed(call.proto, call.feeds) for call in calls if call.proto.graph.node[0].domain == ""]
    wrong, counts = differences(calls)
    assert not wrong, "\n".join(wrong)
    assert counts["run alike"] > len(calls) // 3


def test_it_shares_no_code_with_the_rules() -> None:
    folder = Path(__file__).parent / "second"
    for path in folder.glob("*.py"):
        assert path.name == "compared.py" or "shapesmt" not in path.read_text(), path.name
