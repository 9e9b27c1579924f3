"""Models of others in a few nodes: an input selects a branch, cuts a table or says how often; each value is run."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import shapesmt
from tests.oracle.compare import Truth, disagreements
from tests.oracle.runner import Execution, assignments

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
info, node = helper.make_tensor_value_info, helper.make_node


def model(nodes, inputs, constants):
    stored = [numpy_helper.from_array(np.array(v, np.asarray(v).dtype), name) for name, v in constants.items()]
    outputs = [info(nodes[-1].output[0], FLOAT, None)]
    graph = helper.make_graph(nodes, "g", [info(*i) for i in inputs], outputs, stored)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


def branch(*nodes):
    return helper.make_graph(nodes, "branch", [], [info(nodes[-1].output[0], FLOAT, None)])


def voice_detector():
    """The sampling rate selects windows of 6 or 3 samples."""
    at_16k = branch(node("Conv", ["wide", "w6"], ["loud"], strides=[2]), node("ReduceMean", ["loud", "last"], ["p"]))
    at_8k = branch(node("Conv", ["wide", "w3"], ["soft"], strides=[1]), node("ReduceMean", ["soft", "last"], ["q"]))
    nodes = [
        node("Unsqueeze", ["input", "one"], ["wide"]),
        node("Equal", ["sr", "k16"], ["fast"]),
        node("If", ["fast"], ["out"], then_branch=at_16k, else_branch=at_8k, name="rate"),
    ]
    weights = {"w6": np.zeros((2, 1, 6), np.float32), "w3": np.zeros((2, 1, 3), np.float32)}
    constants = {"one": np.array([1]), "last": np.array([-1]), "k16": np.array(16000), **weights}
    return model(nodes, [("input", FLOAT, ["batch", "sequence"]), ("sr", INT64, [])], constants)


def quality_score():
    """A number of frames is cut off the start; two rates have features of different sizes."""
    nodes = [
        node("Slice", ["x", "skip", "end", "axis"], ["rest"], name="cut"),
        node("Not", ["wideband"], ["narrow"]),
        node("Where", ["wideband", "c12", "c6"], ["width"]),
        node("Where", ["narrow", "c3", "c6"], ["rows"]),
        node("Concat", ["minus", "rows", "width"], ["target"], axis=0),
        node("Reshape", ["rest", "target"], ["frames"], name="frames"),
        node("If", ["narrow"], ["y"], name="pool",
             then_branch=branch(node("Gemm", ["h", "wn"], ["g"])),
             else_branch=branch(node("Gemm", ["h", "ww"], ["k"]))),
    ]  # fmt: skip
    nodes.insert(6, node("ReduceMean", ["frames", "axis"], ["h"], keepdims=0))
    constants = {
        "end": np.array([1 << 40]), "axis": np.array([1]), "minus": np.array([-1]), "c12": np.array([12]),
        "c6": np.array([6]), "c3": np.array([3]),
        "wn": np.zeros((6, 1), np.float32), "ww": np.zeros((12, 1), np.float32),
    }  # fmt: skip
    return model(nodes, [("x", FLOAT, ["b", "t"]), ("skip", INT64, [1]), ("wideband", BOOL, [1])], constants)


def merged_decoder():
    """With the cache the mask covers it as well; without, the past isn't looked at."""
    cached = branch(
        node("Concat", ["past", "keys"], ["all"], axis=1),
        node("Transpose", ["all"], ["allT"], perm=[0, 2, 1]),
        node("MatMul", ["keys", "allT"], ["scores"]),
        node("Add", ["scores", "wide"], ["masked"]),
    )
    fresh = branch(
        node("Transpose", ["keys"], ["keysT"], perm=[0, 2, 1]),
        node("MatMul", ["keys", "keysT"], ["scores2"]),
        node("Add", ["scores2", "wide"], ["masked2"]),
    )
    nodes = [
        node("Unsqueeze", ["mask", "one"], ["wide"]),
        node("If", ["use_cache_branch"], ["out"], then_branch=cached, else_branch=fresh, name="optimum::if"),
    ]
    inputs = [
        ("keys", FLOAT, ["batch", "seq", 2]),
        ("past", FLOAT, ["batch", "past_len", 2]),
        ("mask", FLOAT, ["batch", "total"]),
        ("use_cache_branch", BOOL, [1]),
    ]
    return model(nodes, inputs, {"one": np.array([1])})


