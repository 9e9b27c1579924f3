"""Findings as text: the law, the clashing sides, the counterexample, the causes of the sizes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shapesmt.base.errors import printable
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import (
    Cause,
    Counterexample,
    Finding,
    FindingKind,
    Group,
    Operand,
    Replay,
    Side,
    SymbolRange,
)
from shapesmt.reports.render.text.sources import position, quotation
from shapesmt.reports.render.text.words import (
    COMMAND,
    FAINT,
    STRONG,
    STYLES,
    Line,
    code,
    column,
    common_path,
    count,
    dims_text,
    first_items,
    input_shapes,
    line,
    name,
    runs_when,
    shape_text,
    size_text,
    slot,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence, Set as AbstractSet


_SAYS_NOTHING = ("", "True", "False")
_WIDEST_SIDE = 40  # the most columns of a cell of the two sides
_WIDEST_SIZE = 48  # columns of a size with its formula, up to which the nodes on the right are aligned
_MOST_OPERANDS = 6
_MOST_NAMED = 4  # the most findings that are named
_WIDEST, _WIDEST_NAME = 100, 32  # columns of a line about an input, and of a name in it
_WIDTH = 80  # columns of a cause, up to which its line of Python is shown
_GUARD = "SM407"  # the code of guards: PyTorch generates their conditions, which may be very long
_TYPES = "SM501"  # the code of laws about element types
_LONGEST = 100  # the most characters of a formula that is shown with its value


def finding_head(finding: Finding, others: str = "") -> Iterator[Line]:
    """Yield the verdict, the node and the problem there; `others` is text about further nodes with the same problem."""
    position = f"node {finding.index}" if finding.index >= 0 else ""
    where = ", ".join(part for part in (name(finding.op_type), position) if part)
    verdict = (finding.verdict.value, STYLES[finding.verdict])
    yield line(0, verdict, "  ", (name(finding.node), STRONG), f" ({where})" if where else "", others)
    if finding.kind == FindingKind.UNSUPPORTED:
        yield line(2, _no_rule(finding))
    else:
        yield line(2, printable(finding.title or finding.law, 400))
    if source := quotation(finding.source, finding.node):
        yield line(2, source)


def finding_lines(
    finding: Finding, symbols: Mapping[str, SymbolRange] | None = None, *, group: Group | None = None, most: int = 0
) -> Iterator[Line]:
    """Yield the details of a finding below its head: sides, inputs that fail, operands, causes, law and advice.

    Args:
        finding: The finding.
        symbols: The admissible values; a symbol with a single value isn't mentioned.
        group: The group it stands for, whose condition is shown instead of its own.
        most: The most causes that are shown; 0 for all, with the shapes on the way to the clash.
    """
    yield from brief_lines(finding, symbols, group)
    yield from operands(finding)
    yield from further_lines(finding, most)


def further_lines(finding: Finding, most: int = 0) -> Iterator[Line]:
    """Yield what follows a finding's operands: at most so many causes (0 for all), advice and law."""
    if finding.because:
        yield line(2, "because")
        yield from causes(finding.because, most)
    if not most:
        yield from _shapes_on_the_way(finding)
    yield from advice_lines(finding)


def brief_lines(
    finding: Finding, symbols: Mapping[str, SymbolRange] | None = None, group: Group | None = None
) -> Iterator[Line]:
    """Yield the two sides of a finding, and the inputs that fail."""
    yield from side_lines(finding)
    yield from input_lines(finding, symbols, group)


def every_input(finding: Finding) -> str:
    """Return for which inputs a node fails that no input passes."""
    return "every input that reaches it" if finding.unreached else "every input"


def side_lines(finding: Finding) -> Iterator[Line]:
    """Yield what is known beside a finding's title: a note, the branches that contain the node, the two sides."""
    if finding.kind == FindingKind.UNSUPPORTED:
        return
    if finding.note:
        yield line(2, printable(finding.note, 400))
    if finding.when:
        yield line(2, f"when {printable(finding.when, 400)}")
    yield from _sides(finding)


def advice_lines(finding: Finding) -> Iterator[Line]:
    """Yield the advice for a finding, then its law with the command that says more about it."""
    advice = advice_for(finding)
    if advice:
        yield line(2, "help: ", advice)
    told = finding.title and finding.title not in finding.law and finding.law not in finding.title
    law = ["required: ", printable(finding.law, 400)] if told else []
    more = (f"shapesmt explain {finding.code}", COMMAND)
    if law or advice:
        yield line(2, *law, *("; " * bool(law) + "more: ", more) * bool(advice))


