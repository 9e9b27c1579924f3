"""InferenceContext by itself: TensorFlow's shape functions, row by row."""

from __future__ import annotations

from typing import Any

import pytest

import shapesmt
from shapesmt import Dim, InferenceContext, ShapeMismatch, Tensor
from shapesmt.algebra.dim import as_dim
from shapesmt.errors import UsageError
from shapesmt.rules import resolve, rule, rules
from shapesmt.rules.calculus import UNKNOWN_DIM, UNKNOWN_RANK
from shapesmt.rules.shape_functions import ShapeAndType
from tests.support.rows import case, row


def alone(*shapes: object, outputs: int = 1, **options: object) -> InferenceContext:
    return InferenceContext.of("Foo", shapes, outputs, name="foo", **options)  # type: ignore[arg-type]


CTX = alone()


def shape(text: str) -> Tensor:
    found = alone(text).inputs[0]
    assert found is not None
    return found


def fresh(text: str) -> Tensor:
    """A shape whose unknowns are its own."""
    if text == "?":
        return CTX.unknown_shape()
    return CTX.make_shape([None if t == "?" else int(t) for t in text.strip("[]").split(",") if t])


def dim(text: str) -> Dim:
    return CTX.make_dim(None if text == "?" else int(text))


def shown(what: Tensor | Dim) -> str:
    return CTX.debug_string(what)


@row("D01")
def test_an_unknown_is_equal_to_itself_only() -> None:
    a, b = CTX.unknown_dim(), CTX.unknown_dim()
    assert a is a + 0
    assert a - a == as_dim(0)
    assert (a - b).constant is None
    assert a is not b
    assert CTX.unknown_shape() is not CTX.unknown_shape()


@row("D02")
def test_minus_one_is_unknown() -> None:
    assert (UNKNOWN_DIM, UNKNOWN_RANK) == (-1, -1)
    assert shown(CTX.make_shape([3, -1, None])) == "[3,?,?]"
    assert shown(CTX.unknown_shape_of_rank(-1)) == "?"


@row("D03")
def test_the_registry_holds_a_function_for_each_operator() -> None:
    found = resolve("", "MatMul", 13)
    assert found is not None
    assert callable(found.apply)
    assert len({(r.domain, r.name) for r in rules()}) > 300


@row("D04")
def test_what_is_given_may_be_shorter_but_handles_have_to_fit() -> None:
    ctx = alone("[2]", "[2]", "[2]", tensors=[None, [3, -1]], tensors_as_shapes=[None])
    assert ctx.input_tensor(0) is None
    assert ctx.input_tensor(1) == (as_dim(3), as_dim(-1))
    assert ctx.input_tensor(2) is None
    with pytest.raises(ShapeMismatch, match="there are handle shapes for each input"):
        alone("[2]", "[2]", handles=[None])


@row("D05")
def test_the_number_of_inputs_is_that_of_the_names() -> None:
    with pytest.raises(ShapeMismatch, match="Wrong number of inputs passed: 1 while 3 expected"):
        alone("[2]", names=({"x": 1, "rest": 2}, {}))


@row("D06")
def test_run_attaches_the_node_and_its_input_shapes() -> None:
    ctx = alone("[...]", "[2,2]", tensors=[None, None])
    with pytest.raises(ShapeMismatch) as error:
        ctx.run(lambda c: c.with_rank(c.input(1), 3))
    expected = (
        "Shape must be rank 3 but is rank 2 for '{{node foo}} = Foo[](input0, input1)' with input shapes: ?, [2,2]."
    )
    assert str(error.value) == expected


@row("D06")
def test_run_attaches_the_elements_that_were_asked_for() -> None:
    ctx = alone("[2]", tensors=[[3, 4]], tensors_as_shapes=[fresh("[3,?]")], attributes={"axis": 1})

    def shape_function(c: InferenceContext) -> None:
        c.input_tensor(0)
        c.reject("no")

    with pytest.raises(ShapeMismatch, match=r"no for .* = Foo\[axis=1\].*computed input tensors: input\[0\] = <3 4>"):
        ctx.run(shape_function)
    with pytest.raises(ShapeMismatch, match=r"input tensors computed as partial shapes: input\[0\] = \[3,\?\]\."):
        ctx.run(shape_function)


