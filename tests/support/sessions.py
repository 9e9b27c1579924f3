"""ONNX Runtime's default session and the unoptimized one, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

import shapesmt

HALF = """s = Shape (x) zero = Constant <value_int = 0> () n = Gather (s, zero) two = Constant <value_int = 2> ()
    h = Div (n, two) first = Constant <value_ints = [0]> () u = Unsqueeze (h, first)"""
ROWS = """s = Shape (x) zero = Constant <value_int = 0> () n = Gather (s, zero) one = Constant <value_int = 1> ()
    a = Constant <value_int = {start}> () r = Range (a, n, one) t = Gather (w, r)"""
"""The rows from `start` to n - 1 of a table of 6 rows."""
TABLE = {"w": np.zeros((6, 4), np.float32)}
LEVELS = onnxruntime.GraphOptimizationLevel
Outcome = list[tuple[int, ...]] | None
"""The shapes of a model's outputs; None if it fails."""


def parsed(text: str, opset: int = 18, ir: int = 8, **constants: np.ndarray[Any, Any]) -> onnx.ModelProto:
    """Return the model of a text, with these initializers, and nodes named as `Reshape_8`."""
    model = onnx.parser.parse_model(f'<ir_version: {ir}, opset_import: ["": {opset}]> {text}')
    model.graph.initializer.extend(numpy_helper.from_array(array, name) for name, array in constants.items())
    for index, node in enumerate(model.graph.node):
        node.name = f"{node.op_type}_{index}"
    return model


def half(target: str, sizes: str = "[a, 4]", reshape: str = "Reshape") -> onnx.ModelProto:
    """Return the model that reshapes an input to half of its first size and the numbers of `target`."""
    rank = target.count(",") + 2
    declared = ", ".join("pqrs"[:rank])
    return parsed(
        f"g (float{sizes} x) => (float[{declared}] y) {{ {HALF} c = Constant <value_ints = {target}> () "
        f"t = Concat <axis = 0> (u, c) y = {reshape} (x, t) }}"
    )


def started(model: onnx.ModelProto, level: Any, optimized: Path | None = None) -> onnxruntime.InferenceSession | None:
    """Return a session, which writes the `optimized` model; None if ONNX Runtime refuses to load the model."""
    options = onnxruntime.SessionOptions()
    options.optimized_model_filepath = str(optimized or "")
    options.graph_optimization_level, options.log_severity_level = level, 4
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    try:
        return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    except Exception:  # ONNX Runtime's own, of several kinds
        return None


def run_at(session: onnxruntime.InferenceSession | None, model: onnx.ModelProto, sizes: Mapping[str, int]) -> Outcome:
    """Return the shapes of the outputs at these sizes, for inputs of zeros; None if the session fails."""
    if session is None:
        return None
    feeds = {}
    for given in model.graph.input:
        dims = [sizes[d.dim_param] if d.dim_param else d.dim_value for d in given.type.tensor_type.shape.dim]
        dtype = onnx.helper.tensor_dtype_to_np_dtype(given.type.tensor_type.elem_type)
        feeds[given.name] = np.zeros(dims, dtype)
    try:
        return [np.shape(output) for output in session.run(None, feeds)]
    except Exception:  # ONNX Runtime's own, of several kinds
        return None


def outcome_at(model: onnx.ModelProto, sizes: Mapping[str, int]) -> tuple[Outcome, Outcome]:
    """Return what the default session and the unoptimized one give at these sizes."""
    default, file = (started(model, level) for level in (LEVELS.ORT_ENABLE_ALL, LEVELS.ORT_DISABLE_ALL))
    return run_at(default, model, sizes), run_at(file, model, sizes)


def sizes_at(report: shapesmt.Report, values: Iterable[int], name: str = "n") -> set[int]:
    """Return the values of a dimension for which the report's precondition holds."""
    assert report.precondition is not None
    assert report.precondition.exact
    text = report.precondition.whole or "True"
    known = {"min": min, "max": max, "__builtins__": {}}
    return {n for n in values if eval(text, known, {name: n})}
