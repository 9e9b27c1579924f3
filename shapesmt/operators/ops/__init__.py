"""One rule per operator, one file per family; `shapesmt.operators.rules.registry` imports those that a model uses.

A rule for your own operator takes a few lines: state each way in which the node can fail with `ctx.require...`, then
return the outputs. Sizes are symbolic (`Dim`): calculate with them as with integers.

    >>> import shapesmt
    >>> @shapesmt.rule("Interleave", domain="com.example")
    ... def interleave(ctx):
    ...     '''`X[*sizes, n]` and `Y[*sizes, n]` make `[*sizes, 2*n]`, in `blocks` of the same size.'''
    ...     x, y, blocks = ctx.input(0), ctx.input(1), ctx.integer("blocks", 1)
    ...     ctx.require_agree(x, y, law="interleaved tensors have the same shape")
    ...     ctx.require_equal(x[-1] % blocks, 0, f"the last size splits into {blocks} blocks")
    ...     return ctx.tensor([*x.dims[:-1], 2 * x[-1]])

    >>> model = b'''<ir_version: 8, opset_import: ["": 18, "com.example": 1]>
    ... g (float[n, 3] x, float[n, k] y) => (float[a, b] z) { z = com.example.Interleave <blocks = 3> (x, y) }'''
    >>> report = shapesmt.check(model, dims={"k": "1..8"})
    >>> report.findings[0].law, report.precondition.text
    ('interleaved tensors have the same shape', ('k == 3',))

Other methods: `ctx.broadcast(x.dims, y.dims)` for numpy's broadcasting, `ctx.axis(rank)` for the attribute `axis`
counted from the front, `ctx.items(1)` and `ctx.constants(1)` for elements known during shape inference,
`ctx.fresh("selected", 0, limit)` for a data-dependent size, `ctx.tensor(dims, "int64", value)` for another element
type or known elements, `ctx.known(items)` for a vector of known elements. A law may begin with an error code of yours,
as in `"ACME7: sizes are odd"`. A rule raises nothing and keeps no state: its result is cached for the same tensors and
attributes.

An input of unknown rank needs no extra code: the rule is applied at every possible rank, and the node requires one at
which the rule isn't rejected. `ctx.with_rank(x, 4)` and `ctx.same_rank(x, y)` require ranks explicitly, and refine `x`.
So do the methods of TensorFlow's shape functions (`merge`, `subshape`, `divide`, ...), which
`shapesmt.operators.rules.shape_functions.calculus` lists. To try a rule without a model, give it a context of its own:

    >>> ctx = shapesmt.InferenceContext.of("Interleave", ["[4,3]", "[4,3]"], attributes={"blocks": 3})
    >>> ctx.run(interleave)
    (Tensor([4, 6]),)
    >>> shapesmt.InferenceContext.of("Interleave", ["[4,3]", "[5,3]"]).run(interleave)
    Traceback (most recent call last):
      ...
    shapesmt.base.errors.ShapeMismatch: interleaved tensors have the same shape: 4 and 5 for '{{node Interleave}} =
    Interleave[](input0, input1)' with input shapes: [4,3], [5,3].

A rule is registered once its module is imported. To have it found in every process, including the command line's, let
an installed package name the module in the entry-point group `shapesmt.rules`:

    [project.entry-points."shapesmt.rules"]
    example = "example.shapes"
"""

from __future__ import annotations

from shapesmt.base.lazy import lazy_imports

with lazy_imports(__name__):
    from shapesmt.operators.ops.control.flow import UNTIL_RUN as UNTIL_RUN
    from shapesmt.operators.ops.control.subgraphs import bound as bound, truth_of as truth_of
    from shapesmt.operators.ops.session import (
        BY_OP as BY_OP,
        PASSING as PASSING,
        RENAMING as RENAMING,
        passes as passes,
    )
    from shapesmt.operators.ops.shared.choices import broken_law as broken_law
    from shapesmt.operators.ops.shared.fields import element_of as element_of
    from shapesmt.operators.ops.shared.follows import PICKED as PICKED
