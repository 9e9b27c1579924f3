"""Losses between an input and its target: one per element, or their sum or mean."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.operators.ops.shared.indices import require_inside
from shapesmt.operators.ops.shared.require import require_broadcast_to
from shapesmt.operators.ops.torch.call import Call, operator
from shapesmt.operators.ops.torch.elementwise.promotion import (
    BOOL,
    COMPLEX,
    FLOAT,
    as_float,
    kind,
    real_part,
    require_not_negative,
    require_order,
    result_type,
)
from shapesmt.operators.rules import Shape, Tensor, tensor
from shapesmt.prover.algebra import FALSE, ONE, Dim, all_of, equal, maximum, total


def reduce_loss(call: Call, dtype: str, shape: Shape) -> Tensor:
    """Return a loss per element of `shape`, or a single number, as `reduction` says; a mean has to be of floats."""
    way = call.integer("reduction")
    sort = kind(dtype) if dtype else FLOAT
    call.ctx.check(sort > BOOL and (sort >= FLOAT or way != 1), laws.ELEMENT_TYPE.of(expected="a float", dtype=dtype))
    return tensor("int64" if sort < FLOAT and way == 2 else dtype, shape if way == 0 else ())


def common(*operands: Tensor) -> str:
    """Return the common element type of the operands."""
    return result_type((x, False) for x in operands)


def of_floats(call: Call, *operands: Tensor, most: int = FLOAT) -> str:
    """Return the common element type of the operands; require floats, or complex numbers if `most` allows them."""
    dtype = common(*operands)
    call.ctx.check(not dtype or FLOAT <= kind(dtype) <= most, laws.ELEMENT_TYPE.of(expected="a float", dtype=dtype))
    return dtype


INPUT_AND_TARGET_SAME_SHAPE = laws.SM107.law("input and target have the same shape")


def open_unless_alike(call: Call, x: Tensor, target: Tensor) -> None:
    """Leave the node undecided if input and target differ in shape: PyTorch accepts only some such shapes."""
    alike = x.rank == target.rank
    sizes = zip(x.dims, target.dims, strict=True) if alike else ()
    call.open_if_broken(all_of(*(equal(a, b) for a, b in sizes)) if alike else FALSE, INPUT_AND_TARGET_SAME_SHAPE)


@operator("mse_loss.default", "smooth_l1_loss.default", "huber_loss.default")
def squared(call: Call) -> Tensor:
    """Return the squared, smooth L1 or Huber loss of operands that broadcast; their common type is a float.

    For the Huber loss only the input has to hold floats.
    """
    x, target, huber = call.tensor("self"), call.tensor("target"), "huber" in call.ctx.node.op
    require_not_negative(call, "beta")
    require_order(call, 0, "delta", laws.NAMED_ATTRIBUTE_POSITIVE.of(name="delta"), apart=True)
    return reduce_loss(call, of_floats(call, *([x] if huber else [x, target])), call.ctx.broadcast(x.dims, target.dims))


@operator("kl_div.default")
def divergence(call: Call) -> Tensor:
    """Return the Kullback-Leibler divergence, reduced as `reduction` says; the operands are floats and broadcast."""
    x, target = call.tensor("self"), call.tensor("target")
    of_floats(call, x)
    of_floats(call, target)
    return reduce_loss(call, common(x, target), call.ctx.broadcast(x.dims, target.dims))


@operator("l1_loss.default", "poisson_nll_loss.default", "hinge_embedding_loss.default")
def elementwise(call: Call) -> Tensor:
    """Return the L1, Poisson or hinge embedding loss of operands that broadcast."""
    x, target, name = call.ctx.input(0), call.ctx.input(1), call.ctx.node.op.split(".")[1]
    dtype = x.dtype if name.startswith("hinge") else common(x, target)
    kept = as_float(dtype) if name.startswith("poisson") else real_part(dtype)
    return reduce_loss(call, kept, call.ctx.broadcast(x.dims, target.dims))


TARGET_BROADCASTS_TO_INPUT = laws.SM101.law("the target broadcasts to the input")


@operator("soft_margin_loss.default")
def soft_margin(call: Call) -> Tensor:
    """Return the soft margin loss of an input to whose shape the target broadcasts."""
    x, target = call.tensor("self"), call.tensor("target")
    require_broadcast_to(call.ctx, target, x.dims, TARGET_BROADCASTS_TO_INPUT)
    return reduce_loss(call, of_floats(call, x, most=COMPLEX), x.dims)


@operator("margin_ranking_loss.default")
def margin_ranking(call: Call) -> Tensor:
    """Return the ranking loss of two inputs and a target, which have the same rank and broadcast."""
    given = [call.ctx.input(i) for i in range(3)]
    call.ctx.same_rank(*given)
    return reduce_loss(call, as_float(common(*given)), call.ctx.broadcast(*(x.dims for x in given)))


WEIGHTS_BROADCAST_TO_INPUT = laws.SM101.law("the weights broadcast to the input")


@operator("binary_cross_entropy.default")
def binary_cross_entropy(call: Call) -> Tensor:
    """Return the cross entropy of probabilities; the target has the input's shape, and weights broadcast to it."""
    ctx, x, weight = call.ctx, call.tensor("self"), call.optional("weight")
    open_unless_alike(call, x, call.tensor("target"))
    ctx.assume_valid(call.place("self"), call.place("target"))
    if weight is not None:
        require_broadcast_to(ctx, weight, x.dims, WEIGHTS_BROADCAST_TO_INPUT)
    return reduce_loss(call, of_floats(call, x), x.dims)


