"""onnxruntime-extensions against what version 0.15.2 made of these inputs, recorded: the tests run without it."""

from __future__ import annotations

import pytest
from onnx import TensorProto, helper

import shapesmt

TYPES = {"s": TensorProto.STRING, "i": TensorProto.INT64, "f": TensorProto.FLOAT, "b": TensorProto.BOOL}
CLIP = {"vocab": '{"a": 0, "<|endoftext|>": 1, "<|startoftext|>": 2}', "merges": "#v\n"}
SPLIT = ("s1", "b1")
PIECES = ("i1", "f1", "b1", "b1", "b1")


def model(op, inputs, outputs, attributes):
    """A model of one node. "s3" is an input of three texts, "i" a scalar, and a number the constant `[number]`."""
    tensors = [v for v in inputs if isinstance(v, str)]
    declared = [
        helper.make_tensor_value_info(f"x{k}", TYPES[t[0]], [int(d) for d in t[1:].split(",") if d])
        for k, t in enumerate(tensors)
    ]
    constants = [helper.make_tensor(f"k{v}", TensorProto.INT64, [1], [v]) for v in inputs if not isinstance(v, str)]
    names = [d.name for d in (*declared, *constants)]
    results = [helper.make_empty_tensor_value_info(f"y{k}") for k in range(outputs)]
    node = helper.make_node(op, names, [r.name for r in results], domain="ai.onnx.contrib", **attributes)
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.contrib", 1)]
    graph = helper.make_graph([node], "g", declared, results, constants)
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


RAN = [
    ("StringUpper", ["s3"], [[3]], {}),
    ("StringLower", ["s"], [[]], {}),
    ("StringStrip", ["s2,0"], [[2, 0]], {}),
    ("StringMapping", ["s2,1"], [[2, 1]], {"map": "a\tb\n"}),
    ("StringLength", ["s2,1"], [[2, 1]], {}),
    ("StringToHashBucket", ["s3", "i"], [[3]], {}),
    ("StringToHashBucketFast", ["s", "i1"], [[]], {}),
    ("StringRegexReplace", ["s3", "s1,1", "s1"], [[3]], {}),
    ("StringECMARegexReplace", ["s0", "s", "s"], [[0]], {}),
    ("StringConcat", ["s2,0", "s2,0"], [[2, 0]], {}),
    ("StringJoin", ["s3", "s1", 0], [[1]], {}),
    ("StringJoin", ["s0", "s1", 0], [[1]], {}),
    ("StringJoin", ["s", "s1", 5], [[1]], {}),
    ("StringJoin", ["s2,2", "s1", 1], [[2]], {}),
    ("StringJoin", ["s1,2,2", "s1", 1], [[1, 2]], {}),
    ("StringJoin", ["s0,3,2", "s1", 0], [[3, 2]], {}),
    ("StringJoin", ["s2,0,1", "s1,1", 1], [[2, 1]], {}),
    ("StringSplit", ["s3", *SPLIT], [[4, 2], [4], [2]], {}),
    ("StringSplit", ["s0", *SPLIT], [[0, 2], [0], [2]], {}),
    ("CLIPTokenizer", ["s3"], [[3, 8], [3, 8], [3, 8, 2]], CLIP),
    ("CLIPTokenizer", ["s"], [[4], [4]], {**CLIP, "padding_length": 4}),
    ("CLIPTokenizer", ["s0"], [[0, 0], [0, 0], [0, 0, 2]], CLIP),
    ("RobertaTokenizer", ["s2,1"], [[2, 1, 7], [2, 1, 7], [2, 1, 7, 2]], CLIP),
    ("GPT2Tokenizer", ["s1,2"], [[1, 2, 1], [1, 2, 1]], CLIP),
    ("GPT2Tokenizer", ["s0"], [[0, 5], [0, 5]], {**CLIP, "padding_length": 5}),
    ("BertTokenizer", ["s"], [[4]] * 3, {"vocab_file": ""}),
    ("BertTokenizer", ["s2,1"], [[6]] * 3, {"vocab_file": ""}),
    ("HfBertTokenizer", ["s1,2"], [[1, 5]] * 3, {"vocab_file": ""}),
    ("SentencepieceTokenizer", ["s3", *PIECES], [[10], [4], [10]], {"model": b""}),
    ("SentencepieceTokenizer", ["s2,2", *PIECES, "b1"], [[10], [5], [10]], {"model": b""}),
    ("SentencepieceTokenizer", ["s", *PIECES], [[2], [2]], {"model": b""}),
    ("SentencepieceTokenizer", ["s0", *PIECES], [[0], [1], [0]], {"model": b""}),
    ("NegPos", ["f2,3"], [[2, 3], [2, 3]], {}),
    ("SegmentSum", ["f4,2,2", "i4"], [[3, 2, 2]], {}),
    ("SegmentSum", ["f1,0", "i1"], [[1, 0]], {}),
    ("MaskedFill", ["s3", "b3"], [[2]], {}),
    ("MaskedFill", ["s", "b"], [[1]], {}),
    ("MaskedFill", ["s1", "b1"], [[0]], {}),
]
FAILED = [
    ("StringToHashBucket", ["s3", "i2"]),
    ("StringToHashBucket", ["s3", "i1,1"]),
    ("StringRegexReplace", ["s3", "s2", "s1"]),
    ("StringConcat", ["s3", "s1"]),
    ("StringConcat", ["s3,1", "s1,3"]),
    ("StringConcat", ["s1,1", "s1"]),
    ("StringJoin", ["s3", "s1", -1]),
    ("StringJoin", ["s1", "s1", 1]),
    ("StringJoin", ["s3", "s2", 0]),
    ("StringJoin", ["s0,2", "s1", 1]),
    ("StringSplit", ["s2,1", *SPLIT]),
    ("StringSplit", ["s", *SPLIT]),
    ("StringSplit", ["s3", "s2", "b1"]),
    ("BertTokenizer", ["s3"]),
    ("BertTokenizer", ["s0"]),
    ("HfBertTokenizer", ["s1"]),
    ("HfBertTokenizer", ["s2,2"]),
    ("SentencepieceTokenizer", ["s3", "i2", *PIECES[1:]]),
    ("SegmentSum", ["f4,3", "i3"]),
    ("SegmentSum", ["f4,3", "i2,2"]),
    ("SegmentSum", ["f0,3", "i0"]),
    ("MaskedFill", ["s3", "b2"]),
    ("MaskedFill", ["s1,2", "b1,2"]),
    ("MaskedFill", ["s1", "b"]),
]


