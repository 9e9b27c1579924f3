"""Each compiler's text, and what its own parser reads in it."""

from __future__ import annotations

import json
import re
import shlex

import numpy as np
import pytest
from onnx import parser

import shapesmt
from shapesmt.base.errors import UsageError
from shapesmt.reports.export.profiles import TARGETS

JOINED = """<ir_version: 8, opset_import: ["" : 18]>
g (float[batch, seq] x, float[batch, past] y, float[batch, total] mask) => (float[batch, total] z) {
    j = Concat <axis = 1> (x, y)
    z = Add (j, mask)
}"""
DIMS = {"batch": "1..8", "seq": "16..64:16", "past": "1..100"}
STEPS = (
    '<ir_version: 8, opset_import: ["" : 18]> g (float[n, 4] x, int64[2] to) => (float[a, b] y) { y = Expand (x, to) }'
)

TEXTS = {
    "trtexec": """\
--minShapes=x:1x16,y:1x1,mask:1x17 --optShapes=x:2x32,y:2x10,mask:2x42 --maxShapes=x:8x64,y:8x100,mask:8x164""",
    "polygraphy": """\
polygraphy convert m.onnx -o m.engine --trt-min-shapes 'x:[1,16]' 'y:[1,1]' 'mask:[1,17]' \
--trt-opt-shapes 'x:[2,32]' 'y:[2,10]' 'mask:[2,42]' --trt-max-shapes 'x:[8,64]' 'y:[8,100]' 'mask:[8,164]'""",
    "ort-trt": """\
{"trt_profile_min_shapes": "x:1x16,y:1x1,mask:1x17",
 "trt_profile_opt_shapes": "x:2x32,y:2x10,mask:2x42",
 "trt_profile_max_shapes": "x:8x64,y:8x100,mask:8x164"}""",
    "torch-trt": """\
import torch
import torch_tensorrt

inputs = [
    torch_tensorrt.Input(min_shape=(1, 16), opt_shape=(2, 32), max_shape=(8, 64), dtype=torch.float32, name="x"),
    torch_tensorrt.Input(min_shape=(1, 1), opt_shape=(2, 10), max_shape=(8, 100), dtype=torch.float32, name="y"),
    torch_tensorrt.Input(min_shape=(1, 17), opt_shape=(2, 42), max_shape=(8, 164), dtype=torch.float32, name="mask"),
]""",
    "torch-export": """\
from torch.export import Dim

batch = Dim("batch", min=1, max=8)
_seq = Dim("_seq", min=1, max=4)
past = Dim("past", min=1, max=100)
total = Dim("total", min=17, max=164)  # seq + past
dynamic_shapes = {
    "x": {0: batch, 1: 16*_seq},
    "y": {0: batch, 1: past},
    "mask": {0: batch, 1: total},
}""",
    "openvino": """\
# ovc m.onnx --input 'x[1..8,16..64],y[1..8,1..100],mask[1..8,17..164]'
import openvino as ov

model.reshape({
    "x": ov.PartialShape("[1..8,16..64]"),
    "y": ov.PartialShape("[1..8,1..100]"),
    "mask": ov.PartialShape("[1..8,17..164]"),
})""",
    "ovms": """\
--shape '{"x": "(1:8,16:64)", "y": "(1:8,1:100)", "mask": "(1:8,17:164)"}'""",
    "ort": """\
import onnxruntime

options = onnxruntime.SessionOptions()
options.add_free_dimension_override_by_name("batch", 2)
options.add_free_dimension_override_by_name("seq", 32)
options.add_free_dimension_override_by_name("past", 10)
options.add_free_dimension_override_by_name("total", 42)""",
    "tvm": """\
mod["main"] = mod["main"].with_attr("tir_var_upper_bound", {"batch": 8, "seq": 64, "past": 100, "total": 164})
mod["main"] = mod["main"].with_attr("tir_var_lower_bound", {"batch": 1, "seq": 16, "past": 1, "total": 17})""",
    "stablehlo": """\
%x: tensor<?x?xf32, #stablehlo.bounds<8, 64>>
%y: tensor<?x?xf32, #stablehlo.bounds<8, 100>>
%mask: tensor<?x?xf32, #stablehlo.bounds<8, 164>>""",
    "coreml": """\
import coremltools as ct

inputs = [
    ct.TensorType("x", shape=ct.Shape((ct.RangeDim(1, 8, 2), ct.RangeDim(16, 64, 32)))),
    ct.TensorType("y", shape=ct.Shape((ct.RangeDim(1, 8, 2), ct.RangeDim(1, 100, 10)))),
    ct.TensorType("mask", shape=ct.Shape((ct.RangeDim(1, 8, 2), ct.RangeDim(17, 164, 42)))),
]

# for ct.convert(..., inputs=enumerated, minimum_deployment_target=ct.target.iOS18), from iOS 18 on:
enumerated = [
    ct.TensorType("x", shape=ct.EnumeratedShapes([(1, 16), (2, 32), (8, 64)], default=(2, 32))),
    ct.TensorType("y", shape=ct.EnumeratedShapes([(1, 1), (2, 10), (8, 100)], default=(2, 10))),
    ct.TensorType("mask", shape=ct.EnumeratedShapes([(1, 17), (2, 42), (8, 164)], default=(2, 42))),
]""",
    "triton": """\
platform: "onnxruntime_onnx"
max_batch_size: 8
input [
  { name: "x" data_type: TYPE_FP32 dims: [ -1 ] },
  { name: "y" data_type: TYPE_FP32 dims: [ -1 ] },
  { name: "mask" data_type: TYPE_FP32 dims: [ -1 ] }
]
optimization { execution_accelerators {
  gpu_execution_accelerator : [ {
    name : "tensorrt"
    parameters { key: "trt_profile_min_shapes" value: "x:1x16,y:1x1,mask:1x17" }
    parameters { key: "trt_profile_opt_shapes" value: "x:2x32,y:2x10,mask:2x42" }
    parameters { key: "trt_profile_max_shapes" value: "x:8x64,y:8x100,mask:8x164" }
  } ]
}}""",
    "json": """\
{"schema": "shapesmt/profile/1",
 "model": "m.onnx",
 "verdict": "PROVED",
 "profile": {
  "x": {"min": [1, 16], "opt": [2, 32], "max": [8, 64]},
  "y": {"min": [1, 1], "opt": [2, 10], "max": [8, 100]},
  "mask": {"min": [1, 17], "opt": [2, 42], "max": [8, 164]}},
 "values": {},
 "inner": {},
 "symbols": {
  "batch": {"min": [1], "opt": [2], "max": [8]},
  "seq": {"min": [16], "opt": [32], "max": [64]},
  "past": {"min": [1], "opt": [10], "max": [100]},
  "total": {"min": [17], "opt": [42], "max": [164]}},
 "proven": ["min", "opt", "max"],
 "assume": ["total == seq + past", "seq % 16 == 0"],
 "seconds": 0.0}""",
}


