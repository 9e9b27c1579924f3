"""Reason: why no change of one place repairs a model, or who alone refuses it, and what would help, where known."""

from __future__ import annotations

from shapesmt.analysis.analysis import Analysis
from shapesmt.analysis.verify import Examination
from shapesmt.base.errors import printable
from shapesmt.operators.inference import Operators
from shapesmt.operators.rules import FLOATS, Memory
from shapesmt.reports.answers import Remedy

SECONDS = 2.0
"""The limit, in seconds of processor time."""


def reason_of(a: Analysis, whole: Examination, *, proved: bool) -> str:
    """Return why no change helps, or that only ONNX Runtime's default session refuses the model; "" for other models.

    `whole` is the examination of the file and of the session, and `proved` is whether a change is proved to help.
    """
    says = rewrites_of(whole)
    if not a.examination.judgements and says:
        told = " and ".join(says)
        return f"only ONNX Runtime's default session refuses it, where {told}: another way is to disable optimizations"
    return "" if proved else _table(a)


def rewrites_of(whole: Examination) -> list[str]:
    """Return in words how ONNX Runtime's default session rewrites what it then refuses; [] if it refuses nothing."""
    session = whole.session
    if session is None or session.examination is None:
        return []
    run = session.graph
    upstream = {i for j in session.examination.judgements for i in (j.index, *run.graph.ancestors(j.index))}
    return [*dict.fromkeys(run.says[i] for i in sorted({run.places[i] for i in upstream} & run.says.keys()))]


def _table(a: Analysis) -> str:
    """Return that a weight has a fixed number of rows and what helps; "" if no failing node adds one or looks into it.

    An example is `pos has 17 rows for every image: interpolate it, or keep height in 64..79`.
    """
    graph = a.problem.graph
    operators = Operators(graph.opsets, graph.functions)
    for j in a.examination.judgements:
        traits = operators.traits(j.node)
        if not traits.indices and traits.memory is not Memory.ELEMENTWISE:
            continue
        sizes = {
            n for r in j.open for side in (r.left, r.right) if side is not None and (n := side.constant) is not None
        }
        symbols = {s for r in j.open for side in (r.left, r.right) if side is not None for s in side.symbols}
        inputs = [
            name for name, t in a.problem.inputs.items() if {s for d in t.shape or () for s in d.symbols} & symbols
        ]
        for name in j.node.inputs:
            literal = graph.literals.get(name)
            rows = [n for n in (literal.shape if literal is not None else ())[:-1] if n in sizes and n > 1]
            if literal is not None and literal.dtype in FLOATS and rows and inputs:
                helps = "give it more" if traits.indices else "interpolate it"
                told = f"{printable(name, 120)} has {rows[0]:,} rows for every {printable(inputs[0], 120)}: {helps}"
                return f"{told}{_narrower(a)}"
    return ""


def _narrower(a: Analysis) -> str:
    """Return the ranges with which the model runs, as `, or keep height in 64..79`; "" if they aren't known."""
    brief = a.within(SECONDS)
    remedy = brief.judge.deadline.attempt(lambda: brief.remedy, None) or Remedy({})
    kept = [f"{printable(name)} {'in' if '..' in sizes else 'at'} {sizes}" for name, sizes in remedy.dims.items()]
    return f", or keep {' and '.join(kept)}" if kept else ""
