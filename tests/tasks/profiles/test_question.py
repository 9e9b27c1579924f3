"""Profiles: their points are inputs for which the model runs."""

from __future__ import annotations

import json

import numpy as np
import pytest
from onnx import parser

import shapesmt
from shapesmt.base.errors import UsageError
from shapesmt.entrypoints.cli import main
from shapesmt.reports.answers import POINTS

KV_CACHE = "examples/kv_cache/kv_cache.onnx"
POSITIONS = "examples/position_table/position_table.onnx"
UNET = "examples/unet/unet.onnx"
HEAD = '<ir_version: 8, opset_import: ["" : 18]>'
POOLED = (
    HEAD
    + """ g (float[n, 1, h, w] x) => (float[a, b, c, d] y) {
    p = MaxPool <kernel_shape = [4, 4], strides = [4, 4]> (x)
    s = Constant <value = float[4] {1.0, 1.0, 4.0, 4.0}> ()
    r = Resize (p, , s)
    y = Add (r, x)
}"""
)
TABLE = HEAD + """ g (float[past] x, float[seq] y) => (float[k] z) { z = Concat <axis = 0> (x, y) }"""
EXPANDED = HEAD + " g (float[n, 1] x, int64[2] to) => (float[a, b] y) { y = Expand (x, to) }"
COUNTED = HEAD + " g (float[n, m] x) => (int64[2, k] y) { y = NonZero (x) }"


def read(text):
    """A model's text as its bytes; a path stays one."""
    return text.encode() if "<" in text else text


def runs(model, box, point):
    """The outputs of ONNX Runtime at a point of a profile."""
    from onnxruntime import InferenceSession

    content = parser.parse_model(model).SerializeToString() if isinstance(model, str) and "<" in model else model
    session = InferenceSession(content, providers=["CPUExecutionProvider"])
    feeds = {}
    for i in session.get_inputs():
        dtype = np.int64 if "int64" in i.type else np.float32
        feeds[i.name] = np.ones(box.inputs[i.name].at(point), dtype)
        if i.name in box.values:
            feeds[i.name] = np.array(box.values[i.name].at(point), dtype).reshape(feeds[i.name].shape)
    return dict(zip([o.name for o in session.get_outputs()], session.run(None, feeds), strict=True))


@pytest.mark.parametrize(
    ("model", "options"),
    [
        (UNET, {"dims": {"batch": "1..2", "height": "64..200", "width": "70..190"}, "valid_only": True}),
        (UNET, {"dims": {"batch": 1, "height": "64..512:16", "width": "64..128:16"}, "profiles": 4}),
        (KV_CACHE, {"dims": {"past": "1..64", "seq": "1..8", "batch": "1..2"}, "valid_only": True}),
        (POSITIONS, {"dims": {"batch": "1..2", "seq": "1..1024"}, "valid_only": True}),
        (POOLED, {"dims": {"n": "1..3", "h": "1..99", "w": "5..50"}, "valid_only": True}),
        (EXPANDED, {"dims": {"n": "1..3"}, "values": {"to": "1..6"}, "valid_only": True}),
    ],
    ids=["unet", "unet in four", "kv cache", "table", "pooled", "expanded"],
)  # fmt: skip
def test_every_point_runs(model, options):
    profile = shapesmt.profile(read(model), **options)
    assert profile.exit_status == 0
    for box in profile.boxes:
        assert box.proven == POINTS
        for point in POINTS:
            runs(model, box, point)
        for t in box.inputs.values():
            assert all(a <= b <= c for a, b, c in zip(t.min, t.opt, t.max, strict=True))


