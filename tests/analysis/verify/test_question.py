"""Arguments of another type are refused by their names."""

from __future__ import annotations

import pytest

import shapesmt

MODEL = b"""<ir_version: 8, opset_import: ["":18]> g (float[n, 3] x) => (float[n, 3] y) { y = Abs (x) }"""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dims": 5}, "dims maps names to ranges"),
        ({"dims": ["n"]}, "dims maps names to ranges"),
        ({"dims": {"n": 3.5}}, "'3.5' is not a range of 'n'"),
        ({"shapes": "x=1x3"}, "shapes maps names to shapes"),
        ({"shapes": {"x": 4}}, "'4' is not a shape of 'x'"),
        ({"values": 3}, "values maps names to elements"),
        ({"assume": 5}, "assume lists relations"),
        ({"timeout": "5"}, "timeout is a number of seconds"),
    ],
)
def test_a_mistake_names_the_argument(arguments, message):
    with pytest.raises(shapesmt.UsageError, match=message):
        shapesmt.check(MODEL, **arguments)


def test_one_relation_needs_no_list():
    assert shapesmt.check(MODEL, assume="n >= 2").assumptions == ("n >= 2",)


def test_a_text_is_not_silently_a_constant_in_a_builder():
    builder = shapesmt.GraphBuilder()
    x = builder.input("x", ["n"])
    with pytest.raises(shapesmt.UsageError, match="'y' is a text, not a tensor"):
        builder.op("Add", x, "y")
    assert builder.op("Equal", x, builder.constant("y", dtype="string"))
