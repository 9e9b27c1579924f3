"""Element by element: broadcasting, and the values that ride along, against execution."""

from __future__ import annotations

from math import inf

import numpy as np
import onnx.parser
import onnxruntime as ort
import pytest

import shapesmt
from shapesmt.frontends import load
from shapesmt.operators.inference import infer
from shapesmt.operators.ops.math.elementwise import ACTIVATIONS
from shapesmt.operators.ops.shared.items import ARITHMETIC, LOGIC, PREDICATES, UNARY, VARIADIC
from shapesmt.operators.rules.tensors import tensor
from shapesmt.operators.rules.value import Elements, Field
from shapesmt.prover.algebra.dim import const, symbol
from shapesmt.prover.algebra.evaluation import evaluate
from shapesmt.prover.algebra.formula import FALSE
from tests.support.each import each
from tests.support.harness import agree, build, node, runner

SIZES = {"a": (0, 3), "b": (0, 3), "c": (0, 3)}
PAIRS = {"rows": (["a", "b"], ["c", "b"]), "suffix": (["a", "b"], ["c"]), "prefix": (["c"], ["a", 1, "b"])}
KINDS = {
    "bool": {"And", "Or", "Xor", "Not"},
    "int32": {"BitwiseAnd", "BitwiseNot", "BitwiseOr", "BitwiseXor"},
    "string": {"StringConcat", "RegexFullMatch"},
}


def kind_of(op):
    return next((dtype for dtype, names in KINDS.items() if op in names), "float32")


def items_of(found, name="out"):
    value = found.tensors[name].value
    return [None if i is None else str(i) for i in value.items] if isinstance(value, Elements) else value


VERSIONS = [
    (op, opset)
    for op in (*UNARY, *ACTIVATIONS, *PREDICATES)
    for opset in (7, 13, 22, 28)
    if onnx.defs.has(op, max_inclusive_version=opset)
]


@each("version", VERSIONS)
def test_one_operand_keeps_its_shape(version):
    op, opset = version
    agree(node(op, ["x"]), {"x": ["a", "b"]}, {"a": (0, 2), "b": (1, 2)}, dtypes={"x": kind_of(op)}, opset=opset)


@pytest.mark.parametrize("op", [*ARITHMETIC, *LOGIC, *VARIADIC, "PRelu", "StringConcat"])
@pytest.mark.parametrize("pair", PAIRS)
def test_operands_broadcast(op, pair):
    shapes = dict(zip("xy", PAIRS[pair], strict=True))
    dtype = "bool" if op in KINDS["bool"] else kind_of(op)
    found = agree(node(op, ["x", "y"]), shapes, SIZES, dtypes=dict.fromkeys("xy", dtype))
    assert found.ran
    assert found.failed


@pytest.mark.parametrize("op", VARIADIC)
def test_any_number_of_operands(op):
    shapes = {"x": ["a", "b"], "y": ["c"], "z": ["b", 1]}
    agree(node(op, list(shapes)), shapes, SIZES)
    agree(node(op, ["x"]), {"x": ["a"]}, {"a": (0, 2)})
    agree(node(op, ["x", "y"]), {"x": ["a", "b"], "y": ["c", "b"]}, SIZES, opset=7)


def test_where():
    shapes = {"x": ["a", "b"], "y": ["c"], "z": []}
    agree(node("Where", ["x", "y", "z"]), shapes, SIZES, dtypes={"x": "bool", "y": "int64", "z": "int64"})


@pytest.mark.parametrize("given", [["l", "h"], ["l"], ["", "h"], ["m"]], ids=str)
def test_clip_ends_are_single(given):
    shapes = {"x": ["a"], "l": [], "h": ["b"], "m": ["b", 1]}
    agree(
        node("Clip", ["x", *given]),
        {k: v for k, v in shapes.items() if k in ["x", *given]},
        {"a": (0, 2), "b": (0, 2)},
        opset=13,
    )


@pytest.mark.parametrize("op", ["Div", "Mod"])
def test_division_by_zero(op):
    found = agree(node(op, ["x", "y"]), {}, {"n": (-2, 2)}, items={"x": [7, -7], "y": ["n", 3]})
    assert (found.ran, found.failed) == (4, 1)
    assert agree(node(op, ["x", "y"]), {"x": [2]}, items={"y": [0]}, dtypes={"x": "int64", "y": "int64"}).failed
    agree(node(op, ["x", "y"], fmod=1 if op == "Mod" else None), {"x": [2], "y": [2]})