def test_a_model_that_fails_for_some_input_is_refused_until_given_the_box_that_is_printed(capsys, tmp_path):
    options = [UNET, "--for", "trtexec", "--dim", "batch=1..8", "--dim", "width=64"]
    target = tmp_path / "profile.txt"
    assert main(["profile", *options, "--dim", "height=64..512", "-o", str(target)]) == 1
    out = capsys.readouterr().out
    assert "DEPENDS unet.onnx: fails for some input, so nothing is written" in out
    assert not target.exists()
    (box,) = [line.split("to write it: ")[1].split() for line in out.splitlines() if "--dim" in line]
    assert main(["profile", *options, *box, "-o", str(target)]) == 0
    assert target.read_text() == "--minShapes=image:1x3x64x64 --optShapes=image:2x3x176x64 --maxShapes=image:8x3x512x64"
    assert main(["profile", *options, "--dim", "height=64..512", "--valid-only", "-o", str(target)]) == 0
    assert "--maxShapes=image:8x3x512x64" in target.read_text()
    capsys.readouterr()
    assert main(["profile", *options, "--dim", "height=70..75", "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["verdict"] == "FAILS"


def test_the_usual_sizes_can_be_given():
    dims = {"batch": "1..8", "height": "64..512", "width": "64..512"}
    profile = shapesmt.profile(UNET, dims=dims, opt={"height": 320, "batch": 8}, valid_only=True)
    assert profile.boxes[0].inputs["image"].opt == (8, 3, 320, 176)
    with pytest.raises(UsageError, match="no valid input has height=321"):
        shapesmt.profile(UNET, dims=dims, opt={"height": 321}, valid_only=True)
    with pytest.raises(UsageError, match="depth"):
        shapesmt.profile(UNET, dims=dims, opt={"depth": 1}, valid_only=True)


def test_a_corner_that_is_not_valid_gives_way_and_that_is_said():
    profile = shapesmt.profile(read(TABLE), dims={"past": "1..", "seq": "1.."}, assume=["past + seq <= 100"])
    (box,) = profile.boxes
    assert (box.inputs["x"].max, box.inputs["y"].max) == ((50,), (50,))
    left_out = box.left_out
    assert left_out["past"] + left_out["seq"] <= 100
    assert max(left_out.values()) > 50
    assert any("leaves out valid inputs" in note for note in profile.notes)
    assert profile.assume == ("past + seq <= 100",)


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("openvino", 'ov.PartialShape("[1..99]")'),
        ("ovms", '"x": "(1:99)"'),
        ("stablehlo", "%x: tensor<?xf32, #stablehlo.bounds<99>>"),
        ("torch-export", 'past = Dim("past", min=1, max=99)'),
        ("tvm", '"past": 99, "seq": 99'),
    ],
)
def test_an_interval_of_each_size_leaves_out_no_valid_input(target, text):
    """For `past + seq <= 100` the maxima exclude each other: the point is 50 and 50, the intervals end at 99."""
    dims = {"past": "1..", "seq": "1.."}
    profile = shapesmt.profile(read(TABLE), target, dims=dims, assume=["past + seq <= 100"])
    assert text in profile.content
    assert profile.boxes[0].inputs["x"].max == (50,)
    assert profile.notes == ("inside, only inputs with past + seq <= 100 are valid",)


def test_usual_sizes_outside_the_profile_are_refused():
    with pytest.raises(UsageError, match=r"outside the profile, which has past in 1..50, seq in 1..50"):
        shapesmt.profile(
            read(TABLE), dims={"past": "1..99", "seq": "1..99"}, assume=["past + seq <= 100"], opt={"past": 60}
        )


def test_boxes_cover_what_is_valid():
    dims = {"n": "1..4", "h": "4..64:4", "w": 8}
    boxes = shapesmt.profile(read(POOLED), dims=dims, profiles=5).boxes
    assert 1 < len(boxes) <= 5
    assert all(box.left_out is None for box in boxes)
    for n in range(1, 5):
        for h in range(4, 65, 4):
            point = (n, 1, h, 8)
            inside = [
                box for box in boxes
                if all(a <= p <= b for a, p, b in zip(box.inputs["x"].min, point, box.inputs["x"].max, strict=True))
            ]  # fmt: skip
            assert inside, point
    assert len(shapesmt.profile(read(POOLED), dims={"n": "1..2", "h": 4, "w": 4}, profiles=9).boxes) == 2


def test_boxes_are_not_cut_where_other_sizes_decide():
    dims = {"past": "1..500", "seq": "1..9", "batch": "1..2"}
    boxes = shapesmt.profile(KV_CACHE, dims=dims, assume=["total == past + seq"], profiles=6).boxes
    assert len(boxes) == 6
    assert all(box.left_out is None for box in boxes)


