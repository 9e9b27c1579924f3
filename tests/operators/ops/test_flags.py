"""Flags that are neither 0 nor 1: each rule compares them as ONNX Runtime does, which runs every one."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.harness import agree, node

SIZES = {"a": (0, 2), "b": (1, 3)}
OTHERS = [2, -1, 256]
MICROSOFT = "com.microsoft"


@pytest.mark.parametrize("value", OTHERS)
@pytest.mark.parametrize("op", ["ReduceSum", "ReduceMax", "ReduceMean", "ReduceL2", "ArgMax", "ArgMin"])
def test_reductions_keep_axes_with_1_only(op: str, value: int) -> None:
    agree(node(op, ["x"], keepdims=value), {"x": ["b", 3]}, SIZES, opset=13 if op == "ReduceSum" else 11)


@pytest.mark.parametrize("value", OTHERS)
def test_an_empty_list_of_axes_stands_for_none_with_1_only(value: int) -> None:
    axes = {"axes": np.zeros(0, np.int64)}
    agree(node("ReduceSum", ["x", "axes"], noop_with_empty_axes=value), {"x": ["a", "b"]}, SIZES, constants=axes)


@pytest.mark.parametrize("value", OTHERS)
def test_zeros_in_a_shape_are_sizes_with_1_only(value: int) -> None:
    shape = {"s": np.array([0, 3])}
    agree(node("Reshape", ["x", "s"], allowzero=value), {"x": ["a", "b"]}, SIZES, constants=shape)
    refused = agree(node("Reshape", ["x", "s"], allowzero=value), {"x": ["a", 2]}, SIZES, constants={"s": [0, -1]})
    assert not refused.ran  # by ONNX's inference, which compares with 0


@pytest.mark.parametrize("value", OTHERS)
@pytest.mark.parametrize(("op", "flag"), [("TopK", "largest"), ("ArgMax", "select_last_index"), ("Trilu", "upper")])
def test_elements_are_chosen_as_the_flag_says(op: str, flag: str, value: int) -> None:
    inputs, constants = ["x", "k"], {"k": np.array([3]), "x": np.array([[4, 1, 4, 2], [0, 5, 5, 0]])}
    if op != "TopK":
        inputs, constants = ["x"], {"x": constants["x"]}
    outputs = ("out", "places") if op == "TopK" else ("out",)
    found = agree(node(op, inputs, outputs, **{flag: value}), {}, {}, constants=constants)
    assert all(found.tensors[name].value is not None for name in outputs)


@pytest.mark.parametrize("value", OTHERS)
@pytest.mark.parametrize("flag", ["transA", "transB"])
def test_products_are_transposed_by_any_number_but_0(flag: str, value: int) -> None:
    shapes = {"x": ["a", "b"], "y": [3, "b"]}
    agree(node("Gemm", ["x", "y"], **{flag: value}), shapes, {"a": (1, 3), "b": (1, 3)})
    agree(node("FusedMatMul", ["x", "y"], domain=MICROSOFT, **{flag: value}), shapes, {"a": (1, 3), "b": (1, 3)})


@pytest.mark.parametrize("value", OTHERS)
def test_a_pool_rounds_up_with_1_only_and_counts_padding_with_any_number_but_0(value: int) -> None:
    window = {"kernel_shape": [3], "strides": [2]}
    agree(node("MaxPool", ["x"], ceil_mode=value, **window), {"x": [1, 1, "n"]}, {"n": (3, 8)})
    agree(node("AveragePool", ["x"], ceil_mode=1, count_include_pad=value, **window), {"x": [1, 1, "n"]}, {"n": (3, 8)})


@pytest.mark.parametrize("value", OTHERS)
@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_an_image_is_smoothed_with_any_number_but_0(mode: str, value: int) -> None:
    for flag in ("antialias", "exclude_outside"):
        resized = node("Resize", ["x", "", "", "s"], mode=mode, **{flag: value})
        agree(resized, {"x": [1, 1, "n", 4]}, {"n": (1, 3)}, constants={"s": np.array([1, 1, 2, 2])}, opset=18)


@pytest.mark.parametrize("value", OTHERS)
def test_a_spectrum_is_halved_and_turned_back_with_any_number_but_0(value: int) -> None:
    for flags in ({"onesided": value}, {"onesided": value, "inverse": value}):
        channels = 2 if "inverse" in flags else 1
        agree(node("DFT", ["x"], axis=1, **flags), {"x": [1, "n", channels]}, {"n": (1, 6)}, opset=17)


@pytest.mark.parametrize("value", [0, 1, *OTHERS])
def test_sequences_are_stacked_on_a_new_axis_with_any_number_but_0(value: int) -> None:
    nodes = [
        node("SequenceConstruct", ["x", "x"], ["s"]),
        node("ConcatFromSequence", ["s"], axis=0, new_axis=value),
    ]
    agree(nodes, {"x": ["a", "b"]}, SIZES, outputs=["out"])


@pytest.mark.parametrize("value", OTHERS)
@pytest.mark.parametrize(("op", "flag"), [("Mod", "fmod"), ("CumSum", "exclusive"), ("CumSum", "reverse")])
def test_other_flags_are_refused(op: str, flag: str, value: int) -> None:
    found = agree(node(op, ["x", "y"], **{flag: value}), {"x": ["b"]}, SIZES, constants={"y": np.int64(0)}, known=False)
    assert found.failed > 0
    assert not found.ran


@pytest.mark.parametrize("value", OTHERS)
def test_rows_of_a_table_of_rotations_are_free_when_packed_with_1_only(value: int) -> None:
    inputs, shapes = ["x", "ids", "cos", "sin"], {"x": [1, "n", 8], "cos": [3, 4], "sin": [3, 4]}
    rotated = node("RotaryEmbedding", inputs, domain=MICROSOFT, is_packed_batching=value)
    agree(rotated, shapes, {"n": (1, 5)}, constants={"ids": np.zeros(1, np.int64)})


@pytest.mark.parametrize("value", [0, 1, *OTHERS])
def test_hashes_are_unsigned_with_1_only(value: int) -> None:
    hashed = node("MurmurHash3", ["x"], domain=MICROSOFT, positive=value)
    agree(hashed, {"x": ["b"]}, SIZES, dtypes={"x": "int32"})
