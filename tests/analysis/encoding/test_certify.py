"""Complete systems of known models, decided."""

from __future__ import annotations

import re
from math import inf

import pytest

from shapesmt.analysis.encoding.certify import certify_system, first_failing
from shapesmt.base.deadline import Deadline
from shapesmt.network.graph.graph import Graph
from tests.oracle.solvers import cvc5_verdict
from tests.support.systems import SKIP, model, system

MERGE = model("shape = Constant <value_ints: ints = [-1, 32]> () y = Reshape (x, shape)", "float[n, s] x")


POSITIONS = model(
    """shape = Shape (ids)
    one = Constant <value_ints: ints = [1]> ()
    length = Gather <axis: int = 0> (shape, one)
    zero = Constant <value_ints: ints = [0]> ()
    rows = Slice (table, zero, length, zero)
    y = Add (hidden, rows)""",
    "int64[b, s] ids, float[512, 16] table, float[b, s, 16] hidden",
)


@pytest.mark.parametrize(
    ("graph", "dims", "assume", "verdict", "law"),
    [
        (SKIP, {"h": "2..64", "w": "2..64:2"}, [], "REFUTED", "joined tensors match off the join axis"),
        (SKIP, {"h": "2..64:2", "w": "2..64:2"}, [], "PROVED", ""),
        (SKIP, {"h": "2..4000", "w": "2..64:2"}, ["h % 2 == 0"], "PROVED", ""),
        (MERGE, {}, [], "REFUTED", "number of elements"),
        (MERGE, {}, ["s % 32 == 0"], "PROVED", ""),
        (MERGE, {}, ["s % 32 == 0 or n % 8 == 0"], "REFUTED", "number of elements"),
        (POSITIONS, {"s": "1..513"}, [], "REFUTED", "broadcast sizes are equal or 1"),
        (POSITIONS, {"s": "1..512"}, [], "PROVED", ""),
    ],
)
def test_a_model_is_decided_as_a_whole(
    graph: Graph, dims: dict[str, str], assume: list[str], verdict: str, law: str
) -> None:
    encoding = system(graph, dims, assume)
    certificate = certify_system(encoding, Deadline(120))
    assert certificate.verdict == verdict
    assert cvc5_verdict(encoding.text) == {"PROVED": "unsat", "REFUTED": "sat"}[verdict]
    if certificate.failing is not None:
        assert re.search(law, certificate.failing.law)
        assert first_failing(encoding, certificate.values) is certificate.failing
        for atom, value in certificate.values.items():
            assert atom.lo <= value <= (atom.hi if atom.hi < inf else value)


def test_a_model_that_cannot_fail_has_nothing_to_satisfy() -> None:
    encoding = system(model("y = Relu (x)"))
    assert encoding.text.rstrip().endswith("(assert false)\n(check-sat)\n(get-value (|n| |h| |w|))")
    assert certify_system(encoding).verdict == "PROVED"


def test_what_data_decides_is_bounded_only_where_its_node_runs() -> None:
    graph = model(
        """pooled = MaxPool <kernel_shape: ints = [3]> (x)
        found = NonZero (pooled)
        y = Add (pooled, x)""",
        "float[1, 1, w] x",
    )
    encoding = system(graph, {"w": "1..2"})
    certificate = certify_system(encoding)
    assert certificate.verdict == "REFUTED"
    assert certificate.failing is not None
    assert certificate.failing.node == "MaxPool_0"


def test_a_passed_deadline_decides_nothing() -> None:
    assert certify_system(system(MERGE), Deadline(0)).verdict == "UNKNOWN"
