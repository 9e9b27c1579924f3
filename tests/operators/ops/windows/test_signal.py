"""Fourier transforms, windows and mel filters against execution."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.harness import agree, node


@pytest.mark.parametrize("attributes", [{}, {"onesided": 1}, {"inverse": 1}, {"inverse": 1, "onesided": 1}], ids=str)
@pytest.mark.parametrize("parts", [1, 2, "k"])
def test_dft(attributes, parts):
    shapes, ranges = {"x": ["n", "t", parts]}, {"n": (0, 2), "t": (0, 5), "k": (0, 3), "l": (-1, 5)}
    agree(node("DFT", ["x"], axis=1, **attributes), shapes, ranges, opset=17)
    agree(node("DFT", ["x", "l"], **attributes), shapes, ranges, items={"l": ["l"]})
    for axis in (-4, -3, -1, 0, 2, 3):
        agree(
            node("DFT", ["x", "", "a"], **attributes), shapes, {**ranges, "l": (0, 0)}, constants={"a": np.int64(axis)}
        )


@pytest.mark.parametrize("onesided", [0, 1])
def test_stft(onesided):
    shapes, ranges = {"x": [1, "t", 1], "w": ["w"]}, {"t": (0, 9), "w": (1, 4), "s": (1, 4), "f": (1, 4)}
    agree(node("STFT", ["x", "s", "w"], onesided=onesided), shapes, {**ranges, "f": (1, 1)}, items={"s": ["s"]})
    agree(node("STFT", ["x", "s", "w", "f"], onesided=onesided), shapes, ranges, items={"s": ["s"], "f": ["f"]})
    agree(
        node("STFT", ["x", "s", "", "f"], onesided=onesided), {"x": [1, "t", 2]}, ranges, items={"s": ["s"], "f": ["f"]}
    )
    ranges = {"t": (0, 3), "s": (1, 2), "f": (0, 2)}
    agree(
        node("STFT", ["x", "s", "", "f"], onesided=onesided), {"x": [0, "t", 1]}, ranges, items={"s": ["s"], "f": ["f"]}
    )


@pytest.mark.parametrize("length", [2**31 - 1, 2**31, 2**31 + 5, 2**32, 2**32 + 7, -(2**31) - 1])
def test_transforms_read_32_bits_of_a_length(length):
    model = node("DFT", ["x", "n"], axis=1)
    agree(model, {"x": [0, "t", 1]}, {"t": (2**31 - 1, 2**31 + 1)}, constants={"n": np.int64(length)}, opset=17)


@pytest.mark.parametrize("step", [1, 3, 160, 16000])
def test_frames_are_counted_in_float32(step):
    constants = {"s": np.int64(step), "f": np.int64(400)}
    for begin in (400 + 2**24 - 5, 399 + 16000 * 1049, 2**33 + 1):
        agree(node("STFT", ["x", "s", "", "f"]), {"x": [0, "t"]}, {"t": (begin, begin + 20)}, constants=constants)


def test_a_frame_counted_too_much_is_out_of_bounds():
    constants = {"s": np.int64(16000), "f": np.int64(400)}
    ends = 399 + 16000 * 1049, 401 + 16000 * 1049
    found = agree(node("STFT", ["x", "s", "", "f"]), {"x": [1, "t"]}, {"t": ends}, constants=constants)
    assert (found.ran, found.failed) == (2, 1)


@pytest.mark.parametrize("shape", [["n", "t"], ["t"], ["n", "t", 1, 1]], ids=str)
def test_stft_of_other_ranks(shape):
    ranges = {"n": (0, 2), "t": (0, 5), "w": (1, 3)}
    agree(node("STFT", ["x", "s", "w"]), {"x": shape, "w": ["w"]}, ranges, constants={"s": np.int64(2)})


@pytest.mark.parametrize("op", ["HannWindow", "HammingWindow", "BlackmanWindow"])
@pytest.mark.parametrize("output", [1, 11])
def test_windows(op, output):
    agree(node(op, ["s"], output_datatype=output), {}, {"n": (-2, 5)}, items={"s": ["n"]})


@pytest.mark.parametrize("edges", [(0.0, 4000.0), (100.0, 3000.0), (-5.0, 100.0)], ids=str)
def test_mel_weights(edges):
    constants = {"r": np.int64(8000), "u": np.float32(edges[0]), "v": np.float32(edges[1])}
    mel = node("MelWeightMatrix", ["b", "l", "r", "u", "v"])
    agree(mel, {}, {"b": (-1, 3), "l": (0, 18)}, items={"b": ["b"], "l": ["l"]}, constants=constants)
