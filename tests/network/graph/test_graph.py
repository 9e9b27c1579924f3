import pickle

import pytest

from shapesmt.base.errors import ModelError
from shapesmt.network.graph.dataflow import networkx_graph
from shapesmt.network.graph.graph import Attributes, Function, Graph, Node
from shapesmt.network.graph.literal import Declared, Literal
from shapesmt.network.graph.order import refuse_recursion, sort_nodes

FLOAT = Declared("float32", ("n",))


def node(name, inputs, outputs, **attributes):
    return Node("Op", "", name, inputs.split(), outputs.split(), Attributes(attributes))


def graph(nodes, outputs="z", inputs="x"):
    return Graph("g", dict.fromkeys(inputs.split(), FLOAT), outputs.split(), nodes)


class TestAttributes:
    def test_equal_content_is_one_object(self):
        assert Attributes({"a": 1, "b": (1, 2)}) is Attributes({"b": (1, 2), "a": 1})
        assert Attributes() is Attributes({}) is Attributes.EMPTY

    @pytest.mark.parametrize(
        ("one", "other"), [(1, 1.0), (0.0, -0.0), ((1,), (1.0,)), ("1", 1), ((0.0,), (-0.0,)), (1, (1,))]
    )
    def test_different_content_is_not(self, one, other):
        assert Attributes({"a": one}) is not Attributes({"a": other})

    def test_is_a_mapping(self):
        attributes = Attributes({"axis": 1})
        assert attributes["axis"] == 1
        assert attributes.get("keepdims", 0) == 0
        assert list(attributes) == ["axis"]
        assert len(attributes) == 1
        assert pickle.loads(pickle.dumps(attributes)) is attributes

    def test_graphs_and_what_they_capture(self):
        body = graph([node("inner", "x outer", "z")])
        attributes = Attributes({"then_branch": body, "axis": 1})
        assert attributes.graphs == (body,)
        assert attributes.captures == ("outer",)


class TestGraph:
    def test_producers_and_consumers(self):
        made = graph([node("a", "x", "y u"), node("b", "y y", "z")])
        assert [made.producer(name) for name in ("x", "y", "u", "z", "?")] == [None, 0, 0, 1, None]
        assert [made.consumers(name) for name in ("x", "y", "z")] == [(0,), (1,), ()]

    def test_a_subgraph_reads_for_its_node(self):
        made = graph([node("a", "x", "y"), node("if", "x", "z", body=graph([node("b", "y", "v")], "v", ""))])
        assert made.nodes[1].reads == ["x", "y"]
        assert made.consumers("y") == (1,)
        assert list(networkx_graph(made).edges(data="input")) == [("x", "a", 0), ("x", "if", 0), ("a", "if", None)]

    def test_captures_are_the_names_made_nowhere_inside(self):
        made = Graph("g", {}, ["z", "w"], [node("a", "x c ", "z")], literals={"c": Literal("int64", ())})
        assert made.captures == ("x", "w")

    def test_networkx_names_nodes_and_tensors(self):
        flow = networkx_graph(graph([node("a", "x", "y u"), node("b", "u y", "z")]))
        assert dict(flow.nodes(data="op")) == {"x": None, "a": "Op", "b": "Op"}
        assert [edge["tensor"] for edge in flow["a"]["b"].values()] == ["u", "y"]
        assert [edge["output"] for edge in flow["a"]["b"].values()] == [1, 0]

    def test_networkx_tells_things_of_one_name_apart(self):
        flow = networkx_graph(graph([node("x", "x", "y"), node("x", "y", "z")]))
        assert dict(flow.nodes(data="name")) == {"x": None, "x (2)": "x", "x (3)": "x"}
        assert list(flow.edges()) == [("x", "x (2)"), ("x (2)", "x (3)")]