@pytest.fixture
def joined(tmp_path):
    path = tmp_path / "m.onnx"
    path.write_bytes(parser.parse_model(JOINED).SerializeToString())
    return str(path)


def text(model, target, **options):
    model = model.encode() if isinstance(model, str) and "<" in model else model
    options = {"dims": DIMS, "assume": ["total == seq + past"], **options}
    return re.sub(r'"seconds": [\d.]+', '"seconds": 0.0', shapesmt.profile(model, target, **options).content)


def test_every_format_has_its_text():
    assert TEXTS.keys() == TARGETS.keys()


@pytest.mark.parametrize("target", TEXTS)
def test_text(joined, target):
    assert text(joined, target) == TEXTS[target]


def test_elements_of_small_inputs_take_the_place_of_their_sizes():
    options = {"dims": {"n": "1"}, "values": {"to[0]": "1..9", "to[1]": "4"}, "assume": []}
    words = text(STEPS, "trtexec", **options)
    assert words == "--minShapes=x:1x4,to:1x4 --optShapes=x:1x4,to:3x4 --maxShapes=x:1x4,to:9x4"
    assert "shape=(1, 4), dtype=torch.float32" in text(STEPS, "torch-trt", **options)
    assert "max_shape=(9, 4), dtype=torch.int64, is_shape_tensor=True" in text(STEPS, "torch-trt", **options)


