"""ONNX models: what the file says is what the graph says, and damaged ones are refused."""

import random

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper, parser

from shapesmt.base.errors import ModelError
from shapesmt.frontends import load
from shapesmt.network.graph.dataflow import networkx_graph
from shapesmt.network.graph.graph import Attributes, Graph, Reference
from shapesmt.network.graph.literal import Declared, Literal
from tests.support.onnx_text import CHAIN, HEAD, proto


class TestGraph:
    """What the file says is what the graph says."""

    def test_inputs_outputs_and_declarations(self):
        graph = load(parser.parse_model(CHAIN))
        assert graph.inputs == {"x": Declared("float32", ("n", 3))}
        assert graph.outputs == ("z",)
        assert graph.declared == {"z": Declared("float32", ("n", 3))}
        assert graph.opsets == {"": 21, "local": 1}

    def test_nodes_without_a_name_get_one(self):
        graph = load(parser.parse_model(CHAIN))
        assert [node.name for node in graph.nodes] == ["Relu_0", "Add_1"]

    def test_ai_onnx_is_the_domain_without_a_name(self):
        model = parser.parse_model(CHAIN)
        model.graph.node[0].domain = model.opset_import[0].domain = "ai.onnx"
        graph = load(model)
        assert graph.nodes[0].domain == ""
        assert graph.opsets[""] == 21

    def test_no_nodes_are_fine(self):
        assert not load(proto("g (float[n] x) => (float[n] x) {}")).nodes

    def test_unsorted_nodes_are_sorted(self):
        graph = load(proto("g (float[n] x) => (float[n] z) { z = Add (y, y) y = Relu (x) }"))
        assert [node.name for node in graph.nodes] == ["Relu_1", "Add_0"]

    def test_dimensions(self):
        shape = [helper.make_tensor_value_info("v", TensorProto.FLOAT, [0, 5, "Batch Size", None, -1])]
        model = helper.make_model(helper.make_graph([], "g", shape, []))
        assert load(model).inputs["v"].shape == (0, 5, "Batch Size", None, None)

    def test_kinds_of_values(self):
        tensor = helper.make_tensor_type_proto(TensorProto.INT64, ["n"])
        types = {
            "s": helper.make_sequence_type_proto(tensor),
            "o": helper.make_optional_type_proto(tensor),
            "m": helper.make_map_type_proto(TensorProto.STRING, tensor),
            "p": helper.make_sparse_tensor_type_proto(TensorProto.INT64, ["n"]),
            "r": helper.make_tensor_type_proto(TensorProto.INT64, None),
            "u": onnx.TypeProto(),
        }
        inputs = [helper.make_value_info(name, declared) for name, declared in types.items()]
        found = load(helper.make_model(helper.make_graph([], "g", inputs, []))).inputs
        assert found == {
            "s": Declared("seq(int64)", ("n",), "sequence"),
            "o": Declared("optional(int64)", ("n",), "optional"),
            "m": Declared("map(string,int64)", ("n",), "map"),
            "p": Declared("int64", ("n",), "sparse"),
            "r": Declared("int64", None),
            "u": Declared("", None),
        }

    def test_attributes(self):
        inner = parser.parse_graph("inner () => (float[n] v) { v = Relu (x) }")
        tensor = numpy_helper.from_array(np.array([1, 2]))
        values = {"i": 3, "f": 0.5, "s": "NOTSET", "ints": [1, 2], "floats": [0.5], "strings": ["a", "b"]}
        made = helper.make_node("Op", ["x"], ["w"], t=tensor, ts=[tensor], g=inner, gs=[inner], **values)
        made.attribute.add(name="none", type=onnx.AttributeProto.INTS)
        made.attribute.add(name="bad", type=onnx.AttributeProto.STRING, s=b"\xff")
        made.attribute.add(name="tp", type=onnx.AttributeProto.TYPE_PROTO)
        made.attribute.add(name="old", f=2.0)
        model = parser.parse_model(CHAIN)
        model.graph.node.append(made)
        found = dict(load(model).nodes[2].attributes)
        literal = Literal("int64", (2,), (1, 2))
        graphs = (found.pop("g"), *found.pop("gs"))
        assert [graph.captures for graph in graphs] == [("x",), ("x",)]
        assert {name: found.pop(name) for name in values} == {
            name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
        }
        assert (found.pop("t"), *found.pop("ts")) == (literal, literal)
        assert found == {"none": (), "bad": "\\xff", "tp": Declared("", None), "old": 2.0}

    def test_equal_attributes_are_one_object(self):
        first = load(proto("g (float[n] x) => (float[n] z) { y = Softmax <axis=1> (x) z = Softmax <axis=1> (y) }"))
        again = load(proto("h (float[n] a) => (float[n] b) { b = Softmax <axis=1> (a) }"))
        found = {node.attributes for node in (*first.nodes, *again.nodes)}
        assert found == {Attributes({"axis": 1})}

    def test_subgraphs_read_the_graph_around_them(self):
        body = """g (bool c, float[n] x) => (float[m] z) {
            y = Relu (x)
            z = If (c) <then_branch = t () => (float[k] a) { a = Exp (y) },
                        else_branch = e () => (float[k] b) { b = Identity (x) }>
        }"""
        graph = load(proto(body))
        then, other = graph.nodes[1].attributes["then_branch"], graph.nodes[1].attributes["else_branch"]
        assert isinstance(then, Graph)
        assert (then.name, then.captures, other.captures) == ("t", ("y",), ("x",))
        assert sorted(graph.nodes[1].reads) == ["c", "x", "y"]
        assert then.opsets == graph.opsets

    def test_functions(self):
        model = proto(
            """g (float[n] x) => (float[n] z) { z = local.twice <alpha = 2.0> (x) }
            <domain: "local", opset_import: ["" : 20]>
            twice <alpha, beta: float = 3.0> (a) => (c)
            { b = LeakyRelu <alpha: float = @alpha> (a) c = Add (b, b) }"""
        )
        graph = load(model)
        function = graph.functions["local", "twice"]
        assert (function.inputs, function.outputs) == (("a",), ("c",))
        assert function.attributes == ("alpha", "beta")
        assert dict(function.defaults) == {"beta": 3.0}
        assert function.opsets[""] == 20
        assert function.nodes[0].attributes["alpha"] == Reference("alpha")
        assert graph.nodes[0].domain == "local"

    def test_overloads_are_operators_of_their_own(self):
        model = proto(
            """g (float[n] x) => (float[n] z) { z = local.same (x) }
            <domain: "local", opset_import: ["" : 21]> same (a) => (b) { b = Identity (a) }"""
        )
        model.functions[0].overload = model.graph.node[0].overload = "float"
        graph = load(model)
        assert graph.nodes[0].op == "same:float"
        assert list(graph.functions) == [("local", "same:float")]

    def test_the_exporters_ranges_are_adopted(self):
        model = parser.parse_model(CHAIN)
        key = "pkg.torch.export.ExportedProgram.range_constraints"
        model.graph.metadata_props.add(key=key, value="{n: VR[2, int_oo], m: VR[0, 64], 2*s0: VR[4, 4]}")
        model.metadata_props.add(key="author", value="{n: VR[9, 9]}")
        assert load(model).ranges == {"n": "2..", "m": "..64", "2*s0": "4"}


