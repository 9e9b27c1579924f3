"""Nodes written back: names that no other node has, and what the file says of nodes that moved."""

from __future__ import annotations

import onnx
import pytest
from onnx import helper

import shapesmt
from tests.tasks.simplify.compared import session

HEAD = '<ir_version: 10, opset_import: ["":18]>'
DECIDED = """s=Shape(x) o=Constant<value_ints=[-1]>() d=Greater(s,o) c=Squeeze(d) """
BRANCH = """z{i} = If(c) <then_branch = t{i} () => (float[n] r{i}) {{ {a} p{i}={op}(x) {b} r{i}=Exp(p{i}) }},
    else_branch = e{i} () => (float[n] q{i}) {{ q{i}=Identity(x) }}>"""


@pytest.mark.parametrize(("a", "b"), [("", ""), ("[A]", "[B]"), ("[Shape_0]", "[Last]")])
def test_nodes_of_branches_get_names_of_their_own(a: str, b: str) -> None:
    body = " ".join(BRANCH.format(i=i, a=a, b=b, op=op) for i, op in ((1, "Neg"), (2, "Abs"), (3, "Neg")))
    graph = f"g (float[n] x) => (float[n] z1, float[n] z2, float[n] y) {{ {DECIDED} {body} [Last] y = Sin(z3) }}"
    made = shapesmt.simplify(onnx.parser.parse_model(f"{HEAD} {graph}"), dims={"n": "1..4"})
    names = [node.name for node in made.graph.node if node.name]
    assert "If" not in [node.op_type for node in made.graph.node]
    assert len(names) == len({*names})
    session(made)


def branched(*inner: onnx.NodeProto, opset: int = 11) -> onnx.ModelProto:
    """A model with an If that always takes the branch with these nodes."""
    node, info = helper.make_node, helper.make_tensor_value_info
    branches = [
        helper.make_graph(nodes, name, [], [info(nodes[-1].output[0], 1, None)])
        for name, nodes in (("then", inner), ("else", [node("Identity", ["y"], ["q"])]))
    ]
    size = [node("Shape", ["y"], ["s"]), node("Greater", ["s", "least"], ["d"]), node("Squeeze", ["d"], ["c"])]
    decided = node("If", ["c"], ["z"], then_branch=branches[0], else_branch=branches[1])
    least = helper.make_tensor("least", 7, [1], [-1])
    graph = helper.make_graph([*size, decided], "g", [info("y", 1, ["n"])], [info("z", 1, None)], [least])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def test_nodes_of_branches_keep_empty_attributes_texts_and_metadata() -> None:
    reduced = helper.make_node("ReduceSum", ["e"], ["r"], doc_string="the sum")
    reduced.attribute.append(helper.make_attribute("axes", [], attr_type=onnx.AttributeProto.INTS))
    reduced.metadata_props.add(key="scope", value="model.sum")
    exp = helper.make_node("Exp", ["y"], ["e"], doc_string="the powers")
    made = shapesmt.simplify(branched(exp, reduced))
    (total,) = (node for node in made.graph.node if node.op_type == "ReduceSum")
    assert (total.doc_string, total.metadata_props[0].value) == ("the sum", "model.sum")
    assert [(a.name, a.type, [*a.ints]) for a in total.attribute] == [("axes", onnx.AttributeProto.INTS, [])]
    assert "the powers" in [node.doc_string for node in made.graph.node]


def test_a_node_made_anew_keeps_its_text() -> None:
    model = onnx.parser.parse_model(f"""{HEAD} g (float[n,3,4] x) => (z) {{
        a = Transpose<perm=[1,0,2]>(x) z = Transpose<perm=[2,1,0]>(a) }}""")
    model.graph.node[1].doc_string = "the second"
    (node,) = shapesmt.simplify(model).graph.node
    assert node.doc_string == "the second"
