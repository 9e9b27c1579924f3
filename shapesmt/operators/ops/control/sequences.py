"""Sequences of tensors.

A sequence is a `Tensor` of element type "seq(...)". Its first size is the sequence's length, its other sizes are those
of the tensor at index `PLACE`: `[(n + 1)//2, min(2, n - 2*PLACE)]`. If its tensors differ in rank, the shape is None.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from shapesmt.network import laws
from shapesmt.network.graph import DTYPES
from shapesmt.operators.ops.control.iterations import in_every_iteration, put, slope_of
from shapesmt.operators.ops.control.subgraphs import apart, mark, symbols_since
from shapesmt.operators.ops.shared.require import require_alike, require_least
from shapesmt.operators.rules import Follows, RuleContext, Runs, Tensor, Traits, elements, position, rule, tensor
from shapesmt.prover.algebra import (
    MIN,
    ONE,
    ZERO,
    Atom,
    Dim,
    Kind,
    all_of,
    any_of,
    as_dim,
    at_least,
    ceil_divide,
    equal,
    less,
    maximum,
    minimum,
    product,
    select,
    substitute,
    total,
)

PLACE = position(0)
LISTED = 64  # longest sequence whose sizes are listed one by one


def sequence(dtype: str, length: Dim | int, sizes: Sequence[Dim] | None) -> Tensor:
    """Return a sequence of `length` tensors of shape `sizes`, which may depend on `PLACE`; None: unknown rank."""
    return tensor(f"seq({dtype})", None if sizes is None else [as_dim(length), *sizes])


INPUT_OF_TYPE_SEQUENCE = laws.SM501.law("input 0 is of type sequence")


def input_sequence(ctx: RuleContext) -> Tensor:
    """Return the first input; require that it is a sequence."""
    s = ctx.input(0)
    ctx.check(s.shape is None or not s.is_tensor or (s.dtype == "" and s.rank > 0), INPUT_OF_TYPE_SEQUENCE)
    return s


def leave_undecided(ctx: RuleContext) -> None:
    """Leave the node undecided: without the sequence's rank, it isn't known whether an index is inside."""
    ctx.leave("rank", "the ranks of its inputs are known")


def inner(t: Tensor) -> str:
    """Return the element type inside a sequence or an optional value."""
    return t.dtype[t.dtype.index("(") + 1 : -1] if "(" in t.dtype else ""


def at(size: Dim, place: Dim | int) -> Dim:
    """Return `size` of the tensor at index `place` of a sequence: `n - 2*PLACE` at index 3 is `n - 6`."""
    atom = PLACE.as_symbol()
    assert atom is not None
    return substitute(size, {atom: as_dim(place)})


POSITION_SINGLE_NUMBER = laws.SM401.law("the position is a single number")


def place_of(ctx: RuleContext, index: int, length: Dim, *, end: int = 0) -> Dim | None:
    """Return the index in input `index`, counted from the front and required to be inside; None if unknown.

    With `end=1`, the index after the last is inside as well.
    """
    items = ctx.items(index)
    ctx.require_equal(ctx.input(index).numel, 1, POSITION_SINGLE_NUMBER)
    if items is None or len(items) != 1 or items[0] is None:
        ctx.require_at_least(length, 1 - end, laws.POSITION_INSIDE_SEQUENCE)
        return None
    k = items[0]
    ctx.require(all_of(at_least(k, -length), at_least(length + end, k + 1)), laws.POSITION_INSIDE_SEQUENCE, k, length)
    return select(at_least(k, 0), k, k + length)


def listed(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """Tensors keep their elements in a sequence, whose first axis is that of its tensors."""
    read = (tuple(range(t.rank, 0, -1)) if t is not None else () for t in ctx.inputs)
    kept = (
        (None, *letters[1:]) if t is not None and not t.is_tensor else letters
        for t, letters in zip(ctx.inputs, read, strict=True)
    )
    return Follows(tuple(kept), tuple((None, *range(t.rank - 1, 0, -1)) for t in outputs))


def picked(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:  # noqa: ARG001 - a `Following`
    """A tensor of the sequence."""
    letters = tuple(range(outputs[0].rank, 0, -1))
    return Follows(((None, *letters),), (letters,) * len(outputs))


def cut_apart(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """The axis along which a tensor is split into slices becomes the sequence."""
    x = ctx.input(0)
    axis, keep, own = ctx.axis(x.rank, 0), outputs[0].rank > x.rank, tuple(range(x.rank))
    read = tuple(None if i == axis and ctx.has(1) else i for i in own)
    return Follows((read,), ((axis, *(None if i == axis else i for i in own if keep or i != axis)),) * len(outputs))


def put_together(ctx: RuleContext, outputs: Sequence[Tensor]) -> Follows:
    """The tensors are stacked along a new axis, or concatenated: the sequence's index is theirs if each has one."""
    s, y, new = ctx.input(0), outputs[0], ctx.flag("new_axis")
    axis, own = ctx.axis(y.rank), tuple(range(y.rank))
    index = axis if new or s[1 + axis] is ONE else None
    return Follows(
        ((index, *(None if i == axis else i for i in own if not (new and i == axis))),), (own,) * len(outputs)
    )