class TestOrder:
    def test_sorted_nodes_come_back_as_they_are(self):
        nodes = [node("a", "x", "y"), node("b", "y", "z")]
        assert [*sort_nodes(nodes, ["x"], "m", ["z"])] == nodes

    def test_omitted_outputs_are_no_producers(self):
        nodes = [Node("Op", "", "a", ["x", ""], ["y", ""]), Node("Op", "", "b", ["y"], ["", "z"])]
        assert [*sort_nodes(nodes, ["x"], "m", ["z"])] == nodes

    def test_reading_just_before_making_is_too_early(self):
        nodes = [node("a", "x z", "y"), node("b", "y", "z")]
        with pytest.raises(ModelError, match="cycle"):
            sort_nodes(nodes, ["x"], "m")
        nodes = [node("b", "y", "z"), node("a", "x", "y")]
        assert [n.name for n in sort_nodes(nodes, ["x"], "m")] == ["a", "b"]

    def test_others_are_sorted_stably(self):
        nodes = [node("d", "b c", "d"), node("b", "a", "b"), node("a", "x", "a"), node("c", "a", "c")]
        assert [n.name for n in sort_nodes(nodes, ["x"], "m", ["d"])] == ["a", "b", "c", "d"]

    def test_a_captured_tensor_counts_as_read(self):
        inner = graph([node("i", "y", "v")], "v", "")
        nodes = [node("if", "x", "z", body=inner), node("a", "x", "y")]
        assert [n.name for n in sort_nodes(nodes, ["x"], "m")] == ["a", "if"]

    @pytest.mark.parametrize(
        ("nodes", "message"),
        [
            ([node("a", "q", "z")], r"m: node 'a' \(Op\) reads 'q', which nothing makes"),
            (
                [node("a", "x", "z"), node("b", "x", "z")],
                r"node 'a' \(Op\) and node 'b' \(Op\) both make 'z'",
            ),
            ([node("a", "x", "z z")], "both make 'z'"),
            ([node("a", "x", "x z")], "makes 'x', an input or constant"),
            ([node("a", "x", "y")], "nothing makes its output 'z'"),
            (
                [node("a", "b", "z"), node("b", "z", "b")],
                "form a cycle: node 'a' .* → node 'b' .* → node 'a'",
            ),
            ([node("a", "z", "z")], r"form a cycle: node 'a' \(Op\) → node 'a' \(Op\)"),
            ([Node("Op", "", "a", [b"\xff"], ["z"])], "not UTF-8"),
        ],
    )
    def test_what_is_wrong_is_named(self, nodes, message):
        with pytest.raises(ModelError, match=message):
            sort_nodes(nodes, ["x"], "m", ["z"])

    def test_a_long_cycle_is_cut_short(self):
        nodes = [node(f"n{i}", f"t{i}", f"t{(i + 1) % 50}") for i in range(50)]
        with pytest.raises(ModelError, match="→ … → node") as caught:
            sort_nodes(nodes, [], "m")
        assert len(str(caught.value)) < 200


class TestRecursion:
    @staticmethod
    def functions(**calls):
        return {
            ("f", name): Function(name, "f", [], [], [], Attributes.EMPTY, nodes, {})
            for name, nodes in ((n, [Node(c, "f", c, [], []) for c in called]) for n, called in calls.items())
        }

    def test_a_chain_of_calls_ends(self):
        refuse_recursion(self.functions(a=["b", "c"], b=["c", "Relu"], c=[]), "m")

    @pytest.mark.parametrize("calls", [{"a": ["a"]}, {"a": ["b"], "b": ["c"], "c": ["a"]}])
    def test_a_loop_of_calls_does_not(self, calls):
        with pytest.raises(ModelError, match="m: function 'a' calls itself"):
            refuse_recursion(self.functions(**calls), "m")


def test_ancestors_of_nodes_between_are_not_looked_for_again():
    class Read(list):
        count = 0

        def __getitem__(self, index):
            Read.count += 1
            return super().__getitem__(index)

    chain = [Node("Abs", "", f"n{i}", [f"t{i}"], [f"t{i + 1}"]) for i in range(1000)]
    beside = [Node("Abs", "", "side", ["t500"], ["s"]), Node("Add", "", "sum", ["s", "t1000"], ["y"])]
    graph = Graph("g", {"t0": Declared("float32", None)}, ["y"], Read(chain + beside))
    assert graph.ancestors(900, {0, 10, 890}) == {0, 10, 890}
    Read.count = 0
    assert graph.ancestors(900, {0, 10, 890}, {890: {0, 10}}) == {0, 10, 890}
    assert Read.count <= 10
    assert graph.ancestors(1000, {400, 600}) == {400}
    assert graph.ancestors(1001, {400, 600}, {600: {400}}) == {400, 600}
    assert graph.ancestors(3) == {0, 1, 2}
