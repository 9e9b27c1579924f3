"""Sentences of advice on a finding, one for each kind of cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.base.errors import printable
from shapesmt.reports.render.quoting import argument

if TYPE_CHECKING:
    from shapesmt.reports.answers import facts


def by_data(told: facts.ByData) -> str:
    """Return what helps where a node fails at a number of results that data decide."""
    return (
        f"the data decide how many results {_named(told.nodes)} has: take the smaller size (Min), pad to a fixed one, "
        "or see to it where the data come from"
    )


def change(told: facts.Change) -> str:
    """Return a change of the node itself with which it runs.

    >>> from shapesmt.reports.answers import facts
    >>> change(facts.Change("attribute", ("axis", "3", "0", "1")))
    'with axis 0 or 1 instead of 3, this node runs for every input that reaches it'
    >>> change(facts.Change("transpose", ("w", "[2, 1280]")))
    'with the last two axes of w [2, 1280] exchanged (Transpose), this node runs for every input that reaches it'
    """
    first, second, *others = (printable(word, 80) for word in told.what)
    how = {
        "attribute": f"{first} {' or '.join(others)} instead of {second}",
        "exchange": f"inputs {first} and {second} exchanged",
        "transpose": f"the last two axes of {first} {second} exchanged (Transpose)",
    }
    return f"with {how[told.kind]}, this node runs for every input that reaches it"


def numbers(told: facts.Numbers) -> str:
    """Return what helps where two numbers clash."""
    return f"both sizes are the same for every input: compare {_named(told.makers)}"


def fixed(told: facts.Fixed) -> str:
    """Return what helps where a size is the same whatever the input.

    >>> from shapesmt.reports.answers import facts
    >>> fixed(facts.Fixed("table", 512, given=True, rows=True))
    'table has 512 rows: make it longer, or keep the input to sizes for which it has rows'
    >>> fixed(facts.Fixed("view", 2, given=False, rows=False))
    'view makes 2 there whatever the input: look for a shape written in numbers or another axis'
    """
    name = printable(told.name, 80)
    if not told.given:
        why = "look for a shape written in numbers or another axis"
        return f"{name} makes {told.size} there whatever the input: {why}"
    if told.rows:
        more = "make it longer, or keep the input to sizes for which it has rows"
        return f"{name} has {told.size} rows: {more}"
    instead = f"interpolate or compute it for other sizes, or keep the input to sizes that give {told.size}"
    return f"{name} has {told.size} there whatever the input: {instead}"


def target(told: facts.Target) -> str:
    """Return what helps where a new shape is a constant.

    >>> from shapesmt.reports.answers import facts
    >>> target(facts.Target("shape", ("1", "128")))
    'the new shape 1,128 is a constant: write 0 for a size to keep, -1 for one that varies, or compute it (Shape)'
    """
    shape = ",".join(printable(item, 40) for item in told.elements)
    instead = "write 0 for a size to keep, -1 for one that varies, or compute it (Shape)"
    return f"the new shape {shape} is a constant: {instead}"


def offset(told: facts.Offset) -> str:
    """Return what helps where sizes differ by the same number for every input.

    >>> from shapesmt.reports.answers import facts
    >>> offset(facts.Offset(1, ("a", "b")))
    'both differ by 1 for every input: compare the kernels, pads and slice ends before a and b'
    """
    before = f" before {_named(told.makers)}" if told.makers else ""
    return f"both differ by {told.difference} for every input: compare the kernels, pads and slice ends{before}"


def rounded(told: facts.Rounded) -> str:
    """Return what helps where two sizes differ by rounding.

    >>> from shapesmt.reports.answers import facts
    >>> print(rounded(facts.Rounded("/pool", {"h": 16})))
    both differ by rounding (at /pool): pad h to a multiple of 16, crop the larger one, or resize to the other's size
    """
    where = f" (at {printable(told.node, 80)})" if told.node else ""
    each = " and ".join(f"{printable(name, 40)} to a multiple of {m}" for name, m in told.multiples.items())
    pad = each or "the input to a multiple"
    return f"both differ by rounding{where}: pad {pad}, crop the larger one, or resize to the other's size"


def cut(told: facts.Cut) -> str:
    """Return what helps where one size has a maximum."""
    limit = f"{printable(told.node, 80)} makes at most {told.size}, however large the input is"
    return f"{limit}: raise that limit, or cut the other one too"


def scaled(told: facts.Scaled) -> str:
    """Return what helps where sizes grow at different rates.

    >>> from shapesmt.reports.answers import facts
    >>> print(scaled(facts.Scaled("a", "b", (3, 2))))
    for large inputs both are as 3 to 2 (a to b): look for another stride, scale or kernel before one of them
    """
    sides = f"{printable(told.larger, 80)} to {printable(told.smaller, 80)}"
    why = "look for another stride, scale or kernel before one of them"
    return f"for large inputs both are as {told.ratio[0]} to {told.ratio[1]} ({sides}): {why}"


def axes(told: facts.Axes) -> str:
    """Return what helps where sizes of different axes of one input meet.

    >>> from shapesmt.reports.answers import facts
    >>> axes(facts.Axes("ids", "seq", "batch"))
    'seq and batch are of different axes of ids: look for a node before this one that takes another axis than meant'
    """
    sizes = f"{printable(told.left, 100)} and {printable(told.right, 100)}"
    why = "look for a node before this one that takes another axis than meant"
    return f"{sizes} are of different axes of {printable(told.input, 80)}: {why}"


def relation(told: facts.Relation) -> str:
    """Return what helps where sizes of several inputs meet.

    >>> from shapesmt.reports.answers import facts
    >>> print(relation(facts.Relation("total == past + seq")))
    if callers always give such sizes, say so (--assume "total == past + seq"); else a node before isn't as meant
    """
    said = f"--assume {argument(told.condition)}"
    return f"if callers always give such sizes, say so ({said}); else a node before isn't as meant"


def unlike(_: facts.Unlike) -> str:
    """Return what helps where no cause is known."""
    return "both sizes are computed in different ways: look for a node before this one that isn't as meant"


def _named(names: tuple[str, ...]) -> str:
    return " and ".join(printable(name, 80) for name in names)