def test_remainder_of_floats_takes_fmod():
    assert agree(node("Mod", ["x", "y"]), {"x": [2], "y": [2]}).failed
    assert agree(node("Mod", ["x", "y"]), {"x": [2], "y": [2]}, opset=28).ran


INTEGER_CASES = {
    "Abs": ["n", -3, 4],
    "Neg": ["n", -3, None],
    "Sign": ["n", -3, 0],
    "Relu": ["n", -3, 4],
    "BitwiseNot": ["n", -3, 4],
}


@pytest.mark.parametrize("op", INTEGER_CASES)
def test_integers_through_one_operand(op):
    found = agree(node(op, ["x"]), {}, {"n": (-3, 3)}, items={"x": INTEGER_CASES[op]}, dtypes={"x": "int64"})
    assert [i is None for i in items_of(found)] == [i is None for i in INTEGER_CASES[op]]


BINARY = sorted({*ARITHMETIC, *LOGIC, *VARIADIC} - {"And", "Or", "Xor", "Mean", "Sum"})


@pytest.mark.parametrize("op", BINARY)
def test_integers_through_two_operands(op):
    left, right = ["n", 7, -7, None], ["m", 2, 3, 2]
    if op.startswith("Bitwise"):
        left = [6, 7, -7, None]
    if op.startswith("Bitwise") or op == "Pow":
        right = [2, 3, 1, 2]
    ranges = {"n": (-3, 3), "m": (1, 3)}
    found = agree(node(op, ["x", "y"]), {}, ranges, items={"x": left, "y": right})
    assert [i is None for i in items_of(found)] == [False, False, False, True]


@pytest.mark.parametrize(("fmod", "expected"), [(0, ["1", "2", "-2", "-1"]), (1, ["1", "-1", "1", "-1"])])
def test_remainders_and_their_signs(fmod, expected):
    items = {"x": [7, -7, 7, -7], "y": [3, 3, -3, -3]}
    assert items_of(agree(node("Mod", ["x", "y"], fmod=fmod), {}, items=items)) == expected


def test_conditions():
    left, right = ["p", "p", 0, None, None], ["q", 1, None, 0, 1]
    items, ranges = {"x": left, "y": right}, {"p": (0, 1), "q": (0, 1)}
    for op, unknown in {"And": [4], "Or": [2, 3], "Xor": [2, 3, 4]}.items():
        found = agree(node(op, ["x", "y"]), {}, ranges, items=items, dtypes=dict.fromkeys("xy", "bool"))
        assert [k for k, i in enumerate(items_of(found)) if i is None] == unknown


def test_where_picks_what_is_known():
    items = {"c": [1, 0, "p", None], "x": ["n", None, 5, 3], "y": [None, "n", 2, 3]}
    found = agree(node("Where", ["c", "x", "y"]), {}, {"n": (2, 4), "p": (0, 1)}, items=items, dtypes={"c": "bool"})
    assert items_of(found) == ["n", "n", "(2 if p == 0 else 5)", "3"]


def test_clip_of_integers():
    found = agree(
        node("Clip", ["x", "l", "h"]), {"l": [], "h": []}, {"n": (0, 9)}, items={"x": ["n"], "l": [3], "h": [6]}
    )
    assert items_of(found) == ["min(max(n, 3), 6)"]


def test_bit_shift():
    found = agree(
        node("BitShift", ["x", "y"], direction="RIGHT"),
        {},
        {"n": (0, 9)},
        items={"x": ["n", 9], "y": [1]},
        dtypes=dict.fromkeys("xy", "uint8"),
    )
    assert items_of(found) == ["n//2", "4"]
    agree(node("BitShift", ["x", "y"], direction="LEFT"), {"x": ["a"], "y": ["b"]}, {"a": (0, 2), "b": (0, 2)},
          dtypes=dict.fromkeys("xy", "uint8"))  # fmt: skip