@row("D07")
def test_merge_input() -> None:
    ctx = alone("[2,?]")
    assert ctx.merge_input(0, fresh("[?,2]"))
    assert shown(ctx.input(0)) == "[2,2]"
    assert not ctx.merge_input(0, fresh("[1,2]"))
    assert shown(ctx.input(0)) == "[2,2]"


MERGES = [
    case("D08", "?", "[2,3]", "[2,3]"),
    case("D08", "[2,3]", "?", "[2,3]"),
    case("D09", "[2,?]", "[?,2]", "[2,2]"),
    case("D12", "[2,2]", "[?,2]", "[2,2]"),
]


@pytest.mark.parametrize(("a", "b", "expected"), MERGES)
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
def test_what_does_not_merge(a: str, b: str, message: str) -> None:
    with pytest.raises(ShapeMismatch, match=message):
        CTX.merge(fresh(a), fresh(b))


@row("D12")
def test_merging_keeps_what_says_more() -> None:
    more, less = fresh("[2,2]"), fresh("[?,2]")
    assert CTX.merge(more, less) is more
    assert CTX.merge(less, more) is more
    assert CTX.merge(less, less) is less


@row("D13")
def test_relax_input_tells_a_change() -> None:
    ctx = alone("[2,3]")
    assert not ctx.relax_input(0, ctx.input(0))
    assert not ctx.relax_input(0, fresh("[2,3]"))
    assert ctx.relax_input(0, fresh("[2,4]"))
    assert shown(ctx.input(0)) == "[2,?]"


RELAXES = [
    case("D14", "[2,?]", "[?,2]", "[?,?]"),
    case("D15", "[2,2]", "[3,2]", "[?,2]"),
    case("D16", "[2,2]", "[1,2,3]", "?"),
    case("D17", "?", "[1]", "?"),
]


@pytest.mark.parametrize(("a", "b", "expected"), RELAXES)
def test_relax(a: str, b: str, expected: str) -> None:
    assert shown(CTX.relax(fresh(a), fresh(b))) == expected


@row("D17", "D18")
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


@row("D19")
def test_inputs_and_outputs_by_index_and_name() -> None:
    ctx = alone("[1]", "[2]", "[3]", outputs=3, names=({"x": 1, "rest": 2}, {"y": 1, "others": 2}))
    assert (ctx.num_inputs, ctx.num_outputs) == (3, 3)
    assert shown(ctx.input(2)) == "[3]"
    assert [shown(t) for t in ctx.input_list("rest") if t is not None] == ["[2]", "[3]"]
    ctx.set_output(0, fresh("[5]"))
    ctx.set_output("others", [fresh("[6]"), fresh("[7]")])
    assert [shown(ctx.output(i)) for i in range(3)] == ["[5]", "[6]", "[7]"]
    assert [shown(t) for t in ctx.output_list("others")] == ["[6]", "[7]"]
    with pytest.raises(ShapeMismatch, match="Unknown input name: z"):
        ctx.input_list("z")
    with pytest.raises(ShapeMismatch, match="output 'others' has 2 shapes, not 1"):
        ctx.set_output("others", fresh("[6]"))
    with pytest.raises(ShapeMismatch, match="output 3 is one of 3"):
        ctx.set_output(3, fresh("[6]"))


@row("D19")
def test_a_rule_in_a_graph_may_set_its_outputs() -> None:
    @rule("Setting", domain="test.context")
    def setting(ctx: InferenceContext) -> None:
        ctx.set_output(0, ctx.tensor(ctx.concatenate(ctx.input(0), ctx.scalar()).dims))

    head = b'<ir_version: 8, opset_import: ["": 18, "test.context": 1]> g (float[2,n] x) => (y) '
    text = head + b"{ y = test.context.Setting(x) }"
    assert str(shapesmt.bounds(text).tensors["y"].shape[1].expr) == "n"  # type: ignore[index]  # its rank is known


@row("D20")
def test_elements_that_are_asked_for_are_remembered() -> None:
    ctx = alone("[2]", "[3]")
    assert not ctx.requested_input_tensor(1)
    assert shown(ctx.make_shape_from_shape_tensor(1)) == "[?,?,?]"
    assert ctx.requested_input_tensor(1)
    assert ctx.requested_input_tensor_as_partial_shape(1)
    assert not ctx.requested_input_tensor(0)
    ctx.set_input_tensors([None, [4, 5, 6]])
    assert shown(ctx.make_shape_from_shape_tensor(1)) == "[4,5,6]"
    ctx.set_input_tensors_as_shapes([None, fresh("[4,?]")])
    assert shown(ctx.make_shape_from_shape_tensor(1)) == "[4,?]"