def advice_for(finding: Finding) -> str:
    """Return a finding's own advice, else the first sentence of its code's; "" if the catalogue lacks the code."""
    from shapesmt.network.laws import CATALOGUE

    if finding.help or finding.code not in CATALOGUE:
        return printable(finding.help, 400)
    first = re.split(r"[.;] ", CATALOGUE[finding.code].remedy)[0]
    return first[0].lower() + first[1:].removesuffix(".")


def _no_rule(finding: Finding) -> str:
    """Return the line about an operator without a rule."""
    if " must be known: " in finding.law:
        return printable(finding.law, 400)
    known = f"; {finding.note}" if finding.note else ", so its outputs are unknown"
    return f"operator {name(finding.op_type)} has no rule{known}"


def causes(because: Sequence[Cause], most: int = 0) -> Iterator[Line]:
    """Yield the causes of dimensions, in columns: tensor and axis, formula and value, the node with its settings.

    If there are more than `most`, only the first and the last ones are shown; 0 is no limit.
    """
    if 0 < most < len(because):
        rows, hidden = [because[0], *because[1 - most :]], len(because) - most
    else:
        rows, hidden = list(because), 0
    prefix = common_path([cause.node for cause in rows if cause.node])
    places = _places_of(rows, prefix)
    place_width = column(places)
    formulas = [code(c.expr) if c.about else size_text(c.expr) for c in rows]
    sizes = [(f"{at.ljust(place_width)} = ", f, _value(c)) for at, f, c in zip(places, formulas, rows, strict=True)]
    widths = [sum(len(part) for part in (left, formula, value)) for left, (formula, _), value in sizes]
    width = column((" " * w for w in widths), most=_WIDEST_SIZE)
    for place, (size, used, cause) in enumerate(zip(sizes, widths, rows, strict=True)):
        node = _node_of(cause, prefix)
        at = f"  {position(cause.source)}" if cause.source is not None and cause.source.file else ""
        node += at if 4 + max(width, used) + 2 + len(node + at) <= _WIDTH else ""
        yield line(4, *size, *((" " * max(width - used, 0) + "  ", (node, FAINT)) if node else ()))
        if hidden and not place:
            yield line(4, (f"... {count(hidden, 'more size')} on the way; `shapesmt explain` shows all", FAINT))


def operands(finding: Finding) -> Iterator[Line]:
    """Yield the node's settings and its inputs, in columns: position, tensor, shape with elements, producer."""
    shown = finding.operands[:_MOST_OPERANDS]
    if not shown:
        return
    settings = printable(finding.attributes, 60)
    yield line(2, "reads", f" ({settings})" if settings else "")
    prefix = common_path([o.tensor for o in shown])
    makers = [_maker_of(o, prefix) for o in shown]
    names = [_short(o.tensor, prefix) for o in shown]
    room = _WIDEST - column(names) - column(makers) - len("    10      ")
    rows = [
        (str(o.input), tensor, printable(_shape_of(o, room, typed=finding.code == _TYPES), room))
        for o, tensor in zip(shown, names, strict=True)
    ]
    widths = [column(cells) for cells in zip(*rows, strict=True)]
    for row, maker in zip(rows, makers, strict=True):
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        yield line(4, "  ".join(cells), "  ", (maker, FAINT))
    if len(shown) < len(finding.operands):
        yield line(4, (f"... {count(len(finding.operands) - len(shown), 'more input')}", FAINT))


def _short(text: str, prefix: str) -> str:
    """Return a name without the path that is common to all, and without its middle if it is still too long."""
    return printable(f".../{text[len(prefix) :]}" if prefix and text.startswith(prefix) else text, _WIDEST_NAME)


def _shape_of(operand: Operand, room: int, *, typed: bool) -> str:
    """Return the shape of an input, after its type if that matters, and its elements if it has them."""
    shape = "rank unknown" if operand.shape is None else dims_text(operand.shape, room)
    kind = f"{operand.dtype or 'unknown type'} " if typed else ""
    return kind + shape + (f" = {', '.join(operand.elements)}" if operand.elements else "")