def test_inner_tensors_have_the_sizes_of_a_run():
    dims = {"n": "1..3", "h": "8..64:8", "w": "8..32:4"}
    (box,) = shapesmt.profile(read(POOLED), dims=dims, inner=["p", "r"]).boxes
    assert (box.inner["p"].min, box.inner["p"].max) == ((1, 1, 2, 2), (3, 1, 16, 8))
    assert box.inner["r"].opt == box.inputs["x"].opt
    with pytest.raises(UsageError, match="q"):
        shapesmt.profile(read(POOLED), dims=dims, inner=["q"])
    counted = shapesmt.profile(read(COUNTED), dims={"n": 3, "m": "1..4"}, inner=["y"]).boxes[0].inner["y"]
    assert (counted.min, counted.opt, counted.max) == ((2, 0), (2, 6), (2, 12))


def test_points_of_a_model_that_is_not_proved_are_proven_one_by_one():
    model = (
        HEAD
        + """ g (float[n] x, float[m] y, int64[1] k) => (float[a] z) {
        e = com.example.Unknown (x)
        z = Abs (y)
    }"""
    )
    proto = parser.parse_model(model.replace('["" : 18]', '["" : 18, "com.example" : 1]'))
    profile = shapesmt.profile(proto, dims={"n": "1..4", "m": "1..4"})
    assert profile.verdict is shapesmt.Verdict.UNKNOWN
    assert profile.boxes[0].proven == ()
    assert profile.exit_status == 3
    assert "min and opt and max not proven to run" in profile.notes[0]


def test_an_element_without_ends_is_named():
    with pytest.raises(UsageError, match="to"):
        shapesmt.profile(read(EXPANDED), "trtexec", dims={"n": 1}, valid_only=True)


def test_notes_go_to_standard_error(capsys):
    assert main(["profile", "examples/kv_cache/kv_cache.onnx", "--dim", "past=1..8", "--dim", "seq=1..8", "--dim",
                 "batch=1", "--assume", "total == past + seq", "--for", "ort"]) == 0  # fmt: skip
    out, err = capsys.readouterr()
    assert out.endswith('options.add_free_dimension_override_by_name("total", 4)\n')
    assert err == (
        "note: a session with these options takes inputs of these sizes only: batch=1, seq=2, past=2, total=4\n"
        "note: inside, only inputs with total == past + seq are valid\n"
    )


PAIR = HEAD + " g (float[m, 2] x, float[n, 2] z) => (y) { y = Add (x, z) }"


def test_a_format_with_one_box_gets_one_in_which_all_run_or_the_hull_with_conditions(capsys, tmp_path):
    path = tmp_path / "m.onnxtxt"
    path.write_text(PAIR)
    options = ["profile", str(path), "--dim", "m=2..8", "--dim", "n=2..8", "--valid-only", "--for"]
    assert main([*options, "openvino"]) == 0
    out, err = capsys.readouterr()
    assert '"x": ov.PartialShape("[4,2]")' in out
    assert err == (
        "note: it leaves out valid inputs, such as m=2, n=2; --hull has all with m == n, and some that fail\n"
    )
    assert main([*options, "openvino", "--hull"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("# some inputs inside fail: only those with m == n are valid\n# ovc")
    assert '"x": ov.PartialShape("[2..8,2]")' in out
    assert err == "note: inside, only inputs with m == n are valid\n"
    assert main([*options, "trtexec", "--hull"]) == 2
    assert "a hull is for formats that hold one box (openvino, ovms," in capsys.readouterr().err


def test_steps_that_a_format_states_take_no_part_of_the_box():
    dims = {"batch": "1..8", "height": "64..512", "width": 64}
    profile = shapesmt.profile(UNET, "torch-export", dims=dims, valid_only=True)
    assert 'Dim("_height", min=4, max=32)' in profile.content
    assert profile.notes == ()
    fixed = shapesmt.profile(UNET, "tvm", dims=dims, valid_only=True)
    assert '{"batch": 8, "height": 176, "width": 64}' in fixed.content


def test_each_box_has_its_own_conditions():
    data = shapesmt.profile(PAIR.encode(), dims={"m": "2..8", "n": "2..8"}, valid_only=True, profiles=2).to_dict()
    assert [box.get("assume") for box in data["profiles"]] == [["m == n"], ["m == n"]]
    told = shapesmt.profile(PAIR.encode(), "openvino", dims={"m": "2..8", "n": "2..8"}, valid_only=True).to_dict()
    assert (told["assume"], told["beyond"]) == ([], ["m == n"])
