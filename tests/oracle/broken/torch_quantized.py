"""Calls that break one law each, of PyTorch's operators on quantized tensors."""

from __future__ import annotations

from typing import Any

from tests.oracle.torch.calls import Call, Fed, f
from tests.support import laws

ENDS = {"quant_min": 0, "quant_max": 255, "dtype": "uint8"}


def quantized(name: str, x: Fed, **changes: Any) -> Call:
    """A call of `quantized_decomposed`, of scales where it is per channel and of one number where it isn't."""
    several = {"scales": f(3), "zero_points": f(3), "axis": 1}
    given = several if "channel" in name else {"scale": 0.5, "zero_point": 3}
    return Call(f"quantized_decomposed.{name}", {"input": x, **given, **ENDS, **changes})


def chosen(x: Fed) -> Call:
    """A call that chooses scale and zero point."""
    ends = {"quant_min": -128, "quant_max": 127, "eps": 1e-5, "dtype": "int8"}
    return Call("quantized_decomposed.choose_qparams.tensor", {"input": x, **ends}, 2)


ROWS = [
    (laws.ELEMENT_TYPE, quantized("quantize_per_tensor.default", f(2, 3), dtype="int64")),
    (laws.QUANTIZED_ENDS_FIT, quantized("quantize_per_tensor.default", f(2, 3), quant_max=256)),
    (laws.TENSOR_ONE_ELEMENT, quantized("quantize_per_tensor.tensor", f(2, 3), scale=f(2), zero_point=f())),
    (laws.VALUE_PER_CHANNEL, quantized("quantize_per_channel.default", f(2, 3), zero_points=f(2))),
    (laws.ELEMENT_TYPE, chosen(f(2, dtype="float64"))),
    (laws.INPUT_NOT_EMPTY, chosen(f(0, 3))),
]