INPUT_BROADCASTS_TO_TARGET = laws.SM101.law("the input broadcasts to the target")
WEIGHTS_BROADCAST_TO_TARGET = laws.SM101.law("the weights broadcast to the target")


@operator("binary_cross_entropy_with_logits.default")
def binary_cross_entropy_with_logits(call: Call) -> Tensor:
    """Return the cross entropy of logits; input and weights broadcast to the target.

    Class weights (`pos_weight`) broadcast with the target; the result must broadcast to the input.
    """
    ctx, x, target, weight = call.ctx, call.tensor("self"), call.tensor("target"), call.optional("weight")
    of_classes = call.optional("pos_weight")
    of_floats(call, x)
    require_broadcast_to(ctx, x, target.dims, INPUT_BROADCASTS_TO_TARGET)
    if of_classes is not None:
        weighted = tensor("", ctx.broadcast(of_classes.dims, target.dims))
        require_broadcast_to(ctx, weighted, x.dims, TARGET_BROADCASTS_TO_INPUT)
    if weight is not None:
        require_broadcast_to(ctx, weight, target.dims, WEIGHTS_BROADCAST_TO_TARGET)
    return reduce_loss(call, of_floats(call, target, most=COMPLEX), target.dims)


@operator("triplet_margin_loss.default")
def triplet_margin(call: Call) -> Tensor:
    """Return the triplet loss of an anchor, a positive and a negative example, with vectors along the last axis."""
    given = [call.ctx.input(i) for i in range(3)]
    call.ctx.same_rank(*given)
    near, far, apart = ((given[i].dims, given[j].dims) for i, j in ((0, 1), (0, 2), (1, 2)))
    pairs = (near, far, apart) if call.flag("swap") else (near, far)
    distances = [call.ctx.broadcast(*pair)[:-1] for pair in pairs]
    return reduce_loss(call, as_float(real_part(common(*given))), call.ctx.broadcast(*distances))


@operator("cosine_embedding_loss.default")
def cosine_embedding(call: Call) -> Tensor:
    """Return the cosine loss of pairs of vectors along the last axis, with one target per pair."""
    ctx = call.ctx
    x, other, target = (ctx.input(i) for i in range(3))
    ctx.check(target.rank <= 1, laws.RANK_AT_MOST_1.of(rank=target.rank))
    law = laws.TENSORS_ONE_RANK.of(rank=target.rank + 1, other=x.rank)
    ctx.check(x.rank == target.rank + 1 and other.rank == x.rank, law)
    shape = ctx.broadcast(x.dims, other.dims)
    dtype = as_float(common(x, other))
    return reduce_loss(call, dtype, ctx.broadcast(shape[:-1] if target.rank else (), target.dims))


# Classes


def of_classes(call: Call, x: Tensor, target: Tensor, axis: int) -> Shape:
    """Return the shape of `x` without its class axis; require that `target` has it and holds class indices.

    `weight`, if given, has one element per class.
    """
    ctx = call.ctx
    shape = (*x.dims[:axis], *x.dims[axis + 1 :])
    ctx.check(target.rank == len(shape), laws.TENSORS_ONE_RANK.of(rank=len(shape), other=target.rank))
    ctx.require_agree(target, tensor("", shape), law=laws.LABEL_PER_SAMPLE_AND_POSITION)
    require_inside(ctx, target, x[axis], equal(target.numel, 0), index=call.place("target"))
    call.require_vector("weight", x[axis], laws.WEIGHT_PER_CLASS)
    return shape


@operator("nll_loss_nd.default", "nll_loss.default", "nll_loss2d.default")
def nll_loss(call: Call) -> Tensor:
    """Return the negative log likelihood: `[n, c, ...]` and class indices `[n, ...]`, or `[c]` and one index."""
    x = call.tensor("self", least=1)
    return reduce_loss(call, x.dtype, of_classes(call, x, call.tensor("target"), min(x.rank - 1, 1)))


@operator("nll_loss_forward.default", "nll_loss2d_forward.default")
def nll_loss_forward(call: Call) -> list[Tensor]:
    """Return the negative log likelihood and the sum of the weights."""
    return [nll_loss(call), tensor(call.tensor("self").dtype, ())]


