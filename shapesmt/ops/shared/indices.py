"""Index tensors: the range of what they hold, inside the axis they index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from shapesmt import laws
from shapesmt.algebra import (
    FALSE,
    FLOOR_DIVISION,
    ONE,
    SELECT,
    TRUE,
    ZERO,
    Atom,
    Dim,
    Formula,
    Kind,
    all_of,
    any_entry,
    any_of,
    as_dim,
    at_least,
    atom_of,
    entries,
    entry,
    equal,
    less,
    maximum,
    minimum,
    negate,
    nested,
    of_atom,
    partly_known,
    product,
    substitute,
    symbol,
    tight,
    twin,
)
from shapesmt.algebra.numeric import fold, too_long
from shapesmt.lazy import np
from shapesmt.ops.shared.fields import element_of, valued
from shapesmt.presolve import monotone
from shapesmt.rules import (
    Decided,
    Elements,
    Field,
    RuleContext,
    Shape,
    Tensor,
    Unjudged,
    Value,
    from_array,
    is_open_value,
    move_positions,
    position,
    positions,
    tensor,
)

MAX_CASES = 16

Box = dict[Atom, tuple[Dim, Dim]]  # per position the first and the last index


def count_true(ctx: RuleContext, index: int) -> Dim:
    """How many elements of an input aren't 0, where only data says it: one size for all who ask."""
    ctx.only_sizes(index)
    total = ctx.input(index).numel
    return ctx.fresh("count", 0, total, how=Decided((index,), total=total, free=True))


def true_place(ctx: RuleContext, index: int, axis: int) -> Dim:
    """The place on an axis of an input of any of its elements that aren't 0."""
    return ctx.fresh(f"row{axis}", 0, ctx.input(index)[axis] - 1, Kind.PLACE, Decided((index,), free=True, row=True))


def with_flags(ctx: RuleContext, index: int) -> Tensor:
    """An input with a symbol for each of its elements that is 0 or 1, where that is all that is known of them."""
    x = ctx.input(index)
    if x.value is not None or not x.rank or not x.dtype.startswith(("int", "uint")):
        return x
    ctx.memoizable = False
    if not ctx.boolean(index):
        return x
    one = ctx.fresh(f"flag{index}", 0, 1, Kind.PLACE, Decided((index,), free=True, flag=True))
    return tensor(x.dtype, x.dims, flagged(x, one))


def flagged(x: Tensor, one: Dim) -> Value | None:
    """The elements of a tensor that stand for any of these symbols each."""
    return valued(x.dims, entry(twin(one, Kind.ENTRY), *(position(back) for back in range(1, x.rank + 1))))


def is_flag(element: Dim) -> bool:
    """Whether an unknown element is 0 or 1."""
    return bool(entries(element)) and element.lo >= 0 and element.hi <= 1 and len(element.atoms()) == 1


class Span(NamedTuple):
    """The least and the greatest of some elements, both attained wherever the condition holds."""

    condition: Formula
    least: Dim
    greatest: Dim


def require_inside(
    ctx: RuleContext, indices: Tensor, size: Dim, unless: Formula = FALSE, *, index: int = 1, from_end: bool = True
) -> None:
    """State that the indices, which are that input, are inside an axis of that size.

    They may count from the end, unless `from_end` is false.
    """
    ctx.grant(index)
    known = spans(indices)
    _leave_mixed(ctx, indices)
    if not known and size.lo < 1:
        some = any_of(unless, equal(indices.numel, 0), at_least(size, 1))
        ctx.require(some, laws.SOMETHING_TO_PICK, size, 1)
    for condition, least, greatest in known:
        inside = all_of(at_least(least, -size if from_end else 0), less(greatest, size))
        shown = least if greatest.hi < 0 else greatest
        ctx.require(any_of(unless, negate(condition), inside), laws.INDICES_INSIDE_AXIS, shown, size)


def require_places(ctx: RuleContext, index: int, size: Dim, law: laws.Law, extra: Dim | int = 1) -> None:
    """State that each element of an input, if there is one, is the first of `extra` places in an axis of that size."""
    if not ctx.has(index):
        return
    ctx.grant(index)
    for condition, least, greatest in spans(ctx.input(index)):
        inside = all_of(at_least(least, 0), at_least(size, greatest + extra))
        ctx.require(any_of(negate(condition), inside), law, least if greatest.hi < 0 else greatest, size)


def spans(indices: Tensor) -> list[Span]:
    """What is known of the elements: cases that cover the known ones, none where nothing is known.

    An index of which the caller says nothing is data, and fits.
    """
    return [span for span in _spans(indices) if not any(map(_unrestricted, (span.least, span.greatest)))]


