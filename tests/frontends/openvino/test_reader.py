"""OpenVINO's IR: what OpenVINO itself writes is read, bounded at least as tightly, and damaged files are refused."""

from __future__ import annotations

from math import inf
from random import Random

import numpy as np
import pytest

import shapesmt
from shapesmt.base.errors import ModelError, UsageError
from shapesmt.entrypoints.cli.main import main
from shapesmt.frontends import load
from tests.support.ir_text import answers, damaged, layer, net, one


def test_ranges_come_in_as_they_are():
    graph = load(one(shape="1..8,3,?,0..,..5,-1,7.."))
    names = tuple(f"x_dim{i}" for i in range(7))
    assert graph.inputs["x"].shape == (names[0], 3, None, names[3], names[4], None, names[6])
    assert graph.ranges == {"x_dim0": "1..8", "x_dim3": "0..", "x_dim4": "0..5", "x_dim6": "7.."}
    report = shapesmt.check(one(shape="1..8,3,0..,?"))
    assert {n: (r.min, r.max, r.source) for n, r in report.symbols.items()} == {
        "x_dim0": (1, 8, "metadata"),
        "x_dim2": (0, None, "metadata"),
        "x_dim3": (1, None, "default"),
    }
    assert report.verdict.value == "PROVED"


def test_scalars_and_unknown_ranks():
    assert load(one(shape="")).inputs["x"].shape == ()
    assert load(one(shape="...")).inputs["x"].shape is None


def test_the_caller_overrules_the_file():
    found = shapesmt.bounds(one(), dims={"x_dim0": "2..3"}).tensors["y"].shape
    assert [(d.min, d.max) for d in found] == [(2, 3), (3, 3)]


def test_names():
    text = one().replace(b'<port id="1" precision="FP32"/>', b'<port id="1" precision="FP32" names="a\\,b,c"/>')
    assert load(text).outputs == ("a,b",)
    assert load(one()).outputs == ("y",)
    twice = one().replace(b'name="y"', b'name="x"')
    assert load(twice).outputs == ("x:1",)


def test_an_operator_without_a_rule_is_told():
    report = shapesmt.check(one("PagedAttention"))
    assert (report.verdict.value, [f.kind for f in report.findings]) == ("UNKNOWN", ["unsupported"])
    assert "openvino.PagedAttention" in report.findings[0].law


def test_what_the_file_claims_of_a_tensor_is_compared():
    port = b'<port id="1" precision="FP32"><dim>-1</dim><dim>4</dim></port>'
    text = one().replace(b'<port id="1" precision="FP32"/>', port)
    report = shapesmt.check(text)
    assert "4" in str(report.to_dict())
    assert shapesmt.check(text, declared="ignore").verdict.value == "PROVED"


def test_every_verb(tmp_path, capsys):
    path = tmp_path / "model.xml"
    path.write_bytes(one("SoftMax", 'axis="2"'))
    assert main(["check", str(path)]) == 1
    assert "axis 2 is inside a tensor of rank 2" in capsys.readouterr().out
    path.write_bytes(one())
    for verb, *rest in (["check"], ["bounds"], ["explain"], ["explain", "y"], ["ops"], ["encode"]):
        assert main([verb, str(path), *rest]) == 0, verb
    assert "openvino.ReLU" in capsys.readouterr().out


def test_only_onnx_is_written(tmp_path, capsys):
    path = tmp_path / "model.xml"
    path.write_bytes(one())
    assert main(["tighten", str(path), "-o", str(tmp_path / "out.onnx")]) == 2
    assert capsys.readouterr().err == "error: model.xml: an OpenVINO model; only an ONNX model can be written or run\n"
    with pytest.raises(UsageError):
        shapesmt.tighten(one())


@pytest.mark.parametrize(
    "dtype",
    [
        "f16",
        "f32",
        "f64",
        "bf16",
        "f8e4m3",
        "f8e5m2",
        "boolean",
        "u1",
        "u2",
        "i4",
        "u4",
        "i8",
        "u8",
        "i16",
        "u16",
        "i32",
        "u32",
        "i64",
        "u64",
    ],
)
def test_constants_of_every_type(dtype, tmp_path):
    ov = pytest.importorskip("openvino", reason="openvino (extra `peers`) isn't installed")
    form = {"f32": "f", "f64": "d", "i32": "i", "u32": "I", "i64": "q", "u64": "Q"}.get(dtype)
    draw = Random(0)
    content = ov.Tensor(getattr(ov.Type, dtype), [11])
    numbers = [draw.randrange(2) if dtype == "boolean" else draw.randrange(256) for _ in range(22)]
    raw = np.array(numbers, form).view(np.uint8) if form else np.array(numbers, np.uint8)
    held = content.data.view(np.uint8).reshape(-1)
    held[:] = raw[: held.size]
    wide = ov.opset15.convert(ov.opset15.constant(content), "f64" if "f" in dtype else "i64")
    model = ov.Model([ov.opset15.result(wide)], [], "constants")
    ov.serialize(model, str(tmp_path / "model.xml"))
    (literal,) = load(tmp_path / "model.xml").literals.values()
    ran = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})([])[0].tolist()
    assert all(a == b or (a != a and b != b) for a, b in zip(literal.values, ran, strict=True)), literal


