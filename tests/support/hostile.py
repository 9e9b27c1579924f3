"""Models built by hand, and a check of the command line's error messages."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def model(
    nodes: list[onnx.NodeProto],
    inputs: dict[str, list[int | str | None]],
    outputs: list[str],
    constants: dict[str, object] | None = None,
) -> onnx.ModelProto:
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs.items()],
        [onnx.ValueInfoProto(name=name) for name in outputs],
        [numpy_helper.from_array(np.asarray(v, dtype=np.int64), name) for name, v in (constants or {}).items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


def assert_refused(status: int, out: str, err: str) -> None:
    assert (status, out, err.count("\n")) == (2, "", 1), err
    assert err.startswith("error: ")
    assert "Traceback" not in err
