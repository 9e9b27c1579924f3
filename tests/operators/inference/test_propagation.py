"""Partial data propagation: elements that ride along with shapes, operator by operator."""

from __future__ import annotations

from collections.abc import Callable

import onnx
import pytest

import shapesmt
from shapesmt import InferenceContext, Tensor, rule
from shapesmt.operators.rules import resolve
from tests.support.rows import case, row


def model(inputs: str, body: str, opset: int = 21, extra: str = "") -> bytes:
    return f'<ir_version: 8, opset_import: ["": {opset}{extra}]> g ({inputs}) => (y) {{ {body} }}'.encode()


def shape_of(text: bytes, tensor: str = "y", **options: object) -> list[str] | None:
    found = shapesmt.bounds(text, **options).tensors[tensor].shape  # type: ignore[arg-type]
    return None if found is None else [d.expr for d in found]


def made(body: str, inputs: str = "int64[n,3,m] x", **options: object) -> list[str] | None:
    """The shape that the elements of `s` make."""
    return shape_of(model(inputs, f"{body} y = ConstantOfShape(s)", **options))  # type: ignore[arg-type]


VALUES = [
    case("C09", "a = Shape(x) two = Constant <value_ints = [2, 3, 4]> () s = Add(a, two)", ["n + 2", "6", "m + 4"]),
    case("C09", "a = Shape(x) one = Constant <value_int = 1> () s = Add(a, one)", ["n + 1", "4", "m + 1"]),
    case("C10", "a = Shape(x) one = Constant <value_ints = [0, 1, 0]> () s = Sub(a, one)", ["n", "2", "m"]),
    case("C10", "a = Shape(x) s = Sub(a, a)", ["0", "0", "0"]),
    case("C10", "a = Shape(x) z = Constant <value_ints = [0, 0, 0]> () b = Sub(z, a) s = Neg(b)", ["n", "3", "m"]),
    case("C11", "a = Shape(x) two = Constant <value_int = 2> () s = Mul(a, two)", ["2*n", "6", "2*m"]),
    case("C12", "a = Shape(x) f = Cast <to = 1> (a) s = Cast <to = 7> (f)", ["n", "3", "m"]),
    case("C13", "a = Shape(x) b = Constant <value_ints = [7]> () s = Concat <axis = 0> (a, b)", ["n", "3", "m", "7"]),
    case("C14", "a = Shape(x) i = Constant <value_ints = [-1, 0]> () s = Gather(a, i)", ["m", "n"]),
    case("C14", "a = Shape(x) i = Constant <value_int = -1> () o = Constant <value_ints = [1]> () b = Gather(a, i) "
         "s = Reshape(b, o)", ["m"]),
    case("C15", "a = Shape <end = 1> (x) e = Constant <value = int64[0] {}> () o = Constant <value_ints = [1]> ()"
         " b = Reshape(a, e) s = Reshape(b, o)", ["n"]),
    case("C16", "s = Shape <start = 1> (x)", ["3", "m"]),
    case("C17", "a = Size(x) z = Constant <value_ints = [0]> () s = Unsqueeze(a, z)", ["3*m*n"]),
    case("C18", "a = Shape(x) b = Constant <value_ints = [2]> () e = Constant <value_ints = [-9]> () "
         "t = Constant <value_ints = [-1]> () z = Constant <value_ints = [0]> () s = Slice(a, b, e, z, t)",
         ["m", "3", "n"]),
    case("C19", "a = Shape <end = 1> (x) b = Squeeze(a) z = Constant <value_ints = [0]> () s = Unsqueeze(b, z)", ["n"]),
    case("C20", "a = Size(x) z = Constant <value_ints = [0]> () s = Unsqueeze(a, z)", ["3*m*n"]),
    case("C23", "s = Shape <start = 1, end = -1> (x)", ["3"]),
    case("C26", "a = Shape <end = 1> (x) b = Sub(a, a) f = Constant <value_ints = [5]> () s = Add(b, f)", ["5"]),
    case("C26", "a = Shape <end = 1> (x) two = Constant <value_ints = [2]> () s = Mul(a, two)", ["2*n"]),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), VALUES)