@pytest.mark.parametrize("dtype", ["int64", "uint64", "float64", "float32"])
@pytest.mark.parametrize("count", [10, 2000])
def test_tables_are_read_where_a_shape_depends_on_them(count, dtype, tmp_path):
    ov = pytest.importorskip("openvino", reason="openvino (extra `peers`) isn't installed")
    op = ov.opset15
    x = op.parameter(ov.PartialShape("[1..8,6]"), np.float32, name="x")
    table = op.constant(np.arange(count).astype(dtype) % 7)
    target = op.convert(op.gather(table, op.constant(np.array([3, 6])), op.constant(0)), "i64")
    path = str(tmp_path / "model.xml")
    ov.serialize(ov.Model([op.result(op.reshape(x, target, False))], [x], "table"), path)
    assert shapesmt.check(path).precondition.text == ("x_dim0 == 3",)
    (tmp_path / "model.bin").unlink()
    report = shapesmt.check(path)
    assert report.verdict.value == "UNKNOWN"
    assert "model.bin isn't next to the model" in str(report).splitlines()[0]


def reshaping(tmp_path, weights, size="16", offset="8"):
    data = f'element_type="i64" shape="2" offset="{offset}" size="{size}"'
    layers = [
        layer(0, "Parameter", "x", 'shape="1..8,4" element_type="f32"'),
        layer(1, "Const", "shape", data),
        layer(2, "Reshape", "y", 'special_zero="false"', 2),
        layer(3, "Result", "r", inputs=1, outputs=0),
    ]
    path = tmp_path / "model.xml"
    path.write_bytes(net(layers, (0, 0, 2, 0), (1, 0, 2, 1), (2, 2, 3, 0)))
    if weights is not None:
        (tmp_path / "model.bin").write_bytes(weights)
    found = shapesmt.bounds(path).tensors["y"].shape
    return [d.expr.strip("`") for d in found]


def test_small_constants_are_read(tmp_path):
    weights = np.array([7, 2, -1], "<i8").tobytes()
    assert reshaping(tmp_path, weights) == ["2", "2*x_dim0"]


@pytest.mark.parametrize(
    ("weights", "entries"),
    [(None, {}), (b"", {}), (bytes(24), {"size": "8"}), (bytes(24), {"offset": "-8"}), (bytes(24), {"offset": "99"})],
)
def test_without_weights_constants_are_unknown(tmp_path, weights, entries):
    assert all(name.startswith("y.size") for name in reshaping(tmp_path, weights, **entries))


def test_weights_are_not_read_through_links_that_lead_out(tmp_path):
    outside, inside = tmp_path / "secret.bin", tmp_path / "models"
    outside.write_bytes(np.array([7, 2, -1], "<i8").tobytes())
    inside.mkdir()
    (inside / "model.bin").symlink_to(outside)
    assert reshaping(inside, None)[0].startswith("y.size")