def _leave_mixed(ctx: RuleContext, indices: Tensor) -> None:
    """Leave the node unknown if indices are counted, or known ones stand among others, in a way that isn't followed."""
    element = indices.value.element if isinstance(indices.value, Field) else ZERO
    counted = any((s.lo, s.hi) == (0, 1) for s in entries(element))
    if (counted or partly_known(element)) and not _spans(indices):
        law = "the known indices among unknown ones are followed"
        ctx.unjudged.append(Unjudged("", ctx.node.op, "elements", law))


def _unrestricted(end: Dim) -> bool:
    """Whether an index depends on an element that may be any integer."""
    return is_open_value(end) or any(s.kind is Kind.PLACE and s.lo < 0 for s in end.symbols)


def _spans(indices: Tensor) -> list[Span]:
    value = indices.value
    if isinstance(value, Elements):
        known = list(dict.fromkeys(i for i in value.items if isinstance(i, Dim)))
        constants = [i for i in known if i.constant is not None]
        ends = [min(constants, key=lambda d: d.lo), max(constants, key=lambda d: d.lo)] if constants else []
        cases = [Span(TRUE, *ends)] if ends else []
        return cases + [Span(TRUE, d, d) for d in known if d.constant is None]
    if not isinstance(value, Field):
        return []
    element = value.element
    box = {p: (ZERO, indices[-int(p.name[1:])] - 1) for p in positions(element)}
    rest = [at_least(d, 1) for b, d in enumerate(reversed(indices.dims), 1) if position(b).as_symbol() not in box]
    cases = _cases(element, box) or []
    if not cases and not entries(element):
        least, greatest = (fold_all(how, element, indices.dims) for how in ("least", "greatest"))
        cases = [Span(_nonempty(box), least, greatest)]
    return [Span(all_of(*rest, condition), a, b) for condition, a, b in cases]


def fold_all(how: str, element: Dim, dims: Shape) -> Dim:
    """An element over positions folded over all of a tensor; 0 where it is empty."""
    lasts = {p: dims[-int(p.name[1:])] - 1 for p in positions(element)}
    once = _fold(how, element, lasts) if lasts else element
    if how != "sum":
        return once
    return once * product(d for b, d in enumerate(reversed(dims), 1) if position(b).as_symbol() not in lasts)


def _fold(how: str, element: Dim, lasts: Mapping[Atom, Dim]) -> Dim:
    """An element folded over the positions from 0 to the last ones; a size that isn't known where they are too many."""
    once = fold(how, element, lasts)
    if not too_long(once):
        return once
    return symbol(f"{once} over {', '.join(str(last + 1) for last in lasts.values())}", *tight(once), kind=Kind.LOST)


def _cases(element: Dim, box: Box, depth: int = 4) -> list[Span] | None:
    """The element's ends over a box of positions; choices by position split the box, as joined tensors have them.

    None where the ends over some part of the box aren't known.
    """
    element, box = _finer(*_from_zero(element, box))
    if any((last - first).hi < 0 for first, last in box.values()):
        return []
    ends = None if any(map(_by_place, element.atoms())) else _at_corners(element, box)
    if ends is not None:
        return [ends]
    for atom in filter(_by_place, nested(element) if depth else ()):
        halves = _split(atom.args[0], box)
        if halves is not None:
            return _in_parts(element, atom, halves, depth - 1)
    return None if entries(element) else [_folded(element, box)]


def _by_place(atom: Atom) -> bool:
    return atom.op is SELECT and any(s.kind is Kind.AXIS for s in atom.args[0].symbols)


def _in_parts(element: Dim, choice: Atom, halves: tuple[list[Box], list[Box]], depth: int) -> list[Span] | None:
    """The element's ends over the parts of a box where a choice is the one and where it is the other."""
    pieces: list[Span] = []
    same = {p: of_atom(p) for p in choice.symbols}
    for half, branch in zip(halves, choice.args[1:], strict=True):
        for one in half:
            inner = _cases(substitute(element, {**same, choice: branch}), one, depth)
            if inner is None or len(pieces) + len(inner) > MAX_CASES:
                return None
            pieces += inner
    return pieces


def _at_corners(element: Dim, box: Box) -> Span | None:
    """The ends of an element that grows or falls along each position; None where it does neither."""
    one = any_entry(element)
    flags = [] if one is None else [s for s in one.symbols if s.kind is Kind.PLACE and (s.lo, s.hi) == (0, 1)]
    if one is None or any(monotone(one, flag) is None for flag in flags):
        return None  # flags stand for what is counted by them, which may also be between the ends
    least = greatest = whole = _linear(one, flags)
    for p, (first, last) in box.items():
        slope = monotone(whole, p)
        if slope is None:
            return None
        least = substitute(least, {p: first if slope >= 0 else last})
        greatest = substitute(greatest, {p: last if slope >= 0 else first})
    return Span(_nonempty(box), least, greatest)


