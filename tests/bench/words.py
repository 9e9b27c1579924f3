"""What was measured, in lines: one table of all tools, then a line for each of the other parts."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.report import Part, tail

CHANGED = 1.15  # a ratio to an earlier one that is worth a line
BASE = "ONNX"


def lines(name: str, part: Part) -> Iterator[str]:
    """The lines of a part."""
    yield from {"inference": _inference, "growth": _growth, "process": _process, "fleet": _fleet}[name](part)


def _inference(part: Part) -> Iterator[str]:
    tools = [tool for tool in next(iter(part.values()), {}) if tool != "nodes"]
    yield f"{'CPU milliseconds':32} {'nodes':>6}" + "".join(f"{tool:>16}" for tool in tools)
    for model, row in part.items():
        yield f"{model[:32]:32} {row['nodes']:6}" + "".join(f"{_number(row[tool]):>16}" for tool in tools)
    tails = tail(part)
    for key in ("p50", "p95", "max", "models"):
        yield f"{key:32} {'':6}" + "".join(f"{_number(tails.get(tool, {}).get(key)):>16}" for tool in tools)
    whole = [row for row in part.values() if row.get(BASE) is not None]
    for tool in [tool for tool in tools if whole and tool != BASE]:
        both = [row for row in whole if row[tool] is not None]
        if both:
            ratio = sum(row[tool] for row in both) / sum(row[BASE] for row in both)
            yield f"{tool} is {ratio:.2f} of {BASE}, over {len(both)} models"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f}" if isinstance(value, int) else f"{value:.2f}"


def _growth(part: Part) -> Iterator[str]:
    for nodes, row in part.items():
        yield f"per node at {nodes} nodes: " + ", ".join(f"{verb} {time} us" for verb, time in row.items())


def _process(part: Part) -> Iterator[str]:
    for model, row in part.items():
        ours, peer = row["check"], row[BASE]
        ratios = ", ".join(f"{key} {ours[key] / peer[key]:.2f}" for key in ("seconds", "cpu", "megabytes"))
        yield f"a process on {model} ({row['nodes']} nodes): check {_run(ours)}"
        yield f"  import, load and infer by ONNX {_run(peer)}; ratios: {ratios}"


def _run(run: Part) -> str:
    return f"{run['seconds']:.2f} s ({run['cpu']:.2f} CPU s), {run['megabytes']:.0f} MB"


def _fleet(part: Part) -> Iterator[str]:
    one, two, kept = part["workers: 1"], part["workers: 2"], part["answers kept"]
    yield f"{part['models']} models on Dask: {one} a second by one worker, {two} by two ({two / one:.2f}x)"
    yield f"again with answers kept: {kept} a second ({kept / two:.1f}x)"


def compared(now: Part, before: Part) -> Iterator[str]:
    """What has changed: our times as ratios to ONNX's of the same run, so that machines compare."""
    yield f"against {before['about']['commit']} of {before['about']['date']}:"
    old, new = before.get("inference", {}), now.get("inference", {})
    same = True
    for model in [model for model in new if model in old]:
        for verb in ("check", "bounds"):
            ratios = [row[verb] / row[BASE] for row in (old[model], new[model]) if row.get(verb) and row.get(BASE)]
            if len(ratios) == 2 and not 1 / CHANGED < ratios[1] / ratios[0] < CHANGED:
                same = False
                change = f"{ratios[0]:.2f} of ONNX, now {ratios[1]:.2f} ({ratios[1] / ratios[0]:.2f}x)"
                yield f"  {verb} of {model}: {change}"
    if same:
        yield "  nothing has changed by more than 15%"
