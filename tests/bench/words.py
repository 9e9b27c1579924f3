"""Measurements as text: parts about models are tables with a column for each tool, others are single lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tests.bench.peers import BASE, OURS
from tests.bench.report import MODELS, SLOW, Part, slow, summary

CHANGED = 1.15  # a ratio to an earlier one that is worth a line
TITLES = ("whole processes, CPU ms", "whole processes, MB", "first calls, CPU ms", "warm calls, CPU ms")


def lines(name: str, part: Part) -> Iterator[str]:
    """The lines of a part."""
    yield from _growth(part) if name == "growth" else _fleet(part) if name == "fleet" else _table(name, part)


def _table(name: str, part: Part) -> Iterator[str]:
    total = summary(part)
    yield f"{TITLES[MODELS.index(name)]:32}" + "".join(f"{tool:>16}" for tool in total)
    for model, row in part.items():
        yield f"{model[:32]:32}" + "".join(f"{_number(row[tool]):>16}" for tool in total)
    for key in ("p50", "p95", "max", "sum", "ratio", "models"):
        title = f"sum by {BASE}'s" if key == "ratio" else key
        yield f"{title:32}" + "".join(f"{_number(total[tool][key]):>16}" for tool in total)
    if name != "memory":
        worst = slow(part)
        yield f"check takes over {SLOW[0]}x {BASE} and {SLOW[1]} ms: {len(worst)} models {', '.join(worst[:5])}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value}" if isinstance(value, int) else f"{value:.2f}"


def _growth(part: Part) -> Iterator[str]:
    for nodes, row in part.items():
        yield f"per node at {nodes} nodes: " + ", ".join(f"{verb} {time} us" for verb, time in row.items())


def _fleet(part: Part) -> Iterator[str]:
    one, two, kept = part["workers: 1"], part["workers: 2"], part["answers kept"]
    yield f"{part['models']} models on Dask: {one} a second by one worker, {two} by two ({two / one:.2f}x)"
    yield f"again with answers kept: {kept} a second ({kept / two:.1f}x)"


def compared(now: Part, earlier: Sequence[Part], commit: str) -> Iterator[str]:
    """Compare with an earlier run: the ratios to ONNX's time in either run, which depend little on the machine."""
    same = [r for r in earlier if r["about"]["commit"].startswith(commit) and _asked(r) == _asked(now)]
    if not same:
        yield f"no earlier run of {commit} asks the same about these models"
        return
    before = same[-1]
    yield f"against {before['about']['commit']} of {before['about']['date']}:"
    changes = [line for name in MODELS for line in _changes(name, before.get(name, {}), now.get(name, {}))]
    yield from changes or ["  nothing has changed by more than 15%"]


def _asked(measured: Part) -> tuple[object, ...]:
    return measured["about"]["folder"], measured["about"]["ranges"]


def _changes(name: str, old: Part, new: Part) -> Iterator[str]:
    for model in [model for model in new if model in old]:
        for verb in OURS:
            ratios = [row[verb] / row[BASE] for row in (old[model], new[model]) if row.get(verb) and row.get(BASE)]
            if len(ratios) == 2 and not 1 / CHANGED < ratios[1] / ratios[0] < CHANGED:
                change = f"{ratios[0]:.2f} of {BASE}, now {ratios[1]:.2f} ({ratios[1] / ratios[0]:.2f}x)"
                yield f"  {name}: {verb} of {model}: {change}"