@row(
    C09="Add adds elements, a scalar to each",
    C10="Sub subtracts elements, and a size minus itself is 0",
    C11="Mul multiplies elements",
    C12="Cast keeps integers through floats",
    C13="Concat concatenates elements",
    C14="Gather takes elements, by negative indices too",
    C15="Reshape keeps elements of scalars and vectors",
    C16="Shape makes elements of sizes, from a first axis on",
    C17="Size is the product of the sizes",
    C18="Slice takes elements, in steps",
    C19="Squeeze keeps the element of a vector of one",
    C20="Unsqueeze keeps the element of a scalar",
    C26="arithmetic on symbols makes expressions",
)
def test_elements(body: str, expected: list[str]) -> None:
    assert made(body) == expected


HALF = "f = Cast <to = 1> (a) h = Constant <value_floats = [0.5]> () p = Mul(f, h)"
FURTHER = [
    case("C20b", "s = Div(a, two)", lambda n: n // 2),
    case("C20b", "s = Mod(a, two)", lambda n: n % 2),
    case("C20b", "s = Min(a, two)", lambda n: min(n, 2)),
    case("C20b", "s = Max(a, two)", lambda n: max(n, 2)),
    case("C20b", "b = Neg(a) s = Neg(b)", lambda n: n),
    case("C20b", "c = Less(a, two) s = Where(c, a, two)", lambda n: min(n, 2)),
    case("C20b", "c = Equal(a, two) s = Cast <to = 7> (c)", lambda n: int(n == 2)),
    case("C20b", f"{HALF} q = Floor(p) s = Cast <to = 7> (q)", lambda n: n // 2),
    case("C20b", f"{HALF} q = Ceil(p) s = Cast <to = 7> (q)", lambda n: -(-n // 2)),
    case("C20b", "b = Concat <axis = 0> (a, two) s = ReduceProd(b)", lambda n: 2 * n),
    case("C20b", "o = Constant <value_ints = [1]> () s = Expand(a, o)", lambda n: n),
    case("C20b", "z = ConstantOfShape <value = int64[1] {3}> (two) t = ReduceSum(z) s = Add(t, a)", lambda n: n + 6),
    case("C20b", "b = Squeeze(a) z = Constant <value_int = 0> () o = Constant <value_int = 1> () r = Range(z, b, o)"
         " s = Shape(r)", lambda n: n),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), FURTHER)
@row(C20b="other operators of shape subgraphs compute elements, Div, Min, Where and Range among them")
def test_other_operators_in_shape_subgraphs(body: str, expected: Callable[[int], int]) -> None:
    start = "a = Shape <end = 1> (x) two = Constant <value_ints = [2]> ()"
    text = model("float[n] x", f"{start} {body} y = ConstantOfShape(s)")
    for hi in (1, 2, 7, 12):
        (found,) = shapesmt.bounds(text, dims={"n": (1, hi)}).tensors["y"].shape or ()
        sizes = [expected(n) for n in range(1, hi + 1)]
        assert (found.min, found.max, found.exact) == (min(sizes), max(sizes), True)


@row(C01="Reshape to a computed shape has that shape")
def test_reshape_to_a_computed_shape() -> None:
    body = (
        "a = Shape(x) z = Constant <value_ints = [0]> () b = Gather(a, z) m = Constant <value_ints = [-1]> () "
        "s = Concat <axis = 0> (b, m) y = Reshape(x, s)"
    )
    assert shape_of(model("float[N,3,4] x", body)) == ["N", "12"]


@row("C17")
def test_reshape_to_a_computed_number_of_elements() -> None:
    body = "a = Size(x) z = Constant <value_ints = [0]> () s = Unsqueeze(a, z) y = Reshape(x, s)"
    assert shape_of(model("float[2,3,4] x", body)) == ["24"]


@row(C23="Shape takes the axes from a start to an end")
def test_a_part_of_a_shape() -> None:
    text = model("float[2,N,3,4] x", "s = Shape <start = 1, end = -1> (x) y = ConstantOfShape(s)")
    assert shape_of(text, "s") == ["2"]
    assert shape_of(text) == ["N", "3"]


@row(C02="Concat of a number and a symbol has their sum as its size")
@pytest.mark.parametrize(("first", "expected"), [("7", "12"), ("N", "N + 5")])
def test_concat_of_a_symbol_is_an_expression(first: str, expected: str) -> None:
    text = model(f"float[5,2] a, float[{first},2] b", "y = Concat <axis = 0> (a, b)")
    assert shape_of(text) == [expected, "2"]


@row(C03="an operator without a rule leaves shapes unknown, and one without a shape function in ONNX has a rule")
def test_an_operator_without_rule_leaves_its_users_undecided() -> None:
    text = model("float[n] x", "h = my.Own(x) y = Relu(h)", extra=', "my": 1')
    assert shape_of(text) is None
    assert [f.kind for f in shapesmt.check(text).findings] == ["unsupported"]
    norm = "y = MeanVarianceNormalization(x)"  # its schema has no shape function
    assert shape_of(model("float[n,c,h,w] x", norm)) == ["n", "c", "h", "w"]


@row(C04="bounds of output sizes are numbers for planning memory")
def test_sizes_can_be_planned_for() -> None:
    (found,) = (
        shapesmt.bounds(model("float[n] x", "y = Concat <axis = 0> (x, x)"), dims={"n": "1..8"}).tensors["y"].shape
        or ()
    )
    assert (found.min, found.max, found.exact) == (2, 16, True)


@row("C08", C05="older operator sets propagate elements too")
def test_older_operator_sets_propagate_too() -> None:
    body = "a = Shape(x) m = Constant <value = int64[1] {-1}> () s = Concat <axis = 0> (m) y = Reshape(x, s)"
    assert shape_of(model("float[N,3] x", body, opset=10)) == ["3*N"]


@row(C06="a rule applied alone infers the same as in a graph")
def test_a_node_alone_and_a_graph_agree() -> None:
    concat = resolve("", "Concat", 21)
    assert concat is not None
    ctx = InferenceContext.of("Concat", ["[5,2]", "[N,2]"], attributes={"axis": 0}, version=21)
    (found,) = ctx.run(concat.apply)
    assert [str(d) for d in found.dims] == shape_of(model("float[5,2] a, float[N,2] b", "y = Concat <axis = 0> (a, b)"))


@row(C07="one unknown size has one symbol through the graph")
def test_one_unknown_is_one_symbol_through_the_graph() -> None:
    text = model("float[M] a, float[N] b", "x = Concat <axis = 0> (a, b) h = Relu(x) y = Exp(h)")
    assert shape_of(text, "x") == shape_of(text, "h") == shape_of(text) == ["M + N"]


@row(C08="sizes that data decide are symbols, in older operator sets too")
def test_sizes_that_data_decide_are_symbols_of_their_own() -> None:
    text = model("float[n] x", "a = NonZero(x) h = Relu(x) b = NonZero(h) y = Shape(a)")
    first, second = shape_of(text, "a"), shape_of(text, "b")
    assert first is not None
    assert second is not None
    assert first[1] != second[1]


@row("C20")
def test_unsqueeze_of_an_element() -> None:
    constants = "o = Constant <value_int = 2> () z = Constant <value_ints = [0]> ()"
    body = f"a = Shape(x) {constants} b = Gather(a, o) s = Unsqueeze(b, z)"
    assert made(body) == ["m"]


@row(C21="convolutions and pools keep no elements")
def test_heavy_operators_keep_no_elements() -> None:
    from shapesmt.analysis.verify.problem import pose
    from shapesmt.frontends import load
    from shapesmt.operators.inference import infer

    text = model("float[1,1,4] x, float[1,1,2] w", "c = Conv(x, w) y = GlobalMaxPool(c)")
    graph = load(text)
    found = infer(graph, pose(graph).inputs)
    assert found.tensors["c"].value is None
    assert found.tensors["y"].value is None


@row(C22="a rule of one's own propagates elements")
def test_a_rule_of_ones_own_propagates_elements() -> None:
    @rule("Doubled", domain="test.propagation")
    def doubled(ctx: InferenceContext) -> Tensor:
        """`[2*v, ...]` of the elements `v`."""
        items = ctx.items(0)
        return (
            ctx.tensor(ctx.input(0).dims)
            if items is None
            else ctx.integer_list([None if i is None else 2 * i for i in items])
        )

    body = "a = Shape(x) s = test.propagation.Doubled(a) y = ConstantOfShape(s)"
    assert shape_of(model("float[n,3] x", body, extra=', "test.propagation": 1')) == ["2*n", "6"]


@row(C24="a broadcast merges no two unknown sizes")
def test_a_broadcast_of_two_unknowns_merges_nothing() -> None:
    text = model("float[M] a, float[N] b", "y = Add(a, b)")
    assert shapesmt.check(text).precondition.text == ("M == 1 or M == N or N == 1",)
    assert shape_of(text) not in (["M"], ["N"])
    (five,) = shapesmt.bounds(model("float[N] a, float[5] b", "y = Add(a, b)")).tensors["y"].shape or ()
    assert (five.min, five.max) == (5, 5)
    assert shape_of(model("float[N] a, float[1] b", "y = Add(a, b)")) == ["N"]


@row(C27="NonZero has a known rank and an unknown count")
def test_nonzero_has_a_rank_and_a_symbol() -> None:
    (rank, count) = shapesmt.bounds(model("float[2,3] x", "y = NonZero(x)")).tensors["y"].shape or ()
    assert (rank.min, rank.max) == (2, 2)
    assert (count.min, count.max) == (0, 6)


# Declared and inferred shapes

CLAIMED = b'<ir_version: 8, opset_import: ["": 21, "my": 1]> g (float[2,3] x) => (float[4,3] y) { y = Relu(x) }'
OPEN = b'<ir_version: 8, opset_import: ["": 21, "my": 1]> g (float[2,3] x) => (float[4,3] y) { y = my.Own(x) }'
INNER = OPEN.replace(b"{", b"<float[4,3] z> { z = my.Own(x)")


@row(C25="a declared shape that differs is a finding, or trusted, ignored or overridden on request")
@pytest.mark.parametrize(
    ("declared", "kinds"), [("check", ["declaration"]), ("trust", []), ("ignore", []), ("override", [])]
)
def test_a_declared_shape_that_differs(declared: str, kinds: list[str]) -> None:
    assert [f.kind for f in shapesmt.check(CLAIMED, declared=declared).findings] == kinds


def written(text: bytes, declared: str, place: str = "output") -> list[int] | None:
    tightened = shapesmt.tighten(text, declared=declared)
    onnx.checker.check_model(tightened)
    (said,) = getattr(tightened.graph, place)
    kind = said.type.tensor_type
    return [d.dim_value for d in kind.shape.dim] if kind.HasField("shape") else None


@row("C25")
@pytest.mark.parametrize("declared", ["trust", "ignore", "override"])
def test_what_is_inferred_takes_the_place_of_what_is_declared(declared: str) -> None:
    assert written(CLAIMED, declared) == [2, 3]
    assert written(OPEN, declared) == [4, 3]
    assert written(INNER, declared, "value_info") == (None if declared == "override" else [4, 3])


@row("C25")
def test_a_contradicted_declaration_is_an_error_by_default() -> None:
    with pytest.raises(
        shapesmt.ModelError, match=r"tensor 'y' has the declared shape \[4, 3\], which is never so .*override"
    ):
        shapesmt.tighten(CLAIMED)
    assert written(OPEN, "check") == [4, 3]
    with pytest.raises(shapesmt.ModelError, match="declared shape"):
        shapesmt.infer_shapes(onnx.parser.parse_model(CLAIMED.decode()), strict_mode=True)


@row("C25")
def test_what_to_do_with_declarations_is_one_of_four() -> None:
    with pytest.raises(shapesmt.UsageError, match="declared is one of check, trust, ignore, override, not 'guess'"):
        shapesmt.check(CLAIMED, declared="guess")


def test_types_that_clash_are_a_finding_whatever_the_elements() -> None:
    text = model("float[n] x", "a = Shape(x) z = Constant <value_floats = [1.5]> () y = Add(z, a)")
    assert "have the same element type" in shapesmt.check(text).findings[0].law
