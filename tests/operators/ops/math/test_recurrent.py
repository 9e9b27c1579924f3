"""Recurrent layers against execution: every input's shape, every direction."""

from __future__ import annotations

import numpy as np
import onnx.parser
import pytest

import shapesmt
from tests.oracle.onnx_peer import Call, outcomes
from tests.support.harness import agree, node

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("opset", [7, 14, 22])
def test_outputs(op, direction, opset):
    rows, d = GATES[op] * 2, 2 if direction == "bidirectional" else 1
    shapes = {"x": ["t", "b", 3], "w": [d, rows, "i"], "r": [d, rows, "h"], "c": [d, 2 * rows]}
    least = 0 if op == "RNN" else 1
    ranges = {"t": (least, 2), "b": (least, 2), "i": (2, 4), "h": (1, 3)}
    layer = node(op, ["x", "w", "r", "c"], ["y", "last"], direction=direction, hidden_size=2)
    found = agree(layer, shapes, ranges, opset=opset)
    assert found.ran
    assert found.failed


@pytest.mark.parametrize("op", GATES)
def test_optional_inputs(op):
    rows = GATES[op] * 2
    shapes = {"x": [3, "b", 3], "w": ["d", rows, 3], "r": [1, "g", 2], "s": ["k"], "h": [1, "k", 2]}
    ranges = {"b": (1, 2), "d": (1, 2), "g": (rows - 1, rows), "k": (1, 2)}
    layer = node(op, ["x", "w", "r", "", "s", "h"], ["", "last"], hidden_size=2)
    agree(layer, shapes, ranges, dtypes={"s": "int32"}, data={"s": lambda _, shape: np.ones(shape)})


def test_peepholes_and_cell_states():
    shapes = {"x": [1, 2, 3], "w": [1, 8, 3], "r": [1, 8, 2], "c": [1, "b", 2], "p": [1, "q"]}
    layer = node("LSTM", ["x", "w", "r", "", "", "", "c", "p"], ["y", "h", "cell"], hidden_size=2)
    agree(layer, shapes, {"b": (1, 3), "q": (5, 7)})


def test_known_sequence_lengths():
    shapes = {"x": ["t", 2, 3], "w": [1, 8, 3], "r": [1, 8, 2]}
    layer = node("LSTM", ["x", "w", "r", "", "s"], ["y"], hidden_size=2)
    agree(layer, shapes, {"t": (1, 3), "k": (-1, 4)}, items={"s": [1, "k"]}, dtypes={"s": "int32"})


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
def test_sequences_of_no_steps_with_known_lengths(op, direction):
    rows, d = GATES[op], 2 if direction == "bidirectional" else 1
    shapes = {"x": ["t", 2, 1], "w": [d, rows, 1], "r": [d, rows, 1]}
    layer = node(op, ["x", "w", "r", "", "s"], ["y", "last"], direction=direction, hidden_size=1)
    agree(layer, shapes, {"t": (0, 2), "k": (-1, 3)}, items={"s": [0, "k"]}, dtypes={"s": "int32"})


def test_samples_without_features_are_only_read_where_a_length_says_so():
    shapes = {"x": ["t", 2, "i"], "w": [1, 3, "i"], "r": [1, 3, 1]}
    layer = node("GRU", ["x", "w", "r", "", "s"], ["y", "last"], hidden_size=1)
    agree(layer, shapes, {"t": (0, 2), "i": (0, 1)}, items={"s": [0, 0]}, dtypes={"s": "int32"})
    agree(layer, {**shapes, "s": [2]}, {"t": (0, 0), "i": (0, 1)}, dtypes={"s": "int32"})
    model = b"""<ir_version: 8, opset_import: ["": 18]>
    g (float[t, 2, i] x, float[1, 3, i] w, float[1, 3, 1] r, int32[2] s) => (y)
    { y, last = GRU <hidden_size = 1> (x, w, r, , s) }"""
    report = shapesmt.check(model, dims={"t": "0..9", "i": "0..9"})
    assert "i >= 1 or `s[0]` == 0 and `s[1]` == 0" in report.precondition.text  # another run would abort


@pytest.mark.parametrize("features", [0, 1])
def test_samples_without_features_are_left_open_if_only_data_say_their_lengths(features):
    """ONNX Runtime runs 20 samples of length 0, and aborts if their length is 1."""
    text = """<ir_version: 8, opset_import: ["": 18]>
    g (float[t, b, i] x, float[1, 3, i] w, float[1, 3, 1] r, int32[b] s) => (y)
    { y, last = GRU <hidden_size = 1> (x, w, r, , s) }"""
    verdict = shapesmt.check(text.encode(), dims={"t": 2, "b": 20, "i": features}).verdict.name
    assert verdict == ("PROVED" if features else "UNKNOWN")
    sizes = {"x": (2, 20, features), "w": (1, 3, features), "r": (1, 3, 1)}
    feeds = {name: np.ones(shape, np.float32) for name, shape in sizes.items()}
    model = onnx.parser.parse_model(text).SerializeToString()
    runs = outcomes([Call(model, {**feeds, "s": np.full(20, length, np.int32)}) for length in (0, 1)])
    assert [bool(run.made) for run in runs] == [True, features > 0]


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize("hidden", [-1, 0])
def test_layers_without_a_state(hidden, op):
    agree(node(op, ["x", "w", "r"], hidden_size=hidden), {"x": [2, 2, 1], "w": [1, "k", 1], "r": [1, "k", "j"]},
          {"k": (0, 1), "j": (0, 1)})  # fmt: skip


def test_batch_first():
    """No installed runtime implements it; the shapes are those in the operator's documentation."""
    shapes = {"x": ["b", "t", 3], "w": [1, 8, 3], "r": [1, 8, 2]}
    layer = node("LSTM", ["x", "w", "r"], ["y", "h", "c"], hidden_size=2, layout=1)
    found = agree(layer, shapes, {"b": (1, 3), "t": (1, 3)}, may_fail_more=True)
    assert [str(found.tensors[k].shape) for k in "yhc"] == [
        "(Dim('b'), Dim('t'), Dim('1'), Dim('2'))",
        "(Dim('b'), Dim('1'), Dim('2'))",
        "(Dim('b'), Dim('1'), Dim('2'))",
    ]