@row("D21")
def test_attributes() -> None:
    ctx = alone(attributes={"axis": 2})
    assert (ctx.get_attr("axis"), ctx.integer("axis")) == (2, 2)
    with pytest.raises(ShapeMismatch, match="No attr named 'perm'"):
        ctx.get_attr("perm")


@row("D22", "D23")
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


@row("D24")
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
def test_num_elements(text: str, expected: int | None) -> None:
    assert CTX.num_elements(fresh(text)).constant == expected


@row("D25")
def test_the_number_of_elements_is_an_expression() -> None:
    s = shape("[n,2]")
    assert str(CTX.num_elements(s)) == "2*n"


@row("D26")
def test_debug_string() -> None:
    assert [shown(fresh(t)) for t in ("?", "[1,?,3]", "[]")] == ["?", "[1,?,3]", "[]"]
    assert [shown(dim(t)) for t in ("?", "7")] == ["?", "7"]


@row("D27")
def test_with_rank() -> None:
    s = fresh("[1,?]")
    assert CTX.with_rank(s, 2) is s
    unknown = CTX.unknown_shape()
    assert shown(CTX.with_rank(unknown, 2)) == "[?,?]"
    with pytest.raises(ShapeMismatch, match="Shape must be rank 3 but is rank 2"):
        CTX.with_rank(s, 3)


@row("D28", "D29")
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


@row("D30")
def test_with_value() -> None:
    assert CTX.with_value(dim("1"), 1) is as_dim(1)
    assert CTX.with_value(dim("?"), 3) is as_dim(3)
    with pytest.raises(ShapeMismatch, match="Dimension must be 3 but is 1"):
        CTX.with_value(dim("1"), 3)


@row("D31")
def test_merging_dimensions() -> None:
    ctx = alone()
    a, b, two = ctx.unknown_dim(), ctx.unknown_dim(), as_dim(2)
    assert (ctx.merge(two, a), ctx.merge(a, two), ctx.merge(two, two)) == (two, two, two)
    assert ctx.merge(a, b) is a
    assert [str(r.formula) for r in ctx.requirements][-1] in (f"{a} == {b}", f"{b} == {a}")
    with pytest.raises(ShapeMismatch, match="Dimensions must be equal, but are 2 and 3"):
        ctx.merge(two, as_dim(3))


@row("D32")
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


@row("D34")
def test_concatenate() -> None:
    assert shown(CTX.concatenate(fresh("[1,?]"), fresh("[3]"))) == "[1,?,3]"
    unknown = CTX.concatenate(CTX.unknown_shape(), fresh("[3]"))
    assert shown(unknown) == "?"
    assert unknown.ndim is not None
    assert unknown.ndim.lo == 1


@row("D35")
def test_replace_dim() -> None:
    s = fresh("[1,2,3]")
    assert shown(CTX.replace_dim(s, 1, 7)) == "[1,7,3]"
    assert shown(CTX.replace_dim(s, -1, None)) == "[1,2,?]"
    assert shown(CTX.replace_dim(CTX.unknown_shape(), 1, 7)) == "?"
    with pytest.raises(ShapeMismatch, match="Out of range dim_index 3 for shape with 3 dimensions"):
        CTX.replace_dim(s, 3, 7)


@row("D36")
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


@pytest.mark.parametrize(
    ("input_shape", "values", "expected"),
    [
        case("D37", "[3]", None, "[?,?,?]"),
        case("D37", "[?]", None, "?"),
        case("D37", "[...]", None, "?"),
        case("D37", "[3]", [3, -1, 1], "[3,?,1]"),
        case("D37", "[0]", [], "[]"),
        case("D37", "[]", -1, "?"),
    ],
)
def test_make_shape_from_shape_tensor(input_shape: str, values: list[int] | int | None, expected: str) -> None:
    assert shown(alone(input_shape, tensors=[values]).make_shape_from_shape_tensor(0)) == expected


