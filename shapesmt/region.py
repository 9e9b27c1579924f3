"""Region: where a condition holds, as the shortest formula over the input symbols that a person would write.

Candidates are read off the truth at sampled or at all admissible values: intervals, residues (`height % 16 == 0`,
`height % 4 in {0, 3}`), their conjunctions, products of one symbol each. Where not every admissible value was seen,
a candidate counts only once it is proven equal to the condition in both directions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shapesmt.dim import Atom, of_atom
from shapesmt.evaluate import Evaluator, fits_int64
from shapesmt.formula import TRUE, Formula, all_of, any_of, at_least, at_most, differs, equal, negate
from shapesmt.points import Values
from shapesmt.presolve import Domain
from shapesmt.printing import name_text
from shapesmt.rewrite import replace

Truth = NDArray[np.bool_]
Proof = Callable[[Domain, Formula], bool]  # whether a condition is proven to hold over a domain

MAX_LISTED = 8  # values that are listed one by one
MAX_RESIDUES = 4  # residues that are listed although they follow each other
MAX_MODULUS = 512
MAX_TEXT = 300
SAMPLE = 2048  # values looked at where a symbol has too many


class Region(NamedTuple):
    """The conjuncts as text, and whether together they are exactly the condition."""

    text: tuple[str, ...]
    exact: bool


class Piece(NamedTuple):
    """One readable conjunct: as a condition and as text."""

    formula: Formula
    text: str


def describe(condition: Formula, domain: Domain, proves: Proof) -> Region:
    """The condition over the domain, readable.

    Args:
        condition: Over the domain's symbols; sizes that data decide are required whatever the data.
        domain: Where the text has to agree with the condition; elsewhere it may say anything.
        proves: Decides whether a condition holds over a domain.
    """
    alone: dict[Atom, list[Formula]] = {}
    joint: list[Formula] = []
    for part in condition.conjuncts:
        if len(part.symbols) == 1 and (symbol := next(iter(part.symbols))).kind == "input":
            alone.setdefault(symbol, []).append(part)
        else:
            joint.append(part)
    within = domain.copy() if joint else domain
    for parts in alone.values() if joint else ():
        within.assume(all_of(*parts))
    region = Region((), True)
    for part in _independent(joint, domain):
        data = any(s.universal for s in part.symbols)
        pieces = _without_data(part, within) if data else _separated(part, within)
        if pieces is not None and all(len(p.formula.symbols) == 1 for p in pieces):
            for piece in pieces:
                alone.setdefault(next(iter(piece.formula.symbols)), []).append(piece.formula)
            continue
        if pieces is None and not data:
            part = replace(part, {s: of_atom(s) for s in part.symbols})  # normalised in the declared ranges
            part = all_of(*(_slimmed(p, within, proves) for p in part.conjuncts))
        region = _joined(region, part, pieces, readable=not data)
    single = Region((), True)
    for symbol in sorted(alone, key=domain.order):
        part = all_of(*alone[symbol])
        single = _joined(single, part, _one_symbol(part, symbol, domain, proves))
    return Region(tuple(dict.fromkeys((*single.text, *region.text))), single.exact and region.exact)


def _joined(region: Region, part: Formula, pieces: list[Piece] | None, *, readable: bool = True) -> Region:
    """The region with one more part: its pieces, else the condition as it is where that can be read."""
    texts = [p.text for p in pieces] if pieces is not None else [str(f) for f in part.conjuncts] if readable else []
    kept = [t for t in texts if len(t) <= MAX_TEXT and "to_int" not in t]
    exact = region.exact and len(kept) == len(texts) and (readable or pieces is not None)
    return Region((*region.text, *kept), exact)


def _slimmed(condition: Formula, domain: Domain, proves: Proof) -> Formula:
    """A disjunction without the cases that another one covers."""
    cases = list(condition.args) if condition.op == "or" else []
    for case in list(cases):
        others = [c for c in cases if c is not case]
        if others and proves(domain, any_of(negate(case), *others)):
            cases = others
    return any_of(*cases) if cases else condition


def _independent(parts: Sequence[Formula], domain: Domain) -> list[Formula]:
    """The conditions joined into groups that share no symbol, in the order of their symbols."""
    groups: list[tuple[set[Atom], list[Formula]]] = []
    for part in parts:
        symbols, together = set(part.symbols), [part]
        for group in [g for g in groups if g[0] & symbols]:
            groups.remove(group)
            symbols |= group[0]
            together = group[1] + together
        groups.append((symbols, together))
    groups.sort(key=lambda g: min(map(domain.order, g[0])))
    return [all_of(*together) for _, together in groups]


def _one_symbol(condition: Formula, symbol: Atom, domain: Domain, proves: Proof) -> list[Piece] | None:
    if not fits_int64(condition) and symbol.hi < inf:
        return None
    points = domain.points((symbol,)) if len(domain.cone((symbol,))[0]) == 1 else None
    if points is not None:
        values = points.sizes(of_atom(symbol))
        pieces = describe_values(symbol, values, np.broadcast_to(points.truth(condition), values.shape))
        if len(values) < 3 or (np.diff(values) == values[1] - values[0]).all():
            return pieces
        everything = Domain([symbol])  # few values show patterns that hold for them alone
        anywhere = _one_symbol(condition, symbol, everything, proves) if everything.values(symbol) is not None else None
        return anywhere if anywhere is not None and len(anywhere) == 1 else pieces
    lo = int(symbol.lo)
    values = np.arange(lo, min(symbol.hi, lo + SAMPLE * symbol.step) + 1, symbol.step, dtype=np.int64)
    truth = np.broadcast_to(np.asarray(Evaluator({symbol: values}).formula(condition)), values.shape)
    pieces = describe_values(symbol, values, truth)
    if pieces is None:
        return None
    claim = all_of(*(p.formula for p in pieces))
    within = domain.copy()
    within.assume(condition)
    outside = domain.copy()
    outside.assume(claim)
    return pieces if proves(within, claim) and proves(outside, condition) else None


def describe_values(symbol: Atom, values: Values, truth: Truth) -> list[Piece] | None:
    """The set of a symbol's values at which the truth holds: interval and residues, runs, or a short list."""
    if not truth.any():
        return None
    first, last = int(truth.argmax()), len(truth) - 1 - int(truth[::-1].argmax())
    inside = slice(first, last + 1)
    x, name, lo, hi = of_atom(symbol), name_text(symbol.name), int(values[first]), int(values[last])
    if truth[inside].all():
        return [] if last - first + 1 == len(values) else [_run(symbol, lo, hi, values)]
    residues = _residues(values[inside], truth[inside])
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
    return None


