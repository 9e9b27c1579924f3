"""Patterns: a set of one symbol's values as a person would write it: an interval, remainders, a short list."""

from __future__ import annotations

from itertools import pairwise
from math import gcd
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from shapesmt.algebra import Atom, Formula, all_of, any_of, at_least, at_most, differs, equal, name_text, of_atom
from shapesmt.lazy import np
from shapesmt.presolve import Values

if TYPE_CHECKING:
    from numpy.typing import NDArray

Truth: TypeAlias = "NDArray[np.bool_]"
Residues = tuple[int, tuple[int, ...]]

MAX_LISTED = 8  # values that are listed one by one
MAX_MODULUS = 512
MAX_EXCEPTIONS = 4  # values at the lower end that may be exceptions to the residues
SAMPLE = 2048  # values tried where a symbol has too many


class Piece(NamedTuple):
    """One readable conjunct: as a condition and as text."""

    formula: Formula
    text: str


def describe_values(symbol: Atom, values: Values, truth: Truth) -> list[Piece] | None:
    """The set of a symbol's values at which the truth holds: interval and residues, runs, or a short list."""
    if not truth.any():
        return None
    first, last = int(truth.argmax()), len(truth) - 1
    if not truth[-1]:
        last -= int(truth[::-1].argmax())
    inside = slice(first, last + 1)
    x, name, lo, hi = of_atom(symbol), name_text(symbol.name), int(values[first]), int(values[last])
    if truth[inside].all():
        return [] if last - first + 1 == len(values) else [_run(symbol, lo, hi, values)]
    residues = _residues(symbol, values[inside], truth[inside])
    if residues is not None:
        return [*_ends(symbol, values, residues, lo, hi), _residue_piece(symbol, *residues)]
    good = values[truth]
    runs = _runs(values, truth)
    if len(runs) <= MAX_LISTED // 2:
        pieces = [_run(symbol, a, b, values) for a, b in runs]
        return [Piece(any_of(*(p.formula for p in pieces)), " or ".join(p.text for p in pieces))]
    if len(good) <= MAX_LISTED:
        listed = ", ".join(map(str, good))
        return [Piece(any_of(*(equal(x, int(v)) for v in good)), f"{name} in {{{listed}}}")]
    bad = values[inside][~truth[inside]]
    if len(bad) <= MAX_LISTED:
        return [
            *([] if last - first + 1 == len(values) else [_run(symbol, lo, hi, values)]),
            Piece(all_of(*(differs(x, int(v)) for v in bad)), f"{name} not in {{{', '.join(map(str, bad))}}}"),
        ]
    return _with_exceptions(symbol, values, truth)


def _with_exceptions(symbol: Atom, values: Values, truth: Truth) -> list[Piece] | None:
    """Residues, and a few values at the lower end that are exceptions to them."""
    residues = _residues(symbol, values[MAX_EXCEPTIONS:], truth[MAX_EXCEPTIONS:])
    if residues is None:
        return None
    usual = np.isin(values % residues[0], residues[1])
    extra = values[truth & ~usual]
    if (usual & ~truth).any() or not len(extra):
        return None
    pieces = [_run(symbol, int(v), int(v), values) for v in extra] + [_residue_piece(symbol, *residues)]
    return [Piece(any_of(*(p.formula for p in pieces)), " or ".join(p.text for p in pieces))]


def evenly_spaced(symbol: Atom, values: Values) -> bool:
    """Whether the distance from each value to the next is the same."""
    if len(values) < 3 or int(values[-1] - values[0]) == (len(values) - 1) * symbol.step:
        return True
    return bool((np.diff(values) == values[1] - values[0]).all())


