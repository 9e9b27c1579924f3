"""A context by itself, and rules run in one: TensorFlow's shape functions, row by row."""

from __future__ import annotations

from typing import Any

import pytest

import shapesmt
from shapesmt import InferenceContext, ShapeMismatch, Tensor
from shapesmt.base.errors import UsageError
from shapesmt.operators.rules import resolve, rule, rules
from shapesmt.prover.algebra.dim import as_dim
from tests.support.contexts import alone, shape, shown
from tests.support.rows import case, row


@row(D03="a registry has the shape function of each operator")
def test_the_registry_holds_a_function_for_each_operator() -> None:
    found = resolve("", "MatMul", 13)
    assert found is not None
    assert callable(found.apply)
    assert len({(r.domain, r.name) for r in rules()}) > 300


@row(D04="fewer elements than inputs may be given, but handles for each input")
def test_what_is_given_may_be_shorter_but_handles_have_to_fit() -> None:
    ctx = alone("[2]", "[2]", "[2]", tensors=[None, [3, -1]], tensors_as_shapes=[None])
    assert ctx.input_tensor(0) is None
    assert ctx.input_tensor(1) == (as_dim(3), as_dim(-1))
    assert ctx.input_tensor(2) is None
    with pytest.raises(ShapeMismatch, match="there are handle shapes for each input"):
        alone("[2]", "[2]", handles=[None])


@row(D05="there are as many inputs as the names ask for")
def test_the_number_of_inputs_is_that_of_the_names() -> None:
    with pytest.raises(ShapeMismatch, match="Wrong number of inputs passed: 1 while 3 expected"):
        alone("[2]", names=({"x": 1, "rest": 2}, {}))


@row(D50="the version is known, and an error's text gets the node and its shapes")
def test_the_version_is_there_and_the_message_is_attached() -> None:
    ctx = alone("[1,?]", version=21)
    assert ctx.version == 21
    assert ctx.attach_context("why") == "why for '{{node foo}} = Foo[](input0)' with input shapes: [1,?]."


@pytest.mark.parametrize(
    ("a", "b", "expected"), [case("D51", "[2,3]", "[3,4]", "[2,4]"), case("D51", "[100,200]", "[200,300]", "[100,300]")]
)
@row(D51="MatMul multiplies matrices of known sizes")
def test_matmul(a: str, b: str, expected: str) -> None:
    found = resolve("", "MatMul", 13)
    assert found is not None
    assert shown(InferenceContext.of("MatMul", [a, b], version=13).run(found.apply)[0]) == expected


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
