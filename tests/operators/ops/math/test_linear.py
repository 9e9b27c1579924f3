"""Matrix products, contractions and determinants, against execution."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.harness import agree, node

SIZES = {"a": (1, 3), "b": (1, 3), "c": (1, 3)}
MATRICES = {
    "matrices": (["a", "b"], ["c", "a"]),
    "vectors": (["a"], ["b"]),
    "row": (["a"], ["b", 2]),
    "column": ([2, "a"], ["b"]),
    "batched row": (["a"], ["c", "b", 2]),
    "batched column": (["c", 2, "a"], ["b"]),
    "weights": (["a", 2, "b"], ["b", "c"]),
    "batches": (["a", 2, 3], ["b", 3, 2]),
    "more batches": (["a", 1, 2, 3], ["b", 3, "c"]),
    "fewer batches": (["a", 3], [2, "b", "c", 1]),
}


def used(ranges, *shapes):
    return {k: v for k, v in ranges.items() if any(k in shape for shape in shapes)}


@pytest.mark.parametrize("case", MATRICES)
def test_matmul(case):
    x, y = MATRICES[case]
    assert agree(node("MatMul", ["x", "y"]), {"x": x, "y": y}, used(SIZES, x, y)).ran


@pytest.mark.parametrize("case", ["matrices", "column", "weights", "batched column"])
def test_matmul_of_nothing(case):
    x, y = MATRICES[case]
    empty = dict.fromkeys(SIZES, (0, 1)) | {"b": (1, 2)}
    agree(node("MatMul", ["x", "y"]), {"x": x, "y": y}, used(empty, x, y))


def test_matmul_of_an_empty_batch():
    ranges = {"a": (0, 2), "b": (0, 2)}
    agree(node("MatMul", ["x", "y"]), {"x": ["a", 2, 3], "y": ["b", 3, 4]}, ranges)
    agree(node("MatMul", ["x", "y"]), {"x": ["a", "b", 2, 3], "y": [1, 3, 4]}, ranges)
    agree(node("MatMul", ["x", "y"]), {"x": [2, 3], "y": ["a", "b", 3, 4]}, ranges)


def test_a_scalar_is_no_matrix():
    assert agree(node("MatMul", ["x", "y"]), {"x": [], "y": ["a"]}, {"a": (1, 2)}).failed


@pytest.mark.parametrize("opset", [7, 9, 11, 13])
@pytest.mark.parametrize("trans_a", [0, 1])
@pytest.mark.parametrize("trans_b", [0, 1])
def test_gemm(opset, trans_a, trans_b):
    gemm = node("Gemm", ["x", "y", "c"], transA=trans_a, transB=trans_b)
    agree(gemm, {"x": ["a", 2], "y": [2, "b"], "c": []}, {"a": (0, 3), "b": (0, 3)}, opset=opset)


@pytest.mark.parametrize("bias", [None, ["c"], ["c", 1], [1, "c"], ["c", "d"], [1, 1, "c"]], ids=str)
def test_bias_broadcasts_to_the_product(bias):
    gemm = node("Gemm", ["x", "y", "z"] if bias is not None else ["x", "y"])
    shapes = {"x": ["a", 2], "y": [2, "b"]} | ({} if bias is None else {"z": bias})
    ranges = {"a": (0, 2), "b": (1, 3), "c": (0, 3), "d": (0, 3)}
    agree(gemm, shapes, used(ranges, *shapes.values()), opset=13)


@pytest.mark.parametrize(("x", "y"), [(["a"], ["a", 2]), ([1, "a", 2], [2, 2]), (["a", 2], [1, 2, 2])], ids=str)
def test_gemm_takes_matrices(x, y):
    assert agree(node("Gemm", ["x", "y"]), {"x": x, "y": y}, {"a": (2, 2)}).failed


@pytest.mark.parametrize("x", [["a", "b"], ["c", "a", "b"], ["a"]], ids=str)
def test_determinant(x):
    agree(node("Det", ["x"]), {"x": x}, used(SIZES | {"c": (0, 2)}, x))


EQUATIONS = {
    "ij,jk->ik": [["a", "b"], ["c", "a"]],
    "ij, jk": [["a", "b"], ["b", "c"]],
    "b,a": [["a"], ["b"]],
    "ii->i": [["a", "b"]],
    "ii": [["a", "b"]],
    "iji->ij": [["a", 2, "b"]],
    "bhwc,hkc->bhwk": [[1, "a", 2, "b"], ["c", 2, "b"]],
    "...ij,...jk->...ik": [["a", 2, "b"], ["c", 2, 2]],
    "...ij,jk->...ik": [["a", "b", 2, 2], [2, "c"]],
    "i...->...i": [["a", "b", "c"]],
    "...i,...i->...": [["a", 2], ["b", 2]],
    "...,...->...": [["a", 2], [2]],
    "i,i,i->i": [["a"], ["b"], [1]],
    "ij->": [["a", "b"]],
    "ij->k": [["a", 2]],
    "ij->ii": [["a", 2]],
    "ijk->ij": [["a", 2]],
    "...ij->ij": [["a", 2, 2]],
    "i...j->ij": [["a", 2]],
    "i,j->ij": [["a"]],
}


@pytest.mark.parametrize("equation", EQUATIONS)
def test_einsum(equation):
    names = "xyz"[: len(EQUATIONS[equation])]
    shapes = dict(zip(names, EQUATIONS[equation], strict=True))
    agree(node("Einsum", list(names), equation=equation), shapes, used(SIZES, *shapes.values()))


@pytest.mark.parametrize("zero", [[], ["c"], [1, "c"], ["c", 1, 1], [1, 1, "c"]], ids=str)
@pytest.mark.parametrize("operands", [(["a", 2], [2, "b"]), (["a", 2, 2], ["a", 2, "b"])], ids=str)
def test_quantized_products(zero, operands):
    a, b = operands
    shapes = {"a": a, "b": b, "s": zero, "z": zero, "one": [1], "zero": []}
    types = dict.fromkeys(["a", "b", "z", "zero"], "uint8")
    ranges = used(SIZES, *shapes.values())
    needed = {k: shapes[k] for k in "abz"} | {"zero": []}
    agree(node("MatMulInteger", ["a", "b", "zero", "z"]), needed, ranges, dtypes=types)
    quantized = node("QLinearMatMul", ["a", "one", "zero", "b", "s", "z", "one", "zero"])
    agree(quantized, shapes, ranges, dtypes=types)


def test_the_zero_point_of_the_first_operand_is_one():
    """ONNX also allows one per row, for which ONNX Runtime has no kernel."""
    shapes, types = {"a": ["m", 2], "b": [2, 3], "z": ["k"]}, dict.fromkeys("abz", "uint8")
    product = node("MatMulInteger", ["a", "b", "z"])
    report = agree(product, shapes, {"m": (1, 3), "k": (1, 3)}, dtypes=types)
    (law,) = [r for r in report.inference.applications[0].requirements if r.left is not None]
    assert str(law.formula) == "k == 1"


def multiplied(op, dtype, left, right, **attributes):
    """A product of sizes as matrices of these shapes, each cast to a type."""
    number = {"int64": 7, "int32": 6, "float32": 1}[dtype]
    chain = [
        *(node("Cast", [f"{x}64"], [f"{x}list"], to=number) for x in "xy"),
        *(node("Reshape", [f"{x}list", f"{x}shape"], [x]) for x in "xy"),
        node(op, ["x", "y"], **attributes),
    ]
    items = {
        "x64": ["n", 2, "m", 5][: np.prod(left, dtype=int)],
        "y64": ["m", "n + 1", -3, 4][: np.prod(right, dtype=int)],
    }
    constants = {"xshape": np.array(left, np.int64), "yshape": np.array(right, np.int64)}
    return agree(chain, {}, {"n": (-2, 3), "m": (0, 3)}, items=items, constants=constants, outputs=["out"])


@pytest.mark.parametrize("dtype", ["int64", "int32", "float32"])
@pytest.mark.parametrize(
    ("left", "right"),
    [
        *[([3], [3]), ([2, 2], [2, 2]), ([2], [2, 2]), ([2, 2], [2])],
        *[([2, 1, 2], [2, 1]), ([1, 2], [2, 2, 1]), ([2, 0], [0, 2])],
    ],
)
def test_products_of_matrices_of_sizes(left, right, dtype):
    assert multiplied("MatMul", dtype, left, right).tensors["out"].value is not None


@pytest.mark.parametrize(
    ("equation", "left", "right", "known"),
    [
        ("i,i->", [3], [3], True),
        ("i,j->ij", [2], [2], True),
        ("ij,kj->ki", [2, 2], [2, 2], True),
        ("...i,i", [2, 2], [2], True),
        ("ij,j->i", [2, 2], [1], True),
        ("ii,i->i", [2, 2], [2], False),
    ],
)
def test_contractions_of_sizes(equation, left, right, known):
    for dtype in ("int64", "float32"):
        found = multiplied("Einsum", dtype, left, right, equation=equation)
        assert (found.tensors["out"].value is not None) == known


def test_a_product_of_many_elements_is_not_calculated():
    nodes = [node("Identity", ["k"], ["x"]), node("MatMul", ["x", "x"])]
    assert agree(nodes, {}, constants={"k": np.ones((40, 40), np.int64)}, outputs=["out"]).tensors["out"].value is None


def test_a_product_of_floats_that_may_be_rounded_is_not_known():
    nodes = [node("Identity", ["k"], ["x"]), node("MatMul", ["x", "x"])]
    found = agree(nodes, {}, constants={"k": np.full(3, 0.1, np.float32)}, outputs=["out"])
    assert found.tensors["out"].value is None