@pytest.mark.parametrize("to", ["float32", "float64", "float16", "int32", "uint8", "bool"])
def test_cast_of_integers(to):
    values = ["n", 300, 2**32 + 5, -1] if not to.startswith("float16") else ["n", 3, -1]
    to_type = onnx.helper.np_dtype_to_tensor_dtype(np.dtype(to))
    agree(node("Cast", ["x"], to=to_type), {}, {"n": (-3, 3)}, items={"x": values})


WIDTHS = {
    "int8": 2**7,
    "uint8": 2**8,
    "int16": 2**15,
    "int32": 2**31,
    "uint32": 2**32,
    "float16": 2**11,
    "float64": 2**53,
}


SHORT = ("int8", "uint8", "int16")  # a size without a declared end fits the longer ones


@pytest.mark.parametrize(("to", "more"), [*((to, 3) for to in WIDTHS), *((to, inf) for to in SHORT)])
def test_a_size_that_its_type_does_not_hold_wraps(to, more):
    at = WIDTHS[to]
    n = symbol("n", at - 3, at + more)
    model = build(
        [
            node("Shape", ["x"], ["s"], start=0, end=1),
            node("Cast", ["s"], ["t"], to=onnx.helper.np_dtype_to_tensor_dtype(np.dtype(to))),
            node("Cast", ["t"], ["out"], to=onnx.TensorProto.INT64),
        ],
        {"x": ["n", 0]},
    )
    del model.graph.output[:-1]
    (item,) = infer(load(model), {"x": tensor("float32", (n, 0))}).tensors["out"].value.items
    for size in range(at - 3, at + 4):
        (ran,) = runner(model)[1]({"x": np.zeros((size, 0), np.float32)})
        assert evaluate(item, {n.as_symbol(): size}) == ran[0]


@pytest.mark.parametrize(
    ("op", "dtype", "n"),
    [
        *[("Mul", "int32", 46339), ("Add", "int32", 2**30 - 2), ("Sub", "uint32", 0), ("Sub", "uint64", 0)],
        *[("Mul", "int64", 3037000498), ("Sum", "int32", 2**30 - 2), ("Neg", "int32", 2**31 - 2)],
    ],
)
def test_arithmetic_wraps_where_an_outcome_does_not_fit(op, dtype, n):
    operands = {"Sub": ["t", "two"], "Neg": ["t"]}.get(op, ["t", "t"])
    agree(
        [
            node("Shape", ["x"], ["s"], start=0, end=1),
            node("Cast", ["s"], ["t"], to=onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))),
            node(op, operands, ["out"]),
        ],
        {"x": ["n", 0]},
        {"n": (n, n + 4)},
        constants={"two": np.array([2], dtype)},
        outputs=["out"],
    )


@pytest.mark.parametrize("to", ["int64", "int32", "bool", "float64", "float16"])
def test_cast_of_floats(to):
    numbers = np.array([1.5, -1.5, 0.0, -0.3, 300.7, 1e20, np.inf, np.nan], np.float32)
    to_type = onnx.helper.np_dtype_to_tensor_dtype(np.dtype(to))
    agree([node("Identity", ["k"], ["x"]), node("Cast", ["x"], to=to_type)], {}, constants={"k": numbers})
    agree(node("CastLike", ["x", "y"]), {"x": ["a"], "y": []}, {"a": (0, 2)}, dtypes={"y": to})


FLOATS = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 3.7, 0.1, 1e10], np.float32)


@pytest.mark.parametrize("op", [*sorted(UNARY.keys() - {"BitwiseNot", "Log"}), "IsNaN", "IsInf"])
def test_floats_through_one_operand(op):
    agree(
        [node("Identity", ["k"], ["x"]), node(op, ["x"])], {}, constants={"k": abs(FLOATS) if op == "Sqrt" else FLOATS}
    )


@pytest.mark.parametrize("scale", [1.0, 1.4426950408889634, 100.0, 0.0])
def test_logarithms_whose_last_bits_do_not_matter(scale):
    """No number is 1 or a power of 2, whose scaled logarithms would be integers up to the last bits."""
    numbers = np.array([0.3, 3, 5, 7, 100, 1e10], np.float32)
    chain = [node("Identity", ["k"], ["x"]), node("Log", ["x"], ["t"]), node("Mul", ["t", "s"], ["u"])]
    constants = {"k": numbers, "s": np.float32(scale)}
    agree([*chain, node("Cast", ["u"], to=onnx.TensorProto.INT64)], {}, constants=constants)
    agree([*chain, node("Less", ["u", "x"])], {}, constants=constants)