def _maker_of(operand: Operand, prefix: str) -> str:
    """Return the producer of an input, by its operator if the tensor is named after it; else `constant` or `input`."""
    if not operand.node:
        return "constant" if operand.constant else "input"
    node = _short(operand.node, prefix)
    if operand.tensor.startswith(operand.node):
        return name(operand.op_type)
    return node if operand.op_type.lower() in operand.node.lower() else f"{name(operand.op_type)} {node}"


def _node_of(cause: Cause, prefix: str) -> str:
    """Return `/down1/MaxPool (stride 2)` or `join (Concat, axis 1)`: with the operator unless the name contains it."""
    named = cause.op_type.lower() in cause.node.lower()
    about = ", ".join(part for part in ("" if named else name(cause.op_type), printable(cause.attributes, 60)) if part)
    short = f".../{cause.node[len(prefix) :]}" if prefix else cause.node
    return ((name(short) if cause.node else "") + (f" ({about})" if about else "")) or (
        "constant" if cause.constant else "input"
    )


def _places_of(causes: Sequence[Cause], prefix: str) -> list[str]:
    """Return the tensor and the axis of each cause.

    A tensor that is named after its node (`/conv_output_0`) is called `output` if it is the only one, else by the node
    without the path `prefix`.
    """
    named_so = {cause.tensor: _output(cause) for cause in causes}
    alone = len([output for output in named_so.values() if output]) == 1
    labels = {c.tensor: named_so[c.tensor] if alone else _short(c.node, prefix) for c in causes if named_so[c.tensor]}
    named = [(labels.get(c.tensor) or name(c.tensor), c) for c in causes]
    return [label if c.about else slot(label, c.axis, c.element) for label, c in named]


def _output(cause: Cause) -> str:
    """Return `output`, with its number if that isn't 0, for a tensor that is named after its node; else ""."""
    number = cause.tensor.removeprefix(f"{cause.node}_output_")
    return ("output" if number == "0" else f"output {number}") if cause.node and number.isdigit() else ""


def _sides(finding: Finding) -> Iterator[Line]:
    """Yield the two clashing sides, one below the other; without a clash, the condition."""
    if finding.clash is None:
        if finding.condition not in _SAYS_NOTHING and not (
            finding.code == _GUARD and len(finding.condition) > _LONGEST
        ):
            yield line(4, code(finding.condition))
        return
    sides = (finding.clash.left, finding.clash.right)
    rows = [_equation(s) for s in sides if s.tensor or s.name or not s.expr.isdecimal()]
    widths = [column((row[i][0] for row in rows if i < len(row)), most=_WIDEST_SIDE) for i in range(3)]
    for row in rows:
        parts: list[str | tuple[str, str]] = []
        for i, (text, style) in enumerate(row):
            last = i == len(row) - 1
            parts += [(text if last else text.ljust(widths[i]), style), *([] if last else [" = "])]
        yield line(4, *parts)


def _equation(side: Side) -> list[tuple[str, str]]:
    """Return the slot in an input, the formula and the value of a side, without those that are missing or repeated."""
    label = slot(name(side.tensor), side.axis, side.element) if side.tensor else side.name
    cells = [(label, "")] if label else []
    cells.append(code(side.expr) if side.value is None else size_text(side.expr))
    if side.value is not None and side.expr != str(side.value):
        cells.append((str(side.value), ""))
    return cells


def _value(of: Cause) -> str:
    """Return ` = 65`; "" if the formula is that number already."""
    return "" if of.value is None or of.expr == str(of.value) else f" = {of.value}"


def input_lines(
    finding: Finding, symbols: Mapping[str, SymbolRange] | None = None, group: Group | None = None
) -> Iterator[Line]:
    """Yield the inputs for which the node fails, and those for which it runs, and what the replay showed."""
    if finding.kind != FindingKind.UNSUPPORTED:
        yield from _inputs_that_fail(finding, {n for n, r in (symbols or {}).items() if r.min == r.max}, group)
    if finding.replay is not None:
        loud = STYLES[Verdict.FAILS] if finding.replay.confirmed is False else ""
        yield line(2, (replay_sentence(finding.replay), loud))


