"""Requirements from the shapes that subgraphs declare: the runtime infers shapes from them when it loads a model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from shapesmt.network import laws
from shapesmt.network.graph import Declared, Graph, Runtime
from shapesmt.operators.ops.control.loading import Loaded, names_with_ranks
from shapesmt.operators.ops.control.subgraphs import UNDECLARED, Run, apart, mark
from shapesmt.operators.rules import RuleContext, Tensor, Unjudged, tensor
from shapesmt.prover.algebra import FALSE, TRUE, Dim, all_of, any_of, differs, equal

FOLDED = ("Shape", "Size", "Expand")
"""Operators that ONNX Runtime computes or removes when it loads a model, if it knows the sizes of their inputs."""

BODY_OUTPUTS_OF_DECLARED_SIZE = laws.SM403.law("the body's outputs have their declared sizes")


def judge_branch(ctx: RuleContext, run: Run) -> None:
    """Require that a branch's outputs have the sizes by which the runtime allocates them before it runs the branch.

    ONNX Runtime allocates an output early if it knows each size, declared or inferred when loading; a size or rank that
    differs between the two counts as unknown. What it infers isn't known here, so the branch is undecided if that
    matters. Other runtimes allocate the outputs after the branch has run.
    """
    if ctx.runtime is not Runtime.ONNX:
        return
    for declaration, t in zip(run.declared, run.outputs, strict=True):
        known = (None,) if declaration.shape is None else declaration.shape
        if _alike(declaration, t):
            claims = [(size, n) for size, n in zip(t.dims, known, strict=True) if isinstance(n, int)]
            if len(claims) == t.rank and all(size.constant in (None, n) for size, n in claims):
                for size, n in claims:
                    ctx.limit(equal(size, n), BODY_OUTPUTS_OF_DECLARED_SIZE, size, n)
                continue
            known = tuple(n if isinstance(n, int) else size.constant for size, n in zip(t.dims, known, strict=True))
        if all(isinstance(n, int) for n in known):
            _require_declared(ctx, run, declaration._replace(shape=known), t)
    _require_inner(ctx, run)


BODY_OUTPUTS_OF_KNOWN_RANK = laws.SM403.law("the ranks of the body's outputs are known before it runs")


def judge_scan(ctx: RuleContext, run: Run) -> None:
    """Require that a Scan's body returns outputs of ranks and sizes that the runtime knows when it loads the model.

    If an input of the body declares no rank, the runtime uses the rank of the node's input, if it is known by then.
    """
    if ctx.runtime is not Runtime.ONNX:
        return
    for declaration, t in zip(run.declared, run.outputs, strict=True):
        if declaration.shape is not None and t.shape is not None:
            _require_declared(ctx, run, declaration._replace(shape=(None,) * len(declaration.shape)), t)
    outer = names_with_ranks(ctx.around)
    reads = zip(run.graph.inputs, ctx.node.inputs[-len(run.graph.inputs) :], strict=True)
    ranked = Loaded(run.graph, outer, [*reads])
    unsure = [n for n, d in zip(run.graph.outputs, run.declared, strict=True) if d.shape is None and n not in ranked]
    law = str(BODY_OUTPUTS_OF_KNOWN_RANK)
    ctx.unjudged += [Unjudged(run.label, "Scan", "rank", law)] * len(unsure)
    _require_loaded(ctx, run)
    _require_inner(ctx, run)


BODY_DECLARES_RANKS = laws.SM403.law("the body declares the ranks of its iteration number and condition")
BODY_RUNS_ON_DECLARED_SIZES = laws.SM403.law("the body runs on its declared sizes, too")


def judge_loop(ctx: RuleContext, body: Graph, inputs: Sequence[Tensor]) -> None:
    """Require that a Loop's condition has its declared rank; undecided if the body couldn't run on its declared sizes.

    The runtime infers the body's shapes from its declarations, before it knows the carried tensors.
    """
    number, declaration, *_ = body.inputs.values()
    condition, named = ctx.inputs[1], None not in (number.shape, declaration.shape)
    ctx.limit(named or ctx.runtime is not Runtime.ONNX, BODY_DECLARES_RANKS)
    if condition is not None and condition.shape is not None and declaration.shape is not None:
        ctx.limit(len(declaration.shape) == condition.rank, laws.BODY_TENSORS_OF_DECLARED_RANK)
    declared_inputs = [
        _as_declared(declaration, t) for declaration, t in zip(body.inputs.values(), inputs, strict=True)
    ]
    if all(t.shape == other.shape for t, other in zip(inputs, declared_inputs, strict=True)):
        return
    before = mark(ctx)
    apart(ctx, body, declared_inputs, "", "declared")
    clash = any(all_of(r.branch, r.formula) is FALSE for r in ctx.requirements[before.requirements :])
    before.undo(ctx)
    if clash:
        ctx.unjudged.append(Unjudged("", "Loop", "elements", str(BODY_RUNS_ON_DECLARED_SIZES)))


def judge_no_iterations(ctx: RuleContext, body: Graph, iterations: Dim) -> None:
    """Leave a Loop undecided if it has no iterations and the runtime may not know its scan outputs' ranks."""
    ranked = Loaded(body, names_with_ranks(ctx.around))
    law = str(BODY_OUTPUTS_OF_KNOWN_RANK)
    for name in body.outputs[len(body.inputs) - 1 :] if ctx.runtime is Runtime.ONNX else ():
        if body.declared.get(name, UNDECLARED).shape is None and name not in ranked:
            ctx.unjudged.append(Unjudged("", "Loop", "rank", law, branch=equal(iterations, 0)))