def test_several_profiles_and_names_with_a_colon():
    model = '<ir_version: 8, opset_import: ["" : 18]> g (float[n] "x:0") => (float[n] y) { y = Abs ("x:0") }'
    proto = parser.parse_model(model.replace('"x:0"', "x"))
    proto.graph.input[0].name = proto.graph.node[0].input[0] = "x:0"
    options = {"dims": {"n": "1..16"}, "assume": [], "profiles": 2}
    assert shlex.split(text(proto, "trtexec", **options)) == [
        *("--profile=0", "--minShapes='x:0':1", "--optShapes='x:0':2", "--maxShapes='x:0':4"),
        *("--profile=1", "--minShapes='x:0':5", "--optShapes='x:0':8", "--maxShapes='x:0':16"),
    ]
    assert json.loads(text(proto, "ort-trt", **options))["trt_profile_max_shapes"] == "x:0:4,x:0:16"
    assert "[1..16]" in text(proto, "openvino", **options)
    with pytest.raises(UsageError, match="one profile"):
        text(proto, "torch-trt", **options)


def test_names_that_a_language_lacks_are_told_apart():
    text_of = '<ir_version: 8, opset_import: ["" : 18]> g (float[n] p, float[n] q) => (float[n] y) { y = Add (p, q) }'
    proto = parser.parse_model(text_of)
    for place, name in enumerate(("x:0", "x/0")):
        proto.graph.input[place].name = proto.graph.node[0].input[place] = name
    rows = text(proto, "stablehlo", dims={"n": "2"}, assume=[]).splitlines()
    assert rows == ["%x_0: tensor<2xf32>  // x:0", "%x_0_: tensor<2xf32>  // x/0"]


def test_sizes_without_an_end(joined):
    options = {"dims": {"seq": 16, "past": 4}}
    assert "x[1..,16]" in text(joined, "openvino", **options)
    assert "(-1,16)" in text(joined, "ovms", **options)
    assert '"batch": 1' in text(joined, "tvm", **options)
    assert 'Dim("batch", min=1)' in text(joined, "torch-export", **options)
    assert "%x: tensor<?x16xf32>" in text(joined, "stablehlo", **options)
    for target in ("trtexec", "polygraphy", "ort-trt", "torch-trt", "triton"):
        with pytest.raises(UsageError, match="'batch', in 'x', has no upper end"):
            text(joined, target, **options)


@pytest.mark.parametrize(
    ("inputs", "dims", "reason"),
    [
        ("float[n,c] x", {}, "'n', in 'x', has no upper end"),
        ("float[n] x, float s", {"n": "1..8"}, "1 to 5 dimensions; 's' has 0"),
        ("float[n,1,1,1,1,2] x", {"n": "1..8"}, "1 to 5 dimensions; 'x' has 6"),
    ],
)
def test_core_ml_takes_neither_all_ranks_nor_sizes_without_an_end(inputs, dims, reason):
    model = parser.parse_model(f'<ir_version: 8, opset_import: ["" : 18]> g ({inputs}) => (y) {{ y = Exp (x) }}')
    with pytest.raises(UsageError, match=reason):
        text(model, "coreml", dims=dims, assume=[])


def test_core_ml_gets_the_valid_shapes_of_one_input():
    model = parser.parse_model(
        '<ir_version: 8, opset_import: ["" : 18]> g (float[n,m] x) => (y) { t = Transpose (x) y = Add (x, t) }'
    )
    said = text(model, "coreml", dims={"n": "2..8", "m": "2..8"}, assume=[], valid_only=True)
    assert "shape=ct.EnumeratedShapes([(2, 2), " in said
    assert "RangeDim" not in said


def test_an_element_without_an_end_needs_a_value():
    with pytest.raises(UsageError, match=r"'element 0', in 'to', has no upper end, .* as in --value to=1\.\.32"):
        text(parser.parse_model(STEPS), "trtexec", dims={"n": 1}, assume=[], valid_only=True)