@pytest.mark.parametrize(
    ("input_shape", "values", "message"),
    [
        case("D37", "[1,2]", None, "Shape must be rank 1 but is rank 2"),
        case("D37", "[2]", [-2, 2], "Shape has dimension -2: a size is -1 or more"),
        case("D37", "[]", 1, "Input tensor must be rank 1, or if its rank is 0 it must have value -1"),
    ],
)
def test_no_shape_from_a_shape_tensor(input_shape: str, values: list[int] | int | None, message: str) -> None:
    with pytest.raises(ShapeMismatch, match=message):
        alone(input_shape, tensors=[values]).make_shape_from_shape_tensor(0)


@row("D37", "D38")
def test_make_shape_from_other_things() -> None:
    from shapesmt.rules.tensor import tensor
    from shapesmt.rules.value import elements

    assert shown(CTX.make_shape_from_tensor(tensor("int32", [2], elements((2,), [as_dim(4), as_dim(-1)])))) == "[4,?]"
    with pytest.raises(ShapeMismatch, match="Input tensor must be int32 or int64, but was float32"):
        CTX.make_shape_from_tensor(tensor("float32", [2]))
    assert shown(CTX.make_shape_from_partial([1, -1])) == "[1,?]"
    assert shown(CTX.make_shape_from_partial(None)) == "?"
    with pytest.raises(ShapeMismatch, match="Shape has dimension -2"):
        CTX.make_shape_from_partial([-2])
    with pytest.raises(ShapeMismatch, match="An unknown shape must not have any dimensions set"):
        CTX.make_shape_from_partial([1], unknown_rank=True)


@row("D39")
def test_scalar_from_tensor() -> None:
    ctx = alone("[]", "[2]", tensors=[42, [7, 8]])
    assert ctx.scalar_from_tensor(ctx.input(0)) is as_dim(42)
    assert ctx.scalar_from_tensor(ctx.input(1), 1) is as_dim(8)
    with pytest.raises(ShapeMismatch, match="Index must be less than 2"):
        ctx.scalar_from_tensor(ctx.input(1), 2)
    with pytest.raises(ShapeMismatch, match="Input must be scalar"):
        ctx.scalar_from_tensor(ctx.input(1))
    with pytest.raises(ShapeMismatch, match="Scalar input must be int32 or int64"):
        ctx.scalar_from_tensor(ctx.tensor([], "float32"))


@row("D40")
def test_make_dim_for_scalar_input() -> None:
    ctx = alone("[]", "[]", "[]", tensors=[None, 5, -1])
    assert shown(ctx.make_dim_for_scalar_input(0)) == "?"
    assert shown(ctx.make_dim_for_scalar_input(1)) == "5"
    with pytest.raises(ShapeMismatch, match="given by scalar input 2, must be non-negative but is -1"):
        ctx.make_dim_for_scalar_input(2)


@row("D41")
def test_make_dim_for_scalar_input_with_negative_indexing() -> None:
    ctx = alone("[]", "[]", tensors=[-1, 3])
    assert shown(ctx.make_dim_for_scalar_input_with_negative_indexing(0, 3)) == "2"
    assert shown(ctx.make_dim_for_scalar_input_with_negative_indexing(0, -1)) == "?"
    with pytest.raises(ShapeMismatch, match=r"must be in range \[-3, 3\)"):
        ctx.make_dim_for_scalar_input_with_negative_indexing(1, 3)


@row("D42")
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


@row("D43", "D45")
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


@row("D44")
def test_subtract() -> None:
    d = CTX.unknown_dim()
    assert CTX.subtract(d, 0) is d
    assert CTX.subtract(d, d) is as_dim(0)
    assert CTX.subtract(as_dim(6), 5) is as_dim(1)
    with pytest.raises(ShapeMismatch, match="Negative dimension size caused by subtracting 6 from 5"):
        CTX.subtract(as_dim(5), 6)


@row("D46")
def test_min_and_max_keep_bounds() -> None:
    d = CTX.unknown_dim()
    assert CTX.min(d, 0) is as_dim(0)
    assert (CTX.min(d, 1).lo, CTX.min(d, 1).hi) == (0, 1)
    assert CTX.max(d, 1).lo == 1
    assert CTX.max(as_dim(2), 7) is as_dim(7)


def handles(*pairs: tuple[str, str]) -> list[ShapeAndType]:
    return [ShapeAndType(fresh(s), t) for s, t in pairs]


