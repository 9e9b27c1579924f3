"""Every quotation that calls something a runtime's fault is in the installed documentation of the operator."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import numpy as np
import onnx
import onnxruntime
import pytest
from onnxruntime.capi import onnxruntime_pybind11_state

import shapesmt
from shapesmt.prover.algebra import Verdict
from tests.oracle.faults import LENIENT, ODD, OLDER, Fault, lenient
from tests.support.versions import NEW


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


QUANTIZED = (
    "(float[n, k] x, uint8[c, b, d] w, float[m] s) => (y) "
    "{ y = com.microsoft.MatMulNBits <K = 16, N = 3, bits = 4, block_size = 16> (x, w, s) }"
)


@pytest.mark.parametrize(
    ("text", "shapes", "older_refuses"),
    [
        (QUANTIZED, {"x": (2, 16), "w": (3, 0, 8), "s": (3,)}, True),
        (QUANTIZED, {"x": (2, 16), "w": (3, 1, 8), "s": (3,)}, False),
    ],
)
def test_what_only_the_newer_runtime_runs(text: str, shapes: dict[str, tuple[int, ...]], older_refuses: bool) -> None:
    model = onnx.parser.parse_model('<ir_version: 8, opset_import: ["":18, "com.microsoft":1]> g ' + text)
    assert model.graph.node[0].op_type in OLDER
    kinds = {i.name: onnx.helper.tensor_dtype_to_np_dtype(i.type.tensor_type.elem_type) for i in model.graph.input}
    feeds = {name: np.ones(shape, kinds[name]) for name, shape in shapes.items()}
    session = onnxruntime.InferenceSession(model.SerializeToString())
    if older_refuses and not NEW:
        with pytest.raises(Exception, match="ONNXRuntimeError"):
            session.run(None, feeds)
    else:
        session.run(None, feeds)
    constants = {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer}
    assert lenient(model.graph.node[0], {**feeds, **constants}) is (older_refuses and NEW)
    assert shapesmt.check(pinned(model, shapes)).verdict is (Verdict.FAILS if older_refuses else Verdict.PROVED)


def test_a_function_with_the_name_of_an_operator_shows_none_of_its_faults() -> None:
    x = np.ones(3)
    assert not lenient(onnx.helper.make_node("Expand", ["x"], ["y"], domain="local"), {"x": x, "y": x})


@pytest.mark.parametrize("version", [7, 11])
def test_an_axis_outside_the_rank_is_no_fault_of_a_scalar_before_inference_read_it(version: int) -> None:
    node = onnx.helper.make_node("ArgMin", ["x"], ["y"], axis=1)
    assert [lenient(node, {"x": np.ones(n), "y": np.ones(())}, version) for n in ((), 3)] == [version == 11, True]


def pinned(model: onnx.ModelProto, shapes: dict[str, tuple[int, ...]]) -> onnx.ModelProto:
    """The model with numbers for the sizes of its inputs."""
    fixed = onnx.ModelProto.FromString(model.SerializeToString())
    for given in fixed.graph.input:
        for dim, size in zip(given.type.tensor_type.shape.dim, shapes[given.name], strict=True):
            dim.dim_value = size
    return fixed
