"""Sizes to choose: a slider for each dimension, and the formulas that the page evaluates."""

from __future__ import annotations

from shapesmt.base.errors import printable
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Calculator, NumberLine, PageData, Slider
from shapesmt.reports.render.page.document import section
from shapesmt.reports.render.page.markup import Markup, data, exact, tag
from shapesmt.reports.render.text.words import interval, name

_STEPS = 1024  # positions of a slider for an unbounded dimension
_MOST_STEPS = 1 << 31  # a range with more positions has no slider, only a field for the number
_LETTERS = {Verdict.PROVED: "p", Verdict.UNKNOWN: "u", Verdict.DEPENDS: "d", Verdict.FAILS: "f"}


def sizes_section(page: PageData) -> Markup | None:
    """Return the sliders, and places for the verdict at these sizes, sizes nearby that run, and the inputs' shapes."""
    calculator = page.calculator
    if not calculator.sliders:
        return None
    edges = {r.name: r.parts[-1].first for r in page.regions if isinstance(r, NumberLine)}
    rows = [_slider(s, place, edges.get(s.name, 0)) for place, s in enumerate(calculator.sliders)]
    return section(
        "Try sizes",
        tag("noscript", tag("p", "Choosing sizes needs scripts.")),
        tag("div", tag("div", rows, class_="sliders"), tag("div", id="outcome", aria_live="polite"), class_="try"),
        identity="sizes",
    )


def _slider(slider: Slider, place: int, edge: int) -> Markup:
    last, at = slider.last, slider.start
    farthest = max(_STEPS, 2 * edge, 2 * at) if last is None else last - slider.first
    fixed = "" if last == slider.first else None
    number = tag(
        "input", type="number", id=f"size-{place}", value=at, min=slider.first, max=last, step=slider.step,
        disabled=fixed, aria_describedby=f"allowed-{place}",
    )  # fmt: skip
    ruler = None if farthest // slider.step > _MOST_STEPS else tag(
        "input", type="range", id=f"range-{place}", min=0, max=farthest // slider.step, step=1,
        value=(at - slider.first) // slider.step, disabled=fixed, aria_label=f"{name(slider.name)}, slider",
    )  # fmt: skip
    label = tag("label", tag("bdi", name(slider.name)), for_=f"size-{place}")
    allowed = tag("small", interval(slider.first, last, slider.step), id=f"allowed-{place}")
    return tag("div", label, ruler, number, allowed, class_="slider")


def _running(calculator: Calculator) -> list[list[int | str | None]]:
    """Return inputs for which the model runs as lists with a size, or None, for each slider."""
    rows = [[at.get(s.name) for s in calculator.sliders] for at in calculator.running]
    return [[None if size is None else exact(size) for size in row] for row in rows if {*row} != {None}]


def calculator_data(calculator: Calculator) -> Markup:
    """Return the formulas and the graph, for the page's script."""
    about = [(_LETTERS[n.verdict] if n.judged else "x", int(n.reached)) for n in calculator.nodes]
    nodes = [
        [printable(n.name, 1000), printable(n.op_type, 200), n.reads, n.condition, *letter_and_reached]
        for n, letter_and_reached in zip(calculator.nodes, about, strict=True)
    ]
    return data(
        "calculator-data",
        {
            "entries": calculator.entries,
            "sliders": [
                [printable(s.name), exact(s.first), None if s.last is None else exact(s.last), s.step]
                for s in calculator.sliders
            ],
            "running": _running(calculator),
            "dims": [[printable(key), entry] for key, entry in calculator.dims.items()],
            "facts": [[printable(text, 400), entry] for text, entry in calculator.facts],
            "nodes": nodes,
        },
    )