def whisper_decoder():
    """Positions from an offset on, which the cache has to be as long as; Concat skips those of no rows."""
    nodes = [
        node("Shape", ["tokens"], ["n"], start=1, end=2),
        node("Add", ["offset", "n"], ["end"]),
        node("Slice", ["positions", "offset", "end", "zero"], ["here"], name="here"),
        node("Expand", ["here", "four"], ["there"]),
        node("Concat", ["here", "there"], ["both"], axis=1),
        node("Unsqueeze", ["both", "zero"], ["wide"]),
        node("Concat", ["tokens", "wide"], ["out"], axis=2, name="joined"),
    ]
    constants = {"positions": np.zeros((6, 4), np.float32), "zero": np.array([0]), "four": np.array([1, 4])}
    return model(nodes, [("tokens", FLOAT, [1, "n_tokens", 4]), ("offset", INT64, [1])], constants)


def resampler():
    """A repeat count and two sizes, of which the product is what there is."""
    nodes = [
        node("Tile", ["x", "repeats"], ["long"], name="tile"),
        node("Reshape", ["long", "shape"], ["y"], name="fold", allowzero=1),
    ]
    inputs = [("x", FLOAT, ["n"]), ("repeats", INT64, [1]), ("shape", INT64, [2])]
    return model(nodes, inputs, {})


CASES = {
    voice_detector: (
        {"sequence": (1, 8), "batch": (1, 2)},
        {"sr": range(8000, 16001, 8000)},
        "(3 <= sequence <= 5 and sr == 8000) or sequence >= 6",
    ),
    quality_score: ({"b": (1, 3), "t": (1, 30)}, {"skip": range(8), "wideband": range(2)}, None),
    merged_decoder: (
        {"seq": (1, 3), "past_len": (1, 3), "total": (1, 6), "batch": (1, 2)},
        {"use_cache_branch": range(2)},
        "total == 1 or use_cache_branch == 0 or total == seq + past_len and "
        "seq == 1 or total == 1 or seq == total or use_cache_branch != 0",
    ),
    whisper_decoder: ({"n_tokens": (1, 7)}, {"offset": range(8)}, "offset >= 6 or offset + n_tokens <= 6"),
    resampler: (
        {"n": (1, 3)},
        {"repeats": range(1, 4), "shape[0]": range(1, 5), "shape[1]": range(1, 5)},
        "n*repeats == `shape[0]`*`shape[1]`",
    ),
}


@pytest.mark.parametrize("build", CASES, ids=lambda b: b.__name__)
def test_each_value_and_size(build):
    dims, values, region = CASES[build]
    execution = Execution(build())
    runs = [
        (sizes, execution.run(sizes))
        for sizes in assignments({**{name: range(lo, hi + 1) for name, (lo, hi) in dims.items()}, **values})
    ]
    assert len({bool(run.failing) for _, run in runs}) == 2
    given = {name: f"{r[0]}..{r[-1]}:{r.step}" for name, r in values.items()}
    assert disagreements(Truth(execution.model, runs, values=given), Counter(), dims) == []
    report = shapesmt.check(execution.model, dims=dims, values=given, session="file")
    assert (str(report.verdict), report.precondition.exact) == ("DEPENDS", True)
    assert region is None or " and ".join(report.precondition.text) == region


def test_each_rate_by_itself():
    """A value for the sample rate selects one branch, and only its condition remains."""
    for rate, least in ((16000, 6), (8000, 3)):
        report = shapesmt.check(voice_detector(), values={"sr": rate}, session="file")
        assert report.precondition.text == (f"sequence >= {least}",)
    whole = shapesmt.check(voice_detector(), session="file")
    assert (str(whole.verdict), whole.precondition.exact) == ("DEPENDS", True)
    assert shapesmt.bounds(voice_detector(), session="file").tensors["input"].shape[1].min == 3
