"""Graphs built by hand: what a builder makes is what ONNX text of the same model is."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import shapesmt
from shapesmt import GraphBuilder
from shapesmt.base.errors import UsageError
from shapesmt.network.declarations.ranges import Range
from shapesmt.network.graph.dataflow import networkx_graph
from shapesmt.network.graph.literal import Declared, Literal
from shapesmt.prover.algebra.formula import divides


@shapesmt.rule("FoldTest", domain="test.builder")
def fold(ctx):
    """`out.shape = (..., n // times, times)`; `times` divides the last axis."""
    x, times = ctx.input(0), ctx.integer("times")
    ctx.require(divides(times, x[-1]), "times divides the last axis", x[-1], times)
    return ctx.tensor([*x.dims[:-1], x[-1] // times, times])


class Prints:
    """Something that prints as a shape."""

    def __str__(self):
        return "[1..8,n,?]"


class TestInputs:
    @pytest.mark.parametrize(
        ("shape", "axes"),
        [
            ("[1..8,3,?,n]", ("x_dim0", 3, None, "n")),
            ([(1, 8), 3, None, "n"], ("x_dim0", 3, None, "n")),
            ([Range(1, 8), np.int64(3), "?", "`a b`"], ("x_dim0", 3, None, "a b")),
            (Prints(), ("x_dim0", "n", None)),
            ("1x3x4", (1, 3, 4)),
            ("[]", ()),
            ("[...]", None),
        ],
    )
    def test_shapes(self, shape, axes):
        g = GraphBuilder()
        g.output(g.op("Relu", g.input("x", shape, dtype="float16")))
        graph = g.build()
        assert graph.inputs == {"x": Declared("float16", axes)}
        assert graph.ranges.get("x_dim0") == (Range(1, 8) if axes and axes[0] == "x_dim0" else None)

    def test_ranges_inline_are_declared_ranges(self):
        g = GraphBuilder("g")
        batch = g.dim("batch", "1..32")
        x = g.input("x", [batch, (4, None), 3])
        g.output(g.op("Relu", x), "y")
        graph = g.build()
        report = shapesmt.check(graph)
        assert {name: (r.min, r.max, r.source) for name, r in report.symbols.items()} == {
            "batch": (1, 32, "model"),
            "x_dim1": (4, None, "input x"),
        }
        assert [(d.min, d.max) for d in shapesmt.bounds(graph).tensors["y"].shape] == [(1, 32), (4, None), (3, 3)]
        assert shapesmt.check(graph, dims={"x_dim1": 5}).symbols["x_dim1"].source == "--dim"
        assert shapesmt.check(graph, shapes={"x": "[?,7,?]"}).symbols["x_dim1"].max == 7

    def test_sequences(self):
        g = GraphBuilder()
        s = g.input("s", "[n,3]", dtype="seq(float32)")
        g.output(g.op("ConcatFromSequence", s, axis=0), "y")
        assert g.build().inputs["s"] == Declared("seq(float32)", ("n", 3), "sequence")


class TestConstants:
    @pytest.mark.parametrize(
        ("values", "dtype", "literal"),
        [
            ([2, 3], "", Literal("int64", (2,), (2, 3))),
            (1.5, "", Literal("float32", (), (1.5,))),
            ([True], "", Literal("bool", (1,), (True,))),
            (["a"], "", Literal("string", (1,), ("a",))),
            (np.ones((1, 2), np.float64), "", Literal("float64", (1, 2), (1.0, 1.0))),
            (np.int32(4), "", Literal("int32", (), (4,))),
            ([1, 2], "bfloat16", Literal("bfloat16", (2,), (1.0, 2.0))),
            (np.zeros((64, 64), np.float32), "", Literal("float32", (64, 64))),
            (float("inf"), "", Literal("float32", (), (float("inf"),))),
        ],
    )
    def test_values(self, values, dtype, literal):
        g = GraphBuilder()
        g.output(g.op("Shape", g.constant(values, dtype=dtype, name="c")), "y")
        assert g.build().literals["c"] is literal

    def test_operands_that_are_no_tensors_become_constants(self):
        g = GraphBuilder()
        g.output(g.op("Reshape", g.input("x", "[n,6]"), [-1, 3]), "y")
        graph = g.build()
        assert graph.literals == {"Constant_0": Literal("int64", (2,), (-1, 3))}
        assert shapesmt.bounds(graph, dims={"n": "1..4"}).tensors["y"].shape[0].expr == "2*n"


class TestOperators:
    def test_is_the_same_model_as_onnx_text(self):
        g = GraphBuilder("g", opset=18)
        x = g.input("x", "[n,3,h,w]")
        weight = g.constant(np.zeros((8, 3, 3, 3), np.float32), name="weight")
        small = g.op("Conv", x, weight, strides=[2, 2], pads=(1, 1, 1, 1), name="conv")
        big = g.op("Resize", small, None, np.array([1, 1, 2, 2], np.float32), mode="nearest", name="resize")
        z = g.op("Concat", x, big, axis=1, name="join")
        g.output(z, "z")
        text = b"""<ir_version: 8, opset_import: ["":18]> g (float[n, 3, h, w] x) => (z)
            <float[4] scales = {1, 1, 2, 2}, int64[4] size = {8, 3, 3, 3}> {
            weight = ConstantOfShape (size)
            [conv] a = Conv <strides = [2, 2], pads = [1, 1, 1, 1]> (x, weight)
            [resize] b = Resize <mode = "nearest"> (a, , scales)
            [join] z = Concat <axis = 1> (x, b) }"""
        ours, theirs = shapesmt.check(g.build()), shapesmt.check(text)
        assert ours.precondition.text == theirs.precondition.text == ("h % 2 == 0", "w % 2 == 0")
        assert [f.law for f in ours.findings] == [f.law for f in theirs.findings]
        assert [f.node for f in ours.findings] == ["join"]

    def test_several_outputs(self):
        g = GraphBuilder()
        x = g.input("x", "[n,6]")
        a, b = g.op("Split", x, outputs=2, axis=1, num_outputs=2)
        values, indices = g.op("TopK", a, [2], outputs=["values", None], axis=1)
        g.output(values)
        assert (a.name, b.name) == ("Split_0:0", "Split_0:1")
        assert [[*n.outputs] for n in g.build().nodes] == [["Split_0:0", "Split_0:1"], ["values", ""]]
        with pytest.raises(UsageError, match="left out"):
            g.op("Relu", indices)

    def test_names_are_hierarchical(self):
        g = GraphBuilder()
        x = g.input("x", "[n]")
        with g.scope("encoder"):
            first = g.op("Relu", x)
            with g.scope("layer"):
                second = g.op("Add", first, 1.0)
            third = g.op("Relu", second, name="last")
        with g.scope("encoder"):
            fourth = g.op("Relu", third)
        assert [h.name for h in (first, second, third, fourth)] == [
            "encoder/Relu_0",
            "encoder/layer/Add_0",
            "encoder/last",
            "encoder/Relu_1",
        ]

    def test_own_operators(self):
        g = GraphBuilder()
        g.output(g.op("FoldTest", g.input("x", "[batch,1..64]"), domain="test.builder", times=4), "y")
        graph = g.build()
        assert shapesmt.check(graph).precondition.text == ("x_dim1 % 4 == 0",)
        assert graph.opsets == {"": 21, "test.builder": 1}
        assert [o.since for o in shapesmt.supported_ops(graph).operators] == [1]

    def test_other_domains(self):
        g = GraphBuilder()
        x = g.input("x", "[n,8]")
        g.output(g.op("BiasGelu", x, g.constant([0.5] * 8), domain="com.microsoft"), "y")
        assert shapesmt.check(g.build()).verdict.value == "PROVED"

    def test_element_types_by_name_and_tensors_as_attributes(self):
        g = GraphBuilder()
        shape = g.op("Cast", g.input("x", "[2]", dtype="int32"), to="int64")
        g.output(g.op("ConstantOfShape", shape, value=[1.0]), "y")
        cast, filled = g.build().nodes
        assert cast.attributes["to"] == 7
        assert filled.attributes["value"] is Literal("float32", (1,), (1.0,))

    def test_subgraphs_capture(self):
        g = GraphBuilder()
        x, flag = g.input("x", "[n,4]"), g.input("flag", "[]", dtype="bool")
        y = g.op("Relu", x, name="y")
        then, other = g.subgraph("then"), g.subgraph("else")
        then.output(then.op("Concat", x, y, axis=0))
        inner, last = other.subgraph("inner"), other.subgraph("last")
        inner.output(inner.op("Abs", y))
        last.output(last.op("Neg", y))
        other.output(other.op("If", flag, then_branch=inner, else_branch=last))
        g.output(g.op("If", flag, then_branch=then, else_branch=other, name="choice"), "z")
        graph = g.build()
        assert set(graph.nodes[1].reads) == {"flag", "x", "y"}
        assert nx.ancestors(g.flow, "choice") == {"x", "flag", "y"}
        dim = shapesmt.bounds(graph, dims={"n": "1..8"}).tensors["z"].shape[0]
        assert (dim.min, dim.max) == (1, 16)

    def test_outputs_are_renamed_or_copied(self):
        g = GraphBuilder()
        x = g.input("x", "[n]")
        y = g.op("Relu", x)
        z = g.op("Exp", y)
        g.output(y, "first")
        g.output(y, "second")
        g.output(x)
        g.output(z)
        graph = g.build()
        assert graph.outputs == ("first", "second", "x", "Exp_0")
        assert [n.op for n in graph.nodes] == ["Relu", "Exp", "Identity"]
        assert y.name == "first"

    def test_a_captured_tensor_keeps_its_name_and_is_copied_where_a_body_returns_it(self):
        g = GraphBuilder()
        flag, y = g.input("flag", "[]", dtype="bool"), g.op("Relu", g.input("x", "[n]"))
        then, other = g.subgraph("then"), g.subgraph("else")
        then.output(then.op("Abs", y)), other.output(y)
        g.output(y, "named")
        g.output(g.op("If", flag, then_branch=then, else_branch=other), "z")
        graph = g.build()
        body = next(n for n in graph.nodes if n.op == "If").attributes["else_branch"]
        assert [(n.op, n.inputs, body.outputs) for n in body.nodes] == [("Identity", ("Relu_0",), ("Identity_0",))]
        assert shapesmt.check(graph).verdict.value == "PROVED"


class TestNetworkx:
    def test_the_flow_is_an_ordinary_graph(self):
        g = GraphBuilder()
        x = g.input("x", "[n,4]")
        left, right = g.op("Relu", x, name="left"), g.op("Abs", x, name="right")
        g.output(g.op("Add", left, right, name="sum"))
        assert nx.ancestors(g.flow, "sum") == {"x", "left", "right"}
        assert nx.shortest_path(g.flow, "x", "sum") == ["x", "left", "sum"]
        assert nx.is_directed_acyclic_graph(g.flow)
        assert set(networkx_graph(g.build()).edges(data="tensor")) == set(g.flow.edges(data="tensor"))

    def test_dataflow_has_shapes(self):
        g = GraphBuilder()
        g.output(g.op("Flatten", g.op("Relu", g.input("x", "[n,4]")), axis=0), "y")
        flow = shapesmt.dataflow(g.build())
        assert [(u, v, d["dtype"], d["shape"]) for u, v, d in flow.edges(data=True)] == [
            ("x", "Relu_0", "float32", ("n", "4")),
            ("Relu_0", "Flatten_0", "float32", ("n", "4")),
        ]

    def test_a_graph_made_with_networkx_alone(self):
        flow = nx.DiGraph(schema="shapesmt/graph/1", opsets={"ai.onnx": 21}, outputs=["z"])
        flow.add_node("x", kind="input", dtype="float32", shape="[1..8,?]")
        flow.add_node("y", kind="input", dtype="float32", shape=["1..8", 5])
        flow.add_node("z", op="Add")
        flow.add_edge("x", "z", input=0)
        flow.add_edge("y", "z", input=1)
        report = shapesmt.check(flow)
        assert len(report.precondition.text) == 2
        flow.remove_edge("y", "z")
        flow.add_edge("y", "z", input="one")
        with pytest.raises(shapesmt.ModelError, match=r"<networkx graph>: edges\[1\].input: an integer, not \"one\""):
            shapesmt.check(flow)


def _graph():
    g = GraphBuilder("g")
    return g, g.input("x", "[n,4]")


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (lambda g, x: g.op("Concatt", x, axis=1), "no operator 'Concatt' in ai.onnx, opset 21; did you mean"),
        (lambda g, x: g.op("BiasGelu", x), "no operator 'BiasGelu' in ai.onnx, opset 21; com"),
        (lambda g, x: g.op("Fold9", x, domain="nobody"), "no operator 'Fold9' in nobody, opset 1; it has none"),
        (lambda *_: GraphBuilder(opset=12).op("Gelu", 1.0), "no operator 'Gelu' in ai.onnx, opset 12; it came"),
        (lambda g, _: g.op("Relu", GraphBuilder("h").input("y")), "Relu: tensor 'y' is one of another builder, 'h'"),
        (lambda g, _: g.input("x"), "two things are named 'x'; give one another name"),
        (lambda g, x: g.op("Relu", x, name="x"), "two things are named 'x'"),
        (lambda g, x: g.op("Relu", x, x), "Relu has 1 input, not 2"),
        (lambda g, _: g.op("Concat", axis=1), "Concat has 1 or more inputs, not 0"),
        (lambda g, x: g.op("Relu", x, outputs=2), "Relu has 1 output, not 2"),
        (lambda g, x: g.op("Concat", x, x, name="join"), "Concat 'join' needs the attribute 'axis'"),
        (lambda g, x: g.op("Concat", x, x, axes=1), "Concat has no attribute 'axes'; did you mean 'axis'?"),
        (lambda g, x: g.op("Concat", x, x, axis="one"), "Concat: attribute 'axis': an integer, not \"one\""),
        (lambda g, x: g.op("Concat", x, x, axis=x), "Concat: attribute 'axis': an object, not a Handle"),
        (lambda g, x: g.op("Reshape", x, [1, [2]]), "Reshape: a constant is a number, a list of them or an array"),
        (lambda g, x: g.op("Reshape", x, {"a": 1}), "Reshape: a constant is a number"),
        (lambda g, _: g.constant([1.5], dtype="int64"), "a constant of type int64 holds integers, not '[1.5]'"),
        (lambda g, _: g.constant([1.5], dtype="in64"), "'in64' is not an element type; did you mean 'int64'?"),
        (lambda g, _: g.input("y", "[3", dtype="float32"), "'[3' is not a shape of 'y'"),
        (lambda g, _: g.input("y", "[8..1]"), "range '8..1' of 'y' is empty"),
        (lambda g, _: g.input("y", "[3]", dtype="flaot32"), "'flaot32' is not an element type; did you mean"),
        (lambda g, _: g.input(3), "the name of a node or tensor is a text, not '3'"),
        (lambda g, _: g.build(), "graph 'g' has no output; say which with output(...)"),
        (lambda g, x: (g.output(x), g.output(x)), "tensor 'x' is an output already"),
        (lambda g, _: g.output(None), "an output is a tensor, not None"),
        (lambda g, _: (g.dim("n", "1..8"), g.dim("n", "1..9")), "dimension 'n' is declared twice: as 1..8 and as 1..9"),
        (lambda g, x: (g.dim("q", "1..8"), g.output(x), g.build()), "dimension 'q' is declared, but no input has it"),
        (lambda g, _: g.subgraph("s").build(), "'s' is a subgraph; build the graph around it"),
        (lambda g, x: g.op("If", x, then_branch=g.subgraph("s")), "graph 's' has no output"),
        (lambda g, x: g.op("If", x, then_branch=GraphBuilder("s")), "If: attribute 'then_branch' is the graph 's'"),
        (lambda *_: GraphBuilder(opset=0), "the opset of 'ai.onnx' is a number from 1 on, not '0'"),
    ],
)  # fmt: skip
def test_mistakes_are_named_where_they_are_made(mistake, message):
    with pytest.raises(UsageError) as caught:
        mistake(*_graph())
    assert str(caught.value).startswith(message)


def test_a_subgraph_belongs_to_one_operator():
    g, x = _graph()
    flag = g.input("flag", "[]", dtype="bool")
    then, other = g.subgraph("then"), g.subgraph("else")
    then.output(then.op("Relu", x)), other.output(other.op("Abs", x))
    g.op("If", flag, then_branch=then, else_branch=other)
    with pytest.raises(UsageError, match="the subgraph 'then', which 'If_0' has already"):
        g.op("If", flag, then_branch=then, else_branch=other)
    with pytest.raises(UsageError, match="the subgraph 'then' belongs to 'If_0': nothing can be added"):
        then.op("Relu", x)


def test_a_mistake_leaves_the_graph_as_it_was():
    g, x = _graph()
    before = set(g.flow)
    for wrong in ({"axes": 1}, {"axis": "one"}, {"axis": 1, "name": "x"}):
        with pytest.raises(UsageError):
            g.op("Concat", x, x, **wrong)
    assert set(g.flow) == before
    assert g.op("Concat", x, x, axis=1).name == "Concat_0"


def gathered(runtime):
    """Index tuples that split evenly into the batch of `x`, although their batch is another one."""
    g = GraphBuilder(runtime=runtime)
    indices = g.constant([[[0]], [[1]], [[2]], [[3]]])
    g.output(g.op("GatherND", g.input("x", "[2,5]"), indices, batch_dims=1), "y")
    return g.build()


def concatenated(runtime):
    """An empty tensor and one with other sizes."""
    g = GraphBuilder(runtime=runtime)
    g.output(g.op("Concat", g.input("x", "[n,0]"), g.input("w", "[3,4]"), axis=1), "y")
    return g.build()


def largest(runtime):
    """The largest of no booleans."""
    g = GraphBuilder(runtime=runtime)
    g.output(g.op("ReduceMax", g.input("x", "[2,0]", dtype="bool"), [1]), "y")
    return g.build()


@pytest.mark.parametrize(
    ("build", "verdicts"),
    [(concatenated, ["DEPENDS", "PROVED"]), (gathered, ["FAILS", "PROVED"]), (largest, ["PROVED", "FAILS"])],
)
def test_a_graph_follows_the_standard_or_a_runtime(build, verdicts, tmp_path):
    for runtime, verdict in zip(("standard", "onnxruntime"), verdicts, strict=True):
        graph = build(runtime)
        assert graph.runtime.value == runtime
        assert str(shapesmt.check(graph).verdict) == verdict
        shapesmt.save_graph(graph, tmp_path / "graph.json")
        assert str(shapesmt.check(tmp_path / "graph.json").verdict) == verdict


def test_a_body_is_of_its_graph_s_runtime():
    for runtime in "standard", "onnxruntime":
        g = GraphBuilder(runtime=runtime)
        x, w, flag = g.input("x", "[n,0]"), g.input("w", "[3,4]"), g.input("flag", "[]", dtype="bool")
        then, other = g.subgraph("then"), g.subgraph("else")
        then.output(then.op("Concat", x, w, axis=1))
        other.output(other.op("Relu", w))
        g.output(g.op("If", flag, then_branch=then, else_branch=other), "y")
        graph = g.build()
        assert {body.runtime.value for body in graph.nodes[0].attributes.graphs} == {runtime}
        findings = [f for f in shapesmt.check(graph).findings if f.code == "SM103"]
        assert bool(findings) == (runtime == "standard")


def test_a_runtime_that_is_none_is_named():
    with pytest.raises(UsageError, match="there is no runtime 'onnxruntme'; did you mean 'onnxruntime'"):
        GraphBuilder(runtime="onnxruntme")


def test_tighten_says_that_it_needs_a_file():
    g, x = _graph()
    g.output(g.op("Relu", x), "y")
    with pytest.raises(UsageError, match="a graph has no ONNX file to write into"):
        shapesmt.tighten(g.build())


def test_an_unknown_rank_means_the_same_wherever_it_is_said() -> None:
    """In the builder, in a file and in `--shape` it means any rank, with sizes from 0 on."""

    def built(shape: str) -> shapesmt.Graph:
        g = shapesmt.GraphBuilder("turned")
        g.output(g.op("Transpose", g.input("x", shape), perm=[1, 0]), "y")
        return g.build()

    file = b'<ir_version: 8, opset_import: ["": 18]> g (float[] x) => (y) { y = Transpose<perm=[1, 0]>(x) }'
    asked = [(built("[...]"), {}), (built("[?,?]"), {"x": "[...]"}), (file, {}), (file, {"x": "[...]"})]
    found = [shapesmt.bounds(model, shapes=shapes).tensors["x"].partial_shape for model, shapes in asked]
    assert [str(shape) for shape in found] == ["[?,?]"] * len(found)
    reports = [shapesmt.check(model, shapes=shapes) for model, shapes in asked]
    assert len({report.precondition for report in reports}) == 1
