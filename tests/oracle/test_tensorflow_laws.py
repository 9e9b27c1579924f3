"""The laws of TensorFlow's operators, one at a time: a call that runs, with one thing changed.

Where TensorFlow refuses, the verdict isn't PROVED; where it runs, it isn't FAILS, and the shapes are those made.
"""

from __future__ import annotations

from random import Random

import pytest

pytest.importorskip("tensorflow", reason="tensorflow (extra `peers`) isn't installed")

from tests.oracle.tensorflow_calls import IMAGE, f, i, j, k, op, s, told, x
from tests.oracle.tensorflow_every_call import CALLS
from tests.oracle.tensorflow_peer import compare, outcomes, siblings

REFUSED = [
    *op("DecodePng", s(), channels=-1),
    *op("BatchToSpace", x(5, 8, 8, 3), told([[0, 0], [0, 0]]), block_size=2),
    *op("Conv2D", x(2, 5, 5, 2), x(2, 2, 2, 3), **{**IMAGE, "padding": "EXPLICIT"}, explicit_paddings=[1, 0] + [0] * 6),
    *op("MaxPoolV2", x(2, 4, 4, 4), k([1, 1, 1, 2]), k([1, 1, 1, 1]), padding="VALID"),
    *op("QuantizeAndDequantizeV2", x(2, 3), f([-1.0]), f([1.0])),
    *op("QuantizedResizeBilinear", x(2, 4, 4, 3, dtype="quint8"), k([2, 6]), f([0.0]), f(1.0)),
    *op("Reverse", x(*[1] * 9), k([False] * 9, "bool")),
    *op("Einsum", (x(2, 3), x(3, 4)), equation="ab,bc"),
    *op("BlockLSTM", j(5), x(5, 2, 3), x(2, 4), x(2, 4), x(7, 16), x(4), x(4), x(4), x(15)),
    *op("Bucketize", x(2), boundaries=[1.0, 0.0]),
    *op("OneHot", i(2), k(-1), x(), x()),
    *op("LRN", x(2, 4, 4)),
    *op("Roll", x(2, 3), k([[1]]), k([[1]])),
    *op("Range", k([0]), k(5), k(1)),
    *op("Slice", x(), k([0]), k([1])),
    *op("Squeeze", x(1, 3), squeeze_dims=[1]),
    *op("ClipByValue", x(2, 3), x(2), x()),
    *op("StridedSlice", x(4, 5), k([0, 0]), k([1, 1]), k([1, 1]), ellipsis_mask=3),
    *op("MatrixDiag", x()),
    *op("Conv3D", x(2, 3, 3, 3, 4), x(2, 2, 2, 2, 2), strides=[1] * 5, padding="VALID"),
    *op("SplitV", x(0, 4), k([3, 2]), i(1), num_split=2),
]
SAMPLED = 200  # siblings that are run without --full


def wrong(calls, runs):
    """Each call whose verdict or shapes aren't TensorFlow's, and how."""
    found = [(call, compare(call, run)) for call, run in zip(calls, runs, strict=True)]
    return [f"{call}: {what}" for call, what in found if what]


def test_calls_run():
    runs = [*outcomes(CALLS)]
    refused = [f"{call}: {run.refused}" for call, run in zip(CALLS, runs, strict=True) if run.refused]
    assert not refused
    assert not wrong(CALLS, runs)


@pytest.fixture(scope="module")
def refused():
    return {call.op: run for call, run in zip(REFUSED, outcomes(REFUSED), strict=True)}


@pytest.mark.parametrize("call", REFUSED, ids=lambda call: call.op)
def test_what_is_always_refused(call, refused):
    assert refused[call.op].refused
    assert not compare(call, refused[call.op])


def test_laws(full, pytestconfig):
    every = [sibling for call in CALLS for sibling in siblings(call)]
    seed = pytestconfig.getoption("--seed")
    chosen = every if full else Random(seed).sample(every, SAMPLED)
    assert not wrong(chosen, outcomes(chosen)), f"seed {seed}"
