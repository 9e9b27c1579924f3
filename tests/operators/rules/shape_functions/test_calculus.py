"""Shapes and sizes computed with as TensorFlow's shape functions do, row by row."""

from __future__ import annotations

import pytest

from shapesmt import ShapeMismatch
from shapesmt.operators.rules.shape_functions.calculus import UNKNOWN_DIM, UNKNOWN_RANK
from shapesmt.prover.algebra.dim import as_dim
from tests.support.contexts import CTX, alone, dim, fresh, shape, shown
from tests.support.rows import case, row


@row(D01="an unknown size is known to equal itself only")
def test_an_unknown_is_equal_to_itself_only() -> None:
    a, b = CTX.unknown_dim(), CTX.unknown_dim()
    assert a is a + 0
    assert a - a == as_dim(0)
    assert (a - b).constant is None
    assert a is not b
    assert CTX.unknown_shape() is not CTX.unknown_shape()


@row(D02="-1 is an unknown size and an unknown rank")
def test_minus_one_is_unknown() -> None:
    assert (UNKNOWN_DIM, UNKNOWN_RANK) == (-1, -1)
    assert shown(CTX.make_shape([3, -1, None])) == "[3,?,?]"
    assert shown(CTX.unknown_shape_of_rank(-1)) == "?"


MERGES = [
    case("D08", "?", "[2,3]", "[2,3]"),
    case("D08", "[2,3]", "?", "[2,3]"),
    case("D09", "[2,?]", "[?,2]", "[2,2]"),
    case("D12", "[2,2]", "[?,2]", "[2,2]"),
]


@pytest.mark.parametrize(("a", "b", "expected"), MERGES)
@row(
    D08="a merge keeps what is known, and fails if ranks differ",
    D09="`[2,?]` and `[?,2]` merge to `[2,2]`",
)
def test_merge(a: str, b: str, expected: str) -> None:
    assert shown(CTX.merge(fresh(a), fresh(b))) == expected


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        case("D08", "[1,2]", "[1,2,3]", "Shapes must be equal rank, but are 2 and 3"),
        case("D10", "[2,2]", "[1,2]", "Dimension 0 in both shapes must be equal, but are 2 and 1"),
        case(
            "D11",
            "[2,2]",
            "[1,1]",
            "Dimension 0 in both shapes must be equal, but are 2 and 1. Shapes are .2,2. and .1,1.",
        ),
    ],
)
@row(
    D10="`[2,2]` and `[1,2]` don't merge",
    D11="`[2,2]` and `[1,1]` don't merge",
)
def test_what_does_not_merge(a: str, b: str, message: str) -> None:
    with pytest.raises(ShapeMismatch, match=message):
        CTX.merge(fresh(a), fresh(b))


@row(D12="a merge returns the shape that says more")
def test_merging_keeps_what_says_more() -> None:
    more, less = fresh("[2,2]"), fresh("[?,2]")
    assert CTX.merge(more, less) is more
    assert CTX.merge(less, more) is more
    assert CTX.merge(less, less) is less


RELAXES = [
    case("D14", "[2,?]", "[?,2]", "[?,?]"),
    case("D15", "[2,2]", "[3,2]", "[?,2]"),
    case("D16", "[2,2]", "[1,2,3]", "?"),
    case("D17", "?", "[1]", "?"),
]


@pytest.mark.parametrize(("a", "b", "expected"), RELAXES)
@row(
    D14="`[2,?]` and `[?,2]` relax to `[?,?]`",
    D15="`[2,2]` and `[3,2]` relax to `[?,2]`",
    D16="shapes of different ranks relax to an unknown rank",
)
def test_relax(a: str, b: str, expected: str) -> None:
    assert shown(CTX.relax(fresh(a), fresh(b))) == expected