@row("D47")
@pytest.mark.parametrize("side", ["input", "output"])
def test_merging_what_handles_refer_to(side: str) -> None:
    ctx = alone("[]")
    merge = getattr(ctx, f"merge_{side}_handle_shapes_and_types")

    def known() -> list[tuple[str, str]]:
        found = getattr(ctx, f"{side}_handle_shapes_and_types")(0)
        return [(shown(s), t) for s, t in found]

    assert merge(0, handles(("[?,2]", ""), ("[3]", "int32")))
    assert not merge(0, handles(("[2,2]", "")))
    assert not merge(0, handles(("[2,2]", ""), ("[3]", "float32")))
    assert merge(0, handles(("[2,?]", "float32"), ("[4]", "int32")))
    assert known() == [("[2,2]", "float32"), ("[3]", "int32")]  # a shape that does not merge stays
    assert not merge(0, handles(("[2,2]", "float32"), ("[3]", "int32")))


@row("D48")
@pytest.mark.parametrize("side", ["input", "output"])
def test_relaxing_what_handles_refer_to(side: str) -> None:
    ctx = alone("[]")
    relax = getattr(ctx, f"relax_{side}_handle_shapes_and_merge_types")
    assert relax(0, handles(("[2,2]", "float32")))
    assert not relax(0, handles(("[2,2]", "int32")))
    assert relax(0, handles(("[3,2]", "float32")))
    (found,) = getattr(ctx, f"{side}_handle_shapes_and_types")(0)
    assert (shown(found.shape), found.dtype) == ("[?,2]", "float32")


@row("D49")
def test_what_handles_refer_to_is_unset_at_first() -> None:
    ctx = alone("[]", "[]", handles=[None, handles(("[2]", "int32"))])
    assert ctx.input_handle_shapes_and_types(0) is None
    assert ctx.output_handle_shapes_and_types(0) is None
    assert [t for _, t in ctx.input_handle_shapes_and_types(1) or ()] == ["int32"]
    ctx.set_output_handle_shapes_and_types(0, handles(("[5]", "bool")))
    assert [t for _, t in ctx.output_handle_shapes_and_types(0) or ()] == ["bool"]
    with pytest.raises(ShapeMismatch, match="input 2 is one of 2"):
        ctx.set_input_handle_shapes_and_types(2, [])


@row("D50")
def test_the_version_is_there_and_the_message_is_attached() -> None:
    ctx = alone("[1,?]", version=21)
    assert ctx.version == 21
    assert ctx.attach_context("why") == "why for '{{node foo}} = Foo[](input0)' with input shapes: [1,?]."


@pytest.mark.parametrize(
    ("a", "b", "expected"), [case("D51", "[2,3]", "[3,4]", "[2,4]"), case("D51", "[100,200]", "[200,300]", "[100,300]")]
)
def test_matmul(a: str, b: str, expected: str) -> None:
    found = resolve("", "MatMul", 13)
    assert found is not None
    assert shown(InferenceContext.of("MatMul", [a, b], version=13).run(found.apply)[0]) == expected


# The same methods in a rule


@rule("Paired", domain="test.context")
def paired(ctx: InferenceContext) -> Tensor:
    """Two matrices of one shape, halved along the rows."""
    x = ctx.merge(ctx.with_rank(ctx.input(0), 2), ctx.input(1))
    return ctx.tensor(ctx.replace_dim(x, 0, ctx.divide(x[0], 2)).dims)


def test_in_a_rule_they_are_requirements() -> None:
    head = '<ir_version: 8, opset_import: ["": 18, "test.context": 1]> g (float[n,3] x, float[m,k] z, float[] u) => (y)'
    text = f"{head} {{ y = test.context.Paired(x, z) }}".encode()
    report = shapesmt.check(text, dims={"n": "1..8", "m": "1..8"})
    assert set(report.precondition.text) == {"k == 3", "m == n", "n % 2 == 0"}
    unknown = f"{head} {{ y = test.context.Paired(u, x) }}".encode()
    assert shapesmt.check(unknown).precondition.text[0] == "u_rank == 2"


