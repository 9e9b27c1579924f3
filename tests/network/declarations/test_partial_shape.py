"""`Dimension`, `Rank` and `PartialShape` as values: how they are made, read, compared and computed with."""

from __future__ import annotations

import re

import pytest

import shapesmt
from shapesmt import Dimension, PartialShape, Rank, SizeOverflowError, UsageError
from shapesmt.network.declarations.ranges import LARGEST
from tests.support.rows import case, row


@pytest.mark.parametrize(
    ("made", "text"),
    [
        case("A02", PartialShape.dynamic(), "[...]"),
        case("A03", PartialShape([1, 3, None, None]), "[1,3,?,?]"),
        case("A04", PartialShape([None, -1]), "[?,?]"),
        case("A05", PartialShape.dynamic(5), "[?,?,?,?,?]"),
        case("A06", PartialShape([(1, 8), 3, 400, 400]), "[1..8,3,400,400]"),
        case("A07", PartialShape([(2, -1), 3]), "[2..,3]"),
        case("A08", PartialShape([(-1, 8), 3]), "[..8,3]"),
        case("A09", PartialShape([1, 3, 400, 400]), "[1,3,400,400]"),
        case("A10", PartialShape([5]), "[5]"),
        case("A10", PartialShape([]), "[]"),
        case("A10", PartialShape([1]), "[1]"),
        case("A11", PartialShape([1, 3, 0, 0]), "[1,3,0,0]"),
        case("A12", PartialShape.dynamic(Rank(3, 5)), "[... rank 3..5]"),
        case("A12", PartialShape.dynamic((2, None)), "[... rank 2..]"),
        case("B03", PartialShape([1, 2, None, 4]), "[1,2,?,4]"),
        case("B03", PartialShape("2, 2..5, ..."), "[2,2..5,...]"),
        case("B04", PartialShape(), "[]"),
        case("B04", PartialShape((1, Dimension(2, 3), "4..")), "[1,2..3,4..]"),
        case("B33", PartialShape([Dimension.dynamic()]), "[?]"),
    ],
)
@row(
    A02="a shape of unknown rank prints as `[...]`",
    A03="a shape may have known and unknown sizes",
    A04="a shape may have a known rank and no known size",
    A05="`dynamic(5)` makes five unknown sizes",
    A06="a size may be an interval, both bounds included",
    A07="an upper bound of -1 is none",
    A08="a lower bound of -1 is 0",
    B03="a shape prints as text, and every form of text is read",
    B04="a shape is made of nothing, or of numbers, intervals and texts",
    B33="`Dimension.dynamic()` is an unknown size",
)
def test_a_shape_prints_as_the_text_that_reads_back(made, text):
    assert str(made) == text
    assert PartialShape(text) == made
    assert repr(made) == f"PartialShape('{text}')"
    assert eval(repr(made)) == made
    assert hash(PartialShape(text)) == hash(made)


@row("B03")
def test_every_form_of_text():
    shape = PartialShape("[1, 2..5, ?, ..8, 3.., ...]")
    assert str(shape) == "[1,2..5,?,..8,3..,...]"
    assert shape.rank == Rank(5, None)
    assert shape.leading == (Dimension(1), Dimension(2, 5), Dimension(), Dimension(0, 8), Dimension(3, None))
    assert PartialShape("") == PartialShape("[]") == PartialShape([])
    assert PartialShape("?") == PartialShape([None])
    assert PartialShape("1x3x224") == PartialShape([1, 3, 224])
    assert PartialShape("[?,?,...]") == PartialShape.dynamic((2, None))
    assert PartialShape("[4,?,...]") == PartialShape("[4,... rank 2..]")


@row(
    "A02",
    "A03",
    "A04",
    A09="a shape of numbers is static, and its rank is known",
    A11="a size of 0 is legal and static",
    B05="a shape is static if its rank and all its sizes are known",
    B06="the rank of a shape is unknown or a number",
)
def test_static_and_rank_of_shapes():
    assert PartialShape([1, 3, 0, 0]).is_static
    assert not PartialShape([1, 3, 0, 0]).is_dynamic
    assert PartialShape([]).is_static
    for dynamic in (PartialShape.dynamic(), PartialShape([None, None]), PartialShape([1, (1, 2)])):
        assert dynamic.is_dynamic
        assert not dynamic.is_static
    assert PartialShape.dynamic().rank == Rank.dynamic()
    assert PartialShape([1, 3, None, None]).rank == 4
    assert sum(d.is_static for d in PartialShape([1, 3, None, None])) == 2


@row(A10="a scalar is no vector of one element")
def test_a_scalar_is_no_vector():
    assert PartialShape([]) != PartialShape([1])
    assert not PartialShape([]).compatible([1])
    assert PartialShape([]).rank == 0


@row("A19")
def test_a_negative_size_is_no_input():
    with pytest.raises(UsageError, match="range '-3' of 'x' has -3; sizes are 0 or more"):
        shapesmt.bounds(FLATTEN, shapes={"x": PartialShape([-3, 4])})


