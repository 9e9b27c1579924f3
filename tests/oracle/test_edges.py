"""Every operator at the edges of what it takes, alone on ONNX Runtime: attributes, sizes, ranks and types.

Where ONNX Runtime refuses, the verdict isn't PROVED; where it runs, it isn't FAILS, and types and shapes are the same.
`test_operators.py` has the attributes again, at all sizes.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.oracle.edges import attributes, lines, operator, sizes, types
from tests.oracle.onnx_peer import Call, compare, outcomes
from tests.oracle.test_operators import ANSWERED

LATE = ("VarlenCausalConvWithState",)
"""Operators whose laws at the edges, of captured states and of requests without tokens, aren't all stated."""


def of_attributes(seed: int) -> Iterator[Call]:
    """Each edge of each attribute of an operator, in a call of one of its lines."""
    for call in {operator(call): call for call in reversed(lines(seed))}.values():
        for _, edges in attributes(call):
            yield from edges


def of_sizes(seed: int) -> Iterator[Call]:
    for call in lines(seed):
        yield from sizes(call)


def of_types(seed: int) -> Iterator[Call]:
    for call in lines(seed):
        yield from types(call)


@pytest.mark.parametrize("edges", [of_attributes, of_sizes, of_types])
def test_every_operator_at_its_edges(edges, pytestconfig):
    calls = [call for call in edges(pytestconfig.getoption("--seed")) if operator(call)[1] not in LATE]
    runs = list(outcomes(calls, ANSWERED))
    found = [(call, compare(call, run)) for call, run in zip(calls, runs, strict=True)]
    assert [f"{call}: {text}" for call, text in found if text] == []
    assert sum(bool(run.made) for run in runs) > len(calls) // 4
