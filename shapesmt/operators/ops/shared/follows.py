"""Which axes of its inputs an operator's outputs follow: what the functions of several families share.

Each function here is, or returns, a `Following`: the argument `follows` of `@rule`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence

from shapesmt.network.graph import Attributes
from shapesmt.operators.ops.shared.fields import element_of
from shapesmt.operators.ops.shared.indices import columns
from shapesmt.operators.rules import Following, Follows, Letters, RuleContext, Tensor, position, resolve

PICKED = ...
"""The letter of an axis on which an operator reads the indices that other elements give."""


def aligned(t: Tensor | None) -> Letters:
    """Return letters that count axes from the last one, as broadcasting aligns them; () without a tensor."""
    return () if t is None else tuple(range(t.rank, 0, -1))


def each(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """Each output element is computed from the elements at its own position, after broadcasting."""
    return Follows(tuple(map(aligned, ctx.inputs)), tuple(map(aligned, outputs)))


def each_of_first(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """Each output element is computed from the element of the first input at its position, and from all others."""
    return Follows((aligned(ctx.input(0)),), tuple(map(aligned, outputs)))


def first_alone(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """Each output element is computed from the element of the first input at its position; no other input is read."""
    others = (None,) * (len(ctx.inputs) - 1)
    return Follows((aligned(ctx.input(0)), *others), tuple(map(aligned, outputs)))


def row_of_matrix(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """Row i of the outputs is computed from row i of matrices; a vector is one row."""
    read = (("row", None) if t is not None and t.rank == 2 else () for t in ctx.inputs)
    return Follows(tuple(read), tuple(("row", *[None] * (t.rank - 1)) if t.rank else () for t in outputs))


def as_a_whole(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:  # noqa: ARG001 - a `Following`
    """Each output element is computed from all elements."""
    return Follows((), ())


def alone(rank: int, axes: Collection[int] = (0,), letter: Hashable = "n") -> Letters:
    """Return letters for some axes of a tensor, None for the others."""
    return tuple((letter, axis) if axis in axes else None for axis in range(rank))


def batched(reads: Mapping[int, int], makes: Sequence[int] = ()) -> Following:
    """Only the batch is followed, on axis `reads[i]` of input i and on axis `makes[k]` (by default 0) of output k.

    Other inputs are read as a whole.
    """

    def follows(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
        known = (t if i in reads else None for i, t in enumerate(ctx.inputs))
        read = tuple(() if t is None else _batch_at(t.rank, reads[i]) for i, t in enumerate(known))
        axes = (*makes, *[0] * len(outputs))
        return Follows(read, tuple(_batch_at(t.rank, axis) for t, axis in zip(outputs, axes, strict=False)))

    return follows


def _batch_at(rank: int, at: int) -> Letters:
    return tuple("batch" if axis == at else None for axis in range(rank))


def lent(op: str, version: int, attributes: Mapping[str, str] | None = None) -> Following:
    """Return the `Following` of an ai.onnx operator in an operator set, for an operator with the same inputs.

    `attributes` maps its attributes to those of the other operator; None if they have the same names.
    """

    def follows(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows | None:
        lender = resolve("", op, version)
        if lender is None or lender.follows is None:
            return None
        known = ctx.node.attributes
        if attributes is not None:
            known = Attributes({name: known[own] for name, own in attributes.items() if own in known})
        inner = RuleContext(ctx.node._replace(op=op, domain="", attributes=known), ctx.inputs, version)
        inner.case, inner.runtime = ctx.case, ctx.runtime
        return lender.follows(inner, outputs)

    return follows


def row_wise(*inputs: int) -> Following:
    """All axes of the first input but the last are followed; these other inputs broadcast to it."""

    def follows(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
        def letters(t: Tensor) -> Letters:
            return (*aligned(t)[:-1], None) if t.rank else ()

        read = [letters(t) if t is not None and i in (0, *inputs) else () for i, t in enumerate(ctx.inputs)]
        x = ctx.input(0)
        made = (letters(t) if t.rank == x.rank else aligned(x)[:-1] if t.rank == x.rank - 1 else () for t in outputs)
        return Follows(tuple(read), tuple(made))

    return follows


def rows(*inputs: int) -> Following:
    """Row i of each output is computed from row i of these inputs (by default the first one), and from all others."""

    def follows(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
        known = (t if i in (inputs or (0,)) else None for i, t in enumerate(ctx.inputs))
        return Follows(tuple(() if t is None else alone(t.rank) for t in known), tuple(alone(t.rank) for t in outputs))

    return follows


def apart_from(axes: Callable[[RuleContext, Tensor], Collection[int] | None], *, scaled: bool = False) -> Following:
    """All axes of the first input are followed but those that `axes` returns (None: unknown), which may be removed.

    `scaled` means that the other inputs are broadcast to the first one afterwards.
    """

    def follows(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows | None:
        x = ctx.input(0)
        mixed = axes(ctx, x)
        if mixed is None:
            return None
        letters = aligned(x)
        read = tuple(None if i in mixed else letter for i, letter in enumerate(letters))
        kept = tuple(letter for letter in read if letter is not None)
        made = tuple(letters if t.rank == x.rank else kept if t.rank == len(kept) else () for t in outputs)
        return Follows((read, *map(aligned, ctx.inputs[1:] if scaled else ())), made)

    return follows


def product_axes(ctx: RuleContext, outputs: Sequence[Tensor], left: int = 0, right: int = 1) -> Follows:
    """Matrices are multiplied: `[..., m, k] x [..., k, n] -> [..., m, n]`; other inputs are read as a whole."""
    a, b = ctx.input(left), ctx.input(right)
    batch = [tuple(("batch", axis) for axis in range(t.rank - 2, 0, -1)) for t in (a, b)]
    first = (*batch[0], "row", None)[-a.rank :] if a.rank > 1 else (None,)
    second = (*batch[1], None, "column") if b.rank > 1 else (None,)
    out = (*max(batch, key=len), *["row"] * (a.rank > 1), *["column"] * (b.rank > 1))
    reads: list[Letters] = [()] * len(ctx.inputs)
    reads[left], reads[right] = first, second
    return Follows(tuple(reads), (out,) * len(outputs))


def named_axes(indices: Tensor, letters: Letters) -> Letters:
    """Return letters for the axes of index tuples, without the last: that of the axis whose index is its own one.

    `letters` are those of the axes that a tuple names. Another axis is `PICKED`.
    """
    named: list[Hashable] = [PICKED] * (indices.rank - 1)
    for letter, column in zip(letters, columns(indices, len(letters)), strict=True):
        place = element_of(column)
        for axis in range(len(named)):
            if place is position(column.rank - axis):
                named[axis] = letter
    return tuple(named)


def listed_axes(ctx: RuleContext, x: Tensor, index: int) -> set[int] | None:
    """Return the axes that an input lists; None if they aren't known."""
    axes = ctx.constants(index)
    return None if axes is None else {axis % max(x.rank, 1) for axis in axes}


def heads_apart(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """Attention keeps all axes but the last two apart."""

    def letters(t: Tensor) -> Letters:
        return tuple(back if back > 2 else None for back in range(t.rank, 0, -1))

    return Follows(tuple(() if t is None else letters(t) for t in ctx.inputs), tuple(map(letters, outputs)))


def gathered_along(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows | None:
    """The axes of the indices take the place of the axis that they index, after `batch_dims` shared ones."""
    x, indices, axes = ctx.input(0), ctx.input(1), ctx.constants(2) if ctx.has(2) else (0,)
    batch = ctx.integer("batch_dims", 0) % max(indices.rank, 1)
    if axes is None or len(axes) != 1:
        return None
    axis, own = axes[0] % x.rank, tuple(range(x.rank))
    chosen = (*own[:batch], *(("index", i) for i in range(batch, indices.rank)))
    made = (*own[:axis], *chosen[batch:], *own[axis + 1 :])
    return Follows(((*own[:axis], PICKED, *own[axis + 1 :]), chosen), (made,) * len(outputs))


def unread(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """The elements of no input are read, only its sizes."""
    return Follows((None,) * len(ctx.inputs), ((),) * len(outputs))
