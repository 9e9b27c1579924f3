"""Quantized tensors as PT2E writes them, run by PyTorch at every size of a small range."""

from __future__ import annotations

import pytest

import shapesmt
from tests.oracle.torch.calls import Call, f, i

pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")

import torch
import torch.ao.quantization.fx._decomposed

from tests.oracle.torch.judge import RIGHT, WRONG, judge, judged, variants

ENDS = {"quant_min": 0, "quant_max": 255, "dtype": "uint8"}
LISTS = {"scales": f(3), "zero_points": f(3), "axis": 1, **ENDS}
BYTES = f(2, 3, dtype="uint8")
CALLS = {
    "quantize_per_tensor.default": {"input": f(2, 3), "scale": 0.5, "zero_point": 3, **ENDS},
    "quantize_per_tensor.tensor": {"input": f(2, 3, dtype="bfloat16"), "scale": f(), "zero_point": i(), **ENDS},
    "quantize_per_tensor.tensor2": {
        "input": f(2, 3), "scale": f(1), "zero_point": i(1), "quant_min": i(1), "quant_max": i(), "dtype": "int8",
    },
    "dequantize_per_tensor.default": {"input": BYTES, "scale": 0.5, "zero_point": 3, **ENDS},
    "dequantize_per_tensor.tensor": {"input": BYTES, "scale": f(), "zero_point": i(1), **ENDS, "out_dtype": "float16"},
    "dequantize_per_tensor.tensor2": {
        "input": BYTES, "scale": f(1), "zero_point": i(1), "quant_min": i(2), "quant_max": i(), "dtype": "uint8",
    },
    "quantize_per_channel.default": {"input": f(2, 3, 4), **LISTS},
    "dequantize_per_channel.default": {"input": BYTES, **LISTS, "axis": -1},
    "choose_qparams.tensor": {"input": f(2, 3), "quant_min": -128, "quant_max": 127, "eps": 1e-5, "dtype": "int8"},
    "choose_qparams_symmetric.tensor": {
        "input": f(2), "quant_min": -128, "quant_max": 127, "eps": 1e-5, "dtype": "int8",
    },
}  # fmt: skip
REFUSED = {
    "a type that isn't quantized": ("quantize_per_tensor.default", {"dtype": "int64"}),
    "ends beyond the type": ("quantize_per_tensor.default", {"quant_max": 256}),
    "floats of 64 bits": ("quantize_per_tensor.default", {"input": f(2, dtype="float64")}),
    "integers of another type": ("dequantize_per_tensor.default", {"input": f(2, dtype="int8")}),
    "two scales": ("quantize_per_tensor.tensor", {"scale": f(2)}),
    "an axis that isn't there": ("quantize_per_channel.default", {"axis": 3}),
    "a zero point too few": ("quantize_per_channel.default", {"zero_points": f(2)}),
    "other channels": ("quantize_per_channel.default", {"scales": f(5), "zero_points": f(5)}),
}


def call(name: str, **changes: object) -> Call:
    outputs = 2 if name.startswith("choose") else 1
    return Call(f"quantized_decomposed.{name}", {**CALLS[name], **changes}, outputs)


@pytest.mark.parametrize("name", CALLS)
def test_each_call_is_right(name):
    assert judge(next(variants(call(name))), call(name)).kind == RIGHT
    assert judged(call(name)).kind != WRONG


@pytest.mark.parametrize("case", REFUSED)
def test_what_pytorch_refuses_is_refused(case):
    name, changes = REFUSED[case]
    assert judge(call(name, **changes)).kind == RIGHT


def test_a_model_of_pt2e_is_judged():
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("weight", torch.ones(3, 4).to(torch.int8))
            self.register_buffer("scales", torch.ones(4))
            self.register_buffer("zeros", torch.zeros(4, dtype=torch.int64))

        def forward(self, x):
            q = torch.ops.quantized_decomposed
            held = q.quantize_per_tensor(x, 0.1, 0, 0, 255, torch.uint8)
            weight = q.dequantize_per_channel(self.weight, self.scales, self.zeros, 1, -128, 127, torch.int8)
            return q.dequantize_per_tensor(held, 0.1, 0, 0, 255, torch.uint8) @ weight

    assert shapesmt.check(Net(), args=torch.ones(5, 3)).verdict == "PROVED"
    assert "{0: x_dim0}" in shapesmt.dynamic_shapes(Net(), args=torch.ones(5, 3)).content
