"""The constraints of one node in the solver's system, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from shapesmt.base.errors import printable
from shapesmt.reports.render.text.words import (
    BLANK,
    FAINT,
    STYLES,
    Line,
    code,
    column,
    count,
    interval,
    line,
    name,
    row,
)

if TYPE_CHECKING:
    from shapesmt.reports.answers import Condition, NodeConstraints, Variable

_MOST = 24  # the most variables of a kind, requirements and lines of SMT-LIB that are shown


def constraint_lines(system: NodeConstraints) -> Iterator[Line]:
    """Yield the section about a node's constraints, after a blank line."""
    yield BLANK
    yield line(0, f"constraints of {name(system.node)} ({name(system.op_type)}, node {system.index}), in integers")
    yield from _variables("free variables", system.symbols)
    yield from _variables("it reads", system.reads)
    yield from _requirements(system.requires)
    yield from _variables("it defines", system.defines)
    rows = system.smt2.splitlines()
    yield line(2, "as SMT-LIB 2", (" (with all on which it rests: shapesmt encode MODEL NODE)", FAINT))
    yield from (row(4, code(text)) for text in rows[:_MOST])
    yield from _rest(len(rows), "line")


def _variables(title: str, variables: Sequence[Variable]) -> Iterator[Line]:
    """Yield the name, bounds and definition of each variable, in columns."""
    if not variables:
        return
    yield line(2, title)
    shown = variables[:_MOST]
    bounds = [_interval(v) for v in shown]
    names, ranges = column([name(v.name) for v in shown]), column(bounds)
    for variable, text in zip(shown, bounds, strict=True):
        left = f"{name(variable.name):{names}} in "
        meaning = (f"{text:{ranges}} = ", code(variable.expr)) if variable.expr else (text,)
        yield line(4, left, *meaning)
    yield from _rest(len(variables), "variable")


def _interval(variable: Variable) -> str:
    if variable.min is None:
        return f"..{'' if variable.max is None else variable.max}"
    return interval(variable.min, variable.max, variable.step)


def _requirements(conditions: Sequence[Condition]) -> Iterator[Line]:
    """Yield each law with its formulas, and the verdict and certificate of each formula."""
    yield line(2, "it requires" if conditions else "it requires nothing")
    law = ""
    for condition in conditions[:_MOST]:
        decided = _verdict_parts(condition)
        if condition.expr == "True":
            yield line(4, printable(condition.law, 400), *decided)
            continue
        if condition.law != law:
            law = condition.law
            yield line(4, printable(law, 400))
        yield line(6, code(condition.expr), *decided)
    yield from _rest(len(conditions), "requirement")


def _verdict_parts(condition: Condition) -> tuple[str | tuple[str, str], ...]:
    """Return the verdict and the certificate of a requirement; () if it has no verdict."""
    verdict = condition.verdict
    return () if verdict is None else ("  ", (verdict.value, STYLES[verdict]), (f" ({condition.by})", FAINT))


def _rest(number: int, what: str) -> Iterator[Line]:
    if number > _MOST:
        yield line(4, (f"... {count(number - _MOST, f'more {what}')}; --format json has all", FAINT))
