"""What shapesmt says of a case, and the table of all answers against execution."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from torch.export import ExportedProgram

import shapesmt
from shapesmt.network.declarations import parse_formula
from shapesmt.prover.algebra import Evaluator, Verdict, symbol
from shapesmt.reports.answers import DynamicShapes
from tests.bench.programs import claims
from tests.bench.programs.case import Case, Sizes

WAYS = ("named", "AUTO", "DYNAMIC")
COLUMNS = (*WAYS, "shapesmt")
OUTCOMES = ("exact", "too narrow", "too wide", "export fails", "not judged")


class Answers(NamedTuple):
    """How each column's claim compares with execution, and what became of shapesmt's proposal."""

    name: str
    outcomes: dict[str, str]
    proposal: str


def outcome(ran: Mapping[Sizes, bool], claimed: Mapping[Sizes, bool] | None) -> str:
    """A claim against execution; None is no claim at all."""
    if claimed is None:
        return "export fails"
    if any(claimed[sizes] and not runs for sizes, runs in ran.items()):
        return "too wide"
    return "exact" if all(claimed[sizes] == runs for sizes, runs in ran.items()) else "too narrow"


def answers(case: Case) -> Answers:
    """All answers about a case."""
    ran = claims.ran(case)
    programs = {way: claims.asked(case, way) for way in WAYS}
    outcomes = {
        way: outcome(ran, None if isinstance(program, str) else claims.accepted(case, program))
        for way, program in programs.items()
    }
    region = None if isinstance(programs["AUTO"], str) else held(case, programs["AUTO"])
    outcomes["shapesmt"] = "not judged" if region is None else outcome(ran, region)
    return Answers(case.name, outcomes, tried(case, ran, proposal(case)))


def held(case: Case, program: ExportedProgram) -> dict[Sizes, bool] | None:
    """Whether shapesmt says that every node runs, at each point; None where some node isn't judged."""
    shapes, dims = declared(case)
    report = shapesmt.check(program, shapes=shapes, dims=dims, guards="ignore")
    if report.precondition is None or any(f.verdict is Verdict.UNKNOWN for f in report.findings):
        return None
    names = {name: symbol(name, 0) for name in case.symbols}
    formulas = [parse_formula(text, names) for text in report.precondition.text]
    points = np.array(case.points())
    at = {d.as_symbol(): points[:, i] for i, d in enumerate(names.values())}
    holds = np.ones(len(points), bool)
    for formula in formulas:
        holds &= np.asarray(Evaluator(at).formula(formula), bool)
    return {sizes: bool(holds[i]) for i, sizes in enumerate(case.points())}


def declared(case: Case) -> tuple[dict[str, list[int | str]], dict[str, tuple[int, int]]]:
    """The case's own names for the sizes, with their ranges."""
    return {i.name: list(i.axes) for i in case.inputs}, {n: (s.low, s.high) for n, s in case.symbols.items()}


def proposal(case: Case) -> DynamicShapes:
    """The `dynamic_shapes` that shapesmt proposes."""
    shapes, dims = declared(case)
    with claims.quiet():
        return shapesmt.dynamic_shapes(case.module(), args=case.tensors(case.example), shapes=shapes, dims=dims)


def tried(case: Case, ran: Mapping[Sizes, bool], proposed: DynamicShapes) -> str:
    """What became of a proposal: accepted at which try, and how many sizes in it are refused or fail."""
    if not proposed.content or not proposed.verified:
        return "none"
    program = claims.exported(case, proposed.content)
    runs = claims.ran_in(case, program)
    inside = [sizes for sizes in ran if within(case, sizes, proposed)]
    bad = sum(not runs[sizes] for sizes in inside)
    return f"try {proposed.exports}, {len(inside)} of {sum(ran.values())} sizes" + (f", {bad} FAIL" if bad else "")


def within(case: Case, sizes: Sizes, proposed: DynamicShapes) -> bool:
    """Whether sizes are among those that a proposal admits."""
    at = dict(zip(case.symbols, sizes, strict=True))
    names = {name: symbol(name, 0) for name in at}
    values = {names[name].as_symbol(): size for name, size in at.items()}
    assumed = all(Evaluator(values).formula(parse_formula(text, names)) for text in proposed.assume)
    ends = [(at[name], r) for name, r in proposed.admitted.items() if name in at]
    fits = all(r.min <= size and (r.max is None or size <= r.max) and (size - r.min) % r.step == 0 for size, r in ends)
    return assumed and fits


def table(rows: list[Answers]) -> Iterator[str]:
    """The outcomes per column, as Markdown."""
    yield f"| of {len(rows)} modules | " + " | ".join(OUTCOMES) + " |"
    yield "|---" * (len(OUTCOMES) + 1) + "|"
    for column in COLUMNS:
        counts = Counter(row.outcomes[column] for row in rows)
        yield f"| {column} | " + " | ".join(str(counts[each]) for each in OUTCOMES) + " |"