@row(
    D17="an unknown shape relaxes to itself with itself, and to a third with another",
    D18="equal sizes relax to themselves, others to a new unknown",
)
def test_relaxing_two_unknowns_gives_a_third() -> None:
    s, t = CTX.unknown_shape(), CTX.unknown_shape()
    assert CTX.relax(s, s) is s
    assert CTX.relax(s, t) not in (s, t)
    a, b = CTX.unknown_dim(), CTX.unknown_dim()
    assert CTX.relax(a, a) is a
    assert CTX.relax(a, b) not in (a, b)
    joint = CTX.relax(as_dim(2), as_dim(7))
    assert (joint.lo, joint.hi) == (2, 7)
    assert CTX.relax(as_dim(2), as_dim(2)) == as_dim(2)


@row(
    D22="a dimension is read by a positive or negative index, and is new for an unknown rank",
    D23="ranks and values tell whether they are known",
)
def test_dimensions_and_ranks() -> None:
    s, unknown = fresh("[1,?,3]"), CTX.unknown_shape()
    assert [shown(CTX.dim(s, i)) for i in (0, 1, 2, -1, -3)] == ["1", "?", "3", "3", "1"]
    assert CTX.dim(unknown, 5) is not CTX.dim(unknown, 5)
    with pytest.raises(ShapeMismatch, match="Out of range dim index 3"):
        CTX.dim(s, 3)
    assert (CTX.rank(s), CTX.rank_known(s)) == (3, True)
    assert (CTX.rank(unknown), CTX.rank_known(unknown)) == (None, False)
    assert (CTX.value(s[0]), CTX.value_known(s[0])) == (1, True)
    assert (CTX.value(s[1]), CTX.value_known(s[1])) == (None, False)


@row(D24="a shape is fully defined if all its sizes are known")
def test_fully_defined() -> None:
    assert [CTX.fully_defined(fresh(t)) for t in ("[]", "[1,2]", "[1,?]", "?")] == [True, True, False, False]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        case("D25", "[]", 1),
        case("D25", "[2,3]", 6),
        case("D25", "[0,?]", 0),
        case("D25", "[2,?]", None),
        case("D25", "?", None),
    ],
)
@row(D25="the number of elements is the product of the sizes, and 0 if one of them is 0")
def test_num_elements(text: str, expected: int | None) -> None:
    assert CTX.num_elements(fresh(text)).constant == expected


@row("D25")
def test_the_number_of_elements_is_an_expression() -> None:
    s = shape("[n,2]")
    assert str(CTX.num_elements(s)) == "2*n"


@row(D26="unknown ranks and sizes print as `?`")
def test_debug_string() -> None:
    assert [shown(fresh(t)) for t in ("?", "[1,?,3]", "[]")] == ["?", "[1,?,3]", "[]"]
    assert [shown(dim(t)) for t in ("?", "7")] == ["?", "7"]


@row(D27="`with_rank` gives an unknown rank a number, and refuses other ranks")
def test_with_rank() -> None:
    s = fresh("[1,?]")
    assert CTX.with_rank(s, 2) is s
    unknown = CTX.unknown_shape()
    assert shown(CTX.with_rank(unknown, 2)) == "[?,?]"
    with pytest.raises(ShapeMismatch, match="Shape must be rank 3 but is rank 2"):
        CTX.with_rank(s, 3)


@row(
    D28="`with_rank_at_least` accepts that rank and those above",
    D29="`with_rank_at_most` accepts that rank and those below",
)
def test_with_rank_at_least_and_at_most() -> None:
    s, unknown = fresh("[1,?]"), CTX.unknown_shape()
    assert CTX.with_rank_at_least(s, 2) is s
    assert CTX.with_rank_at_most(s, 2) is s
    least, most = CTX.with_rank_at_least(unknown, 2), CTX.with_rank_at_most(unknown, 2)
    assert least.ndim is not None
    assert most.ndim is not None
    assert (least.ndim.lo, most.ndim.hi) == (2, 2)
    assert unknown not in (least, most)
    with pytest.raises(ShapeMismatch, match="Shape must be at least rank 3 but is rank 2"):
        CTX.with_rank_at_least(s, 3)
    with pytest.raises(ShapeMismatch, match="Shape must be at most rank 1 but is rank 2"):
        CTX.with_rank_at_most(s, 1)


