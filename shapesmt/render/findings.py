"""Findings in words: the law, the sides that clash, the input that shows it, how the sizes came to be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.errors import printable
from shapesmt.render.words import STRONG, STYLES, Line, code, column, count, line, listed, name
from shapesmt.report import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shapesmt.report import Cause, Counterexample, Finding, Side

__all__ = ["assignment", "causes", "finding", "first_of_each"]


def first_of_each(findings: Sequence[Finding]) -> list[Finding]:
    """The findings, but of the nodes that lack the same rule only the first."""
    seen: dict[object, Finding] = {}
    for found in findings:
        seen.setdefault(found.op_type if found.kind == "unsupported" else id(found), found)
    return list(seen.values())


def finding(found: Finding, among: Sequence[Finding]) -> Iterator[Line]:
    """One finding, line by line; `among` are all, which those without a rule are counted in."""
    position = f"node {found.index}" if found.index >= 0 else ""
    where = ", ".join(part for part in (name(found.op_type), position) if part)
    verdict = (found.verdict.value, STYLES[found.verdict])
    code = f"{name(found.code)}  " if found.code else ""
    yield line(0, verdict, f"  {code}", (name(found.node), STRONG), f" ({where})" if where else "")
    if found.kind == "unsupported":
        others = sum(f.kind == "unsupported" and f.op_type == found.op_type for f in among) - 1
        rest = f"; the same for {count(others, 'other node')}" if others else ""
        yield line(2, f"operator {name(found.op_type)} has no rule, so its outputs are unknown{rest}")
        return
    yield line(2, printable(found.law, 400))
    if found.note:
        yield line(2, printable(found.note, 400))
    yield from _sides(found)
    yield from _inputs_that_fail(found)
    if found.because:
        yield line(2, "because")
        yield from causes(found.because)


def causes(because: Sequence[Cause]) -> Iterator[Line]:
    """How dimensions came to be, in columns: node, tensor and axis, formula and value."""
    nodes = [name(cause.node) or "input" for cause in because]
    tensors = [name(c.tensor) + ("" if c.axis is None else f"[{c.axis}]") for c in because]
    node_width, tensor_width = column(nodes), column(tensors)
    for cause, node, tensor in zip(because, nodes, tensors, strict=True):
        left = f"{node.ljust(node_width)}  {tensor.ljust(tensor_width)} = "
        yield line(4, left, code(cause.expr), _value(cause))


def _sides(found: Finding) -> Iterator[Line]:
    """The two sides that clash; without them, the condition."""
    if found.clash is None:
        if found.condition:
            yield line(4, code(found.condition))
        return
    left, right = found.clash.left, found.clash.right
    if not _value(left) and not _value(right):
        yield line(4, code(left.expr), " against ", code(right.expr))
        return
    width = max(len(code(side.expr)[0]) for side in (left, right))
    for side in (left, right):
        text, style = code(side.expr)
        yield line(4, (text.ljust(width), style), _value(side))


def _value(of: Side | Cause) -> str:
    """` = 65`, unless the formula is that number already."""
    return "" if of.value is None or of.expr == str(of.value) else f" = {of.value}"


def _inputs_that_fail(found: Finding) -> Iterator[Line]:
    """At which inputs the node fails, and at which it runs."""
    shown = found.counterexample
    if found.verdict is Verdict.FAILS:
        at = ", as at " if shown is not None and shown.symbols else ""
        yield line(2, f"fails for every input{at}{assignment(shown) if shown else ''}")
    elif shown is not None:
        yield line(2, f"fails at {assignment(shown)}")
    if found.kind == "rank":
        yield line(2, "so it isn't judged; --shape says what rank an input has")
    elif found.verdict is Verdict.UNKNOWN:
        yield line(2, "undecided in the time given; a longer --timeout may decide it")
    if found.verdict is Verdict.DEPENDS and found.holds_iff:
        yield line(2, "runs exactly when ", code(found.holds_iff))
    if found.kind == "data":
        yield line(2, "it hinges on a size that only the data decide")


def assignment(example: Counterexample) -> str:
    """`height=65, width=64 (image 1x3x65x64)`."""
    symbols = example.relevant or tuple(example.symbols)
    values = listed([f"{name(symbol)}={example.symbols[symbol]}" for symbol in symbols])
    shapes = [f"{name(key)} {'x'.join(map(str, shape)) or 'scalar'}" for key, shape in example.inputs.items()]
    return values + (f" ({listed(shapes, most=3)})" if shapes else "")