def _require_loaded(ctx: RuleContext, run: Run) -> None:
    """Require what a Scan needs to run its body on sizes other than the declared ones, or leave it undecided.

    When ONNX Runtime loads the model, it infers the body's shapes from the declared sizes and allocates by them, so the
    outputs must have the inferred sizes. The node is undecided, except for the declared sizes, if any tensor's shape
    differs from the inferred one, or if the runtime may know an input's size when loading.
    """
    graph, declared, outputs, label = run.graph, run.declared, run.outputs, run.label
    pairs = [(t, _as_declared(d, t)) for d, t in zip(graph.inputs.values(), run.inputs, strict=True)]
    sizes = [(a, b) for t, other in pairs for a, b in zip(t.shape or (), other.shape or (), strict=True) if a is not b]
    if not sizes:
        return _require_sizes(ctx, declared, outputs, outputs, label)
    every = replace(graph, outputs=[*graph.outputs, *(o for n in graph.nodes for o in n.outputs if o)])
    before = mark(ctx)
    given, loaded = (ctx.run_graph(every, tensors, label) for tensors in zip(*pairs, strict=True))
    plain = _plain(graph) and not any(
        all_of(r.branch, r.formula) is FALSE for r in ctx.requirements[before.requirements :]
    )
    before.undo(ctx)
    stated = len(ctx.requirements)
    if plain:
        _require_sizes(ctx, declared, loaded, outputs, label)
    alike = plain and all(t.shape == other.shape for t, other in zip(given, loaded, strict=True))
    if not alike or any(size.constant is not None for size, _ in sizes):
        others = any_of(*(differs(size, number) for size, number in sizes))
        open_ = all_of(others, *(r.formula for r in ctx.requirements[stated:]))
        unjudged = Unjudged(label, "Scan", "elements", str(laws.BODY_INPUTS_OF_DECLARED_SIZE), branch=open_)
        ctx.unjudged += [unjudged] * (open_ is not FALSE)


def _plain(graph: Graph) -> bool:
    """Whether all nodes are ai.onnx operators without subgraphs, and the runtime folds none of them when loading."""
    return not any(n.domain or n.op in FOLDED or n.attributes.graphs for n in graph.nodes)


def _require_sizes(
    ctx: RuleContext, declared: Iterable[Declared], loaded: Iterable[Tensor], outputs: Iterable[Tensor], label: str
) -> None:
    """Require that a body's `outputs` have the constant sizes that are declared, or that `loaded` has.

    `loaded` holds the outputs as the runtime infers them when loading; it allocates them by these sizes. If a declared
    and an inferred size differ, it isn't known here which one the runtime uses, and the output is undecided.
    """
    law = BODY_OUTPUTS_OF_DECLARED_SIZE
    for declaration, other, t in zip(declared, loaded, outputs, strict=False):
        expected = (declaration.shape or ()) if _alike(declaration, t) else [None] * len(t.shape or ())
        for number, inferred, size in zip(expected, other.shape or (), t.shape or (), strict=False):
            numbers = {n for n in (number, inferred.constant) if isinstance(n, int)}
            if len(numbers) == 1 and (isinstance(number, int) or inferred is not size):
                ctx.limit(equal(size, min(numbers)), law, size, min(numbers))
            elif len(numbers) == 2 and isinstance(number, int):
                differing = differs(size, number)
                ctx.unjudged.append(Unjudged(label, ctx.node.op, "elements", str(law), branch=differing))


def _require_inner(ctx: RuleContext, run: Run) -> None:
    """Leave a body undecided if an intermediate tensor differs from its declared shape, by which the runtime plans."""
    for name, declaration in run.graph.declared.items():
        if name in run.tensors and name not in run.graph.outputs:
            _require_declared(ctx, run, declaration, run.tensors[name])


BODY_TENSORS_OF_DECLARED_SIZE = laws.SM403.law("the body's tensors have their declared sizes")


def _require_declared(ctx: RuleContext, run: Run, declaration: Declared, t: Tensor) -> None:
    """Leave a body undecided if `t` differs from its declaration in rank or in a constant size."""
    if declaration.shape is None or not t.is_tensor:
        return
    law, other = str(laws.BODY_TENSORS_OF_DECLARED_RANK), TRUE
    if _alike(declaration, t):
        pairs = zip(t.dims, declaration.shape, strict=True)
        law = str(BODY_TENSORS_OF_DECLARED_SIZE)
        other = any_of(*(differs(size, n) for size, n in pairs if isinstance(n, int)))
    open_ = all_of(run.condition, other)
    ctx.unjudged += [Unjudged(run.label, ctx.node.op, "elements", law, branch=open_)] * (open_ is not FALSE)


def _as_declared(declaration: Declared, t: Tensor) -> Tensor:
    """Return the tensor with its declared constant sizes, and without known elements."""
    if t.shape is None or declaration.shape is None or not _alike(declaration, t):
        return tensor(t.dtype, t.shape)
    return tensor(t.dtype, [w if isinstance(w, int) else d for w, d in zip(declaration.shape, t.shape, strict=True)])


def _alike(declaration: Declared, t: Tensor) -> bool:
    return declaration.shape is not None and t.shape is not None and len(declaration.shape) == t.rank
