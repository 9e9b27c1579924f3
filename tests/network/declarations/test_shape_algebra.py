"""Partial shapes are compared, merged, broadcast and computed with, as the tables of the sources have it."""

from __future__ import annotations

import operator
import re

import pytest

import shapesmt
from shapesmt import Dimension, PartialShape, ShapeMismatch
from tests.support.rows import case, row

ANY = "[...]"


def merged(a: str, b: str) -> str:
    one, other = (str(x.merge(y)) for x, y in ((PartialShape(a), b), (PartialShape(b), a)))
    assert one == other
    return one


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        case("B01", "[2,?]", "[?,5]", "[2,5]"),
        case("B16a", ANY, ANY, ANY),
        case("B16b", ANY, "[?,?]", "[?,?]"),
        case("B16c", "[?,?]", "[?,?]", "[?,?]"),
        case("B16d", "[1,2,3,4]", ANY, "[1,2,3,4]"),
        case("B16e", "[1,2]", "[1,?]", "[1,2]"),
        case("B16f", "[1,2,?,?]", "[1,?,3,?]", "[1,2,3,?]"),
        case("B16g", "[1,2,3]", "[1,2,3]", "[1,2,3]"),
        case("B17", "[1..5,3]", "[3..8,?]", "[3..5,3]"),
        case("A12", "[... rank 3..5]", "[2,... rank 1..4]", "[2,... rank 3..4]"),
    ],
)
@row(
    B01="`[2,?]` and `[?,5]` merge to `[2,5]`",
    B16a="an unknown rank merges with itself",
    B16b="an unknown rank takes a known one",
    B16c="unknown sizes merge to unknown sizes",
    B16d="a static shape stays, merged with an unknown rank",
    B16e="a known size takes the place of an unknown one",
    B16f="both shapes fill in unknown sizes of the other",
    B16g="a static shape merges with itself",
    B17="sizes merge to their intersection; where there is none, or ranks differ, the error says so",
)
def test_merge(a, b, expected):
    assert merged(a, b) == expected
    assert PartialShape(a) & b == PartialShape(expected)
    assert PartialShape(a).compatible(b)


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        case("B17", "[1,?]", "[2,?]", "[1,?] and [2,?] don't merge: dimension 0 is 1 and 2"),
        case("B17", "[?,?]", "[?,?,?]", "[?,?] and [?,?,?] don't merge: their ranks are 2 and 3"),
        case("B17", "[5,1..2]", "[5,3..8]", "dimension 1 is 1..2 and 3..8"),
        case("D11", "[2,2]", "[1,1]", "[2,2] and [1,1] don't merge: dimension 0 is 2 and 1"),
    ],
)
def test_a_merge_that_fails_names_the_dimension(a, b, message):
    shape = PartialShape(a)
    with pytest.raises(ShapeMismatch, match=re.escape(message)):
        shape.merge(b)
    assert not shape.compatible(b)
    assert shape == PartialShape(a)


@row(B07="shapes are compatible if one shape can be both")
def test_compatible():
    assert PartialShape(ANY).compatible("[1,2]")
    assert PartialShape("[1,?]").compatible("[?,2]")
    assert PartialShape("[1..5]").compatible("[5..8]")
    assert not PartialShape("[1..4]").compatible("[5..8]")
    assert not PartialShape("[1]").compatible("[1,1]")


@row(B08="shapes have one scheme if ranks and sizes are equal or both dynamic")
def test_same_scheme():
    assert PartialShape(ANY).same_scheme("[... rank 2..]")
    assert not PartialShape(ANY).same_scheme("[?,?]")
    assert PartialShape("[1..5,3]").same_scheme("[2..8,3]")
    assert not PartialShape("[3]").same_scheme("[?]")
    assert not PartialShape("[3]").same_scheme("[3,3]")


@row(
    B09="a shape relaxes those that it contains",
    B10="a shape refines those that relax it",
)
def test_relaxes_is_containment_and_refines_its_inverse():
    chain = [ANY, "[2,...]", "[2,?]", "[2,1..8]", "[2,2..3]", "[2,3]"]
    for i, wide in enumerate(chain):
        for j, narrow in enumerate(chain):
            assert PartialShape(wide).relaxes(narrow) == PartialShape(narrow).refines(wide) == (i <= j)
    assert not PartialShape("[1..5]").relaxes("[2..8]")
    assert not PartialShape("[1..5]").refines("[2..8]")


