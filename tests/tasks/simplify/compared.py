"""A model and its simplified copy, run on onnxruntime without its optimizer at many sizes: the same, bit by bit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import helper

from shapesmt.analysis.analysis import analyse
from shapesmt.analysis.verify import Question
from shapesmt.tasks.simplify.whole import smaller
from tests.oracle.runner import Execution, input_shape

onnxruntime.set_default_logger_severity(4)


def simplify(model: onnx.ModelProto, dims: Mapping[str, Any] | None = None, assume: Iterable[str] = ()) -> Any:
    """The simplified model, with its rewrites and the nodes before and after."""
    return smaller(model, analyse(model, Question(dims, assume=list(assume))))


def session(model: onnx.ModelProto) -> onnxruntime.InferenceSession:
    """The model on onnxruntime as it is."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def feeds(model: onnx.ModelProto, sizes: Mapping[str, int], seed: int = 0) -> dict[str, Any]:
    """Inputs of these sizes, drawn by chance."""
    random = np.random.default_rng(seed)
    fed = {}
    for info in model.graph.input:
        kind = helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type)
        drawn = random.integers(-2, 3, input_shape(info, sizes))
        signed = np.copysign(drawn * 0.75, random.integers(0, 2, drawn.shape) - 0.5)  # 0.0 and -0.0
        fed[info.name] = (signed if kind.kind == "f" else drawn).astype(kind)
    return fed


def outputs(runs: onnxruntime.InferenceSession, fed: Mapping[str, Any]) -> list[Any] | None:
    """What a model gives; None where it refuses."""
    try:
        return list(runs.run(None, dict(fed)))
    except Exception:
        return None


def differences(
    model: onnx.ModelProto,
    copy: onnx.ModelProto,
    assignments: Iterable[Mapping[str, int]],
    plain: onnx.ModelProto | None = None,
) -> Iterator[str]:
    """Where one runs and the other refuses, or where their outputs differ in a bit.

    At some sizes onnxruntime runs what ONNX forbids, and leaves elements as they were in memory: these aren't compared.
    `plain` is the model without functions and inner graphs, by which these sizes are known.
    """
    try:
        before = session(model)
    except Exception:  # it isn't a model that onnxruntime runs at all
        return
    after = session(copy)
    for sizes in assignments:
        fed = feeds(model, sizes)
        a, b = outputs(before, fed), outputs(after, fed)
        if a is None or b is None:
            if a is not b:
                yield f"{dict(sizes)}: {'only the copy' if a is None else 'only the original'} runs"
        elif not all(map(_equal, a, b)) and not Execution(plain or model).run(sizes).failing:
            yield f"{dict(sizes)}: outputs differ"


def _equal(a: Any, b: Any) -> bool:
    return bool(a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes())