@row(
    B14="indexing a shape returns a dimension, and nothing can be assigned",
    B15="a shape without one rank has no length and no last dimension",
)
def test_indexing_and_conversion():
    shape = PartialShape("[1..8,3,?,400]")
    assert shape[0] == Dimension(1, 8)
    assert shape[-1] == 400
    assert shape[1:3] == PartialShape([3, None])
    assert [*shape] == [Dimension(1, 8), 3, Dimension(), 400]
    assert len(shape) == 4
    with pytest.raises(IndexError, match=re.escape("[1..8,3,?,400] has no dimension 4")):
        shape[4]
    with pytest.raises(TypeError):
        shape[0] = 2
    begun = PartialShape("[2,?,...]")
    assert (begun[0], begun[1]) == (2, Dimension())
    for meaningless in (lambda: begun[2], lambda: begun[-1], lambda: [*begun], lambda: len(begun), begun.to_shape):
        with pytest.raises(ValueError, match=re.escape("[2,... rank 2..] isn't of one rank")):
            meaningless()


@row(
    B12="a dynamic shape converts to no tuple, and the error names it",
    B22="a static dimension converts to a number, a dynamic one to an error",
)
def test_conversions_of_what_is_dynamic_name_it():
    assert PartialShape([2, 3]).to_shape() == (2, 3)
    assert PartialShape([]).to_shape() == ()
    assert int(Dimension(3)) == 3
    assert [*range(Dimension(3))] == [0, 1, 2]
    with pytest.raises(ValueError, match=re.escape("[2,1..8] isn't one shape: dimension 1 is 1..8")):
        PartialShape("[2,1..8]").to_shape()
    with pytest.raises(ValueError, match=re.escape("dimension 1..8 isn't one size")):
        int(Dimension(1, 8))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Dimension("batch"), "'batch' is no dimension; write 8, 1..8, 2.., ..8 or ?"),
        (lambda: Dimension("64..512:16"), "'64..512:16' is no dimension"),
        (lambda: Dimension(True), "'True' is no dimension"),
        (lambda: Dimension(1.5), "'1.5' is no dimension"),
        (lambda: Dimension((1, 2, 3)), "'(1, 2, 3)' is no dimension"),
        (lambda: Dimension(3) + "x", "'x' is no dimension"),
        (lambda: PartialShape("[...,3]"), "'...' is no dimension"),
        (lambda: PartialShape("[1,2"), "'[1' is no dimension"),
        (lambda: PartialShape(3), "'3' is no shape; write [1..8,3,?,400] or [...]"),
        (lambda: PartialShape.dynamic(-3), "a rank of -3 is negative"),
        (lambda: PartialShape([2]).broadcast_merge([2], "tf"), "no broadcast mode 'tf'; it is numpy, pdpd or none"),
    ],
)
def test_what_makes_no_value_is_refused(make, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: Dimension(LARGEST + 1),
        lambda: Dimension(LARGEST - 1) + 5,
        lambda: Dimension(1, LARGEST - 1) + 5,
        lambda: Dimension(2, None) * LARGEST,
        lambda: Dimension(1, 2**40) * 2**30,
    ],
)
@row("B27", "B29")
def test_overflow_is_an_error(make):
    with pytest.raises(SizeOverflowError, match="exceeds 9223372036854775807, the largest size"):
        make()
    assert issubclass(SizeOverflowError, OverflowError)


FLATTEN = b"""<ir_version: 8, opset_import: ["":18]>
g (float[n, 4] x) => (float[k, m] y) { y = Flatten <axis=0> (x) }"""


@row("A20")
def test_bounds_are_partial_shapes():
    found = shapesmt.bounds(FLATTEN, dims={"n": Dimension(2, 8)})
    assert found["y"] == PartialShape("[1,8..32]")
    assert found.tensors["x"].partial_shape == PartialShape("[2..8,4]")
    assert shapesmt.bounds(FLATTEN)["y"] == PartialShape("[1,4..]")
    with pytest.raises(UsageError, match="no tensor 'z' in <bytes>; it has x, y"):
        found["z"]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"shapes": {"x": PartialShape("[0..8,4]")}}, "[1,..32]"),
        ({"shapes": {"x": PartialShape("[2..,?]")}}, "[1,8..]"),
        ({"shapes": {"x": [Dimension(3), Dimension()]}}, "[1,12]"),
        ({"shapes": {"x": PartialShape("[?,?]")}}, "[1,4..]"),
        ({"shapes": {"x": PartialShape.dynamic()}}, "[?,?]"),
        ({"dims": {"n": Dimension(5)}}, "[1,20]"),
        ({"dims": {"n": Dimension()}}, "[1,4..]"),
    ],
)
def test_values_declare_inputs(asked, expected):
    assert shapesmt.bounds(FLATTEN, **asked)["y"].refines(expected)


def test_an_interval_of_ranks_declares_no_input():
    with pytest.raises(UsageError, match=re.escape("[... rank 2..3] declares no input: its rank is one number")):
        shapesmt.bounds(FLATTEN, shapes={"x": PartialShape.dynamic((2, 3))})