def test_an_unknown_axis_is_told(tmp_path, capsys):
    layers = [
        layer(0, "Parameter", "x", 'shape="1..8,4" element_type="f32"'),
        layer(1, "Const", "axis", 'element_type="i64" shape="" offset="0" size="8"'),
        layer(2, "Split", "y", 'num_splits="2"', 2, 2),
        layer(3, "Result", "r", inputs=1, outputs=0),
    ]
    path = tmp_path / "model.xml"
    path.write_bytes(net(layers, (0, 0, 2, 0), (1, 0, 2, 1), (2, 2, 3, 0)))
    report = shapesmt.check(path)
    assert main(["check", str(path)]) == 3
    assert "  the axis of Split must be known: are the weights, a .bin file, beside" in capsys.readouterr().out
    assert report.verdict.value == "UNKNOWN"
    assert report.findings[0].law.startswith("the axis of Split must be known: are the weights")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"<?xml version='1.0'?>", "not XML, or damaged"),
        (b"<?xml version='1.0'?><html/>", "no OpenVINO model"),
        (b"<net version='11'/>", "no OpenVINO model"),
        (b"<net version='7'><layers/></net>", "IR of version '7'; versions 10 and 11 are read"),
        (b"<!DOCTYPE net [<!ENTITY a 'b'>]><net version='11'><layers/></net>", "has a DOCTYPE"),
        (b"<?xml version='1.0'?>\xff", "not UTF-8"),
        (one(shape="1..x"), "input 'x' has the shape '1..x'"),
        (one().replace(b'to-port="0"', b'to-port="9"', 1), "no edge brings layer 'y' (ReLU) its input 0"),
        (one().replace(b'id="1" name', b'id="0" name'), "another's id"),
        (one().replace(b'from-layer="0"', b'from-layer="1"').replace(b'from-port="0"', b'from-port="1"'), "cycle"),
        (one("If"), "the then branch of 'y' is missing"),
        (net([layer(0, "Parameter", "x", outputs=2)]), "has 2 outputs, not one"),
        (net([layer(0, "Const", "c", 'shape="1,-2"')]), "constant 'c' has the shape '1,-2'"),
    ],
)
def test_damaged_files(text, message, tmp_path, capsys):
    with pytest.raises(ModelError) as caught:
        load(text)
    assert message in str(caught.value)
    path = tmp_path / "model.xml"
    path.write_bytes(text)
    assert main(["check", str(path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_cut_and_mutated_files(seeds):
    text = one("StridedSlice", 'begin_mask="1,0" end_mask="0" axis="1"')
    for seed in seeds:
        answers(damaged(text, seed), f"seed {seed}")


def test_deep_nesting():
    text = b"<net version='11'><layers>" + b"<a>" * 100_000 + b"</a>" * 100_000 + b"</layers></net>"
    assert load(text).outputs == ()


def interval_inputs(op):
    def build(x, y, z):
        joined = op.concat([op.relu(x), y], 0)
        filters = op.constant(np.zeros((4, 3, 3, 3), np.float32))
        window = {"strides": [2, 2], "pads_begin": [1, 1], "pads_end": [1, 1], "dilations": [1, 1]}
        pooled = op.avg_pool(joined, [2, 2], [0, 0], [0, 0], [2, 2], True, auto_pad="same_upper")
        return [joined, op.add(joined, z), op.convolution(joined, filters, **window), pooled]

    return build, ["[1..8,3,8..64,32]", "[2..4,3,8..16,32]", "[1,3,1..9,1]"]


def shape_subgraph(op):
    def build(x):
        sizes = op.shape_of(x)
        zero = op.constant(np.int64(0))
        batch, seq = (op.gather(sizes, op.constant(np.array([i], np.int64)), zero) for i in (0, 1))
        rest = [op.constant(np.array([n], np.int64)) for n in (12, 64)]
        heads = op.transpose(op.reshape(x, op.concat([batch, seq, *rest], 0), False), [0, 2, 1, 3])
        merged = op.reshape(x, op.concat([op.multiply(batch, seq), op.constant(np.array([-1], np.int64))], 0), False)
        steps = op.range(zero, op.squeeze(seq, zero), op.constant(np.int64(1)), "i64")
        chunks = op.strided_slice(x, [0, 1, 0], [0, 0, 0], [1, 2, 1], [1, 0, 1], [1, 1, 1])
        return [heads, merged, steps, chunks]

    return build, ["[1..4,2..128,768]"]


def dynamic_rank(op):
    def build(x, y):
        rows = op.reshape(x, op.constant(np.array([-1, 6], np.int64)), False)
        return [op.relu(x), rows, op.concat([rows, y], 1), op.shape_of(op.concat([x, x], 2))]

    return build, ["[...]", "[1..8,4]"]


@pytest.mark.parametrize("case", [interval_inputs, shape_subgraph, dynamic_rank])
def test_bounds_are_at_least_as_tight_as_openvinos(case, oracle, tmp_path):
    from openvino import opset15

    build, shapes = case(opset15)
    model = oracle.made(build, *shapes)
    found = shapesmt.bounds(oracle.saved(model, tmp_path)).tensors
    tighter = 0
    for output in model.outputs:
        theirs, ours = output.partial_shape, found[output.any_name].shape
        assert ours is not None or theirs.rank.is_dynamic, output.any_name
        if theirs.rank.is_dynamic:
            tighter += ours is not None
            continue
        assert len(ours) == theirs.rank.get_length()
        for size, dim in zip(ours, theirs, strict=True):
            most = dim.get_max_length() if dim.get_max_length() >= 0 else inf
            least, greatest = size.min, inf if size.max is None else size.max
            assert dim.get_min_length() <= least <= greatest <= most, (output.any_name, size, dim)
            tighter += (least, greatest) != (dim.get_min_length(), most)
    assert tighter > 0