Residues = tuple[int, tuple[int, ...]]


def _residues(values: Values, truth: Truth) -> Residues | None:
    """`(m, residues)` if the truth is a matter of the remainder by some m."""
    first, seen = values[:SAMPLE], truth[:SAMPLE]
    for m in range(2, min(MAX_MODULUS, int(first[-1] - first[0]) // 2) + 1):
        passed, failed = np.zeros((2, m), dtype=np.bool_)
        passed[first[seen] % m] = failed[first[~seen] % m] = True
        if not (passed & failed).any():
            good = np.unique(values[truth] % m)
            if not np.isin(values[~truth] % m, good).any():
                return (m, tuple(good.tolist()))
    return None


def _residue_piece(symbol: Atom, m: int, residues: tuple[int, ...]) -> Piece:
    x, name = of_atom(symbol), name_text(symbol.name)
    formula = any_of(*(equal(x % m, r) for r in residues))
    if len(residues) == 1:
        return Piece(formula, f"{name} % {m} == {residues[0]}")
    if len(residues) == m - 1:
        missing = (set(range(m)) - set(residues)).pop()
        return Piece(differs(x % m, missing), f"{name} % {m} != {missing}")
    start = next((r for r in residues if (r - 1) % m not in residues), 0)
    run = len(residues)
    if run > MAX_RESIDUES and all((start + i) % m in residues for i in range(run)):
        shift = -start if start <= m // 2 else m - start
        shown = name if shift == 0 else f"({name} {'+' if shift > 0 else '-'} {abs(shift)})"
        return Piece(at_most((x + shift) % m, run - 1), f"{shown} % {m} <= {run - 1}")
    return Piece(formula, f"{name} % {m} in {{{', '.join(map(str, residues))}}}")


def _ends(symbol: Atom, values: Values, residues: Residues, lo: int, hi: int) -> list[Piece]:
    """The bounds that are needed beside the residues: only where a value outside would pass them."""

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


def _separated(condition: Formula, domain: Domain) -> list[Piece] | None:
    """A condition on several symbols that is a product of conditions on one each."""
    if not fits_int64(condition) or domain.cone(condition.symbols)[1]:
        return None
    symbols = sorted(condition.symbols, key=domain.order)
    axes = [domain.values(s) for s in symbols]
    if any(a is None for a in axes):
        return None
    points = domain.points(symbols)
    sides = None if points is None else points.sides(condition)
    if sides is None:
        return None
    pieces: list[Piece] = []
    for s, values, side in zip(symbols, axes, sides, strict=True):
        assert values is not None
        found = describe_values(s, values, side)
        if found is None:
            return None
        pieces.extend(found)
    return pieces


def _without_data(condition: Formula, domain: Domain) -> list[Piece] | None:
    """The inputs for which the condition holds whatever the data, where they can be run through."""
    if not fits_int64(condition):
        return None
    points = domain.points(condition.symbols)
    if points is None:
        return None
    inputs = [s for s in points.symbols if not s.universal]
    truth = points.truth(condition)
    everywhere = points.at(np.ones(truth.shape, dtype=bool))
    truth = truth.ravel()
    if not inputs:
        return [] if truth.all() else [Piece(TRUE, "False")]
    rows = np.stack([everywhere[s] for s in inputs], axis=1)
    distinct, group = np.unique(rows, axis=0, return_inverse=True)
    good = np.ones(len(distinct), dtype=bool)
    np.logical_and.at(good, group.ravel(), truth)
    if len(inputs) == 1:
        return describe_values(inputs[0], distinct[:, 0], good)
    return _listed(inputs, distinct, good)


def _listed(symbols: Sequence[Atom], rows: Values, good: Truth) -> list[Piece] | None:
    """Assignments one by one, where few are good."""
    if good.all():
        return []
    if int(good.sum()) > MAX_LISTED or not good.any():
        return None
    cases = []
    for row in rows[good]:
        parts = [equal(of_atom(s), int(v)) for s, v in zip(symbols, row, strict=True)]
        text = " and ".join(f"{name_text(s.name)} == {v}" for s, v in zip(symbols, row, strict=True))
        cases.append(Piece(all_of(*parts), f"({text})"))
    return [Piece(any_of(*(c.formula for c in cases)), " or ".join(c.text for c in cases))]
