"""Unknown ranks: what nodes need of them, and what follows backwards and forwards."""

from __future__ import annotations

from collections.abc import Sequence

import onnx
import pytest

import shapesmt
from shapesmt import GraphBuilder, InferenceContext, rule
from shapesmt.network import laws
from shapesmt.network.graph import Attributes, Graph, Node
from shapesmt.operators.rules import (
    Application,
    Requirement,
    Tensor,
    UnknownRankError,
    alternatives,
    over_ranks,
    rank_symbol,
    tensor,
)
from shapesmt.prover.algebra import FALSE, TRUE
from tests.support.rows import case, row

UNKNOWN = "[...]"


def model(inputs: str, body: str, extra: str = "") -> bytes:
    return f'<ir_version: 8, opset_import: ["": 18{extra}]> g ({inputs}) => (y) {{ {body} }}'.encode()


def joined(axis: int, *shapes: str, runtime: str = "standard") -> Graph:
    """Inputs `x0`, `x1` and so on, concatenated as `y`."""
    g = GraphBuilder(runtime=runtime)
    g.output(g.op("Concat", *(g.input(f"x{i}", shape) for i, shape in enumerate(shapes)), axis=axis), "y")
    return g.build()


def bounds_of(made: Graph | bytes, tensor: str = "y") -> str:
    found = shapesmt.bounds(made).tensors[tensor].shape
    if found is None:
        return UNKNOWN
    ends = [str(d.min) if d.min == d.max else f"{d.min}..{'' if d.max is None else d.max}" for d in found]
    return f"[{','.join(ends)}]"


def softmax(axis: int, shape: str) -> Graph:
    g = GraphBuilder()
    g.output(g.op("Softmax", g.input("x", shape), axis=axis), "y")
    return g.build()


@pytest.mark.parametrize(
    ("axis", "shape", "expected"),
    [
        case("A21", 1, "[2,3]", "[2,3]"),
        case("A23", 1, "[1,1000]", "[1,1000]"),
        case("A25", 1, "[1..8,?,?,?]", "[1..8,1..,1..,1..]"),
        case("A27", 10, UNKNOWN, UNKNOWN),
    ],
)
@row(
    A21="Softmax keeps the shape of its input",
    A23="Softmax along the last axis of a matrix keeps its sizes",
    A25="Softmax keeps an interval next to unknown sizes",
)
def test_softmax_keeps_the_shape(axis: int, shape: str, expected: str) -> None:
    assert bounds_of(softmax(axis, shape)) == expected


@pytest.mark.parametrize(("axis", "shape"), [case("A24", 3, "[1,1000]"), case("A26", 7, "[?,?,?,?]")])
@row(
    A24="Softmax fails along axis 3 of a matrix",
    A26="Softmax fails along axis 7 of rank 4, with all sizes unknown",
)
def test_an_axis_beyond_a_known_rank_fails(axis: int, shape: str) -> None:
    report = shapesmt.check(softmax(axis, shape))
    assert str(report.verdict) == "FAILS"
    assert f"axis {axis} is inside a tensor of rank" in report.findings[0].law


@row(A22="the range of Softmax's axis follows the operator's version")
@pytest.mark.parametrize(("opset", "axis", "runs"), [(13, -4, True), (13, -5, False), (11, -2, True), (1, 3, True)])
def test_the_range_of_the_axis_follows_the_version(opset: int, axis: int, runs: bool) -> None:
    head = f'<ir_version: 8, opset_import: ["": {opset}]> g (float[a,b,c,d] x) => (y)'
    text = f"{head} {{ y = Softmax <axis = {axis}> (x) }}"
    report = shapesmt.check(text.encode())
    assert str(report.verdict) == ("PROVED" if runs else "FAILS")
    assert shapesmt.bounds(text.encode()).valid == runs


@row(A27="Softmax along axis 10 keeps an unknown rank, and requires rank 11")
def test_an_axis_beyond_an_unknown_rank_is_an_obligation() -> None:
    made = softmax(10, UNKNOWN)
    report = shapesmt.check(made, certify=True)
    (finding,) = report.findings
    assert str(report.verdict) == "DEPENDS"
    assert finding.condition == "x_rank >= 11"
    assert finding.law == "input 0 has rank 11 or more"
    assert report.precondition.exact
    assert finding.counterexample is not None
    assert finding.counterexample.inputs == {"x": ()}
    assert str(shapesmt.check(made, dims={"x_rank": "11..20"}).verdict) == "PROVED"