def _inputs_that_fail(finding: Finding, fixed: AbstractSet[str], group: Group | None) -> Iterator[Line]:
    """Yield the inputs for which the node fails, and those for which it runs, with all others of its group."""
    together = group if group is not None and group.size > 1 else None
    conditions = together or finding
    holds_iff, safe_iff = conditions.holds_iff, conditions.safe_iff
    samples = finding.kind == FindingKind.SAMPLES
    all_of = "samples stay apart" if samples else "all run" if together is not None else "runs"
    fails = "samples are mixed" if samples else "fails"
    shown = finding.counterexample
    if finding.verdict is Verdict.FAILS:
        only = shown is not None and bool(shown.symbols) and shown.symbols.keys() <= fixed
        every = fails if only else f"{fails} for {every_input(finding)}"
        yield line(2, every + (_example(shown, fixed, every=True) if shown else ""))
    elif shown is not None:
        yield line(2, fails + _example(shown, fixed))
    if finding.kind == FindingKind.RANK:
        yield line(2, "so it wasn't checked; --shape gives an input its rank")
    elif finding.verdict is Verdict.UNKNOWN and finding.kind in (FindingKind.REQUIREMENT, FindingKind.DATA):
        yield line(2, "undecided; narrower ranges or a longer --timeout may decide it")
    if finding.verdict is Verdict.DEPENDS and holds_iff:
        yield line(2, f"{all_of} exactly when ", code(holds_iff))
    if safe_iff:
        how, formula = runs_when(safe_iff, data=True)
        yield line(2, how.replace("runs", all_of), *(" ", code(formula)) * bool(formula))
    if finding.kind == FindingKind.DATA:
        yield line(2, "whether it fails depends on the data too, not on sizes alone")
    if finding.explains:
        later = first_items([name(node) for node in finding.explains], most=_MOST_NAMED)
        yield line(
            2, f"then {later} {'fail' if len(finding.explains) > 1 else 'fails'} for every input that gets there"
        )


def replay_sentence(replay: Replay) -> str:
    """Return the result of the replay in one sentence; a disagreement is in capitals.

    >>> from shapesmt.reports.answers import Replay
    >>> replay_sentence(Replay("onnxruntime 1.20.0", True, "fc", "the inner sizes differ"))
    'confirmed by onnxruntime 1.20.0: the inner sizes differ'
    """
    runtime, message = name(replay.runtime), printable(replay.message, 400)
    if replay.confirmed is None:
        return f"not replayed by {runtime}: {message}"
    if replay.confirmed:
        return f"confirmed by {runtime}: {message}"
    return f"NOT CONFIRMED by {runtime}: {message}; please report this with the model"


def assignment(example: Counterexample) -> str:
    """Return a counterexample as text: `height=65, any batch (image 1x3x65x64)`."""
    return _example(example, frozenset()).removeprefix(" at ")


def _example(example: Counterexample, fixed: AbstractSet[str], *, every: bool = False) -> str:
    """Return ` at height=65, any batch (image 1x3x65x64)`: relevant sizes, irrelevant ones, and the inputs' shapes."""
    free = [symbol for symbol in example.symbols if symbol not in fixed]
    matter = [symbol for symbol in free if symbol in (example.relevant or example.symbols)]
    parts = [f"{name(symbol)}={example.symbols[symbol]}" for symbol in matter]
    if not every:
        parts += [f"any {name(symbol)}" for symbol in free if symbol not in matter]
    at = f"{', as' if every else ''} at {first_items(parts, most=12)}" if parts else ""
    shapes = input_shapes(example.inputs)
    decided = first_items([f"{name(size)}={value}" for size, value in example.data.items()])
    shapes += f"{'; ' * bool(shapes)}data for which {decided}" if decided else ""
    if not shapes:
        return at
    return f"{at} ({shapes})" if at else f" at {shapes}" if not every or fixed else f" ({shapes})"


def _shapes_on_the_way(finding: Finding) -> Iterator[Line]:
    """Yield the concrete shapes at the counterexample, from the inputs through each node that changes a size."""
    inputs = {c.tensor: c for c in finding.because if not c.node and c.shape}
    computed = {c.tensor: c for c in finding.because if c.node and c.shape}
    if not inputs:
        return
    first = ", ".join(f"{name(c.tensor)} {shape_text(c.shape)}" for c in inputs.values())
    steps = [first, *(f"{name(c.node)} {shape_text(c.shape)}" for c in computed.values())]
    clash = finding.clash
    values = [] if clash is None else [s.value for s in (clash.left, clash.right) if s.value is not None]
    against = f": {values[0]} against {values[1]}" if len(values) == len(("left", "right")) else " fails"
    yield line(2, "shapes there")
    yield line(4, " -> ".join([*steps, f"{name(finding.node)}{against}"]))
