"""Every quotation that calls something a runtime's fault is in the installed documentation of the operator."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import onnx
import pytest
from onnxruntime.capi import onnxruntime_pybind11_state

from tests.oracle.faults import LENIENT, ODD, Fault


@cache
def documented() -> dict[str, str]:
    """By operator, everything that its schemas say, of all versions and domains, with single spaces."""
    found: dict[str, str] = {}
    for schema in [*onnx.defs.get_all_schemas_with_history(), *onnxruntime_pybind11_state.get_all_operator_schema()]:
        parts = [*schema.inputs, *schema.outputs, *schema.attributes.values()]
        text = " ".join([schema.doc or "", *(part.description for part in parts)])
        found[schema.name] = f"{found.get(schema.name, '')} {' '.join(text.split())}"
    return found


def quotations() -> Iterator[tuple[str, Fault]]:
    for fault in (*LENIENT, *ODD):
        for op in sorted(fault.ops):
            yield op, fault


@pytest.mark.parametrize(("op", "fault"), list(quotations()), ids=lambda value: value if isinstance(value, str) else "")
def test_quotations_are_true(op: str, fault: Fault):
    pieces = [piece.strip() for piece in re.split(r"\[\.\.\.\]", fault.text) if piece.strip()]
    assert pieces
    assert [piece for piece in pieces if piece not in documented()[op]] == []