@rule("SequenceEmpty", since=11)
def sequence_empty(ctx: RuleContext) -> Tensor:
    """Return an empty sequence; the rank of its tensors doesn't matter."""
    return sequence(DTYPES.get(ctx.integer("dtype", 1), ""), 0, ())


@rule("SequenceConstruct", since=11, any_rank=True, total=True, traits=Traits.STACKED, follows=listed)
def sequence_construct(ctx: RuleContext) -> Tensor:
    """Return the sequence of the inputs, in order."""
    tensors = [ctx.input(i) for i in range(len(ctx.inputs))]
    ranks = {None if t.shape is None else t.rank for t in tensors}
    if len(ranks) != 1 or None in ranks:
        return sequence(tensors[0].dtype, len(tensors), None)
    sizes = list(tensors[-1].dims)
    for k, t in reversed(list(enumerate(tensors[:-1]))):
        sizes = [select(equal(PLACE, k), d, rest) for d, rest in zip(t.dims, sizes, strict=True)]
    return sequence(tensors[0].dtype, len(tensors), sizes)


@rule("SequenceLength", since=11, any_rank=True, dtype="int64", total=True, of_shape=True)
def sequence_length(ctx: RuleContext) -> Tensor:
    """Return the number of tensors."""
    s = input_sequence(ctx)
    return ctx.tensor((), "int64", None if s.shape is None else elements((), [s[0]]))


@rule("SequenceAt", since=11, any_rank=True, total=True, traits=Traits.COPIED, follows=picked)
def sequence_at(ctx: RuleContext) -> Tensor:
    """Return the tensor at an index, which may count from the end."""
    s = input_sequence(ctx)
    if s.shape is None:
        leave_undecided(ctx)
        return ctx.tensor(None, inner(s))
    place = place_of(ctx, 1, s[0])
    if place is not None:
        return tensor_at(ctx, s, place)
    return ctx.tensor([anywhere(ctx, i, d, s[0]) for i, d in enumerate(s.dims[1:])], inner(s))


def anywhere(ctx: RuleContext, index: int, size: Dim, length: Dim) -> Dim:
    """Return `size` of the tensor at an unknown index, or a new symbol if it differs by index."""
    if is_lost(size):
        return ctx.fresh(f"size{index}", kind=Kind.LOST)
    if length.constant is None or not 0 < length.constant <= LISTED:
        return size if at(size, 0) is size else ctx.fresh(f"size{index}")
    sizes = [at(size, k) for k in range(length.constant)]
    if all(d is sizes[0] for d in sizes):
        return sizes[0]
    joint = ctx.fresh(f"size{index}", 0, maximum(*sizes))
    ctx.facts.append(at_least(joint, minimum(*sizes)))
    return joint


