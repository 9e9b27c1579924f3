"""Losses: how far an input is from its target, of each element, or summed or averaged to one number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt import laws
from shapesmt.algebra import FALSE, ONE, all_of, equal, maximum, total
from shapesmt.ops.shared.indices import require_inside
from shapesmt.ops.shared.require import require_broadcast_to
from shapesmt.ops.torch.call import Call, operator
from shapesmt.ops.torch.elementwise.promotion import as_float, result_type
from shapesmt.rules import tensor

if TYPE_CHECKING:
    from shapesmt.algebra import Dim
    from shapesmt.rules import Shape, Tensor


def reduced(call: Call, x: Tensor, shape: Shape) -> Tensor:
    """A loss of each element, or one number."""
    return tensor(x.dtype, shape if call.integer("reduction") == 0 else ())


def open_unless_alike(call: Call, x: Tensor, target: Tensor) -> None:
    """Leave a loss open whose operands have other shapes, of which PyTorch accepts some."""
    alike = x.rank == target.rank
    sizes = zip(x.dims, target.dims, strict=True) if alike else ()
    call.unchecked(all_of(*(equal(a, b) for a, b in sizes)) if alike else FALSE, laws.INPUT_AND_TARGET_SAME_SHAPE)


@operator("mse_loss.default", "l1_loss.default", "smooth_l1_loss.default", "huber_loss.default")
@operator("soft_margin_loss.default", "poisson_nll_loss.default", "kl_div.default", "hinge_embedding_loss.default")
def elementwise(call: Call) -> Tensor:
    """Of operands that broadcast."""
    x, target = call.ctx.input(0), call.ctx.input(1)
    if "soft_margin" in call.ctx.node.op:
        open_unless_alike(call, x, target)
    floats = tensor(as_float(x.dtype) if "poisson" in call.ctx.node.op else x.dtype, x.dims)
    return reduced(call, floats, call.ctx.broadcast(x.dims, target.dims))


@operator("margin_ranking_loss.default")
def margin_ranking(call: Call) -> Tensor:
    """Of two inputs and a target of one rank, which broadcast."""
    x, other, target = (call.ctx.input(i) for i in range(3))
    call.ctx.same_rank(x, other, target)
    return reduced(call, x, call.ctx.broadcast(x.dims, other.dims, target.dims))


@operator("binary_cross_entropy.default")
def binary_cross_entropy(call: Call) -> Tensor:
    """Of an input and a target that broadcast; weights broadcast to it."""
    ctx, x, weight = call.ctx, call.tensor("self"), call.optional("weight")
    open_unless_alike(call, x, call.tensor("target"))
    ctx.broadcast(x.dims, call.tensor("target").dims)
    if weight is not None:
        require_broadcast_to(ctx, weight, x.dims, laws.WEIGHTS_BROADCAST_TO_INPUT)
    return reduced(call, x, x.dims)


@operator("binary_cross_entropy_with_logits.default")
def binary_cross_entropy_with_logits(call: Call) -> Tensor:
    """Of an input and a target that broadcast, as do weights."""
    x, names = call.tensor("self"), ("self", "target", "weight", "pos_weight")
    open_unless_alike(call, x, call.tensor("target"))
    given = [operand.dims for operand in map(call.optional, names) if operand is not None]
    return reduced(call, x, call.ctx.broadcast(*given))


@operator("triplet_margin_loss.default")
def triplet_margin(call: Call) -> Tensor:
    """Of an anchor and what it should be near to and far from, along the last axis."""
    x, *others = (call.ctx.input(i) for i in range(3))
    call.ctx.same_rank(x, *others)
    shape = call.ctx.broadcast(x.dims, *(other.dims for other in others))
    return reduced(call, x, shape[:-1])


@operator("cosine_embedding_loss.default")
def cosine_embedding(call: Call) -> Tensor:
    """Of pairs of vectors along the last axis, and a target for each."""
    ctx = call.ctx
    x, other, target = (ctx.input(i) for i in range(3))
    ctx.check(target.rank <= 1, laws.RANK_AT_MOST_1.of(rank=target.rank))
    law = laws.TENSORS_ONE_RANK.of(rank=target.rank + 1, other=x.rank)
    ctx.check(x.rank == target.rank + 1 and other.rank == x.rank, law)
    shape = ctx.broadcast(x.dims, other.dims)
    floats = tensor(as_float(result_type([(x, False), (other, False)])), ())
    return reduced(call, floats, ctx.broadcast(shape[:-1] if target.rank else (), target.dims))


# Classes


def of_classes(call: Call, x: Tensor, axis: int) -> Shape:
    """The shape of a target that has the number of a class for each sample and place; a weight is for each class."""
    ctx, target, weight = call.ctx, call.tensor("target"), call.optional("weight")
    shape = (*x.dims[:axis], *x.dims[axis + 1 :])
    ctx.check(target.rank == len(shape), laws.TENSORS_ONE_RANK.of(rank=len(shape), other=target.rank))
    ctx.require_agree(target, tensor("", shape), law=laws.LABEL_PER_SAMPLE_AND_POSITION)
    require_inside(ctx, target, x[axis], equal(target.numel, 0), index=call.place("target"))
    if weight is not None:
        ctx.require_rank(weight, 1)
        ctx.require_equal(weight[0], x[axis], laws.WEIGHT_PER_CLASS)
    return shape


def likelihood(call: Call) -> Tensor:
    """The loss of the logarithms of probabilities."""
    x = call.tensor("self")
    call.ctx.require_rank(x, 1, least=True)
    return reduced(call, x, of_classes(call, x, min(x.rank - 1, 1)))


@operator("nll_loss_nd.default", "nll_loss.default", "nll_loss2d.default")
def nll_loss(call: Call) -> Tensor:
    """Of the logarithms of probabilities, with the classes along the second axis; one sample has them first."""
    return likelihood(call)


@operator("nll_loss_forward.default", "nll_loss2d_forward.default")
def nll_loss_forward(call: Call) -> list[Tensor]:
    """The loss, and the sum of the weights."""
    return [likelihood(call), tensor(call.tensor("self").dtype, ())]


@operator("cross_entropy_loss.default")
def cross_entropy(call: Call) -> Tensor:
    """Of classes by number, or by probabilities of the input's shape."""
    x, target, weight = call.tensor("self"), call.tensor("target"), call.optional("weight")
    call.ctx.require_rank(x, 1, least=True)
    axis = min(x.rank - 1, 1)
    if target.rank != x.rank:
        return reduced(call, x, of_classes(call, x, axis))
    call.ctx.require_agree(x, target, law=laws.INPUT_AND_TARGET_SAME_SHAPE)
    if weight is not None:
        call.ctx.require_rank(weight, 1)
        call.ctx.require_equal(weight[0], x[axis], laws.WEIGHT_PER_CLASS)
    return reduced(call, x, (*x.dims[:axis], *x.dims[axis + 1 :]))