@pytest.mark.parametrize("op", [*sorted(set(BINARY) - KINDS["int32"]), "Mean", "Sum"])
def test_floats_through_two_operands(op):
    constants = {"k": FLOATS, "y": np.array([2, 0.5, -1, 0.5, 3, -2, 0.7, 1], np.float32)}
    agree([node("Identity", ["k"], ["x"]), node(op, ["x", "y"])], {}, constants=constants)


def test_a_size_halved_in_floats_is_exact():
    chain = [
        node("Shape", ["x"], ["s"]),
        node("Cast", ["s"], ["f"], to=1),
        node("Mul", ["f", "half"], ["h"]),
        node("Floor", ["h"], ["g"]),
        node("Cast", ["g"], to=7),
    ]
    found = agree(chain, {"x": ["n"]}, {"n": (0, 9)}, constants={"half": np.float32(0.5)}, outputs=["out"])
    assert items_of(found) == ["n//2"]
    agree(chain, {"x": ["n"]}, {"n": (0, 40)}, constants={"half": np.float32(0.7)}, outputs=["out"])


def test_large_tensors_keep_a_formula():
    chain = [
        node("Range", ["zero", "n", "one"], ["r"]),
        node("Unsqueeze", ["r", "axis"], ["column"]),
        node("Sub", ["column", "r"], ["d"]),
        node("GreaterOrEqual", ["d", "zero"], ["lower"]),
        node("Where", ["lower", "d", "one"]),
    ]
    constants = {"zero": np.int64(0), "one": np.int64(1), "axis": np.array([1])}
    found = agree(chain, {"n": []}, {"s": (0, 4)}, items={"n": ["s"]}, constants=constants, outputs=["out"])
    assert isinstance(found.tensors["out"].value, Field)


@pytest.mark.parametrize("op", ["Add", "Max", "Less", "Div", "Concat"])
def test_an_empty_constant_meets_what_is_filled_in(op):
    filled = node("ConstantOfShape", ["s"], ["f"], value=onnx.numpy_helper.from_array(np.array([1.0], np.float32)))
    nodes = [node("Shape", ["x"], ["s"]), filled, node(op, ["f", "e"], ["out"], axis=0 if op == "Concat" else None)]
    empty = np.zeros(0, np.float32)
    agree(nodes, {"x": ["n"]}, {"n": (0, 3)}, constants={"e": empty}, outputs=["out"])
    agree(nodes[1:], {}, {}, constants={"e": empty, "s": [300]}, outputs=["out"], known=op == "Concat")


def test_a_stretched_axis_reads_its_only_element():
    five = onnx.numpy_helper.from_array(np.array([5]))
    chain = [
        node("ConstantOfShape", ["m"], ["x"], value=five),
        node("Range", ["zero", "n", "one"], ["r"]),
        node("CumSum", ["x", "zero"], ["c"]),
        node("Add", ["r", "c"]),
    ]
    constants = {"zero": np.int64(0), "one": np.int64(1)}
    items, ranges = {"n": ["s"], "m": ["t"]}, {"s": (0, 3), "t": (0, 3)}
    found = agree(chain, {"n": []}, ranges, items=items, constants=constants, outputs=["out"])
    assert isinstance(found.tensors["out"].value, Field)


@pytest.mark.parametrize("op", ["Cast", "IsNaN", "Where", "Equal"])
def test_unknown_rank_still_has_a_type(op):
    texts = {"Cast": "Cast<to = 7>(x)", "IsNaN": "IsNaN(x)", "Where": "Where(c, x, x)", "Equal": "Equal(x, x)"}
    graph = load(f'<ir_version: 8, opset_import: ["":18]> g (float[n] x, bool c) => (y) {{y = {texts[op]}}}'.encode())
    found = infer(graph, {"x": tensor("float32", None), "c": tensor("bool", ())}).tensors["y"]
    assert (found.shape, found.dtype) == (None, {"Cast": "int64", "Where": "float32"}.get(op, "bool"))


