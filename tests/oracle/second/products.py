"""Sums of products: matrices, and the letters of an equation."""

from __future__ import annotations

import re

import numpy as np

from tests.oracle.second.node import Node, Operators, T, broadcast, need

op = Operators()


def matrices(a: T, b: T) -> tuple[int, ...]:
    """The shape of a product, as NumPy defines it."""
    need(a.rank >= 1 and b.rank >= 1, "an operand is a scalar")
    left = (1, *a.shape) if a.rank == 1 else a.shape
    right = (*b.shape, 1) if b.rank == 1 else b.shape
    need(left[-1] == right[-2], "inner sizes differ")
    batch = broadcast(left[:-2], right[:-2])
    return batch + (() if a.rank == 1 else left[-2:-1]) + (() if b.rank == 1 else right[-1:])


@op("MatMul")
def matmul(n: Node) -> T:
    """A product of matrices in batches."""
    shape = matrices(n[0], n[1])
    both = n[0].value is not None and n[1].value is not None and n[0].dtype.startswith(("int", "uint"))
    return T(n[0].dtype, shape, np.matmul(n[0].value, n[1].value) if both else None)


@op("MatMulInteger")
def matmul_integer(n: Node) -> T:
    """A product of integers of 8 bits."""
    return T("int32", matrices(n[0], n[1]))


@op("QLinearMatMul")
def qlinear_matmul(n: Node) -> T:
    """A product of quantized matrices."""
    return T(n[7].dtype, matrices(n[0], n[3]))


@op("Gemm")
def gemm(n: Node) -> T:
    """A product of two matrices, either transposed, and a summand that broadcasts to it."""
    need(n[0].rank == n[1].rank == 2, "operands are matrices")
    (m, k), (k2, columns) = (t.shape[::-1] if n.get(f, 0) else t.shape for t, f in ((n[0], "transA"), (n[1], "transB")))
    need(k == k2, "inner sizes differ")
    need(not n.has(2) or broadcast(n[2].shape, (m, columns)) == (m, columns), "the summand doesn't broadcast")
    return T(n[0].dtype, (m, columns))


@op("Det")
def determinant(n: Node) -> T:
    """A number for each square matrix."""
    need(n[0].rank >= 2 and n[0].shape[-1] == n[0].shape[-2], "matrices are square")
    return T(n[0].dtype, n[0].shape[:-2])


@op("Einsum")
def einsum(n: Node) -> T:
    """Every letter has one size, or 1; ellipses broadcast."""
    text = n.get("equation", "").replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    need(len(terms) == len(n.ins), "a term for each operand")
    sizes: dict[str, int] = {}
    hidden: list[tuple[int, ...]] = []
    for i, term in enumerate(terms):
        before, dots, behind = term.partition("...")
        shape, letters = n[i].shape, before + behind
        need(re.fullmatch("[A-Za-z]*", letters), "a term has letters")
        need(len(shape) == len(letters) or (dots and len(shape) > len(letters)), "a letter for each axis")
        middle = len(shape) - len(behind)
        hidden += [shape[len(before) : middle]] if dots else []
        for letter, size in zip(letters, shape[: len(before)] + shape[middle:], strict=False):
            need(sizes.get(letter, size) == size or 1 in (sizes[letter], size), f"sizes of {letter} differ")
            sizes[letter] = size if sizes.get(letter, 1) == 1 else sizes[letter]
    dims = broadcast(*hidden) if hidden else ()
    if not arrow:
        right = "..." * bool(hidden) + "".join(sorted(c for c in sizes if left.count(c) == 1))
    before, dots, behind = right.partition("...")
    need(set(before + behind) <= set(sizes) and len(set(before + behind)) == len(before + behind), "output letters")
    return T(n[0].dtype, (*(sizes[c] for c in before), *(dims if dots else ()), *(sizes[c] for c in behind)))
