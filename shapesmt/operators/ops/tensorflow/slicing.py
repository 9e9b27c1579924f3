"""Slices: `Slice` by begins and sizes, which must be inside the tensor, and `StridedSlice`, whose ends are clamped."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.operators.ops.layout.slicing import Cut, cut_elements
from shapesmt.operators.ops.shared.require import require_least
from shapesmt.operators.ops.shared.strided import Masked, slice_by_masks
from shapesmt.operators.ops.tensorflow.common import DOMAIN, leave_open
from shapesmt.operators.rules import Decided, RuleContext, Tensor, Traits, rule
from shapesmt.prover.algebra import FALSE, ONE, Dim, all_of, any_of, as_dim, at_least, equal, select


@rule("Slice", domain=DOMAIN, traits=Traits.PART)
def cut(ctx: RuleContext) -> Tensor:
    """Return `size` elements from `begin` on along each axis; a size of -1 takes all the rest."""
    x = ctx.input(0)
    require_cut(ctx, x)
    begins, sizes = (ctx.sizes(i, x.rank, what) for i, what in ((1, "begins"), (2, "sizes")))
    cuts = {i: part(ctx, i, *each) for i, each in enumerate(zip(x.dims, begins, sizes, strict=True))}
    dims = [c.size for c in cuts.values()]
    possible = all(c.first is not None for c in cuts.values()) and all(r.formula is not FALSE for r in ctx.requirements)
    return ctx.tensor(dims, value=cut_elements(x, dims, cuts) if possible else None)


SLICED_AT_MOST_8_AXES = laws.SM303.law("a tensor that is sliced has 8 axes at most")


def require_cut(ctx: RuleContext, x: Tensor) -> None:
    """Leave a node undecided if its input has more than 8 axes: kernels slice such inputs only along the first axis."""
    if x.rank > 8:
        leave_open(ctx, SLICED_AT_MOST_8_AXES)


def part(ctx: RuleContext, axis: int, length: Dim, begin: Dim | None, size: Dim | None) -> Cut:
    """Return the part of `axis`, whose size is `length`, that `begin` and `size` select; None stands for unknown."""
    if begin is not None:
        ctx.require(all_of(at_least(begin, 0), at_least(length, begin)), laws.SLICES_INSIDE_AXIS, begin, length)
    if begin is None and size is not None:
        ctx.require(all_of(at_least(size, -1), at_least(length, size)), laws.SLICES_INSIDE_AXIS, size, length)
    if begin is None or size is None:
        most = length if begin is None else length - begin
        known = size if size is not None and size.lo >= 0 else None
        return Cut(ctx.fresh(f"size{axis}", 0, most, how=Decided((1, 2, 3))) if known is None else known, begin, ONE)
    rest, inside = equal(size, -1), all_of(at_least(size, 0), at_least(length, begin + size))
    ctx.require(any_of(rest, inside), laws.SLICES_INSIDE_AXIS, begin + size, length)
    return Cut(select(rest, length - begin, as_dim(size)), begin, ONE)


@rule("StridedSlice", domain=DOMAIN, traits=Traits.PART)
def strided_slice(ctx: RuleContext) -> Tensor:
    """Slice by begins, ends and steps; bit `i` of a mask makes entry `i` an ellipsis, a new axis or one element."""

    def masked(name: str, i: int) -> bool:
        return ctx.integer(f"{name}_mask", 0) >> i & 1 == 1

    require_cut(ctx, ctx.input(0))
    ellipses = ctx.integer("ellipsis_mask", 0)
    ctx.check(ellipses & (ellipses - 1) == 0, laws.ONE_ELLIPSIS_AT_MOST)
    _require_steps(ctx, masked)
    return slice_by_masks(ctx, masked)


STEP_OVER_SINGLE_ELEMENT_POSITIVE = laws.SM502.law("the step over a single element is positive")


def _require_steps(ctx: RuleContext, masked: Masked) -> None:
    """Require positive steps of entries that select a single element."""
    steps = enumerate(ctx.items(3) or ())
    single = [d for i, d in steps if masked("shrink_axis", i) and not (masked("new_axis", i) or masked("ellipsis", i))]
    require_least(ctx, single, 1, STEP_OVER_SINGLE_ELEMENT_POSITIVE)
