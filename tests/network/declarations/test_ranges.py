"""RANGE and SHAPE text, and messages about names that don't exist."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

from shapesmt.base.errors import UsageError
from shapesmt.network.declarations.ranges import (
    LARGEST,
    Range,
    did_you_mean,
    parse_range,
    parse_shape,
    quote,
    unknown_name,
)
from tests.support.hang import no_hang


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("8", Range(8, 8)),
        ("0", Range(0, 0)),
        ("1..32", Range(1, 32)),
        (" 1 .. 32 ", Range(1, 32)),
        ("1..", Range(1, None)),
        ("0..", Range(0, None)),
        ("..32", Range(1, 32)),
        ("0..32", Range(0, 32)),
        ("64..512:16", Range(64, 512, 16)),
        ("64..:16", Range(64, None, 16)),
        ("64..520:16", Range(64, 512, 16)),
        ("64..70:16", Range(64, 64)),
        (8, Range(8, 8)),
        ((1, 32), Range(1, 32)),
        ((1, None), Range(1, None)),
        ((2, 4), Range(2, 4)),
        (Range(2, 9, 2), Range(2, 8, 2)),
        (f"1..{LARGEST}", Range(1, LARGEST)),
    ],
)
def test_range(spec, expected):
    assert parse_range(spec) == expected


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("5..2", "range '5..2' of 'height' is empty: 5 > 2; write lo..hi with lo <= hi"),
        ("..0", "range '..0' of 'height' is empty: 1 > 0; write lo..hi with lo <= hi"),
        ((3, 1), "range '(3, 1)' of 'height' is empty: 3 > 1; write lo..hi with lo <= hi"),
        ("-3", "range '-3' of 'height' has -3; sizes are 0 or more; write 8, 1..32, 1.., ..32 or 64..512:16"),
        (-3, "range '-3' of 'height' has -3; sizes are 0 or more; write 8, 1..32, 1.., ..32 or 64..512:16"),
        ("64..512:0", "range '64..512:0' of 'height' has step 0; a step is 1 or more, as in 64..512:16"),
        (
            "1..9223372036854775808",
            "'1..9223372036854775808' of 'height' exceeds 9223372036854775807, the largest size a tensor can have",
        ),
        ("9" * 5000, "is not a range of 'height'; write 8, 1..32, 1.., ..32 or 64..512:16"),
    ],
)
def test_contradictory_ranges_are_refused_with_the_remedy(spec, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        parse_range(spec, "height")


MALFORMED = ["", "..", ":2", "8:2", "a", "1..2..3", "1_0", "٣", "1.5", "-", "1..-", "\x1b[2J", "1\n2"]


@pytest.mark.parametrize("spec", [*MALFORMED, True, 1.5, None, (1, 2, 3), (None, 3), ("1", "2")])
def test_malformed_ranges_say_what_is_accepted(spec):
    with pytest.raises(UsageError, match=r"write 8, 1\.\.32, 1\.\., \.\.32 or 64\.\.512:16$") as caught:
        parse_range(spec, "n")
    assert str(caught.value).isprintable()


@given(st.integers(0, 300), st.none() | st.integers(0, 300), st.integers(1, 40))
def test_a_range_reads_back_from_its_text_and_ends_on_its_step(low, high, step):
    if high is not None and high < low:
        low, high = high, low
    text = f"{low}..{'' if high is None else high}:{step}"
    r = parse_range(text)
    assert parse_range(str(r)) == r
    assert r.lo in r
    assert r.hi is None or (r.hi in r and r.hi <= (high or 0) < r.hi + step)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("[1..8,3,?,400]", (Range(1, 8), Range(3, 3), None, Range(400, 400))),
        ("[ batch , 3 ]", ("batch", Range(3, 3))),
        ("1,3,h,w", (Range(1, 1), Range(3, 3), "h", "w")),
        ("1x3x224x224", (Range(1, 1), Range(3, 3), Range(224, 224), Range(224, 224))),
        ("1..8x3xhxw", (Range(1, 8), Range(3, 3), "h", "w")),
        ("?x3", (None, Range(3, 3))),
        ("[max]", ("max",)),
        ("[`Batch Size`, `a,b`]", ("Batch Size", "a,b")),
        ("[]", ()),
        ("[...]", None),
        ("...", None),
        ((1, "h", None, "2..4", (1, 8)), (Range(1, 1), "h", None, Range(2, 4), Range(1, 8))),
    ],
)
def test_shape(spec, expected):
    assert parse_shape(spec) == expected


@pytest.mark.parametrize("spec", ["", "[", "]", "[1", "[[1]]", "[1,]", "[1,,2]", "1xmax", "[a b]", "[1;2]"])
def test_malformed_shapes_say_what_is_accepted(spec):
    with pytest.raises(UsageError, match=r"is not a shape of 'image'; write \[1\.\.8,3,\?,400\]"):
        parse_shape(spec, "image")


def test_a_bad_range_inside_a_shape_is_named():
    with pytest.raises(UsageError, match=r"range '8\.\.1' of 'image' is empty: 8 > 1"):
        parse_shape("[8..1,3]", "image")


def test_unknown_names_get_the_nearest_one():
    known = ["batch", "height", "width"]
    error = unknown_name("input dimension", "hieght", known, "unet.onnx")
    assert str(error) == "no input dimension 'hieght' in unet.onnx; did you mean 'height'?"
    assert did_you_mean("HEIGHT", known) == "; did you mean 'height'?"
    assert did_you_mean("q", known) == "; it has batch, height, width"
    assert did_you_mean("q", []) == "; it has none"
    assert did_you_mean("q", map(str, range(10))) == "; it has 0, 1, 2, 3, 4, 5 and 4 more"


def test_a_hostile_name_among_many_is_answered():
    known = [f"/model/layers.{i}/attention/MatMul_output_{i}" for i in range(50_000)]
    for name in ("x" * 100_000, "/model/layers.7/attention/MatMul_output_x", "\x1b[2J"):
        with no_hang():
            assert did_you_mean(name, known).isprintable()


def test_names_are_quoted_on_one_printable_line():
    assert quote("a\n\x1b[31m") == r"'a\n\x1b[31m'"
    assert quote("it's") == '"it\'s"'
    assert len(quote("x" * 1000)) == 61


@pytest.mark.parametrize(
    ("spec", "meant"),
    [
        ("64:512", "64..512"),
        ("64-512", "64..512"),
        ("64...512", "64..512"),
        ("64:512:16", "64..512:16"),
        ("64 to 512", "64..512"),
        ([64, 128], "(64, 128), for 64..128"),
    ],
)
def test_what_looks_like_a_range_is_proposed_as_one(spec: object, meant: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse_range(spec, "height")
    assert str(raised.value) == f"'{spec}' is not a range of 'height'; did you mean {meant}?"
