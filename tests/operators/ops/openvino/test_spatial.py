"""OpenVINO's convolutions and pools against its own execution, over all small sizes."""

from __future__ import annotations

import pytest

import shapesmt

pytest.importorskip("openvino", reason="openvino (extra `peers`) isn't installed")

from openvino import opset15 as op

from tests.support import openvino as oracle
from tests.support.openvino_values import ints, zeros

WINDOWS = [
    {"strides": [1, 2], "pads_begin": [0, 1], "pads_end": [1, 0], "dilations": [1, 1]},
    {"strides": [2, 3], "pads_begin": [0, 0], "pads_end": [0, 0], "dilations": [2, 1]},
    {"strides": [2, 1], "pads_begin": [0, 0], "pads_end": [0, 0], "dilations": [1, 1], "auto_pad": "same_upper"},
    {"strides": [2, 2], "pads_begin": [1, 1], "pads_end": [1, 1], "dilations": [2, 1], "auto_pad": "same_lower"},
    {"strides": [2, 2], "pads_begin": [1, 1], "pads_end": [1, 1], "dilations": [1, 1], "auto_pad": "valid"},
]


@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_convolutions(window, agree):
    agree(lambda x: op.convolution(x, zeros(4, 2, 3, 2), **window), "[1,1..2,1..6,1..4]")
    agree(lambda x: op.group_convolution(x, zeros(2, 3, 1, 3, 2), **window), "[1,1..2,1..6,1..4]")


@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_transposed_convolutions(window, agree):
    agree(lambda x: op.convolution_backprop_data(x, zeros(2, 4, 3, 2), **window), "[1,1..2,1..4,1..3]")
    agree(
        lambda x: op.group_convolution_backprop_data(x, zeros(2, 1, 3, 3, 2), **window, output_padding=[1, 0]),
        "[1,1..2,1..4,1..3]",
    )


def test_transposed_convolutions_of_a_size(agree):
    agree(
        lambda x: op.convolution_backprop_data(x, zeros(2, 4, 3), [2], output_shape=ints(9), auto_pad="same_upper"),
        "[1,1..2,1..5]",
    )


def test_filters_of_any_size(agree):
    plain = {"strides": [1, 1], "pads_begin": [0, 0], "pads_end": [0, 0], "dilations": [1, 1]}
    agree(lambda x, w: op.group_convolution(x, w, **plain), "[1,2..4,4,4]", "[1..2,1..2,1..2,3,3]")
    agree(lambda x, w: op.group_convolution_backprop_data(x, w, **plain), "[1,2..4,4,4]", "[2,1..2,1..2,3,3]")


@pytest.mark.parametrize("rank", ["[?,?,?,3,3]", "[...]"])
def test_filters_of_which_little_is_known(rank, tmp_path):
    def build(x, w):
        return op.group_convolution(x, w, [1, 1], [0, 0], [0, 0], [1, 1])

    path = oracle.saved(oracle.made(build, "[1,?,8,8]", rank), tmp_path)
    assert shapesmt.check(path).verdict.value == "DEPENDS"
    (made,) = (t.shape for name, t in shapesmt.bounds(path).tensors.items() if name not in ("x", "y"))
    assert [d.expr for d in made[2:]] == ["6", "6"] if rank != "[...]" else len(made) == 4


POOLS = [
    {"strides": [1, 2], "pads_begin": [0, 1], "pads_end": [1, 0]},
    {"strides": [2, 3], "pads_begin": [0, 0], "pads_end": [0, 0], "rounding_type": "ceil"},
    {"strides": [3, 3], "pads_begin": [1, 1], "pads_end": [1, 1], "rounding_type": "ceil"},
    {"strides": [3, 3], "pads_begin": [1, 1], "pads_end": [1, 1], "rounding_type": "ceil_torch"},
    {"strides": [2, 1], "pads_begin": [0, 0], "pads_end": [0, 0], "auto_pad": "same_upper"},
    {"strides": [2, 2], "pads_begin": [1, 1], "pads_end": [1, 1], "auto_pad": "valid"},
]


@pytest.mark.parametrize("window", POOLS, ids=str)
def test_pools(window, agree):
    agree(lambda x: op.max_pool(x, dilations=[1, 1], kernel_shape=[3, 2], **window), "[1,1..2,1..7,1..5]")
    agree(lambda x: op.avg_pool(x, kernel_shape=[3, 2], exclude_pad=True, **window), "[1,1..2,1..7,1..5]")
