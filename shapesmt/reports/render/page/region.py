"""Drawings of the valid inputs: a line for each dimension that decides alone, a grid for two that decide together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod

from shapesmt.base.errors import printable
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Cell, Guarded, NumberLine, PageData, Precondition, Raster, Run
from shapesmt.reports.render.page.answer import MOST_IN_HEADLINE, remedies
from shapesmt.reports.render.page.document import code, section
from shapesmt.reports.render.page.drawings import grid
from shapesmt.reports.render.page.markup import Markup, data, tag
from shapesmt.reports.render.page.phrases import english_list, in_words
from shapesmt.reports.render.text.words import beside_guards, count, name, region_told

_WIDEST = 9  # the largest class for the width of a part of a line


def regions(page: PageData) -> Markup | None:
    """Show the inputs for which the model runs: the condition, remedies and drawings; None if there is no condition."""
    report, region = page.report, page.report.precondition
    if report.verdict is Verdict.FAILS or region is None or not region.text:
        return None
    places = {slider.name: place for place, slider in enumerate(page.calculator.sliders)}
    lines = [r for r in page.regions if isinstance(r, NumberLine)]
    rasters = [r for r in page.regions if isinstance(r, Raster)]
    drawn = [tag("div", [_line(line, places) for line in lines], class_="lines") if lines else None]
    drawn += [_grid(raster, number, places) for number, raster in enumerate(rasters)]
    told = (
        ()
        if in_words(region.conjuncts) is None and len(region.whole) <= MOST_IN_HEADLINE
        else _condition_formula(region)
    )
    text = tag("div", *told, *_beside_guards(report.guarded), _count_line(page.regions), remedies(report))
    return section("Where it runs", text, drawn)


def _condition_formula(region: Precondition) -> Iterator[Markup]:
    """Yield the condition as a formula."""
    how, formula = region_told(region)
    yield tag("p", f"The model {how}")
    if formula:
        yield tag("p", code(formula), class_="formula")


def _beside_guards(guarded: Guarded | None) -> Iterator[Markup]:
    """Yield the requirements of the nodes, and what the guards refuse in addition."""
    for before, formula, after in () if guarded is None else beside_guards(guarded):
        yield tag("p", f"{before[0].upper()}{before[1:]} ", code(formula) if formula else None, after)


def _count_line(drawn: Sequence[NumberLine | Raster]) -> Markup | None:
    """State how many choices of sizes run; None if a dimension is unbounded or not counted."""
    counts = [r.counts for r in drawn]
    known = [c for c in counts if c is not None]
    fixed = {key: value for r in drawn if isinstance(r, Raster) for key, value in r.fixed.items()}
    if not known or len(known) < len(counts):
        return None
    running, total = (prod(c[i] for c in known) for i in (0, 1))
    names = [r.name for r in drawn if isinstance(r, NumberLine)]
    names += [axis.name for r in drawn if isinstance(r, Raster) for axis in reversed(r.axes)]
    what = "values" if len(names) == 1 else "choices"
    at = f" at {_values(fixed)}" if fixed else ""
    over = english_list([name(n) for n in names])
    return tag("p", tag("b", f"{running:,}"), f" of {total:,} {what} of {over} run{at}", class_="counted")


def _values(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{name(symbol)} = {value}" for symbol, value in sizes.items())


def _line(line: NumberLine, places: Mapping[str, int]) -> Markup:
    """Draw a dimension's values from left to right, in parts that all run or all fail."""
    parts = [_part(part) for part in line.parts]
    rest = _rest(line)
    notes = [f"repeats every {line.period}"] if line.period else []
    notes += [f"in steps of {line.step}"] if line.step > 1 else []
    title = tag("h3", tag("bdi", name(line.name)), tag("small", ", ".join(notes)) if notes else None)
    values = tag(
        "ol", parts, tag("li", rest, class_="rest") if rest else None, class_="line", data_period=line.period,
        data_slider=places.get(line.name), aria_label=f"values of {name(line.name)}",
    )  # fmt: skip
    return tag("div", title, values, class_="axis")


def _part(part: Run) -> Markup:
    values = (part.last or part.first) - part.first + 1
    width = _WIDEST if part.last is None else min(_WIDEST, values.bit_length())
    return tag(
        "li", tag("span", "runs " if part.runs else "fails ", class_="spoken"), _span(part),
        class_=f"{'good' if part.runs else 'bad'} w{width}", data_first=part.first, data_last=part.last,
    )  # fmt: skip


def _span(part: Run) -> str:
    if part.last is None:
        return f"{part.first:,} and above"
    return f"{part.first:,}" if part.first == part.last else f"{part.first:,}\N{EN DASH}{part.last:,}"


def _rest(line: NumberLine) -> str:
    """Describe the values after the last part; "" if there are none."""
    end = line.parts[-1].last
    if line.period is not None:
        return "and so on" + ("" if line.last is None else f" up to {line.last:,}")
    if line.more:
        return f"and {count(line.more, 'more part')}" + ("" if line.last is None else f" up to {line.last:,}")
    return "and above: not drawn" if end is not None and end != line.last else ""


def _grid(raster: Raster, number: int, places: Mapping[str, int]) -> Markup:
    cells = "".join(raster.rows)
    keys = (
        (Cell.RUNS, "good", "runs"),
        (Cell.FAILS, "bad", "fails"),
        (Cell.MIXED, "some", "some of the cell run"),
        (Cell.NONE, "none", "not admissible"),
    )
    legend = [tag("li", tag("span", class_=f"key {role}"), text) for letter, role, text in keys if letter in cells]
    legend += [tag("li", tag("span", class_="key mark"), "counterexample")] if raster.marks else []
    axes = [[places.get(a.name, -1), printable(a.name), a.first, a.step, a.count, a.block] for a in raster.axes]
    return tag(
        "figure",
        grid.drawing(raster, number),
        tag("figcaption", tag("ul", legend, class_="legend"), tag("p", "; ".join(_notes(raster))),
            tag("p", class_="readout", aria_live="polite")),
        data(f"grid-{number}", {"axes": axes, "rows": raster.rows}),
        class_="picture",
    )  # fmt: skip


def _notes(raster: Raster) -> Iterator[str]:
    """Yield notes on omissions in the grid: the rest of a range, single inputs of a cell, the other dimensions."""
    axes = raster.axes[::-1]
    for axis in axes:
        if axis.total is None:
            yield f"{name(axis.name)} has no end and is shown up to {axis.last}"
        elif axis.count < axis.total:
            yield f"{name(axis.name)} is shown up to {axis.last}, {axis.count} of {axis.total:,} values"
    if any(axis.block > 1 for axis in axes):
        yield f"a cell is {' by '.join(f'{axis.block} values of {name(axis.name)}' for axis in axes)}"
    for axis in axes:
        if axis.stride > 1:
            yield f"of {name(axis.name)}, one value in {axis.stride} was looked at"
    if raster.fixed:
        yield f"drawn at {_values(raster.fixed)}"
