"""Memory as text: the worst case, the tensors that are held then, and the inputs that fit a budget."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from shapesmt.prover.algebra import Verdict, conjunction
from shapesmt.reports.render.text.words import (
    BLANK,
    FAINT,
    STRONG,
    Line,
    admissible,
    adopted_lines,
    at_sizes,
    code,
    column,
    count,
    first_items,
    headline,
    line,
    name,
    row,
)

if TYPE_CHECKING:
    from shapesmt.reports.answers import HeldTensor, IndexLimit, Memory, Peak

MOST_TENSORS = 8
_ONE_LINE = 100  # the most characters of conditions on one line
_MOST_CONDITIONS = 6
_UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB", "EB")
_SHARING = {
    "live": "activations",
    "alias": "activations (views share a buffer)",
    "inplace": "activations (views, and results written over an operand, share a buffer)",
}


def amount(number: int | None) -> str:
    """Return a number of bytes as text, in the largest fitting unit.

    >>> amount(441451792), amount(12), amount(None)
    ('441.5 MB', '12 bytes', 'unknown')
    """
    if number is None:
        return "unknown"
    place = min((len(str(number)) - 1) // 3, len(_UNITS) - 1)
    return f"{number / 1000**place:.1f} {_UNITS[place]}" if place else f"{number} bytes"


def memory_text(memory: Memory) -> Iterator[Line]:
    """Yield the worst case first, then the results for given sizes, a budget and indices."""
    over = admissible(memory.symbols, memory.assumptions)
    ending = (" without those of unknown size" if memory.unknown else "") + (f"; {over}" if over else "")
    if memory.worst is None:
        yield headline(Verdict.FAILS, name(memory.model), f"no input is valid, so nothing is held{ending}")
        return
    yield line(0, f"{name(memory.model)}: ", *_maximum_text(memory.worst, _SHARING[memory.mode]), ending)
    yield from adopted_lines(memory.symbols)
    if memory.verdict is Verdict.DEPENDS:
        yield line(0, "over the inputs that run, which are not all; `shapesmt check` says which")
    yield from _moment(memory.worst)
    yield line(2, (f"beside them: inputs {amount(memory.inputs)}, weights {amount(memory.weights)}", FAINT))
    if memory.unknown:
        unknown = first_items([name(tensor) for tensor in memory.unknown])
        yield line(2, f"{count(len(memory.unknown), 'tensor')} of unknown size: {unknown}")
    yield from _table(memory.tensors)
    yield from _lines_at_sizes(memory)
    if memory.indices is not None:
        yield from _indices(memory.indices)


def _maximum_text(peak: Peak, what: str) -> Iterator[str | tuple[str, str]]:
    """Yield the text about the maximum number of bytes, in parts with their styles."""
    if peak.bytes is not None:
        yield f"{'' if peak.exact else '~'}{amount(peak.bytes)}", STRONG
        yield f" of {what} at most"
        return
    yield f"{what} ", ""
    yield "have no end" if peak.exact else "have no end that is known", STRONG
    if peak.endless:
        sizes = first_items([name(symbol) for symbol in peak.endless])
        yield f", as {sizes} {'has' if len(peak.endless) == 1 else 'have'} none"


def _moment(peak: Peak) -> Iterator[Line]:
    """Yield the node that runs when the most is held, an input at which it does, and the formula."""
    if peak.node:
        yield line(2, f"while {name(peak.node)} ({name(peak.op_type)}) runs{_where(peak.witness)}")
    equals = "" if peak.bytes is None or not peak.node else f" = {peak.bytes:,} bytes"
    yield line(2, code(peak.formula), equals)


def _where(witness: Mapping[str, int] | None) -> str:
    return f", at {_sizes(witness)}" if witness else ""


def _sizes(sizes: Mapping[str, int]) -> str:
    return first_items([f"{name(symbol)}={value}" for symbol, value in sizes.items()])


def _table(tensors: Sequence[HeldTensor]) -> Iterator[Line]:
    """Yield the largest tensors that are held at the peak."""
    if not tensors:
        return
    yield BLANK
    yield line(0, "largest tensors there" if len(tensors) > 1 else "the tensor there")
    shown = [(name(t.name), amount(t.bytes) if t.bytes is not None else "", t.formula) for t in tensors[:MOST_TENSORS]]
    first, second = column([row[0] for row in shown]), column([row[1] for row in shown])
    for label, size, formula in shown:
        yield row(2, f"{label:{first}}  {size:>{second}}  ", code(formula))
    if len(tensors) > MOST_TENSORS:
        rest = [t.bytes for t in tensors[MOST_TENSORS:]]
        known = [size for size in rest if size is not None]
        more = f", {amount(sum(known))}" if len(known) == len(rest) else ""
        yield line(2, (f"and {len(rest)} more{more}", FAINT))


def _lines_at_sizes(memory: Memory) -> Iterator[Line]:
    """Yield the bytes at given sizes, the region that fits the budget, and the greatest size that does."""
    if memory.at is not None or memory.budget is not None:
        yield BLANK
    if memory.at is not None:
        yield line(0, f"at {_sizes(memory.at.sizes)}: ", *_maximum_text(memory.at.worst, "activations"))
        yield from _moment(memory.at.worst)
    if memory.budget is not None:
        yield from _fits(f"fits {amount(memory.budget.bytes)}", memory.budget.text, exact=memory.budget.exact)
    greatest = memory.max
    if greatest is None:
        return
    label = name(greatest.name)
    if greatest.endless:
        yield line(0, f"{label} has no greatest value that fits" + ("" if greatest.exact else " that is known"))
    elif greatest.value is None:
        yield line(0, "no input fits")
    else:
        others = {n: size for n, size in (greatest.witness or {}).items() if n != greatest.name}
        told = [at_sizes(str(greatest.value) + ("" if greatest.exact else ", which may be too great,"), others)]
        if greatest.largest is not None:
            value = greatest.largest.value
            told.append(at_sizes("none" if value is None else str(value), greatest.largest.sizes))
        yield line(0, f"greatest {label} that fits: {'; '.join(told)}")


def _fits(what: str, text: Sequence[str], *, exact: bool) -> Iterator[Line]:
    """Yield the inputs that keep a limit: in one line, or each condition on a line of its own."""
    if text in ((), ("False",)):
        every = "no input" if text else "every input"
        yield line(0, f"{every} {what}" if exact else f"{every}, as far as is known, {what}")
        return
    when = f"{what} {'exactly' if exact else 'as far as is known'} when"
    if sum(map(len, text)) <= _ONE_LINE:
        yield line(0, f"{when} ", code(conjunction(text)))
        return
    yield line(0, f"{when} {'all of these hold' if len(text) > 1 else ''}".rstrip())
    yield from (line(2, code(t)) for t in text[:_MOST_CONDITIONS])
    if len(text) > _MOST_CONDITIONS:
        yield line(2, (f"and {len(text) - _MOST_CONDITIONS} more", FAINT))


def _indices(limit: IndexLimit) -> Iterator[Line]:
    """Yield the tensor that can have more elements than a 32-bit index counts, and the inputs that avoid it."""
    most = f"{'any number of' if limit.elements is None else f'{limit.elements:,}'} elements"
    yield BLANK
    yield line(0, f"{name(limit.tensor)} can have {most}, more than a 32-bit index counts: ", code(limit.formula))
    if limit.text == ("False",):
        yield line(0, "some tensor has that many at each size" if limit.exact else "no size is known to have fewer")
    elif limit.text:
        yield from _fits("no tensor has that many", limit.text, exact=limit.exact)
