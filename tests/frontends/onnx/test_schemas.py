"""Schemas: element types that operators take, and the nodes that operators stand for."""

from __future__ import annotations

import onnx
import pytest
from onnx import helper

import shapesmt
from shapesmt.analysis.verify.problem import pose
from shapesmt.base.errors import ModelError
from shapesmt.frontends import load
from shapesmt.network.graph import Declared
from shapesmt.operators.inference import infer
from shapesmt.operators.rules import registry, rules
from shapesmt.prover.algebra import Verdict


def model(body: str, inputs: str = "float[n, 4] x, int64[n, 4] i", opset: int = 24) -> bytes:
    return f'<ir_version: 10, opset_import: ["": {opset}]> g ({inputs}) => () {{ {body} }}'.encode()


def laws(content: bytes) -> list[str]:
    return [f.law for f in shapesmt.check(content).findings if f.verdict.value == "FAILS"]


@pytest.mark.parametrize(
    ("body", "law"),
    [
        ("y = Add(x, i)", "'A' and 'B' have the same element type, not float32 and int64"),
        ("y = Concat<axis = 0>(x, x, i)", "'inputs[0]' and 'inputs[2]' have the same element type, not"),
        ("y = Not(x)", "'X' is of type bool, not float32"),
        ("y = Gather(x, x)", "'indices' is of type int32 or int64, not float32"),
        ("s = SequenceConstruct(x) y = Add(s, s)", "'A' is of type bfloat16, float16, float32, float64 or 8 others, "),
        (
            "s = SequenceConstruct(x) t = SequenceInsert(s, i)",
            "the sequence and the tensor have the same element type, not",
        ),
        ("y = Relu(x, x)", "it has at most 1 input"),
    ],
)
def test_types_that_onnx_forbids(body, law):
    (found,) = laws(model(body))
    assert found.startswith(law)


@pytest.mark.parametrize(
    "body",
    [
        "y = Add(x, x) z = Where(b, i, i)",
        "s = SequenceConstruct(x, x) t = Identity(s) o = Optional(t) u = OptionalGetElement(o) y = SequenceLength(u)",
        """y = Loop(c, b, x) <body = l (int64 k, bool t, float[n, 4] a) => (bool u, float[n, 4] d)
            { u = Identity(t) d = Add(a, a) }>""",
        "y = Cast<to = 16>(x) z = Add(y, y) w = CastLike(x, i) v = Add(w, i)",
    ],
)
def test_types_that_onnx_admits(body):
    assert laws(model(body, "float[n, 4] x, int64[n, 4] i, bool b, int64 c")) == []


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        ("(float[2,3] x) => (float[4,2] y) { y = Transpose(x) }", r"the declared shape \[4, 2\], it is \[3, 2\]"),
        ("(float[2,3] x) => (int64[3,2] y) { y = Transpose(x) }", "the declared type int64, it is float32"),
        ("(float[2,3] x) => (y) <float[3,2] x = {1,2,3,4,5,6}> { y = Abs(x) }", r"declared shape \[2, 3\]"),
        ("(float[9000000000000000000] x) => (y) { y = Concat<axis = 0>(x, x) }", "an overflow of 64 bits"),
        ("(float[1,1,1,1] x) => (y) { y = DepthToSpace<blocksize = 4294967296>(x) }", "doesn't overflow 64 bits"),
        (
            "(float[1,1,5] x, float[1,1,2] w) => (y) { y = Conv<dilations = [9223372036854775807]>(x, w) }",
            "the dilated kernel doesn't overflow 64 bits",
        ),
        (
            "(float[n] x) => (y) <int64[2] p = {9223372036854775807, 1}> { y = Pad(x, p) }",
            "the padded size doesn't overflow 64 bits",
        ),
        ("(x) => (y) { y = Abs(x) }", "input 'x' has no type"),
        ("(float[1,1,4,4] x) => (y) { y = MaxPool<kernel_shape = [0, 2]>(x) }", "the kernel isn't empty"),
    ],
)
def test_strict_inference_refuses_contradictions(graph, message):
    text = f'<ir_version: 8, opset_import: ["": 18]> g {graph}'
    with pytest.raises(ModelError, match=message):
        shapesmt.infer_shapes(onnx.parser.parse_model(text), strict_mode=True)


@pytest.mark.parametrize(
    ("graph", "shape"),
    [
        ("(float[5,3,4,4] x) => (y) { y = MaxPool<kernel_shape = [2, 2], pads = [1, 1, 2, 2]>(x) }", [5, 3, 6, 6]),
        (
            "(float[5,3,4,4] x, float[2,3,2,2] w) => (y) { y = Conv<auto_pad='SAME_UPPER', dilations=[2,2]>(x, w) }",
            [5, 2, 4, 4],
        ),
        ("(float[5,3,4] x) => (y) { y = LRN<size = 1>(x) }", [5, 3, 4]),
        ("(float[2,4] x, float[8] r, float[2] f) => (y) <int64[2] s = {3, 5}> { y = Resize(x, r, f, s) }", [3, 5]),
        (
            "(float[2,3] x, float[2,4] y) => (z) { s = SequenceConstruct(x, y) z = ConcatFromSequence<axis = 0>(s) }",
            [4, 3],
        ),
    ],
)
def test_laws_that_no_shape_depends_on_are_left_to_check(graph, shape):
    text = f'<ir_version: 8, opset_import: ["": 13]> g {graph}'.replace("'", '"')
    made = shapesmt.infer_shapes(onnx.parser.parse_model(text), strict_mode=True).graph.output[0].type.tensor_type
    assert [d.dim_value for d in made.shape.dim] == shape
    assert shapesmt.check(text.encode()).verdict is Verdict.FAILS