@operator("cross_entropy_loss.default")
def cross_entropy(call: Call) -> Tensor:
    """Return the cross entropy with class indices, or with class probabilities of the input's shape."""
    x, target = call.tensor("self", least=1), call.tensor("target")
    axis = min(x.rank - 1, 1)
    if target.rank != x.rank:
        return reduce_loss(call, x.dtype, of_classes(call, x, target, axis))
    call.ctx.require_agree(x, target, law=INPUT_AND_TARGET_SAME_SHAPE)
    call.require_vector("weight", x[axis], laws.WEIGHT_PER_CLASS)
    return reduce_loss(call, x.dtype, (*x.dims[:axis], *x.dims[axis + 1 :]))


@operator("multi_margin_loss.default")
def multi_margin(call: Call) -> Tensor:
    """Return the margin loss of scores `[n, c]` or `[c]` and a class index per sample; a scalar counts as `[1]`."""
    scores, target = call.tensor("self"), call.tensor("target")
    call.ctx.check(scores.rank <= 2, laws.RANK_AT_MOST_2.of(rank=scores.rank))
    call.ctx.check(target.rank <= 1, laws.RANK_AT_MOST_1.of(rank=target.rank))
    x = tensor(scores.dtype, [*(scores.dims if scores.rank == 2 else (ONE, scores.numel))])
    call.ctx.require_at_least(x[-1], 1, laws.A_CLASS)
    of_classes(call, x, tensor(target.dtype, [target.numel]), 1)
    return reduce_loss(call, of_floats(call, x), target.dims)


@operator("multilabel_margin_loss.default")
def multilabel_margin(call: Call) -> Tensor:
    """Return the margin loss of scores `[n, c]` or `[c]` and a target of that shape; a scalar counts as `[1]`."""
    x, target = (as_list(call.tensor(name)) for name in ("self", "target"))
    call.ctx.check(x.rank <= 2, laws.RANK_AT_MOST_2.of(rank=x.rank))
    call.ctx.require_at_least(x[-1], 1, laws.A_CLASS)
    call.ctx.require_agree(x, target, law=INPUT_AND_TARGET_SAME_SHAPE)
    call.ctx.assume_valid(call.place("target"))
    return reduce_loss(call, of_floats(call, x), x.dims[:-1])


def as_list(x: Tensor) -> Tensor:
    """Return a scalar as a list of one element; other tensors stay."""
    return x if x.rank else tensor(x.dtype, [ONE])


# Sequences of labels


def lengths_of(call: Call, name: str, samples: Dim) -> list[Dim | None] | None:
    """Return the lengths in argument `name`, one for each of `samples` samples; None if a tensor holds them."""
    if call.type_of(name) == "Tensor":
        call.ctx.require_equal(call.tensor(name).numel, samples, laws.LENGTH_PER_SAMPLE)
        call.ctx.assume_valid(call.place(name))
        return None
    call.ctx.require_equal(len(call.sizes(name)), samples, laws.LENGTH_PER_SAMPLE)
    return call.sizes(name)


LABELS_PER_SAMPLE = laws.SM116.law("there are labels for each sample")


def label_sizes(call: Call, x: Tensor) -> tuple[Dim, Dim]:
    """Return the number of samples in `[t, n, c]` or `[t, c]`, and the largest number of labels of a sample."""
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
        ctx.require_equal(targets[0], samples, LABELS_PER_SAMPLE)
    elif known is not None:
        ctx.require_equal(targets[0], total(known), laws.LENGTHS_ADD_UP_TO_AXIS)
    longest = ctx.fresh("longest", 0, targets[-1]) if known is None else maximum(0, *known)
    ctx.require_at_least(targets[-1], longest, laws.LENGTHS_INSIDE_AXIS)
    return samples, longest


@operator("ctc_loss.IntList", "ctc_loss.Tensor")
def ctc_loss(call: Call) -> Tensor:
    """Return the CTC loss of label scores `[t, n, c]`, or `[t, c]` for one sample, and the labels of each sample."""
    x = call.tensor("log_probs")
    call.ctx.check(x.rank in (2, 3), laws.RANK_2_OR_3.of(rank=x.rank))
    samples, _ = label_sizes(call, x)
    return reduce_loss(call, x.dtype, (samples,) if x.rank == 3 else ())


@operator("_ctc_loss.default", "_ctc_loss.Tensor")
def ctc_loss_and_ways(call: Call) -> list[Tensor]:
    """Return the CTC loss of each sample, and the log likelihood of each label prefix at each time step."""
    x = call.tensor("log_probs", 3)
    samples, longest = label_sizes(call, x)
    return [tensor(x.dtype, [samples]), tensor(x.dtype, [samples, x[0], 2 * longest + 1])]