def _residues(symbol: Atom, values: Values, truth: Truth) -> Residues | None:
    """`(m, residues)` if the truth depends only on the remainder by some m."""
    first, sample_truth = values[:SAMPLE], truth[:SAMPLE]
    step = int(first[1] - first[0]) if len(first) > 1 and evenly_spaced(symbol, first) else 0
    if step and (sample_truth.all() or not sample_truth.any()):
        return None  # each remainder is among those
    pattern = sample_truth.tobytes()
    for m in range(2, min(MAX_MODULUS, int(first[-1] - first[0]) // 2) + 1):
        if step:  # what repeats looks the same when it is shifted
            period = m // gcd(m, step)
            same = 2 * period <= len(pattern) and pattern.startswith(pattern[period:])
        else:
            passed, failed = np.zeros((2, m), dtype=np.bool_)
            passed[first[sample_truth] % m] = failed[first[~sample_truth] % m] = True
            same = not (passed & failed).any()
        if same:
            good = np.zeros(m, dtype=np.bool_)
            good[values[truth] % m] = True
            if not good[values[~truth] % m].any():
                return (m, tuple(np.flatnonzero(good).tolist()))
    return None


def _residue_piece(symbol: Atom, m: int, residues: tuple[int, ...]) -> Piece:
    """The remainders as one number, all but one, an interval (which may go on at 0: `(n + 7) % 16 <= 7`), or a list."""
    x, name = of_atom(symbol), name_text(symbol.name)
    rest = x % m
    if len(residues) == 1:
        return Piece(equal(rest, residues[0]), f"{name} % {m} == {residues[0]}")
    if len(residues) == m - 1:
        missing = (set(range(m)) - set(residues)).pop()
        return Piece(differs(rest, missing), f"{name} % {m} != {missing}")
    start = next(r for r in residues if (r - 1) % m not in residues)
    last = start + len(residues) - 1
    if any((start + i) % m not in residues for i in range(len(residues))):
        formula = any_of(*(equal(rest, r) for r in residues))
        return Piece(formula, f"{name} % {m} in {{{', '.join(map(str, residues))}}}")
    if last >= m:
        return Piece(at_most((x + m - start) % m, last - start), f"({name} + {m - start}) % {m} <= {last - start}")
    if start == 0:
        return Piece(at_most(rest, last), f"{name} % {m} <= {last}")
    if last == m - 1:
        return Piece(at_least(rest, start), f"{name} % {m} >= {start}")
    return Piece(all_of(at_least(rest, start), at_most(rest, last)), f"{start} <= {name} % {m} <= {last}")


def _ends(symbol: Atom, values: Values, residues: Residues, lo: int, hi: int) -> list[Piece]:
    """The bounds that are needed in addition to the residues, where a value outside has one of the residues."""

    def passes(outside: Values) -> bool:
        return bool(np.isin(outside % residues[0], residues[1]).any())

    x, name = of_atom(symbol), name_text(symbol.name)
    below, above = passes(values[values < lo]), passes(values[values > hi])
    if below and above and lo != hi:
        return [Piece(all_of(at_least(x, lo), at_most(x, hi)), f"{lo} <= {name} <= {hi}")]
    if below:
        return [Piece(at_least(x, lo), f"{name} >= {lo}")]
    return [Piece(at_most(x, hi), f"{name} <= {hi}")] if above else []


def _runs(values: Values, truth: Truth) -> list[tuple[int, int]]:
    """Maximal runs of neighbouring values at which the truth holds."""
    edges = np.flatnonzero(np.diff(truth.astype(np.int8)))
    bounds = [0, *(edges + 1).tolist(), len(values)]
    return [(int(values[a]), int(values[b - 1])) for a, b in pairwise(bounds) if truth[a]]


def _run(symbol: Atom, lo: int, hi: int, values: Values) -> Piece:
    x, name = of_atom(symbol), name_text(symbol.name)
    if lo == hi:
        return Piece(equal(x, lo), f"{name} == {lo}")
    if lo == values[0]:
        return Piece(at_most(x, hi), f"{name} <= {hi}")
    if hi == values[-1]:
        return Piece(at_least(x, lo), f"{name} >= {lo}")
    return Piece(all_of(at_least(x, lo), at_most(x, hi)), f"{lo} <= {name} <= {hi}")