CONCATS = [
    case("A29", 1, ["[1..5,2]", "[3..8,2]"], "[3..5,4]"),
    case("A30", 0, ["[2..3,1]", "[4..7,1]"], "[6..10,1]"),
    case("A31", 1, ["[1,2,3,4]", "[1,5,3,4]"], "[1,7,3,4]"),
    case("A32", 1, ["[1,2,3,4]", "[1,10..15,3,4]"], "[1,12..17,3,4]"),
    case("A33", 1, ["[1,2,3,1..5]", "[1,5,3,4]"], "[1,7,3,4]"),
    case("A35", -3, ["[1,2,3,1..5]", UNKNOWN], "[1,2..,3,1..5]"),
    case("A35", -3, [UNKNOWN, "[1,2,3,1..5]"], "[1,2..,3,1..5]"),
    case("A35", -3, [UNKNOWN, UNKNOWN], UNKNOWN),
    case("A37", 1, ["[0..1,2..3,4..7]", "[1..2,3..4,5..10]"], "[1,5..7,5..7]"),
]


@pytest.mark.parametrize(("axis", "shapes", "expected"), CONCATS)
@row(
    A29="Concat intersects the intervals of sizes off its axis",
    A30="Concat adds the intervals of sizes along its axis",
    A31="Concat adds two known sizes",
    A32="Concat adds a known size and an interval",
    A33="Concat narrows an interval off its axis to the other input's known size",
    A35="an input of unknown rank has the rank of Concat's others, and a negative axis counts from that",
    A37="Concat intersects and adds intervals on several axes at once",
)
def test_concat(axis: int, shapes: list[str], expected: str) -> None:
    assert bounds_of(joined(axis, *shapes)) == expected


@row("A35")
def test_a_part_of_unknown_rank_gets_the_shape_of_the_others() -> None:
    made = joined(-3, "[1,2,3,1..5]", UNKNOWN)
    assert bounds_of(made, "x1") == "[1,0..,3,1..5]"
    report = shapesmt.check(made, certify=True)
    assert report.precondition.text == ("x1_rank == 4", "x1_dim0 == 1", "x1_dim2 == 3", "x0_dim3 == x1_dim3")
    assert report.precondition.exact


def test_onnx_runtime_concatenates_empty_tensors_of_any_size() -> None:
    made = joined(1, "[0..1,2..3,4..7]", "[1..2,3..4,5..10]", runtime="onnxruntime")
    assert bounds_of(made) == "[1..2,5..7,5..10]"
    made = joined(-3, "[1,2,3,1..5]", UNKNOWN, runtime="onnxruntime")
    assert bounds_of(made, "x1") == "[0..,0..,0..,0..]"  # one without elements fits any
    assert "x1_dim1 == 0" in shapesmt.check(made).precondition.text[1].split(" or ")


@row("A35")
def test_parts_of_unknown_rank_have_one_rank_that_the_axis_fits() -> None:
    report = shapesmt.check(joined(-3, UNKNOWN, UNKNOWN))
    assert set(report.precondition.text) == {"x0_rank == x1_rank", "x0_rank >= 3"}
    assert not report.precondition.exact  # their sizes are left open


@pytest.mark.parametrize(
    ("axis", "shapes", "law"),
    [
        case("A28", 0, ["[1,2]", "[1,2,3]"], "the tensors have one rank, not 2 and 3"),
        case("A36", -3, ["[1,2,3,4]", "[2,3,4]"], "the tensors have one rank, not 4 and 3"),
        case("A38", 1, ["[1..2,2]", "[3..4,2]"], "joined tensors match off the join axis"),
    ],
)
@row(
    A28="Concat requires inputs of one rank",
    A36="Concat of ranks 4 and 3 fails, with a negative axis too",
    A38="Concat fails if intervals off its axis have no size in common",
)
def test_concat_fails(axis: int, shapes: list[str], law: str) -> None:
    report = shapesmt.check(joined(axis, *shapes))
    assert str(report.verdict) == "FAILS"
    assert report.findings[0].law == law


@row(A34="that intervals intersect is no proof: Concat requires equal sizes off its axis")
def test_ranges_that_meet_are_no_proof() -> None:
    report = shapesmt.check(joined(1, "[1,2,3,1..5]", "[1,5,3,4]"))
    assert str(report.verdict) == "DEPENDS"
    assert report.precondition.text == ("x0_dim3 == 4",)


