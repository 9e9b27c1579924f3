"""The hint about the first step of a decoder."""

from __future__ import annotations

import onnx
import pytest

import shapesmt
from tests.support.reports import text

HINT = "past starts at 1: the first step, with an empty cache, is left out; --dim past=0.. includes it"


def model(inputs: str) -> onnx.ModelProto:
    name = inputs.partition("] ")[2].partition(",")[0]
    return onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["":18]> g ({inputs}) => (y) {{ y = Abs ({name}) }}')


def hints(inputs: str, **options: object) -> tuple[str, ...]:
    return shapesmt.check(model(inputs), **options).hints  # type: ignore[arg-type]


DECODER = "float[batch, past, 4] past_keys, float[batch, seq] ids, float[batch, total] mask"


def test_an_undeclared_length_of_a_cache() -> None:
    assert hints(DECODER) == (HINT,)


@pytest.mark.parametrize("spec", ["0..", "1..", "1..2048", "8"])
def test_what_is_declared_is_meant(spec: str) -> None:
    assert hints(DECODER, dims={"past": spec}) == ()


def test_what_the_exporter_notes_is_meant() -> None:
    proto = model(DECODER)
    proto.metadata_props.add(key="range_constraints", value="{past: VR[1, 64]}")
    assert shapesmt.check(proto).hints == ()


@pytest.mark.parametrize(
    ("noted", "told"),
    [
        ("VR[2, 64]", ("seq starts at 2 in the file's metadata: 1 is left out; --dim seq=1..64 includes it",)),
        ("VR[2, int_oo]", ("seq starts at 2 in the file's metadata: 1 is left out; --dim seq=1.. includes it",)),
        ("VR[50, 50]", ("one value in the file's metadata: seq = 50",)),
        ("VR[1, 64]", ()),
        ("VR[3, 64]", ()),
    ],
)
def test_what_the_metadata_leave_out(noted: str, told: tuple[str, ...]) -> None:
    proto = model("float[batch, seq] x, float[batch, 4] w")
    proto.metadata_props.add(key="range_constraints", value=f"{{seq: {noted}}}")
    assert shapesmt.check(proto).hints == told
    assert shapesmt.check(proto, dims={"seq": "1..8"}).hints == ()


@pytest.mark.parametrize("name", ["past_key_values_0", "cache_k", "Past", "kv_cache", "layer.past"])
def test_the_inputs_that_are_caches(name: str) -> None:
    proto = model("float[batch, past] x, float[batch, past] y")
    proto.graph.input[0].name, proto.graph.input[1].name = name, f"{name}_2"
    proto.graph.node[0].input[0] = name
    assert shapesmt.check(proto).hints == (HINT,)


@pytest.mark.parametrize(
    "inputs",
    [
        "float[b, pasture] x",
        "float[b, n] repast",
        "float[b, n] pasture",
        "float[b, n] past, float[m, n] ids",
        "float[n] past",
    ],
)
def test_other_inputs_and_shared_dimensions(inputs: str) -> None:
    assert hints(inputs) == ()


def test_several_are_one_hint() -> None:
    inputs = ", ".join(f"float[batch, length_{i}] past_{i}" for i in range(5))
    assert hints(inputs) == (
        "length_0, length_1, length_2 and 2 more start at 1: the first step, with an empty cache, is left out; "
        "--dim length_0=0.. includes it",
    )


def test_it_is_shown_and_changes_nothing() -> None:
    report = shapesmt.check(model(DECODER), strict=True)
    assert f"hint: {HINT}" in text(report).splitlines()
    assert report.to_dict()["hints"] == [HINT]
    assert "hints" not in shapesmt.check(model(DECODER), dims={"past": 1}).to_dict()
    assert not [w for w in report.warnings if "past" in w.text]


def test_a_hostile_name_is_escaped() -> None:
    proto = model("float[b, n] past")
    proto.graph.input[0].type.tensor_type.shape.dim[1].dim_param = "\x1b[2J;rm"
    (hint,) = shapesmt.check(proto).hints
    assert hint.isprintable()
    assert "'\\x1b[2J;rm=0..'" in hint


def test_a_model_in_which_nothing_varies_says_how_to_ask_for_more() -> None:
    [hint] = hints("float[1, 3, 64] x, float[4] z")
    assert hint == "nothing varies: only x 1x3x64, z 4 is meant; --shape 'x=[1..,1..,1..]' asks for more"
    assert hints("float[1, 3, 64] x", shapes={"x": "[1..,3,64]"}) == ()
    assert hints("float[1, n] x", dims={"n": 4}) == ()
    assert hints("float x") == ()


def test_a_length_that_is_named_like_a_cache_needs_no_input_named_so() -> None:
    assert hints("float[batch, past, 4] pk0, float[batch, past, 4] pv0, float[batch, seq] ids") == (HINT,)
    assert hints("float[past, 4] pk0") == ()  # the first axis is the batch