def nested(depth):
    """A model whose graph holds a graph, and so on."""
    model = onnx.ModelProto()
    graph = model.graph
    for _ in range(depth):
        graph.name = "outer"
        graph = graph.node.add(op_type="Op", domain="d").attribute.add(name="body", type=5).g
    graph.name = "inner"
    return model


class TestHostile:
    """Whatever is wrong with a file is one line that names it."""

    @pytest.mark.parametrize(
        ("body", "message"),
        [
            (
                "g (float[n] x) => (float[n] y) { y = Relu (q) }",
                r"node 'Relu_0' \(Relu\) reads 'q', which nothing",
            ),
            ("g (float[n] x) => (float[n] y) { y = Relu (x) y = Exp (x) }", "both make 'y'"),
            ("g (float[n] x) => (float[n] y) { y = Relu (z) z = Exp (y) }", "cycle: node 'Relu_0'"),
            ("g (float[n] x) => (float[n] y) { }", "nothing makes its output 'y'"),
            ("g (float[n] x, float x) => () { }", "two inputs share a name"),
            (
                """g (float[n] x) => (float[n] y) { y = local.f (x) }
                <domain: "local", opset_import: ["" : 21, "local" : 1]> f (a) => (b) { b = local.f (a) }""",
                "function 'f' calls itself",
            ),
            (
                """g (bool c) => (float[n] y)
                { y = If (c) <then_branch = t () => (float[n] v) { v = Exp (q) }> }""",
                r"node 'If_0' \(If\) reads 'q'",
            ),
        ],
    )
    def test_contradictions(self, body, message):
        with pytest.raises(ModelError, match=f"^<model>.*{message}"):
            load(proto(body))

    def test_the_opset_of_onnxs_own_operators_must_be_known(self):
        model = parser.parse_model(CHAIN)
        del model.opset_import[:]
        with pytest.raises(ModelError, match=r"node 'Relu_0' \(Relu\) is of ONNX's own domain, whose opset"):
            load(model)
        model.ir_version = 2
        assert load(model).opsets == {"": 1}

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (
                lambda m: m.graph.initializer.add(name="w", dims=[-1]),
                r"tensor 'w' has the impossible shape \(-1,\)",
            ),
            (
                lambda m: m.graph.initializer.add(name="w", dims=[1] * 999),
                "tensor 'w' has the impossible shape",
            ),
            (lambda m: m.graph.initializer.add(), "initializers share the name '', or lack one"),
            (lambda m: m.opset_import.add(domain="d", version=0), "imports opset 0 of 'd'; the first is 1"),
            (lambda m: m.graph.node.add(), "names no operator"),
            (
                lambda m: m.graph.node[0].attribute.extend([helper.make_attribute("a", 1)] * 2),
                "two attributes 'a'",
            ),
            (lambda m: m.graph.node[0].attribute.add(name="a", ref_attr_name="b"), "is in no function"),
            (lambda m: m.ClearField("graph"), "holds no graph; is it an ONNX model"),
            (lambda m: m.graph.output.add(), "nothing makes its output ''"),
        ],
    )
    def test_impossible_parts(self, change, message):
        model = parser.parse_model(CHAIN)
        change(model)
        with pytest.raises(ModelError, match=message):
            load(model)

    def test_names_can_not_forge_lines(self):
        model = parser.parse_model(CHAIN)
        model.graph.node[0].input[0] = "\n\x1b[31mall proved" + "x" * 5000
        with pytest.raises(ModelError, match="reads") as caught:
            load(model)
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 300

    @pytest.mark.parametrize("depth", [120, 2000])
    def test_deep_nesting_is_refused(self, depth):
        with pytest.raises(ModelError, match="nested"):
            load(nested(depth))

    def test_some_nesting_is_not(self):
        assert load(nested(30).SerializeToString()).nodes

    @pytest.mark.parametrize("unit", ["a = Op <g = h () => () {", "(", "[", "<", "a = Op <t = seq(", '"('])
    def test_deep_text_is_refused(self, unit):
        with pytest.raises(ModelError):
            load((HEAD + "g () => () {" + unit * 100_000).encode())

    @pytest.mark.parametrize("content", [b"", b"\0" * 100, b"<", b"{", b"{}", b"hello: world", b"MZ\x90\0", b"#"])
    def test_what_is_no_model(self, content):
        with pytest.raises(ModelError, match=r"^<bytes>: "):
            load(content)

    def test_the_collector_runs_again_afterwards(self):
        import gc

        with pytest.raises(ModelError):
            load(b"")
        load(parser.parse_model(CHAIN))
        assert gc.isenabled()