def test_a_model_without_open_sizes_needs_no_profile():
    model = '<ir_version: 8, opset_import: ["" : 18]> g (float[2] x) => (float[2] y) { y = Abs (x) }'
    assert not text(model, "trtexec", dims={}, assume=[])
    assert "# ovc" in text(model, "openvino", dims={}, assume=[])


def test_inner_tensors_go_where_a_graph_is_partitioned(joined):
    assert "j:8x164" in text(joined, "ort-trt", inner=["j"])
    assert "j:8x164" in text(joined, "triton", inner=["j"])
    with pytest.raises(UsageError, match="trtexec takes sizes of inputs only"):
        text(joined, "trtexec", inner=["j"])


def test_there_is_no_such_format(joined):
    with pytest.raises(UsageError, match="not 'trt'"):
        text(joined, "trt")


def test_polygraphy_reads_it(joined):
    pytest.importorskip("polygraphy", reason="polygraphy (extra `peers`) isn't installed")
    from polygraphy.common import TensorMetadata
    from polygraphy.tools.args.backend.trt import config

    words = shlex.split(text(joined, "polygraphy", profiles=2))
    points = {point: [] for point in ("min", "opt", "max")}
    for word in words[words.index("--trt-min-shapes") :]:
        if word.startswith("--trt-"):
            points[word.split("-")[3]].append([])
            current = points[word.split("-")[3]][-1]
        else:
            current.append(word)
    read = config.parse_profile_shapes(TensorMetadata(), *points.values())
    boxes = shapesmt.profile(joined, dims=DIMS, assume=["total == seq + past"], profiles=2).boxes
    assert len(read) == len(boxes) == 2
    for profile, box in zip(read, boxes, strict=True):
        assert {n: tuple(map(tuple, sizes)) for n, sizes in profile.items()} == {
            name: (t.min, t.opt, t.max) for name, t in box.inputs.items()
        }


def test_openvino_reads_it_and_has_the_sizes_that_bounds_gives(joined):
    ov = pytest.importorskip("openvino", reason="openvino (extra `peers`) isn't installed")
    model = ov.convert_model(joined)
    exec(text(joined, "openvino"), {"model": model})
    bounds = shapesmt.bounds(joined, dims=DIMS, assume=["total == seq + past"])
    for port in (*model.inputs, *model.outputs):
        ends = [(d.get_min_length(), d.get_max_length()) for d in port.partial_shape]
        assert ends == [(d.min, d.max) for d in bounds.tensors[port.any_name].shape]


def test_onnxruntime_takes_the_sizes(joined):
    from onnxruntime import InferenceSession

    names: dict = {}
    exec(text(joined, "ort"), names)
    session = InferenceSession(joined, names["options"], providers=["CPUExecutionProvider"])
    assert [i.shape for i in session.get_inputs()] == [[2, 32], [2, 10], [2, 42]]
    feeds = {i.name: np.zeros(i.shape, np.float32) for i in session.get_inputs()}
    assert session.run(None, feeds)[0].shape == (2, 42)


def test_torch_exports_with_it(joined):
    torch = pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")
    names: dict = {}
    exec(text(joined, "torch-export"), names)

    class Joined(torch.nn.Module):
        def forward(self, x, y, mask):
            return torch.cat([x, y], 1) + mask

    examples = torch.zeros(2, 32), torch.zeros(2, 10), torch.zeros(2, 42)
    exported = torch.export.export(Joined(), examples, dynamic_shapes=names["dynamic_shapes"])
    ends = {str(s): (int(r.lower), int(r.upper)) for s, r in exported.range_constraints.items()}
    assert (1, 8) in ends.values()
    assert (1, 100) in ends.values()
    for batch, seq, past in ((1, 16, 1), (8, 64, 100)):
        feeds = (torch.zeros(batch, seq), torch.zeros(batch, past), torch.zeros(batch, seq + past))
        assert exported.module()(*feeds).shape == (batch, seq + past)
