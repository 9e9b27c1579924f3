"""The rule of `com.example.Fold`."""

from shapesmt import rule
from shapesmt.prover import divides


@rule("Fold", domain="com.example")
def fold(ctx):
    """`out.shape = (..., n // times, times)`; `times` divides the last axis."""
    x, times = ctx.input(0), ctx.integer("times")
    ctx.require(divides(times, x[-1]), "times divides the last axis", x[-1], times)
    return ctx.tensor([*x.dims[:-1], x[-1] // times, times])