def damaged(content, source):
    """The content with a few bits, bytes or stretches changed."""
    found = bytearray(content)
    for _ in range(source.choice([1, 1, 2, 8])):
        at = source.randrange(len(found))
        match source.randrange(5):
            case 0:
                del found[at + 1 :]
            case 1:
                found[at] ^= 1 << source.randrange(8)
            case 2:
                found[at] = source.randrange(256)
            case 3:
                found[at:at] = source.randbytes(source.randrange(1, 9))
            case _:
                del found[at + 1 : at + source.randrange(2, 20)]
    return bytes(found)


def outcome(content):
    """The graph, or what is said of it."""
    try:
        return load(content)
    except ModelError as error:
        return str(error)


@pytest.mark.parametrize("form", ["protobuf", "onnxtxt", "textproto", "json"])
def test_damaged_files_give_a_graph_or_one_line(form, tmp_path):
    """Damage is seeded: the same seed reproduces a failure."""
    model = proto(
        """g (bool c, float[n, 3] x) => (float[m] z) <int64[2] shape = {-1, 3}> {
            y = Reshape (x, shape)
            [branch] z = If (c) <then_branch = t () => (float[k] a) { a = local.same (y) },
                                 else_branch = e () => (float[k] b) { b = Softmax <axis = 1> (x) }>
        }
        <domain: "local", opset_import: ["" : 21]> same (a) => (b) { b = Identity (a) }"""
    )
    onnx.save(model, tmp_path / "m", format=form)
    content = (tmp_path / "m").read_bytes()
    for seed in range(800):
        found = outcome(damaged(content, random.Random(seed)))
        if isinstance(found, str):
            assert found.isprintable(), seed
            assert len(found) < 800, seed
        else:
            texts = [text for node in found.nodes for text in (node.op, node.name, *node.inputs, *node.outputs)]
            assert all(type(text) is str for text in texts), seed
            assert set(networkx_graph(found).nodes) >= {*found.inputs, *found.literals}, seed