@row(B11="merging with a rank makes unknown sizes of an unknown rank, and fails if ranks differ")
def test_merge_rank():
    assert str(PartialShape.dynamic().merge_rank(3)) == "[?,?,?]"
    assert str(PartialShape([1, 2]).merge_rank(None)) == "[1,2]"
    assert str(PartialShape([1, 2]).merge_rank((1, 4))) == "[1,2]"
    assert str(PartialShape.dynamic().merge_rank((1, 4))) == "[... rank 1..4]"
    with pytest.raises(ShapeMismatch, match="their ranks are 2 and 3"):
        PartialShape([1, 2]).merge_rank(3)


@pytest.mark.parametrize(
    ("a", "b", "same", "compatible", "relaxes"),
    [
        ("?", "?", True, True, True),
        ("?", "5", False, True, True),
        ("5", "?", False, True, False),
        ("1..5", "2..3", True, True, True),
        ("1..5", "2..8", True, True, False),
        ("1..2", "3..8", True, False, False),
        ("3", "3", True, True, True),
        ("3", "4", False, False, False),
    ],
)
@row(
    B23="dimensions have one scheme if they are equal or both dynamic",
    B24="dimensions are compatible if they have a size in common",
    B25="a dimension relaxes those that it contains",
    B26="a dimension refines those that relax it",
)
def test_dimensions_compared(a, b, same, compatible, relaxes):
    one, other = Dimension(a), Dimension(b)
    assert one.same_scheme(other) == same == other.same_scheme(one)
    assert one.compatible(other) == compatible == other.compatible(one)
    assert one.relaxes(other) == relaxes == other.refines(one)


@pytest.mark.parametrize(
    ("calculate", "a", "b", "expected"),
    [
        case("B27", operator.add, "2", "?", "2.."),
        case("B27", operator.add, "2", "10..15", "12..17"),
        case("B27", operator.add, "2", "3", "5"),
        case("B28", operator.sub, "2", "?", "..2"),
        case("B28", operator.sub, "3", "5", "0"),
        case("B28", operator.sub, "1..8", "2..3", "..6"),
        case("B28", operator.sub, "5..", "2", "3.."),
        case("B29", operator.mul, "0", "?", "0"),
        case("B29", operator.mul, "?", "0", "0"),
        case("B29", operator.mul, "2", "1..8", "2..16"),
        case("B29", operator.mul, "2", "?", "?"),
        case("B29", operator.mul, "..3", "2..", "?"),
        case("B30", operator.truediv, "5..7", "2", "3"),
        case("B30", operator.truediv, "2..", "2", "1.."),
        case("B30", operator.truediv, "7..20", "4", "2..5"),
        case("B30", operator.floordiv, "5..7", "2", "2..3"),
        case("B30", operator.floordiv, "12..", "2..3", "4.."),
        case("B30", operator.and_, "1..5", "3..8", "3..5"),
    ],
)
@row(
    B27="a sum has the sums of the bounds, and its overflow is an error",
    B28="a difference is 0 or more",
    B29="a product has the products of the bounds, 0 times unknown is 0, and overflow is an error",
    B30="quotients, intersections and assignments make new dimensions",
)
def test_arithmetic(calculate, a, b, expected):
    assert str(calculate(Dimension(a), Dimension(b))) == expected


@row("B30")
def test_assignments_and_numbers_on_either_side():
    before = size = Dimension(1, 8)
    size += 2
    size *= 3
    size /= 3
    size &= (0, 7)
    assert str(size) == "3..7"
    assert before == Dimension(1, 8)
    assert [str(d) for d in (10 - before, 2 + before, 16 // before, 12 / Dimension(4))] == [
        "2..9",
        "3..10",
        "2..16",
        "3",
    ]
    for divide in (operator.truediv, operator.floordiv):
        with pytest.raises(ZeroDivisionError, match="no size is divided by 0"):
            divide(Dimension(8), 0)
    with pytest.raises(ShapeMismatch, match="2 divides no size in 5"):
        Dimension(5) / 2


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [("1..5", "3..8", "3..5"), ("?", "4", "4"), ("2..", "..9", "2..9"), ("7", "7", "7")],
)
@row(B31="dimensions merge to their intersection, or fail")
def test_merge_of_dimensions(a, b, expected):
    assert str(Dimension(a).merge(b)) == expected == str(Dimension(b).merge(a))


@row("B31")
def test_merge_of_dimensions_that_fails():
    with pytest.raises(ShapeMismatch, match=re.escape("1..2 and 3..8 have no size in common")):
        Dimension(1, 2).merge((3, 8))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("1..8", "1..5", "1..8"),
        ("?", "5", "5"),
        ("1..5", "3..8", "3..8"),
        ("2..5", "3..8", "3..5"),
        ("0", "5", None),
        ("0", "1", "0"),
        ("0", "1..5", "0"),
        ("1..5", "..8", "..8"),
        ("2..5", "6..8", None),
    ],
)
@row(B32="dimensions broadcast if they are equal or one of them is 1")
def test_broadcast_of_dimensions(a, b, expected):
    for one, other in ((a, b), (b, a)):
        if expected is not None:
            assert str(Dimension(one).broadcast_merge(other)) == expected
        else:
            with pytest.raises(ShapeMismatch, match="are neither equal nor 1"):
                Dimension(one).broadcast_merge(other)