def test_a_rule_that_asks_for_a_shape_of_its_own_making_is_undecided() -> None:
    @rule("Lost", domain="test.context")
    def lost(ctx: InferenceContext) -> Tensor:
        return ctx.tensor(ctx.unknown_shape().dims)

    text = (
        b'<ir_version: 8, opset_import: ["": 18, "test.context": 1]> g (float[n] x) => (y) { y = test.context.Lost(x) }'
    )
    assert [f.kind for f in shapesmt.check(text).findings] == ["rank"]


# Rules of operators, run alone


def made(op: str, *shapes: str, domain: str = "tensorflow", version: int = 1, **given: Any) -> tuple[str, str]:
    """What a registered rule makes of these inputs, and what they are afterwards."""
    ctx = InferenceContext.of(op, shapes, domain=domain, version=version, **given)
    found = resolve(domain, op, version)
    assert found is not None
    outputs = ctx.run(found.apply)
    return " ".join(map(ctx.debug_string, outputs)), " ".join(ctx.debug_string(x) for x in ctx.inputs if x is not None)


@pytest.mark.parametrize(
    ("op", "shapes", "message"),
    [
        ("Add", ["[2]", "[3]"], "broadcast sizes are equal or 1: 2 and 3"),
        ("Pack", ["[1,4]", "[1,3]"], "stacked tensors have the same shape: 4 and 3"),
        ("Pack", ["[...]", "[1,4]", "[1,3]"], "stacked tensors have the same shape"),
        ("MatMul", ["[2]", "[...]"], "the rank is 2, not 1"),
        ("Add", [], "Wrong number of inputs passed: 0 while 2 expected"),
        ("AddN", [], "Wrong number of inputs passed: 0 while 1 expected"),
    ],
)
def test_what_a_rule_refuses_is_raised(op: str, shapes: list[str], message: str) -> None:
    with pytest.raises(ShapeMismatch, match=message):
        made(op, *shapes)


@pytest.mark.parametrize("unknown", ["[...]", "?"])
def test_unknown_ranks_are_those_that_the_rule_needs(unknown: str) -> None:
    assert made("Pack", "[1,3]", "[1,3]", unknown) == ("[3,1,3]", "[1,3] [1,3] [?,?]")
    assert made("MatMul", unknown, "[3,4]") == ("[?,4]", "[?,?] [3,4]")
    assert (
        made("Conv2D", unknown, "[3,3,4,8]", attributes={"strides": [1, 1, 1, 1], "padding": "SAME"})[0] == "[?,?,?,8]"
    )
    assert made("Relu", unknown) == ("?", "?")
    assert made("BiasAdd", unknown, "[3]") == ("?", "? [3]")


def test_an_unknown_rank_reads_back_as_it_is_printed() -> None:
    assert shown(shape("[...]")) == "?"
    assert shape("?").shape is None


def test_elements_may_be_matrices_and_floats() -> None:
    assert made("Pad", "[2,3]", "[2,2]", tensors=[None, [[1, 0], [2, 2]]])[0] == "[3,7]"
    assert made("Range", "[]", "[]", "[]", tensors=[0.0, 5.5, 2.0])[0] == "[3]"
    scales = [None, None, [1.0, 1.0, 2.0, 0.5]]
    ctx = InferenceContext.of("Resize", ["[1,3,4,4]", None, "[4]"], version=18, tensors=scales)
    found = resolve("", "Resize", 18)
    assert found is not None
    assert ctx.debug_string(ctx.run(found.apply)[0]) == "[1,3,8,2]"
    with pytest.raises(UsageError, match="isn't a tensor of numbers"):
        InferenceContext.of("Join", ["[1]"], tensors=[["a"]])  # type: ignore[list-item]  # that is the mistake


def test_types_may_be_given() -> None:
    with pytest.raises(ShapeMismatch, match="the same element type, not float32 and int32"):
        made("Add", "[2]", "[2]", dtypes=["float32", "int32"])
    ctx = InferenceContext.of("Join", ["[2]", "[...]", "[3]"], dtypes=["int8", "bool"])
    assert [x.dtype for x in ctx.inputs if x is not None] == ["int8", "bool", ""]


def test_attributes_that_are_left_out_are_the_schema_s() -> None:
    ctx = InferenceContext.of("Softmax", ["[2,3]"], version=13)
    assert ctx.get_attr("axis") == ctx.integer("axis") == -1
    assert InferenceContext.of("Softmax", ["[2,3]"], version=13, attributes={"axis": 0}).integer("axis") == 0