@pytest.mark.parametrize(("op", "inputs", "shapes", "attributes"), RAN)
def test_what_ran(op, inputs, shapes, attributes):
    proto = model(op, inputs, len(shapes), attributes)
    assert shapesmt.check(proto).verdict.value == "PROVED"
    tensors = shapesmt.bounds(proto).tensors
    for k, shape in enumerate(shapes):
        found = tensors[f"y{k}"].shape
        assert len(found) == len(shape)
        assert all(d.min <= size <= (size if d.max is None else d.max) for d, size in zip(found, shape, strict=True))


def test_a_text_joined_along_an_axis_that_data_decide_may_fail():
    proto = model("StringJoin", ["s1,2,2", "s1", "i1"], 1, {})  # along axis 1 it ran and made [1, 2], along -1 not
    assert shapesmt.check(proto).verdict.value == "UNKNOWN"
    assert str(shapesmt.bounds(proto)["y0"]) == "[?,?]"


@pytest.mark.parametrize(("op", "inputs"), FAILED)
def test_what_failed(op, inputs):
    assert shapesmt.check(model(op, inputs, 1, {})).verdict.value == "FAILS"


def test_lengths_that_data_decide():
    tokens = shapesmt.bounds(model("CLIPTokenizer", ["s3"], 2, CLIP))
    assert (str(tokens["y0"]), str(tokens["y1"])) == ("[3,?]", "[3,?]")
    kept = shapesmt.bounds(model("MaskedFill", ["s3", "b3"], 1, {}))
    assert str(kept["y0"]) == "[..3]"