def test_sizes_that_have_to_be_one_number_are_that_number():
    text = '<ir_version: 8, opset_import: ["": 28]> g (float[n, 3] x, float[n, c] z) => (y) { y = SwiGLU(z, x) }'
    made = shapesmt.infer_shapes(onnx.parser.parse_model(text)).graph.output[0].type.tensor_type
    assert [d.dim_param or d.dim_value for d in made.shape.dim] == ["n", 3]


def test_what_is_not_known_clashes_with_nothing():
    assert laws(model("u = Odd(x) y = Add(u, i)")) == []


def test_strict_inference_looks_at_types_when_asked_to():
    wrong = onnx.parser.parse_model(model("y = Add(x, i)").decode())
    shapesmt.infer_shapes(wrong, strict_mode=True)
    with pytest.raises(ModelError, match="the same element type, not float32 and int64"):
        shapesmt.infer_shapes(wrong, check_type=True)


EXPANDED = {
    "Celu": "y = Celu<alpha = 2.0>(x)",
    "HardSwish": "y = HardSwish(x)",
    "GreaterOrEqual": "y = GreaterOrEqual(x, x)",
    "RMSNormalization": "y = RMSNormalization<axis = -1>(x, w)",
    "Attention": "q = Unsqueeze(x, z) y = Attention(q, q, q, , , ) <q_num_heads = 2, kv_num_heads = 2>",
    "RotaryEmbedding": "y = RotaryEmbedding<num_heads = 2>(r, c, c)",
    "Range": "y = Range(a, b, e)",
}


@pytest.mark.parametrize("op", EXPANDED)
def test_an_operator_without_a_rule_is_expanded(op, monkeypatch):
    constants = "z = Constant<value_ints = [0]>() a = Constant<value_int = 2>() b = Constant<value_int = 9>()"
    constants += " e = Constant<value_int = 3>() " + EXPANDED[op].replace(", , , )", ")")
    content = model(constants, "float[n, 4] x, float[4] w, float[1, n, 4] r, float[1, n, 1] c")
    graph = load(content)
    ruled = infer(graph, pose(graph).inputs).tensors["y"]
    registry.load_everything()  # what is registered later goes when the table does
    monkeypatch.setattr(registry, "_RULES", {key: r for key, r in registry._RULES.items() if key != ("", op)})
    made = infer(graph, pose(graph).inputs)
    assert not any(a.unjudged for a in made.applications)
    assert (made.tensors["y"].dtype, made.tensors["y"].shape) == (ruled.dtype, ruled.shape)
    (listed,) = [o for o in shapesmt.supported_ops(content).operators if o.name == op]
    assert listed.expanded
    assert listed.since is not None


def test_every_operator_of_onnx_has_a_rule_or_a_body():
    known = {(r.domain, r.name) for r in rules()} | {(o.domain, o.name) for o in shapesmt.supported_ops().operators}
    domains = ("", "ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training")
    defined = {(s.domain, s.name) for s in onnx.defs.get_all_schemas_with_history() if s.domain in domains}
    assert defined <= known


def test_a_function_passes_its_attributes_into_branches():
    text = """<ir_version: 8, opset_import: ["": 17, "local": 1]> g (float[n] x, bool flag) => (y) {
        y = local.turn<to = 6>(x, flag) }
        <opset_import: ["": 17], domain: "local"> turn<to>(x, flag) => (y) {
        y = If (flag) < then_branch = a () => (b) { b = Cast<to: int = @to>(x) },
                        else_branch = c () => (d) { d = Cast<to: int = @to>(x) } > }"""
    assert shapesmt.bounds(text.encode()).tensors["y"].dtype == "int32"


def test_inferred_types_of_sequences_are_written():
    graph = onnx.parser.parse_model(model("s = SequenceConstruct(x, x) y = SequenceLength(s)").decode())
    (info, _) = shapesmt.infer_shapes(graph).graph.value_info
    assert info.type == helper.make_sequence_type_proto(helper.make_tensor_type_proto(1, ["n", 4]))


def test_types_of_a_node_with_a_tensor_as_an_attribute() -> None:
    text = '<ir_version: 8, opset_import: ["":18]> g () => (y) { y = Constant<value = int64[2] {3, 4}>() }'
    graph = load(text.encode())
    (node,) = graph.nodes
    assert graph.schemas is not None
    assert graph.schemas.infer(node, graph.opsets, [], []) == [Declared("int64", (2,))]