OLD = {
    "same": ("Add(x, y)", (2, 3), (2, 3), True),
    "differs": ("Add(x, y)", (2, 3), (1, 3), False),
    "suffix": ("Add<broadcast = 1>(x, y)", (2, 3), (3,), True),
    "axis": ("Mul<broadcast = 1, axis = 0>(x, y)", (2, 3), (2,), True),
    "negative axis": ("Mul<broadcast = 1, axis = -2>(x, y)", (2, 3), (2,), True),
    "wrong axis": ("Mul<broadcast = 1, axis = 0>(x, y)", (2, 3), (3,), False),
    "beyond": ("Sub<broadcast = 1, axis = 1>(x, y)", (2, 3), (3, 2), False),
    "single": ("Less<broadcast = 1>(x, y)", (2, 3), (1,), True),
    "channels": ("PRelu(x, y)", (2, 3, 4), (3,), True),
    "no channels": ("PRelu(x, y)", (2, 3, 4), (4,), False),
}


@pytest.mark.parametrize("case", OLD)
def test_broadcasting_before_opset_7(case):
    text, x, y, fits = OLD[case]
    graph = load(f'<ir_version: 3, opset_import: ["":6]> g (float x, float y) => (z) {{z = {text}}}'.encode())
    found = infer(graph, {"x": tensor("float32", x), "y": tensor("float32", y)})
    assert all(r.formula is not FALSE for r in found.applications[0].requirements) is fits
    if fits:
        assert found.tensors["z"].shape == tuple(map(const, x))


def test_a_clip_by_ends_of_several_elements_fails():
    text = """<ir_version: 8, opset_import: ["":18]> g (float[n] x) => (y) <int64[2] ends = {1, 2}> {
        s = Size(x) y = Clip(s, ends) }"""
    application = infer(load(text.encode()), {"x": tensor("float32", [symbol("n", 1)])}).applications[-1]
    assert [r.law.sentence for r in application.requirements if r.formula is FALSE] == [
        "the ends of the range are scalars"
    ]


@pytest.mark.parametrize(("dtype", "verdict"), [("float", "DEPENDS"), ("int64", "PROVED")])
def test_a_length_is_at_least_what_integers_are_clipped_to(dtype, verdict):
    """Floats may be infinite or NaN, such as durations of speech that overflow; these become the smallest integer."""
    text = f"""<ir_version: 8, opset_import: ["": 18]> g ({dtype}[1] x) => (y) {{
        least = Constant<value_ints = [1]>() low = CastLike(least, x) end = Squeeze(low)
        zero = Constant<value_int = 0>()
        one = Constant<value_int = 1>() c = Clip(x, end) i = Cast<to = 7>(c) t = ReduceMax<keepdims = 0>(i)
        r = Range(zero, t, one) s = Shape(r) k = Concat<axis = 0>(least, s) q = Concat<axis = 0>(least, k)
        row = Reshape(r, k) y = Reshape(row, q) }}"""
    report = shapesmt.check(text.encode())
    assert str(report.verdict) == verdict
    assert [f.kind for f in report.findings] == ["data"] * (verdict == "DEPENDS")
    session = ort.InferenceSession(onnx.parser.parse_model(text).SerializeToString())
    kind = np.float32 if dtype == "float" else np.int64
    assert session.run(None, {"x": np.array([-5], kind)})[0].shape == (1, 1, 1)
    if dtype == "float":
        with pytest.raises(Exception, match="Reshape"):
            session.run(None, {"x": np.array([np.nan], kind)})


@pytest.mark.parametrize("op", ["Div", "Mul", "Add", "Pow"])
@pytest.mark.parametrize("factor", [0.7, 2.0, 3.0])
def test_a_long_chain_of_floats_is_followed_or_left_unknown(op, factor):
    chain = "".join(f"f{i + 1} = {op}(f{i}, c) " for i in range(1100))
    body = f"s = Shape(x) f0 = Cast<to = 1>(s) {chain} k = Cast<to = 7>(f1100) z = Expand(y, k)"
    text = (
        f'<ir_version: 9, opset_import: ["": 18]> g (float[n] x, float y) => (z) <float c = {{{factor}}}> {{ {body} }}'
    )
    assert shapesmt.check(text.encode(), dims={"n": "1..50"}).verdict in ("UNKNOWN", "PROVED")