SEQUENCE_AND_TENSOR_SAME_TYPE = laws.SM501.law(
    "the sequence and the tensor have the same element type, not {sequence} and {tensor}"
)


@rule("SequenceInsert", since=11, any_rank=True, total=True, traits=Traits.STACKED, follows=listed)
def sequence_insert(ctx: RuleContext) -> Tensor:
    """Insert a tensor at an index, by default at the end."""
    s, x = input_sequence(ctx), ctx.input(1)
    alike = "" in (inner(s), x.dtype) or inner(s) == x.dtype
    ctx.limit(alike, SEQUENCE_AND_TENSOR_SAME_TYPE.of(sequence=inner(s), tensor=x.dtype))
    if s.shape is None or x.shape is None:
        if ctx.has(2):
            leave_undecided(ctx)
        return tensor(s.dtype, None)
    place = place_of(ctx, 2, s[0], end=1) if ctx.has(2) else s[0]
    if s[0] is ZERO:
        return sequence(x.dtype, 1, x.dims)
    if s.rank != x.rank + 1:
        return tensor(s.dtype, None)
    if place is None:
        place = ctx.fresh("place", 0, s[0])
    return tensor(
        s.dtype, [s[0] + 1, *(size_after_insert(d, new, place) for d, new in zip(s.dims[1:], x.dims, strict=True))]
    )


def size_after_insert(size: Dim, new: Dim, place: Dim) -> Dim:
    """Return `size`, by index, of a sequence's tensors after one of size `new` is inserted at index `place`."""
    if size is new and at(size, 0) is size:
        return size
    return select(less(PLACE, place), size, select(equal(PLACE, place), new, at(size, PLACE - 1)))


@rule("SequenceErase", since=11, any_rank=True, total=True, traits=Traits.COPIED, follows=listed)
def sequence_erase(ctx: RuleContext) -> Tensor:
    """Remove the tensor at an index, by default the last."""
    s = input_sequence(ctx)
    if s.shape is None:
        leave_undecided(ctx)
        return s
    place = place_of(ctx, 1, s[0]) if ctx.has(1) else s[0] - 1
    ctx.require_at_least(s[0], 1, laws.POSITION_INSIDE_SEQUENCE)
    if place is None:
        place = ctx.fresh("place", 0, s[0] - 1)
    sizes = [d if at(d, 0) is d else select(less(PLACE, place), d, at(d, PLACE + 1)) for d in s.dims[1:]]
    return tensor(s.dtype, [s[0] - 1, *sizes])


PARTS_OF_SIZE_1_LOSE_AXIS = laws.SM110.law("parts that lose their axis have size 1 along it")


@rule("SplitToSequence", since=11, traits=Traits.COPIED, follows=cut_apart)
def split_to_sequence(ctx: RuleContext) -> Tensor:
    """Split along an axis into parts of one size (the last may be smaller), of the listed sizes, or of size 1.

    Without `keepdims`, parts of size 1 drop the axis, unless sizes are listed. ONNX ignores `keepdims` if a size is
    given; ONNX Runtime doesn't.
    """
    x, axis = ctx.input(0), ctx.axis(ctx.input(0).rank, 0)
    length, part = parts(ctx, x[axis])
    before, after = x.dims[:axis], x.dims[axis + 1 :]
    if ctx.flag("keepdims", 1) or (ctx.has(1) and ctx.input(1).rank):
        return sequence(x.dtype, length, (*before, part, *after))
    nothing = equal(product((length, *before, *after)), 0)
    ctx.require(any_of(equal(at(part, 0), 1), nothing), PARTS_OF_SIZE_1_LOSE_AXIS, part, 1)
    return sequence(x.dtype, length, (*before, *after))


PART_SIZE_ABOVE_ZERO = laws.SM110.law("the size of a part is greater than zero")
PARTS_ADD_UP_TO_AXIS = laws.SM110.law("the sizes of the parts add up to the axis")