@row("B18", "B32")
def test_what_a_broadcast_says_of_its_input():
    assert str(Dimension().broadcast_refine(5)) == "1..5"
    assert str(PartialShape("[?,2..9]").broadcast_refine("[7,5,4..20]")) == "[1..5,4..9]"
    with pytest.raises(ShapeMismatch, match=re.escape("[2,3] and [7] don't broadcast: dimension 1 is 3 and 7")):
        PartialShape([2, 3]).broadcast_refine([7])
    assert PartialShape(ANY).broadcast_refine([7]) == PartialShape(ANY)
    model = b"""<ir_version: 8, opset_import: ["":18]>
    g (float[n] x, float[5] y) => (float[k] z) { z = Add(x, y) }"""
    report = shapesmt.check(model)
    assert report.precondition.text == ("n == 1 or n == 5",)
    assert str(shapesmt.bounds(model)["x"]) == "[1..5]"


@pytest.mark.parametrize(
    ("a", "b", "mode", "axis", "expected"),
    [
        ("[2,3]", "[4,1,3]", "numpy", -1, "[4,2,3]"),
        ("[2,?,1..4]", "[3,2..8]", "numpy", -1, "[2,3,2..8]"),
        ("[3,4,1..5,?]", ANY, "numpy", -1, "[... rank 4..]"),
        ("[3,4]", "[... rank ..2]", "numpy", -1, "[3,4]"),
        ("[5,...]", "[3]", "numpy", -1, "[5,... rank 2..]"),
        ("[2,3,4,5]", "[3,4]", "pdpd", 1, "[2,3,4,5]"),
        ("[2,3,4,5]", "[4,5]", "pdpd", -1, "[2,3,4,5]"),
        ("[2,?,4]", "[2,5..9]", "pdpd", 0, "[2,5..9,4]"),
        ("[2,3]", "[2,1]", "pdpd", -1, "[2,3]"),
        ("[2,3]", "[2,3]", "pdpd", 7, "[2,3]"),
        ("[2,3]", ANY, "pdpd", -1, "[2,3]"),
        ("[2,..3]", "[?,2..]", "none", -1, "[2,2..3]"),
    ],
)
@row(B18="shapes broadcast by NumPy's rule, by PDPD's from an axis, or not at all")
def test_broadcast(a, b, mode, axis, expected):
    assert str(PartialShape(a).broadcast_merge(b, mode, axis)) == expected


@pytest.mark.parametrize(
    ("a", "b", "mode", "axis", "message"),
    [
        ("[2,3]", "[4]", "numpy", -1, "[2,3] and [4] don't broadcast: dimension 1 is 3 and 4"),
        ("[2,3]", "[4,... rank ..2]", "numpy", -1, "don't broadcast at any rank"),
        ("[2,3]", "[2,3,4]", "pdpd", -1, "[2,3] and [2,3,4] don't broadcast: the second has more dimensions"),
        ("[2,3]", "[... rank 3..]", "pdpd", -1, "the second has more dimensions"),
        ("[1]", "[3]", "pdpd", -1, "[1] and [3] don't broadcast: dimension 0 is 1 and 3"),
        ("[2,3,4]", "[3,4]", "pdpd", 0, "dimension 0 is 2 and 3"),
        ("[2,3,4]", "[3,4]", "pdpd", 2, "2 dimensions don't fit from axis 2"),
        ("[2,3]", "[4,5]", "none", -1, "[2,3] and [4,5] don't merge: dimension 0 is 2 and 4"),
    ],
)
@row("B18")
def test_a_broadcast_that_fails_says_why(a, b, mode, axis, message):
    with pytest.raises(ShapeMismatch, match=re.escape(message)):
        PartialShape(a).broadcast_merge(b, mode, axis)


@row(A01="nodes are judged in order, and what one node requires is assumed for the next")
def test_nodes_are_judged_in_order_and_what_one_says_the_next_one_knows():
    model = b"""<ir_version: 8, opset_import: ["":18]>
    g (float[a, 3] x, float[b, 3] y) => (float[p, q] w) { z = Add(x, y)  u = Concat<axis=0>(z, y)  w = Add(u, x) }"""
    report = shapesmt.check(model, dims={"a": Dimension(2, 8), "b": Dimension(2, 8)})
    assert [(f.index, f.verdict.value) for f in report.findings] == [(2, "FAILS"), (0, "DEPENDS")]