# Backwards


def conv(extra: str = "") -> bytes:
    return model("float[] x, float[8,3,5,5] w", "h = Relu(x) y = Conv(h, w)", extra)


def test_weights_give_the_input_its_rank() -> None:
    made = conv()
    assert bounds_of(made, "x") == bounds_of(made, "h") == "[0..,3,5..,5..]"
    report = shapesmt.check(made, certify=True)
    assert report.precondition.text == ("x_rank == 4", "x_dim1 == 3", "x_dim2 >= 5", "x_dim3 >= 5")
    assert report.findings[0].law == "input 0 has rank 4"


def test_what_it_takes_to_be_proved_is_accepted() -> None:
    dims = {"x_rank": 4, "x_dim1": 3, "x_dim2": "5..", "x_dim3": "5.."}
    assert str(shapesmt.check(conv(), dims=dims).verdict) == "PROVED"


@pytest.mark.parametrize(
    ("asked", "verdict"), [("4", "DEPENDS"), ("3..5", "DEPENDS"), ("5..7", "FAILS"), ("3..", "DEPENDS")]
)
def test_a_rank_may_be_an_interval(asked: str, verdict: str) -> None:
    report = shapesmt.check(conv(), dims={"x_rank": asked}, certify=True)
    assert str(report.verdict) == verdict


def test_a_rank_may_follow_from_an_assumption() -> None:
    report = shapesmt.check(conv(), assume=["x_rank == 4"])
    assert report.precondition.text == ("x_dim1 == 3", "x_dim2 >= 5", "x_dim3 >= 5")


def test_a_rank_has_an_end() -> None:
    with pytest.raises(shapesmt.UsageError, match="x_rank is 65; a tensor has at most 64 dimensions"):
        shapesmt.check(conv(), dims={"x_rank": 65})


def test_refinement_goes_through_a_broadcast() -> None:
    made = model("float[] x, float[3,4] w", "h = Add(x, w) y = Transpose <perm = [1, 0, 2]> (h)")
    assert bounds_of(made, "x") == "[0..,1..3,1..4]"
    assert bounds_of(made) == "[3,0..,4]"


def test_several_nodes_together_leave_one_rank() -> None:
    body = "a = Softmax <axis = 3> (x) h = Identity(a) y = GlobalMaxPool(h) z = LRN <size = 3> (h)"
    made = model("float[] x", body)
    assert bounds_of(made) == "[0..,0..,1,1]"


def test_the_parameters_of_a_normalization_are_vectors() -> None:
    names = ("x", "s", "b", "m", "v")
    made = model(", ".join(f"float[] {n}" for n in names), f"y = BatchNormalization({', '.join(names)})")
    report = shapesmt.check(made)
    assert set(report.precondition.text) == {"x_rank >= 1", *(f"{n}_rank == 1" for n in names[1:])}
    assert [f.kind for f in report.findings][-1] == "rank"


def test_a_tensor_of_which_nothing_is_known_is_refined_but_nothing_is_proved() -> None:
    text = model("float[n] x, float[8,3,5,5] w", "h = my.Own(x) k = Relu(h) y = Conv(k, w)", ', "my": 1')
    report = shapesmt.check(text, certify=True)
    assert str(report.verdict) == "UNKNOWN"
    assert [(f.kind, f.node) for f in report.findings] == [("unsupported", "Own_0"), ("rank", "Conv_2")]
    assert report.findings[1].law == "input 0 has rank 4"
    assert bounds_of(text, "h") == "[0..,3,5..,5..]"
    assert not any(d.exact for d in shapesmt.bounds(text).tensors["h"].shape or ())


@pytest.mark.parametrize(
    "node",
    [
        "TopK <axis = 1> (h, k)",
        "QuantizeLinear <axis = 1> (h, s)",
        "ReduceMin <axes = [1]> (h)",
        "Gemm (h, h)",
        "Reshape (h, four)",
        "Where (c, h, h)",
    ],
)
def test_the_laws_of_an_axis_are_left_open_where_the_rank_is(node: str) -> None:
    weights = "<int64[1] k = {1}, int64[2] four = {2, 2}>"
    outputs = "y, i" if node.startswith("TopK") else "y"
    text = f"g (float[n] x, float[2] s, bool[n] c) => (y) {weights} {{ h = my.Own(x) {outputs} = {node} }}"
    report = shapesmt.check(f'<ir_version: 8, opset_import: ["": 17, "my": 1]> {text}'.encode())
    assert [f.kind for f in report.findings] == ["unsupported", "rank"]
    assert str(report.verdict) == "UNKNOWN"