def parts(ctx: RuleContext, size: Dim) -> tuple[Dim, Dim]:
    """Return the number of parts of an axis of size `size`, and the size of each, by index.

    Parts of unknown size may differ.
    """
    if 2**31 <= size.hi < inf:
        ctx.require_at_least(2**31 - 1, size, laws.PART_SIZE_IN_32_BITS)
    if not ctx.has(1):
        return size, ONE
    split, items = ctx.input(1), ctx.items(1)
    if split.rank == 0:
        chunk = items[0] if items else None
        if chunk is None:
            return ctx.fresh("length", int(size.lo >= 1), size), ctx.fresh("size", 0, size, Kind.LOST)
        ctx.require_at_least(chunk, 1, PART_SIZE_ABOVE_ZERO)
        even = chunk.constant and size % chunk is ZERO
        return ceil_divide(size, chunk), chunk if even else minimum(chunk, size - chunk * PLACE)
    ctx.require_rank(split, 1)
    if items is None or any(i is None for i in items):
        return split[0], size if split[0] is ONE else ctx.fresh("size", 0, size, Kind.LOST)
    known = [i for i in items if i is not None]
    require_least(ctx, known, 0, laws.PART_SIZES_NOT_NEGATIVE)
    ctx.require_equal(total(known), size, PARTS_ADD_UP_TO_AXIS)
    part = known[-1] if known else ZERO
    for k, item in reversed(list(enumerate(known[:-1]))):
        part = select(equal(PLACE, k), item, part)
    return split[0], part


@rule("ConcatFromSequence", since=11, any_rank=True, traits=Traits.COPIED, follows=put_together)
def concat_from_sequence(ctx: RuleContext) -> Tensor:
    """Concatenate all tensors along an axis, or stack them along a new one with `new_axis`."""
    s = input_sequence(ctx)
    if s.shape is None:
        return ctx.tensor(None, inner(s))
    stacks = int(ctx.flag("new_axis"))
    ctx.require_at_least(s[0], 1, laws.SEQUENCE_NOT_EMPTY)
    axis = ctx.normal(ctx.integer("axis"), s.rank - 1, end=stacks)
    sizes = common_sizes(ctx, s, [i for i in range(s.rank - 1) if stacks or i != axis])
    if stacks:
        return ctx.tensor([*sizes[:axis], s[0], *sizes[axis:]], inner(s))
    sizes[axis] = sum_of_sizes(ctx, s[1 + axis], s[0])
    return ctx.tensor(sizes, inner(s))


def common_sizes(ctx: RuleContext, s: Tensor, axes: Sequence[int]) -> list[Dim]:
    """Return the sizes of a sequence's tensors, which must agree on `axes`; runtimes skip empty tensors.

    A sequence's type doesn't declare its tensors' sizes, so a difference is no type error.
    """
    if any(is_lost(s[1 + i]) for i in axes):
        one, other = tensor_at(ctx, s, ZERO), ctx.fresh("other", kind=Kind.LOST)
        ctx.limit(equal(next(d for d in one.dims if is_lost(d)), other), laws.JOINED_MATCH_OFF_AXIS)
        return list(one.dims)
    length, sizes = s[0].constant, [at(d, 0) for d in s.dims[1:]]
    if length is None or length > LISTED:
        shrinking = all(at(d, 0) is d or split_size(d, s[0]) is not None for d in s.dims[1:])
        place = s[0] - 1 if shrinking else ctx.fresh("place", 0, _last(s[0]), Kind.ITERATION)
        for i in axes:
            other = at(s[1 + i], place)
            same = any_of(equal(other, sizes[i]), *(equal(at(d, place), 0) for d in s.dims[1:]))
            same = same if shrinking else in_every_iteration(same, place, s[0])
            ctx.limit(same, laws.JOINED_MATCH_OFF_AXIS, other, sizes[i])
        return sizes
    every = [[at(d, k) for d in s.dims[1:]] for k in range(max(length, 1))]
    return require_alike(ctx.limit, every, axes, laws.JOINED_MATCH_OFF_AXIS)