@operator("multi_margin_loss.default")
def multi_margin(call: Call) -> Tensor:
    """Of scores `[n, c]` or `[c]` and a class for each sample."""
    x = call.tensor("self") if call.tensor("self").rank else tensor(call.tensor("self").dtype, [ONE])
    call.ctx.check(x.rank <= 2, laws.RANK_AT_MOST_2.of(rank=x.rank))
    call.ctx.require_at_least(x[-1], 1, laws.A_CLASS)
    return reduced(call, x, of_classes(call, x, x.rank - 1))


@operator("multilabel_margin_loss.default")
def multilabel_margin(call: Call) -> Tensor:
    """Of scores `[n, c]` or `[c]` and a target of that shape."""
    x = call.tensor("self")
    call.ctx.check(x.rank <= 2, laws.RANK_AT_MOST_2.of(rank=x.rank))
    call.ctx.require_agree(x, call.tensor("target"), law=laws.INPUT_AND_TARGET_SAME_SHAPE)
    call.ctx.grant(call.place("target"))
    return reduced(call, x, x.dims[:-1])


# Sequences of labels


def lengths_of(call: Call, name: str, samples: Dim) -> list[Dim | None] | None:
    """A length for each sample; None where a tensor has them."""
    if call.type_of(name) == "Tensor":
        call.ctx.require_equal(call.tensor(name).numel, samples, laws.LENGTH_PER_SAMPLE)
        call.ctx.grant(call.place(name))
        return None
    call.ctx.require_equal(len(call.sizes(name)), samples, laws.LENGTH_PER_SAMPLE)
    return call.sizes(name)


def labelled(call: Call, x: Tensor) -> tuple[Dim, Dim]:
    """How many samples of scores `[t, n, c]` or `[t, c]` are given labels, and how many the longest is given."""
    ctx, targets, blank = call.ctx, call.tensor("targets"), call.integer("blank")
    ctx.require_at_least(x.numel, 1, laws.INPUT_NOT_EMPTY)
    ctx.check(blank >= 0, laws.NAMED_ATTRIBUTE_NOT_NEGATIVE.of(name="blank"))
    ctx.require_at_least(x[-1], blank + 1, laws.INDEX_INSIDE_AXIS)
    ctx.check(targets.rank in (1, 2), laws.RANK_1_OR_2.of(rank=targets.rank))
    samples = x[1] if x.rank == 3 else ONE
    for d in lengths_of(call, "input_lengths", samples) or ():
        ctx.require_at_least(x[0], x[0] if d is None else d, laws.LENGTHS_AT_MOST_SEQUENCE)
    lengths = lengths_of(call, "target_lengths", samples)
    known = None if lengths is None or None in lengths else [d for d in lengths if d is not None]
    if targets.rank == 2:
        ctx.require_equal(targets[0], samples, laws.LABELS_PER_SAMPLE)
    elif known is not None:
        ctx.require_equal(targets[0], total(known), laws.LENGTHS_ADD_UP_TO_AXIS)
    longest = ctx.fresh("longest", 0, targets[-1]) if known is None else maximum(0, *known)
    ctx.require_at_least(targets[-1], longest, laws.LENGTHS_INSIDE_AXIS)
    return samples, longest


@operator("ctc_loss.IntList", "ctc_loss.Tensor")
def ctc_loss(call: Call) -> Tensor:
    """Of scores of each label at each time `[t, n, c]`, or of one sample `[t, c]`, and the labels of each sample."""
    x = call.tensor("log_probs")
    call.ctx.check(x.rank in (2, 3), laws.RANK_2_OR_3.of(rank=x.rank))
    samples, _ = labelled(call, x)
    return reduced(call, x, (samples,) if x.rank == 3 else ())


@operator("_ctc_loss.default", "_ctc_loss.Tensor")
def ctc_loss_and_ways(call: Call) -> list[Tensor]:
    """The loss of each sample, and how likely each beginning of its labels is at each time."""
    x = call.tensor("log_probs")
    call.ctx.require_rank(x, 3)
    samples, longest = labelled(call, x)
    return [tensor(x.dtype, [samples]), tensor(x.dtype, [samples, x[0], 2 * longest + 1])]
