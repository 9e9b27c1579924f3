"""Weaker conditions: what follows from a bound of a float or of a fold, without either.

>>> from shapesmt.prover.algebra.dim import Kind, symbol
>>> from shapesmt.prover.algebra.formula import absolute, at_least
>>> from shapesmt.prover.algebra.numeric.floats import from_dim, literal
>>> from shapesmt.prover.algebra.numeric.folds import fold
>>> n, i, j = symbol("n", 1), *(symbol(f"@{k}", 0, kind=Kind.AXIS) for k in (1, 2))
>>> weaker(at_least(110, (from_dim(n, "float32") * literal(0.3, "float32")).to_int()))
[Formula('n <= 1487')]
>>> weaker(at_least(11, fold("greatest", absolute(i - j), {s.as_symbol(): n - 1 for s in (i, j)})))
[Formula('n <= 12')]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from math import ceil, exp, inf

from shapesmt.base.deadline import TooLargeError
from shapesmt.base.lazy import np
from shapesmt.prover.algebra.dim import Atom, Dim, as_dim, of_atom
from shapesmt.prover.algebra.evaluation import Checked
from shapesmt.prover.algebra.formula import TRUE, Formula, at_least, at_most
from shapesmt.prover.algebra.growth.monotonicity import monotone
from shapesmt.prover.algebra.numeric.float_growth import fits_integer
from shapesmt.prover.algebra.numeric.floats import TO_INT, Float
from shapesmt.prover.algebra.numeric.folds import FOLD, Fold
from shapesmt.prover.algebra.numeric.steps import (
    ADD,
    CAST,
    CEIL,
    DIV,
    FLOOR,
    FRACTION,
    FROM_DIM,
    LOG,
    MUL,
    ROOT,
    ROUND,
    SQRT,
    SUB,
    TRUNC,
    Step,
    is_finite,
)
from shapesmt.prover.algebra.substitution import atoms_within, substitute

MOST = 600.0  # the greatest logarithm that is bounded
MAX_CORNERS = 4  # of the positions of a fold
TRIED = (64, 1024, 1 << 14, 1 << 18)  # numbers of sizes at which a fold is evaluated, until a condition fails


def weaker(condition: Formula) -> list[Formula]:
    """Return conditions without floats and folds that follow from a bound of one; [] for other conditions."""
    return list(dict.fromkeys(f for dim in _not_negative(condition) for f in _weaker(dim) if f is not TRUE))


def _not_negative(condition: Formula) -> list[Dim]:
    """Return expressions that are 0 or more if a condition holds."""
    dim = condition.dim
    if dim is None or condition.op == "ge":
        return [] if dim is None else [dim]
    if condition.op == "eq":
        return [dim, -dim]
    return [dim - 1] if dim.lo >= 0 else [-dim - 1] if dim.hi <= 0 else []


def _weaker(dim: Dim) -> Iterator[Formula]:
    """Yield conditions that follow from `dim >= 0`."""
    products = list(dim.products())
    opaque = [(factors[0], c) for factors, c in products if len(factors) == 1 and factors[0].op in (TO_INT, FOLD)]
    if len(opaque) == 1:
        ((atom, c),) = opaque
        rest = dim - c * of_atom(atom)
        yield from _of_fold(atom, c, rest) if atom.op is FOLD else _of_float(atom.args[0], rest, -c) if c < 0 else ()


def _of_fold(atom: Atom, c: int, rest: Dim) -> Iterator[Formula]:
    """Yield conditions that follow from `rest + c * fold >= 0`."""
    folded = atom.args[0]
    if folded.how != ("greatest" if c < 0 else "least") or any(last.lo < 0 for last in folded.lasts.values()):
        return
    if rest.constant is not None and len(folded.symbols) == 1:
        yield from _before_first(atom, at_least(rest + c * of_atom(atom), 0))
    yield from _at_corners(folded, c, rest)


def _before_first(atom: Atom, condition: Formula) -> Iterator[Formula]:
    """Yield a bound of the size that a fold depends on, below the first one at which the condition on it fails.

    With the size the positions grow, and with more of them the greatest element never falls.
    """
    folded = atom.args[0]
    (s,) = folded.symbols
    if s.hi < inf or s.lo == -inf or not all(monotone(last, s) == 1 for last in folded.lasts.values()):
        return
    if s in folded.element.symbols or any(a.op is FOLD for a in atoms_within(folded.element)):
        return
    for count in TRIED:
        sizes = int(s.lo) + s.step * np.arange(count)
        try:
            fails = ~np.asarray(Checked({s: sizes}).formula(condition))
        except (OverflowError, TooLargeError):
            return
        if fails.any():
            yield at_most(of_atom(s), int(sizes[max(int(fails.argmax()) - 1, 0)]))
            return


def _at_corners(folded: Fold, c: int, rest: Dim) -> Iterator[Formula]:
    """Yield the condition `rest + c * element >= 0` at the corners of all positions."""
    corners = product(*((as_dim(0), last) for last in folded.lasts.values()))
    for corner in corners if 2 ** len(folded.lasts) <= MAX_CORNERS else ():
        here = at_least(rest + c * substitute(folded.element, dict(zip(folded.lasts, corner, strict=True))), 0)
        if here.dim is not None:
            yield from weaker(here) or (() if any(a.op.opaque for a in atoms_within(here)) else (here,))


def _of_float(number: Float, rest: Dim, times: int) -> Iterator[Formula]:
    """Yield conditions that follow from `times * to_int(number) <= rest`."""
    if not fits_integer(number):
        return
    yield from (at_least(rest - times * least, 0) for least in _below(number))
    if rest.constant is not None:
        yield from _bounded(number, max(rest.constant / times, 0) + 1)


def _bounded(number: Float, most: float) -> Iterator[Formula]:
    """Yield conditions that follow from `number <= most`, where `most` is positive; roundings change it by half."""
    op, args = number.op, number.args
    if op is FRACTION:
        yield at_most(args[0], ceil(most * args[1]))
    elif op is FROM_DIM and is_finite(number):
        yield at_most(args[0], ceil(2 * most))
    else:
        for part, bound in _of_parts(op, args, most):
            yield from _bounded(part, bound) if bound < inf else ()


def _of_parts(op: Step, args: tuple[Float, ...], most: float) -> Iterator[tuple[Float, float]]:
    """Yield arguments of a step with bounds that follow from a positive bound of its result."""
    if op in (FLOOR, CEIL, TRUNC, ROUND, CAST):
        yield args[0], 2 * most + 1
    elif op is ADD:
        yield from ((a, 2 * most) for a, b in (args, args[::-1]) if b.lo >= 0)
    elif op is MUL:
        yield from ((a, 2 * most / b.lo) for a, b in (args, args[::-1]) if b.lo > 0)
    elif op is DIV and args[1].lo > 0:
        yield args[0], 2 * most * args[1].hi
    elif op in (SQRT, ROOT):
        yield args[0], 4 * most * most
    elif op is LOG and most < MOST:
        yield args[0], 2 * exp(most + 1)


def _below(number: Float) -> Iterable[Dim]:
    """Yield integers of which a float is never less."""
    op, args = number.op, number.args
    if op is FRACTION:
        yield args[0] // args[1]
    elif op is FROM_DIM and args[0].lo >= 0 and is_finite(number):
        yield args[0] // 2  # whatever is rounded
    elif op in (FLOOR, CEIL, TRUNC, ROUND):
        yield from _below(args[0])
    elif op is ADD:
        for a, b in (args, args[::-1]):
            yield from _below(a) if b.lo >= 0 else ()
    elif op is SUB and args[1].hi <= 0:
        yield from _below(args[0])
    elif op is MUL and all(a.lo >= 0 for a in args):
        for a, b in (args, args[::-1]):
            yield from _below(a) if b.lo >= 1 else ()
