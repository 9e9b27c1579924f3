"""What TensorFlow's shape functions read and write: inputs, outputs, elements and handles, row by row."""

from __future__ import annotations

import pytest

import shapesmt
from shapesmt import InferenceContext, ShapeMismatch
from shapesmt.operators.rules import rule
from shapesmt.operators.rules.shape_functions.methods import ShapeAndType
from shapesmt.prover.algebra.dim import as_dim
from tests.support.contexts import CTX, alone, fresh, shown
from tests.support.rows import case, row


@row(D06="running a shape function adds the node, its shapes and elements to the error")
def test_run_attaches_the_node_and_its_input_shapes() -> None:
    ctx = alone("[...]", "[2,2]", tensors=[None, None])
    with pytest.raises(ShapeMismatch) as error:
        ctx.run(lambda c: c.with_rank(c.input(1), 3))
    expected = (
        "Shape must be rank 3 but is rank 2 for '{{node foo}} = Foo[](input0, input1)' with input shapes: ?, [2,2]."
    )
    assert str(error.value) == expected


def test_only_the_input_of_which_a_rank_is_required_gets_it() -> None:
    ctx = alone("[...]", "[...]", tensors=[None, None])
    ctx.run(lambda c: c.require_rank(c.input(1), 3))
    assert [shown(t) for t in ctx.inputs if t is not None] == ["?", "[?,?,?]"]


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


@row(D07="`merge_input` narrows an input, or leaves it and tells so")
def test_merge_input() -> None:
    ctx = alone("[2,?]")
    assert ctx.merge_input(0, fresh("[?,2]"))
    assert shown(ctx.input(0)) == "[2,2]"
    assert not ctx.merge_input(0, fresh("[1,2]"))
    assert shown(ctx.input(0)) == "[2,2]"


@row(D13="`relax_input` tells whether it changed the input")
def test_relax_input_tells_a_change() -> None:
    ctx = alone("[2,3]")
    assert not ctx.relax_input(0, ctx.input(0))
    assert not ctx.relax_input(0, fresh("[2,3]"))
    assert ctx.relax_input(0, fresh("[2,4]"))
    assert shown(ctx.input(0)) == "[2,?]"


@row(D19="inputs and outputs have indices and names, and unknown ones are errors")
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


@row(D20="it is remembered whose elements a function asked for, and elements can be given later")
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


@row(D21="an attribute is read by its name, and a missing one is an error")
def test_attributes() -> None:
    ctx = alone(attributes={"axis": 2})
    assert (ctx.get_attr("axis"), ctx.integer("axis")) == (2, 2)
    with pytest.raises(ShapeMismatch, match="No attr named 'perm'"):
        ctx.get_attr("perm")


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
@row(D37="a tensor of sizes makes a shape, in which -1 is unknown")
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


@row("D37", D38="a partial shape makes a shape; -2 is no size, and an unknown rank has no sizes")
def test_make_shape_from_other_things() -> None:
    from shapesmt.operators.rules.tensors import tensor
    from shapesmt.operators.rules.value import elements

    assert shown(CTX.make_shape_from_tensor(tensor("int32", [2], elements((2,), [as_dim(4), as_dim(-1)])))) == "[4,?]"
    with pytest.raises(ShapeMismatch, match="Input tensor must be int32 or int64, but was float32"):
        CTX.make_shape_from_tensor(tensor("float32", [2]))
    assert shown(CTX.make_shape_from_partial([1, -1])) == "[1,?]"
    assert shown(CTX.make_shape_from_partial(None)) == "?"
    with pytest.raises(ShapeMismatch, match="Shape has dimension -2"):
        CTX.make_shape_from_partial([-2])
    with pytest.raises(ShapeMismatch, match="An unknown shape must not have any dimensions set"):
        CTX.make_shape_from_partial([1], unknown_rank=True)


@row(D39="one element of a tensor of integers is read as a scalar")
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


@row(D40="a scalar input makes a size, which isn't negative")
def test_make_dim_for_scalar_input() -> None:
    ctx = alone("[]", "[]", "[]", tensors=[None, 5, -1])
    assert shown(ctx.make_dim_for_scalar_input(0)) == "?"
    assert shown(ctx.make_dim_for_scalar_input(1)) == "5"
    with pytest.raises(ShapeMismatch, match="given by scalar input 2, must be non-negative but is -1"):
        ctx.make_dim_for_scalar_input(2)


@row(D41="a negative scalar counts from the end of the rank")
def test_make_dim_for_scalar_input_with_negative_indexing() -> None:
    ctx = alone("[]", "[]", tensors=[-1, 3])
    assert shown(ctx.make_dim_for_scalar_input_with_negative_indexing(0, 3)) == "2"
    assert shown(ctx.make_dim_for_scalar_input_with_negative_indexing(0, -1)) == "?"
    with pytest.raises(ShapeMismatch, match=r"must be in range \[-3, 3\)"):
        ctx.make_dim_for_scalar_input_with_negative_indexing(1, 3)


def handles(*pairs: tuple[str, str]) -> list[ShapeAndType]:
    return [ShapeAndType(fresh(s), t) for s, t in pairs]


@row(D47="handles merge types and shapes, and keep a shape that doesn't merge")
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


@row(D48="handles relax shapes of one type")
@pytest.mark.parametrize("side", ["input", "output"])
def test_relaxing_what_handles_refer_to(side: str) -> None:
    ctx = alone("[]")
    relax = getattr(ctx, f"relax_{side}_handle_shapes_and_merge_types")
    assert relax(0, handles(("[2,2]", "float32")))
    assert not relax(0, handles(("[2,2]", "int32")))
    assert relax(0, handles(("[3,2]", "float32")))
    (found,) = getattr(ctx, f"{side}_handle_shapes_and_types")(0)
    assert (shown(found.shape), found.dtype) == ("[?,2]", "float32")


@row(D49="what handles refer to is unset until it is given")
def test_what_handles_refer_to_is_unset_at_first() -> None:
    ctx = alone("[]", "[]", handles=[None, handles(("[2]", "int32"))])
    assert ctx.input_handle_shapes_and_types(0) is None
    assert ctx.output_handle_shapes_and_types(0) is None
    assert [t for _, t in ctx.input_handle_shapes_and_types(1) or ()] == ["int32"]
    ctx.set_output_handle_shapes_and_types(0, handles(("[5]", "bool")))
    assert [t for _, t in ctx.output_handle_shapes_and_types(0) or ()] == ["bool"]
    with pytest.raises(ShapeMismatch, match="input 2 is one of 2"):
        ctx.set_input_handle_shapes_and_types(2, [])
