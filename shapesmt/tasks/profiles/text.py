"""The sizes of a proposal, `Dim` or `2*Dim + 1`, and its text: Python that defines `dynamic_shapes`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import Any, NamedTuple

from shapesmt.analysis.verify import Problem
from shapesmt.prover.algebra import Dim, evaluate
from shapesmt.reports.answers import SymbolRange
from shapesmt.reports.render import comment, identifier, python

_KEPT = ("Dim", "dynamic_shapes")


class Root(NamedTuple):
    """A `Dim` with its bounds: it stands for `symbol // step`, where the values of `symbol` are `step` apart."""

    symbol: str
    low: int
    high: int | None
    step: int


class Axis(NamedTuple):
    """A size as `factor*root + offset`."""

    root: str
    factor: int = 1
    offset: int = 0


class Layout(NamedTuple):
    """The sizes of all inputs: a number, an `Axis`, or None for a size that depends on others in another way."""

    inputs: dict[str, list[int | Axis | None]]
    roots: dict[str, Root]


def layout(problem: Problem) -> Layout:
    """Return the sizes of a problem's inputs, and the roots over which they are written."""
    inputs: dict[str, list[int | Axis | None]] = {}
    ranges = {name: r for name, r in problem.ranges.items() if name in problem.dims}
    for name, t in problem.inputs.items():
        sizes = t.shape or ()
        inputs[name] = [size.constant if size.constant is not None else of_size(size, ranges) for size in sizes]
    used = {axis.root for axes in inputs.values() for axis in axes if isinstance(axis, Axis)}
    return Layout(inputs, {name: _root(name, ranges[name]) for name in ranges if name in used})


def _root(name: str, r: SymbolRange) -> Root:
    high = None if r.max is None else r.max // r.step
    return Root(name, r.min // r.step, high, r.step)


def of_size(size: Dim, ranges: Mapping[str, SymbolRange]) -> Axis | None:
    """Return a size as a multiple of one symbol plus a constant; None if it isn't one.

    >>> from shapesmt.prover.algebra import symbol
    >>> of_size(2 * symbol("h") + 1, {"h": SymbolRange(8, 64, 8)})
    Axis(root='h', factor=16, offset=1)
    >>> of_size(symbol("h") * symbol("w"), {}) is None
    True
    """
    one = next(iter(size.symbols)) if len(size.symbols) == 1 else None
    terms = [(atoms, factor) for atoms, factor in size.terms if atoms]
    if one is None or one.name not in ranges or [atoms for atoms, _ in terms] != [(one.number,)]:
        return None
    ((_, factor),) = terms
    offset, r = int(evaluate(size, {one: 0})), ranges[one.name]
    return Axis(one.name, int(factor) * r.step, offset + int(factor) * (r.min % r.step)) if factor > 0 else None


class Words(IntEnum):
    """The ways to state a size, from the most specific to none."""

    DIM = 0
    DYNAMIC = 1
    AUTO = 2


def proposal_text(arguments: Any, proposal: Layout, words: Mapping[str, Words], comments: Iterable[str]) -> str:
    """Return the text of a proposal.

    Args:
        arguments: The module's arguments, nested as it takes them, with the names of inputs in place of tensors.
        proposal: The sizes of the inputs.
        words: The way to state each root; by default a `Dim`.
        comments: Facts that the text can't state.
    """
    names = _names(proposal.roots)
    defined = [
        f"{names[root]} = Dim({python(names[root])}{_ends(*proposal.roots[root][1:3])})"
        for root in proposal.roots
        if words.get(root, Words.DIM) is Words.DIM
    ]

    def value(part: Any) -> str:
        if isinstance(part, Mapping):
            return "{" + ", ".join(f"{_key(key)}: {value(inner)}" for key, inner in part.items()) + "}"
        if isinstance(part, (list, tuple)):
            inner = ", ".join(map(value, part))
            if hasattr(part, "_fields"):  # a named tuple of the caller's class
                return f"{type(part).__name__}({inner})"
            return f"[{inner}]" if isinstance(part, list) else f"({inner}{',' * (len(part) == 1)})"
        axes = proposal.inputs.get(part, [])
        said = [f"{i}: {_size(a, proposal, words, names)}" for i, a in enumerate(axes) if not isinstance(a, int)]
        return "{" + ", ".join(said) + "}" if said else "None"

    rows = [f"    {_key(name)}: {value(part)}," for name, part in arguments.items()]
    head = ["from torch.export import Dim", "", *map(comment, comments), *defined]
    return "\n".join([*head, "dynamic_shapes = {", *rows, "}"])


def _key(key: Any) -> str:
    return python(key) if isinstance(key, str) else repr(key)


def _size(axis: Axis | None, proposal: Layout, words: Mapping[str, Words], names: Mapping[str, str]) -> str:
    """Return the text of one size, such as `2*h + 1`, `Dim.DYNAMIC(min=2)` or `Dim.AUTO` (for None)."""
    if axis is None:
        return "Dim.AUTO"
    root, how = proposal.roots[axis.root], words.get(axis.root, Words.DIM)
    if how is Words.AUTO:
        return "Dim.AUTO"
    if how is Words.DYNAMIC:
        low = axis.factor * root.low + axis.offset
        ends = _ends(low, None if root.high is None else axis.factor * root.high + axis.offset)
        return f"Dim.DYNAMIC({ends.removeprefix(', ')})" if ends else "Dim.DYNAMIC"
    multiple = (f"{axis.factor}*" if axis.factor != 1 else "") + names[axis.root]
    return multiple + (f" {'+-'[axis.offset < 0]} {abs(axis.offset)}" if axis.offset else "")


def _ends(low: int, high: int | None) -> str:
    """Return the bounds of a range as arguments; a lower bound of 0 or 1 needs none.

    >>> _ends(2, 9), _ends(1, None)
    (', min=2, max=9', '')
    """
    return (f", min={low}" if low > 1 else "") + ("" if high is None else f", max={high}")


def _names(roots: Mapping[str, Root]) -> dict[str, str]:
    """Return a unique name for each root that is valid in Python."""
    names: dict[str, str] = {}
    for root in roots:
        name = ("_" if roots[root].step > 1 else "") + identifier(root)
        while name in names.values() or name in _KEPT:
            name += "_"
        names[root] = name
    return names
