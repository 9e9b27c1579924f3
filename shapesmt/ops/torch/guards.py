"""Nodes that the reader of programs adds: guards, memory layouts of inputs, in-place changes, and autocasts."""

from __future__ import annotations

from collections.abc import Iterator

from shapesmt import laws
from shapesmt.algebra import Dim, as_dim
from shapesmt.graph import GUARDS
from shapesmt.ops.torch.floats import formula_of
from shapesmt.ops.torch.layout import OPEN, dense, laid
from shapesmt.ops.torch.schemas import DOMAIN
from shapesmt.rules import RuleContext, Tensor, rule, tensor


@rule(GUARDS, domain=DOMAIN, any_rank=True)
def guards(ctx: RuleContext) -> list[Tensor]:
    """Require all guards: conditions on sizes (`i0_2`: axis 2 of the first input) and numbers (`i1`: second input)."""
    known = dict(_sizes(ctx))
    read = {text: formula_of(text, known) for text in ctx.texts("guards")}
    written = dict(zip(read, ctx.texts("written"), strict=False))
    for formula in read.values():
        if formula is not None:
            ctx.limit(formula, laws.GUARD_HOLDS)
    if ctx.attribute("lenient"):  # second run, without the guards that can't be read
        return []
    unread = [written.get(text, text) for text, formula in read.items() if formula is None]
    for text in (*ctx.texts("unread"), *unread):
        ctx.leave("elements", f"PyTorch's guards can be read: shapesmt can't read the guard {text}", rests_on=text)
    return []


@rule("changed", domain=DOMAIN, any_rank=True, total=True)
def changed(ctx: RuleContext) -> Tensor:
    """Forget the elements of a tensor that an operator changed in place through another tensor on the same memory."""
    x = ctx.input(0)
    return tensor(x.dtype, x.shape, ndim=x.ndim if x.shape is None else None, layout=x.layout)


@rule("cast", domain=DOMAIN, any_rank=True, total=True)
def cast(ctx: RuleContext) -> Tensor:
    """Return the input; if it is a float, its type and elements are unknown, since autocast may have changed them."""
    x = ctx.input(0)
    if x.dtype not in ("", "float16", "bfloat16", "float32"):
        return x
    return tensor("", x.shape, ndim=x.ndim if x.shape is None else None, layout=x.layout)


@rule("strided", domain=DOMAIN, any_rank=True, total=True)
def strided(ctx: RuleContext) -> Tensor:
    """Return an input or constant with the memory layout that the program states: an order of axes, or strides."""
    x, order, strides = ctx.input(0), ctx.integers("order", ()), ctx.integers("strides", ())
    if x.shape is None or x.rank != max(len(order), len(strides)):
        return tensor(x.dtype, x.shape, x.value, x.ndim if x.shape is None else None, layout=OPEN)
    return dense(x, order) if order else laid(x, [as_dim(step) for step in strides])


def _sizes(ctx: RuleContext) -> Iterator[tuple[str, Dim]]:
    for index, t in enumerate(ctx.inputs):
        if t is not None and t.shape is not None:
            yield from ((f"i{index}_{axis}", size) for axis, size in enumerate(t.dims))
            items = ctx.items(index) if not t.dims else None
            if items and items[0] is not None:
                yield f"i{index}", items[0]