@row(D30="`with_value` gives an unknown size a value, and refuses others")
def test_with_value() -> None:
    assert CTX.with_value(dim("1"), 1) is as_dim(1)
    assert CTX.with_value(dim("?"), 3) is as_dim(3)
    with pytest.raises(ShapeMismatch, match="Dimension must be 3 but is 1"):
        CTX.with_value(dim("1"), 3)


@row(D31="merging sizes returns the known one, requires unknown ones to be equal, and refuses different ones")
def test_merging_dimensions() -> None:
    ctx = alone()
    a, b, two = ctx.unknown_dim(), ctx.unknown_dim(), as_dim(2)
    assert (ctx.merge(two, a), ctx.merge(a, two), ctx.merge(two, two)) == (two, two, two)
    assert ctx.merge(a, b) is a
    assert [str(r.formula) for r in ctx.requirements][-1] in (f"{a} == {b}", f"{b} == {a}")
    with pytest.raises(ShapeMismatch, match="Dimensions must be equal, but are 2 and 3"):
        ctx.merge(two, as_dim(3))


@row(D32="`merge_prefix` merges a prefix with the first axes")
def test_merge_prefix() -> None:
    s, prefix = CTX.merge_prefix(fresh("[1,?,3]"), fresh("[?,2]"))
    assert (shown(s), shown(prefix)) == ("[1,2,3]", "[1,2]")
    unknown, known = CTX.unknown_shape(), fresh("[1]")
    assert CTX.merge_prefix(unknown, known) == (unknown, known)
    with pytest.raises(ShapeMismatch, match="Shape must be at least rank 2 but is rank 1"):
        CTX.merge_prefix(fresh("[1]"), fresh("[1,2]"))
    with pytest.raises(ShapeMismatch, match="Dimensions must be equal, but are 1 and 2"):
        CTX.merge_prefix(fresh("[1,3]"), fresh("[2]"))


@pytest.mark.parametrize(
    ("start", "end", "stride", "expected"),
    [
        case("D33", 0, None, 1, "[1,2,3,4,5]"),
        case("D33", 1, None, 1, "[2,3,4,5]"),
        case("D33", -2, None, 1, "[4,5]"),
        case("D33", 0, -2, 1, "[1,2,3]"),
        case("D33", 0, 2, 1, "[1,2]"),
        case("D33", 4, 20, 1, "[5]"),
        case("D33", 20, None, 1, "[]"),
        case("D33", 0, 5, 2, "[1,3,5]"),
        case("D33", -1, None, -1, "[5,4,3,2,1]"),
    ],
)
@row(D33="`subshape` takes axes by start, end and stride, and refuses a start outside")
def test_subshape(start: int, end: int | None, stride: int, expected: str) -> None:
    assert shown(CTX.subshape(fresh("[1,2,3,4,5]"), start, end, stride)) == expected


@row("D33")
def test_subshape_keeps_a_whole_and_refuses_what_is_outside() -> None:
    s = fresh("[1,2,3]")
    assert CTX.subshape(s, 0, 3) is s
    assert shown(CTX.subshape(CTX.unknown_shape(), 1)) == "?"
    with pytest.raises(ShapeMismatch, match="Subshape start out of bounds: -4, for shape with rank 3"):
        CTX.subshape(s, -4)
    with pytest.raises(ShapeMismatch, match="computed start <= end, but is 2 and 1"):
        CTX.subshape(s, 2, 1)


@row(D34="`concatenate` joins ranks, and sizes are unknown if one rank is")
def test_concatenate() -> None:
    assert shown(CTX.concatenate(fresh("[1,?]"), fresh("[3]"))) == "[1,?,3]"
    unknown = CTX.concatenate(CTX.unknown_shape(), fresh("[3]"))
    assert shown(unknown) == "?"
    assert unknown.ndim is not None
    assert unknown.ndim.lo == 1


