"""Optional values, whose element type is "optional(...)"."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.network.graph import Declared
from shapesmt.operators.ops.control.sequences import inner
from shapesmt.operators.rules import RuleContext, Tensor, Traits, elements, rule, tensor
from shapesmt.prover.algebra import ONE, ZERO, Dim

INPUT_OR_TYPE_GIVEN = laws.SM502.law("an input or attribute 'type' is given")


@rule("Optional", since=15, any_rank=True, total=True, traits=Traits.COPIED)
def optional(ctx: RuleContext) -> Tensor:
    """Return the input as an optional value, or an empty one of the type in an attribute."""
    if ctx.has(0):
        x = ctx.input(0)
        return tensor(f"optional({x.dtype})", x.shape)
    declared = ctx.attribute("type")
    if not isinstance(declared, Declared):
        ctx.reject(INPUT_OR_TYPE_GIVEN)
    return tensor(f"optional({declared.dtype})", _declared_shape(ctx, declared))


def _declared_shape(ctx: RuleContext, declared: Declared) -> list[Dim | int] | None:
    """Return the shape that a type declares, after a sequence's length; None unless all sizes are constants."""
    sizes = None if declared.shape is None else [d for d in declared.shape if isinstance(d, int)]
    if sizes is None or len(sizes) < len(declared.shape or ()):
        return None
    return [ctx.fresh("length"), *sizes] if declared.kind == "sequence" else [*sizes]


@rule("OptionalHasElement", since=15, any_rank=True, dtype="bool", total=True)
def optional_has_element(ctx: RuleContext) -> Tensor:
    """Return whether there is a value; an input that isn't optional always has one."""
    there: Dim | None = ZERO if not ctx.has(0) else ONE
    if ctx.has(0) and (ctx.input(0).dtype == "" or ctx.input(0).dtype.startswith("optional(")):
        there = None
    return ctx.tensor((), "bool", elements((), [there]))


@rule("OptionalGetElement", since=15, any_rank=True, total=True, traits=Traits.COPIED)
def optional_get_element(ctx: RuleContext) -> Tensor:
    """Return the value in an optional."""
    x = ctx.input(0)
    return tensor(inner(x), x.shape) if x.dtype.startswith("optional(") else x