def _last(length: Dim) -> int | None:
    """Return the maximum index of a sequence; None if unbounded."""
    return None if length.hi == inf else max(int(length.hi) - 1, 0)


def split_size(size: Dim, length: Dim) -> Dim | None:
    """Return the size that was split into `length` parts of `size` each, the last smaller; None for other formulas."""
    atom = size.as_atom()
    for part in atom.args if atom is not None and atom.op is MIN else ():
        whole, chunk = at(part, 0), at(part, 0) - at(part, 1)
        if minimum(chunk, whole - chunk * PLACE) is size and ceil_divide(whole, chunk) is length:
            return whole
    return None


def sum_of_sizes(ctx: RuleContext, size: Dim, length: Dim) -> Dim:
    """Return the sum of `size`, which may depend on the index, over the `length` tensors of a sequence."""
    if is_lost(size):
        return ctx.fresh("total", kind=Kind.LOST)
    whole = split_size(size, length)
    if whole is not None:
        return whole
    atom = PLACE.as_symbol()
    slope = slope_of(size, atom) if atom is not None else None
    if slope is not None:
        return at(size, 0) * length + slope * (length * (length - 1) // 2)
    if length.constant is not None and length.constant <= LISTED:
        return total(at(size, k) for k in range(length.constant))
    return ctx.fresh("total", kind=Kind.LOST)


BODY_TAKES_INPUTS = laws.SM403.law("the body takes each input")
NO_SEQUENCE_SHORTER_THAN_FIRST = laws.SM116.law("no sequence is shorter than the first")


@rule("SequenceMap", since=17, any_rank=True, nested=True, traits=Traits(runs=Runs.EACH))
def sequence_map(ctx: RuleContext) -> list[Tensor]:
    """Run the body on each tensor of a sequence, with the tensors at the same index of other sequences.

    The outputs are sequences.
    """
    first, body = ctx.input(0), ctx.graph("body")
    ctx.check(len(body.inputs) == len(ctx.inputs), BODY_TAKES_INPUTS)
    if first.shape is None:
        return [tensor("", None)] * ctx.outputs
    place, inputs = ctx.fresh("place", kind=Kind.ITERATION), []
    for x in (ctx.input(i) for i in range(len(ctx.inputs))):
        if x.dtype.startswith("seq(") and x.shape is not None:
            ctx.require_at_least(x[0], first[0], NO_SEQUENCE_SHORTER_THAN_FIRST)
        inputs.append(x if not x.dtype.startswith("seq(") else tensor_at(ctx, x, place))
    before = mark(ctx)
    outputs = apart(ctx, body, inputs, "", "body")
    hidden = symbols_since(ctx, before.fresh_symbols)
    before.rewrite(ctx, lambda f: in_every_iteration(f, place, first[0]))
    return [sequence_from(t, first[0], place, hidden) for t in outputs]


def tensor_at(ctx: RuleContext, s: Tensor, place: Dim) -> Tensor:
    """Return the tensor at an index of a sequence; an unknown size is a new symbol, since it may differ by index."""
    if s.shape is None:
        return tensor(inner(s), None)
    sizes = enumerate(s.dims[1:])
    return tensor(inner(s), [ctx.fresh(f"size{i}", kind=Kind.LOST) if is_lost(d) else at(d, place) for i, d in sizes])


def is_lost(size: Dim) -> bool:
    """Whether a size of a sequence's tensors is unknown and may differ by index."""
    return any(s.kind is Kind.LOST for s in size.symbols)


def sequence_from(t: Tensor, length: Dim, place: Dim, hidden: frozenset[Atom]) -> Tensor:
    """Return the sequence whose tensor at index `place` is `t`; its rank is unknown if `t` has `hidden` symbols."""
    if t.shape is None or not all(d.symbols.isdisjoint(hidden) for d in t.shape):
        return sequence(t.dtype, length, None)
    return sequence(t.dtype, length, [put(d, place, PLACE) for d in t.shape])


__all__ = ["PLACE", "sequence"]