def test_a_rank_that_was_unknown_leaves_no_claim_where_a_node_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only for n = 2 is the rank known without cases; for other n the report makes no claim about the last node."""
    monkeypatch.setattr(alternatives, "MAX_CASES", 1)
    text = model(
        "float[n,2] x, float[2,m] w, float[n,2,n] t, float[k] z", "p = MatMul(w, x) s = Squeeze(t) y = Add(s, z)"
    )
    report = shapesmt.check(text, dims={"n": "1..4", "m": "1..4", "k": "1..4"})
    assert [(f.op_type, f.holds_iff) for f in report.findings] == [("MatMul", "m == n"), ("Add", None)]


def test_no_size_is_guessed_where_only_the_rank_is_unknown() -> None:
    report = shapesmt.check(model("float[] x, float[3,4] w", "y = MatMul(x, w)"))
    assert [(str(f.verdict), f.kind) for f in report.findings] == [("DEPENDS", "requirement"), ("UNKNOWN", "rank")]
    assert not report.precondition.exact


def test_what_any_rank_does_is_proved() -> None:
    text = model("float[] x", "s = Shape(x) r = Size(x) h = Relu(x) y = ReduceSum(h)")
    assert str(shapesmt.check(text, certify=True).verdict) == "PROVED"
    assert bounds_of(text, "s") == "[0..64]"


def test_infer_shapes_refines_too() -> None:
    proto = onnx.parser.parse_model(conv().decode())
    proto.graph.input[0].type.tensor_type.ClearField("shape")
    found = {
        v.name: v for v in (*shapesmt.infer_shapes(proto).graph.value_info, *shapesmt.infer_shapes(proto).graph.output)
    }
    assert [d.dim_value for d in found["h"].type.tensor_type.shape.dim] == [0, 3, 0, 0]
    assert [d.dim_value for d in found["y"].type.tensor_type.shape.dim] == [0, 8, 0, 0]


def test_a_rule_says_which_rank_it_needs() -> None:
    @rule("Planes", domain="test.ranks")
    def planes(ctx: InferenceContext) -> shapesmt.Tensor:
        """`[n, c, h, w]` makes `[n, h, w]`."""
        x = ctx.with_rank(ctx.input(0), 4)
        return ctx.tensor([x[0], *x.dims[2:]])

    text = model("float[] x", "y = test.ranks.Planes(x)", ', "test.ranks": 1')
    assert shapesmt.check(text).precondition.text == ("x_rank == 4",)
    assert bounds_of(text) == "[0..,0..,0..]"


@pytest.mark.parametrize("op", ["CausalConvWithState", "LayerNormalization", "Conv", "Gather", "MatMul", "Resize"])
def test_no_rank_is_unexpected(op: str) -> None:
    text = f'<ir_version: 10, opset_import: ["": 27]> g (float[] x, float[] w) => (y) {{ y = {op}(x, w) }}'
    assert str(shapesmt.check(text.encode()).verdict) in ("DEPENDS", "FAILS", "UNKNOWN")


def with_most(most: int, tried: list[int]) -> Application:
    """What is known of a rule that keeps the shape of its input, which has at most that many axes."""
    x = tensor("float32", None, ndim=rank_symbol("x"))

    def applied(inputs: Sequence[Tensor | None]) -> Application:
        (t,) = inputs
        assert t is not None
        if t.shape is None:
            raise UnknownRankError(t)
        tried.append(t.rank)
        return Application((t,), (Requirement(TRUE if t.rank <= most else FALSE, laws.JOINED_MATCH_OFF_AXIS),))

    node = Node("Foo", "", "foo", ("x",), ("y",), Attributes({"axis": 3}))
    return over_ranks([x], applied, node, every=False)


def test_only_the_greatest_rank_is_tried_of_those_far_above_the_numbers_of_a_node() -> None:
    tried: list[int] = []
    assert with_most(64, tried).outputs[0].ndim is rank_symbol("x")
    assert tried == [*range(8), 64]


def test_every_rank_is_tried_where_the_greatest_is_unlike_the_others() -> None:
    tried: list[int] = []
    (requirement,) = with_most(20, tried).requirements
    assert str(requirement.formula) == "x_rank <= 20"
    assert sorted(tried) == [*range(65)]