@row(D35="`replace_dim` replaces the size at an index, and refuses an index outside")
def test_replace_dim() -> None:
    s = fresh("[1,2,3]")
    assert shown(CTX.replace_dim(s, 1, 7)) == "[1,7,3]"
    assert shown(CTX.replace_dim(s, -1, None)) == "[1,2,?]"
    assert shown(CTX.replace_dim(CTX.unknown_shape(), 1, 7)) == "?"
    with pytest.raises(ShapeMismatch, match="Out of range dim_index 3 for shape with 3 dimensions"):
        CTX.replace_dim(s, 3, 7)


@row(D36="shapes are made of sizes, of ranks, as scalars, vectors and matrices, anew by each call")
def test_making_shapes() -> None:
    d = CTX.unknown_dim()
    made = (
        CTX.make_shape([1, d]),
        CTX.unknown_shape(),
        CTX.unknown_shape_of_rank(2),
        CTX.scalar(),
        CTX.vector(3),
        CTX.matrix(d, 4),
    )
    assert [shown(s) for s in made] == ["[1,?]", "?", "[?,?]", "[]", "[3]", "[?,4]"]
    assert made[0][1] is d
    assert CTX.unknown_shape_of_rank(1) is not CTX.unknown_shape_of_rank(1)


@row(D42="`divide` requires a positive divisor, and no remainder unless told")
def test_divide() -> None:
    d = CTX.unknown_dim()
    assert CTX.divide(d, 1) is d
    assert CTX.divide(as_dim(6), 2) is as_dim(3)
    assert CTX.divide(as_dim(6), 5, evenly_divisible=False) is as_dim(1)
    assert CTX.divide(d * 4, 2) is d * 2
    with pytest.raises(ShapeMismatch, match="Dimension size must be evenly divisible by 5 but is 6"):
        CTX.divide(as_dim(6), 5)
    with pytest.raises(ShapeMismatch, match="Divisor must be positive but is 0"):
        CTX.divide(as_dim(6), 0)


@row(
    D43="a sum with 0 is the same size, and one beyond 64 bits an error",
    D45="a product with 0 is 0, with 1 the same size, and one beyond 64 bits an error",
)
def test_sums_and_products_fit_64_bits() -> None:
    d, large = CTX.unknown_dim(), as_dim((1 << 63) - 1)
    assert CTX.add(d, 0) is d
    assert CTX.add(as_dim(2), 3) is as_dim(5)
    assert shown(CTX.add(d, 1)) == "?"
    assert CTX.add(d, 1).lo == 1
    assert CTX.multiply(d, 1) is d
    assert CTX.multiply(d, 0) is as_dim(0)
    assert CTX.multiply(as_dim(2), 3) is as_dim(6)
    with pytest.raises(ShapeMismatch, match="Dimension size overflow from adding"):
        CTX.add(large, 5)
    with pytest.raises(ShapeMismatch, match="Dimension size overflow from multiplying"):
        CTX.multiply(large, 2)


@row(D44="a size minus itself is 0, and a negative difference an error")
def test_subtract() -> None:
    d = CTX.unknown_dim()
    assert CTX.subtract(d, 0) is d
    assert CTX.subtract(d, d) is as_dim(0)
    assert CTX.subtract(as_dim(6), 5) is as_dim(1)
    with pytest.raises(ShapeMismatch, match="Negative dimension size caused by subtracting 6 from 5"):
        CTX.subtract(as_dim(5), 6)


@row(D46="`min` and `max` of an unknown size and a number have that number as a bound")
def test_min_and_max_keep_bounds() -> None:
    d = CTX.unknown_dim()
    assert CTX.min(d, 0) is as_dim(0)
    assert (CTX.min(d, 1).lo, CTX.min(d, 1).hi) == (0, 1)
    assert CTX.max(d, 1).lo == 1
    assert CTX.max(as_dim(2), 7) is as_dim(7)