def _linear(element: Dim, flags: Sequence[Atom]) -> Dim:
    """An element as a sum of flags, each of which is 0 or 1, times what doesn't depend on it."""
    for flag in flags:
        unset = substitute(element, {flag: ZERO})
        element = unset + of_atom(flag) * (substitute(element, {flag: ONE}) - unset)
    return element


def _folded(element: Dim, box: Box) -> Span:
    """The ends of an element whose corners don't have them, as what is found at all positions."""
    lasts = {p: last for p, (_, last) in box.items()}
    return Span(_nonempty(box), *(_fold(how, element, lasts) for how in ("least", "greatest")))


def _nonempty(box: Box) -> Formula:
    return all_of(*(at_least(last, first) for first, last in box.values()))


def _from_zero(element: Dim, box: Box) -> tuple[Dim, Box]:
    """The same elements with positions that start at 0 in place of those of a part of a box.

    A choice that the part decides is none then.
    """
    shifted = dict(box)
    for p, (first, last) in box.items():
        if first is last:
            element = substitute(element, {p: first})
            del shifted[p]
        elif first is not ZERO:
            element = substitute(element, {p: first + of_atom(p)})
            shifted[p] = ZERO, last - first
    return element, shifted


def _finer(element: Dim, box: Box) -> tuple[Dim, Box]:
    """The same elements with two positions in place of one that is divided by a size, such as `i // n` in a box of n*m.

    So the position in a flattened matrix becomes those of its row and its column, along each of which elements grow.
    """
    divided = [(a.args[0].as_symbol(), a.args[1]) for a in nested(element) if a.op is FLOOR_DIVISION]
    for p, size in sorted(((p, d) for p, d in divided if p in box), key=lambda one: _degree(one[1]), reverse=True):
        first, last = box[p]
        rows = (last + 1) // size
        if first is ZERO and size.lo >= 1 and rows * size is last + 1:
            row = position(1 + max(int(q.name[1:]) for q in box))
            parts = {p: size * row + of_atom(p), (of_atom(p) // size).atoms()[0]: row}  # `p` is the column from now on
            ends = {p: (ZERO, size - 1), atom_of(row): (ZERO, rows - 1)}
            return _finer(substitute(element, parts), box | ends)
    return element, box


def _degree(size: Dim) -> tuple[int, int]:
    return max((len(factors), c) for factors, c in size.products())


def _split(condition: Formula, box: Box) -> tuple[list[Box], list[Box]] | None:
    """The box where the condition holds, and where it doesn't, as boxes; None where those aren't boxes."""
    if condition.dim is None:
        return None
    for p, (first, last) in box.items():
        coefficient = dict(condition.dim.terms).get((p.number,), 0)
        rest = condition.dim - coefficient * of_atom(p)
        if abs(coefficient) != 1 or any(s.kind is Kind.AXIS for s in rest.symbols):
            continue
        at = -coefficient * rest  # the position where the two sides meet
        if condition.op in ("eq", "ne"):
            hit = [{**box, p: (maximum(first, at), minimum(last, at))}]
            other = [{**box, p: (first, minimum(last, at - 1))}, {**box, p: (maximum(first, at + 1), last)}]
            return (hit, other) if condition.op == "eq" else (other, hit)
        upper = {**box, p: (maximum(first, at if coefficient > 0 else at + 1), last)}
        lower = {**box, p: (first, minimum(last, at - 1 if coefficient > 0 else at))}
        return ([upper], [lower]) if coefficient > 0 else ([lower], [upper])
    return None


def columns(indices: Tensor, count: int) -> list[Tensor]:
    """The index tensors that the last axis of a tensor of index tuples holds."""
    dims = indices.dims[:-1]
    if isinstance(indices.value, Elements):
        arrays = np.moveaxis(indices.value.array, -1, 0)
        return [tensor("int64", dims, from_array(np.asarray(a, dtype=object))) for a in arrays]
    element = element_of(indices)
    return [tensor("int64", dims, _column(dims, element, i)) for i in range(count)]


def _column(dims: Shape, element: Dim | None, at: int) -> Value | None:
    if element is None:
        return None
    return valued(dims, move_positions(element, lambda axis: as_dim(at) if axis == 1 else position(axis - 1)))
