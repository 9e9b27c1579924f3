"""The operators of OpenVINO that are ONNX's by another name, one line each."""

from __future__ import annotations

from typing import NamedTuple

from shapesmt.context import InferenceContext
from shapesmt.ops.openvino.bridge import DOMAIN, OPSET, results
from shapesmt.ops.registry import resolve, rule
from shapesmt.tensor import Tensor


class Row(NamedTuple):
    """ONNX's name, and of each of its attributes that matters OpenVINO's name; `inputs` that both have in common."""

    onnx: str
    attributes: dict[str, str] = {}  # noqa: RUF012 - never changed
    inputs: int | None = None


TABLE = {
    **{name: Row(name) for name in ("Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "BitwiseNot", "Cos")},
    **{name: Row(name) for name in ("Cosh", "Elu", "Erf", "Exp", "Floor", "Gelu", "Log", "Mish", "Sigmoid", "Sign")},
    **{name: Row(name) for name in ("Sin", "Sinh", "Sqrt", "Tan", "Tanh", "IsNaN")},
    "Ceiling": Row("Ceil"),
    "HSigmoid": Row("HardSigmoid"),
    "HSwish": Row("HardSwish"),
    "HardSigmoid": Row("HardSigmoid", inputs=1),
    "Identity": Row("Identity"),
    "IsFinite": Row("IsNaN"),
    "IsInf": Row("IsInf"),
    "LogicalNot": Row("Not"),
    "Negative": Row("Neg"),
    "ReLU": Row("Relu"),
    "Round": Row("Round"),
    "Selu": Row("Selu", inputs=1),
    "SoftPlus": Row("Softplus"),
    "SoftSign": Row("Softsign"),
    "Swish": Row("Swish", inputs=1),
    "Concat": Row("Concat", {"axis": "axis"}),
    "Einsum": Row("Einsum", {"equation": "equation"}),
    "GatherND": Row("GatherND", {"batch_dims": "batch_dims"}),
    "GridSample": Row("GridSample"),
    "LogSoftmax": Row("LogSoftmax", {"axis": "axis"}),
    "NonZero": Row("NonZero"),
    "SoftMax": Row("Softmax", {"axis": "axis"}),
}


TOTAL = {name for name, row in TABLE.items() if (found := resolve("", row.onnx, OPSET)) and found.total}


@rule(*TOTAL, domain=DOMAIN, any_rank=True, total=True)
@rule(*TABLE.keys() - TOTAL, domain=DOMAIN, any_rank=True)
def renamed(ctx: InferenceContext) -> list[Tensor]:
    """What the ONNX operator of the table's line does."""
    row = TABLE[ctx.node.op]
    attributes = {onnx: ctx.attributes[name] for onnx, name in row.attributes.items() if name in ctx.attributes}
    return results(ctx, row.onnx, *ctx.inputs[: row.inputs], **attributes)
