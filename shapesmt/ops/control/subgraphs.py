"""Running subgraphs: their requirements can be undone or rewritten, and their fresh symbols get unique names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from shapesmt import laws
from shapesmt.algebra import (
    FALSE,
    TRUE,
    ZERO,
    Atom,
    Dim,
    Formula,
    Kind,
    Substitution,
    all_of,
    any_of,
    atom_of,
    differs,
    equal,
    of_atom,
    symbol,
)
from shapesmt.algebra import twin as of_kind
from shapesmt.graph import Attributes, Declared, Graph, Node, Reference
from shapesmt.rules import Elements, RuleContext, Tensor, Unjudged, rewritten, tensor

FOLDED = ("Shape", "Size", "Expand")
"""Operators that ONNX Runtime computes or removes when it loads a model, if it knows the sizes of their inputs."""


class Mark(NamedTuple):
    """The lengths of a context's lists at one moment, to undo or rewrite what is added after it."""

    requirements: int
    facts: int
    unjudged: int
    fresh_symbols: int
    bodies: int

    def undo(self, ctx: RuleContext) -> None:
        """Remove what was added since."""
        for statements, length in zip(
            (ctx.requirements, ctx.facts, ctx.unjudged, ctx.fresh_symbols, ctx.bodies), self, strict=True
        ):
            del statements[length:]  # type: ignore[attr-defined]  # a list each

    def rewrite(self, ctx: RuleContext, change: Callable[[Any], Any], *, renamed: bool = True) -> None:
        """Rewrite the formulas added since; conditions of branches, and sizes inside, only if symbols are renamed."""
        ctx.requirements[self.requirements :] = [
            r._replace(formula=change(r.formula), branch=change(r.branch) if renamed else r.branch)
            for r in ctx.requirements[self.requirements :]
        ]
        ctx.facts[self.facts :] = map(change, ctx.facts[self.facts :])
        if renamed:
            ctx.bodies[self.bodies :] = [body.rewritten(change) for body in ctx.bodies[self.bodies :]]


def mark(ctx: RuleContext) -> Mark:
    """The present lengths of the context's lists."""
    stated = len(ctx.requirements), len(ctx.facts), len(ctx.unjudged)
    return Mark(*stated, len(ctx.fresh_symbols), len(ctx.bodies))


def apart(
    ctx: RuleContext, graph: Graph, inputs: Sequence[Tensor], label: str, name: str, condition: Formula = TRUE
) -> list[Tensor]:
    """A subgraph's outputs; symbols for sizes that data decides inside it get names of their own."""
    start = mark(ctx)
    _require_types(ctx, graph.inputs.values(), inputs)
    first = 2 if ctx.node.op == "Loop" else 0
    _require_ranks(ctx, [*graph.inputs.values()][first:], inputs[first:], label)
    outputs = ctx.run_graph(graph, inputs, label, condition)
    declared = [graph.declared.get(o, Declared("", None)) for o in graph.outputs]
    _require_types(ctx, declared, outputs)
    with ctx.where(condition):
        if ctx.node.op == "Scan":
            _require_ranks(ctx, declared, outputs, label, outputs=True)
            _require_loaded(ctx, graph, declared, inputs, outputs, label)
        elif ctx.node.op == "If":
            _require_sizes(ctx, declared, outputs, outputs, label)
    twins = {
        a: twin(a, f"{ctx.node.outputs[0]}.{name}")
        for d in ctx.fresh_symbols[start.fresh_symbols :]
        if (a := d.as_symbol())
    }
    renaming = Substitution({**twins, **{entry_of(a): of_kind(d, Kind.ENTRY) for a, d in twins.items()}})
    start.rewrite(ctx, renaming.apply)
    ctx.fresh_symbols[start.fresh_symbols :] = twins.values()
    return [rewritten(t, renaming) for t in outputs]


def _require_types(ctx: RuleContext, declared: Iterable[Declared], tensors: Sequence[Tensor]) -> None:
    """State that a body's inputs or outputs have the element types that it declares."""
    for declaration, t in zip(declared, tensors, strict=False):
        alike = (
            not (declaration.dtype and t.dtype) or declaration.dtype == t.dtype or "()" in declaration.dtype + t.dtype
        )
        ctx.check(alike, laws.BODY_TENSORS_OF_DECLARED_TYPE.of(dtype=declaration.dtype))


def _require_ranks(
    ctx: RuleContext, declared: Iterable[Declared], tensors: Sequence[Tensor], label: str, *, outputs: bool = False
) -> None:
    """State that the tensors that a body carries and scans have their declared ranks.

    A Loop may run with others, but the runtime infers shapes from the declaration first, and may refuse those. It
    refuses those that a Scan's body makes, unless it computes them when it loads the model.
    """
    law = laws.BODY_TENSORS_OF_DECLARED_RANK
    for declaration, t in zip(declared, tensors, strict=False):
        sequence = t.dtype.startswith("seq(")  # its first size is its length; an empty one has tensors of any rank
        if declaration.shape is None or t.shape is None or (sequence and t[0] is ZERO):
            continue
        if len(declaration.shape) + sequence != t.rank:
            if not outputs and ctx.node.op != "Loop":
                ctx.reject(law)
            ctx.unjudged.append(Unjudged(label, ctx.node.op, "rank", str(law)))


def _require_loaded(
    ctx: RuleContext,
    graph: Graph,
    declared: Sequence[Declared],
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
    label: str,
) -> None:
    """State that a Scan's body runs on sizes for which it declares other numbers, or leave the node open.

    The runtime infers shapes from the declaration when it loads the model. It allocates the outputs and plans the
    memory in between by them, and may compute elements from them. An input whose size it knows by then is refused.
    """
    pairs = [(t, _as_declared(d, t)) for d, t in zip(graph.inputs.values(), inputs, strict=True)]
    sizes = [(a, b) for t, other in pairs for a, b in zip(t.shape or (), other.shape or (), strict=True) if a is not b]
    if not sizes:
        return _require_sizes(ctx, declared, outputs, outputs, label)
    every = replace(graph, outputs=[*graph.outputs, *(o for n in graph.nodes for o in n.outputs if o)])
    before = mark(ctx)
    run, loaded = (ctx.run_graph(every, tensors, label) for tensors in zip(*pairs, strict=True))
    plain = not any(n.domain or n.op in FOLDED or n.attributes.graphs for n in graph.nodes)
    plain &= not any(all_of(r.branch, r.formula) is FALSE for r in ctx.requirements[before.requirements :])
    before.undo(ctx)
    stated = len(ctx.requirements)
    if plain:
        _require_sizes(ctx, declared, loaded, outputs, label)
    alike = plain and all(t.shape == other.shape for t, other in zip(run, loaded, strict=True))
    if not alike or any(size.constant is not None for size, _ in sizes):
        others = any_of(*(differs(size, number) for size, number in sizes))
        open_ = all_of(others, *(r.formula for r in ctx.requirements[stated:]))
        unjudged = Unjudged(label, "Scan", "elements", str(laws.BODY_INPUTS_OF_DECLARED_SIZE), branch=open_)
        ctx.unjudged += [unjudged] * (open_ is not FALSE)


def _require_sizes(
    ctx: RuleContext, declared: Iterable[Declared], loaded: Iterable[Tensor], outputs: Iterable[Tensor], label: str
) -> None:
    """State that a body's outputs have the sizes that are declared as numbers, or that the runtime infers as it loads.

    It allocates these, unless both are known and differ; which of them it infers isn't known here.
    """
    law = laws.BODY_OUTPUTS_OF_DECLARED_SIZE
    for declaration, other, t in zip(declared, loaded, outputs, strict=False):
        expected = (declaration.shape or ()) if _alike(declaration, t) else [None] * len(t.shape or ())
        for number, inferred, size in zip(expected, other.shape or (), t.shape or (), strict=False):
            numbers = {n for n in (number, inferred.constant) if isinstance(n, int)}
            if len(numbers) == 1 and (isinstance(number, int) or inferred is not size):
                ctx.limit(equal(size, min(numbers)), law, size, min(numbers))
            elif len(numbers) == 2 and isinstance(number, int):
                differing = differs(size, number)
                ctx.unjudged.append(Unjudged(label, ctx.node.op, "elements", str(law), branch=differing))


def judge_declared(ctx: RuleContext, body: Graph, inputs: Sequence[Tensor]) -> None:
    """State that a Loop's condition has its declared rank; the body is unknown if it couldn't run on declared sizes.

    The runtime infers the body's shapes from its declarations, before it knows the carried tensors.
    """
    condition, declaration = ctx.inputs[1], [*body.inputs.values()][1]
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
        ctx.unjudged.append(Unjudged("", "Loop", "elements", str(laws.BODY_RUNS_ON_DECLARED_SIZES)))


def _as_declared(declaration: Declared, t: Tensor) -> Tensor:
    """The tensor with the sizes that are declared as numbers, and without known elements."""
    if t.shape is None or declaration.shape is None or not _alike(declaration, t):
        return tensor(t.dtype, t.shape)
    return tensor(t.dtype, [w if isinstance(w, int) else d for w, d in zip(declaration.shape, t.shape, strict=True)])


def _alike(declaration: Declared, t: Tensor) -> bool:
    return declaration.shape is not None and t.shape is not None and len(declaration.shape) == t.rank


def symbols_since(ctx: RuleContext, known: int) -> frozenset[Atom]:
    """The fresh symbols behind the first `known` ones."""
    symbols = frozenset(a for d in ctx.fresh_symbols[known:] if (a := d.as_symbol()))
    return symbols.union(map(entry_of, symbols))


def entry_of(atom: Atom) -> Atom:
    """The symbol that replaces this one in elements that aren't known."""
    return atom_of(of_kind(of_atom(atom), Kind.ENTRY))


def twin(atom: Atom, prefix: str) -> Dim:
    """A symbol with the same bounds and another name."""
    return symbol(f"{prefix}.{atom.name}", atom.lo, atom.hi, step=atom.step, kind=atom.kind)


def truth_of(t: Tensor | None) -> Dim | None:
    """The one element of a condition (0 or 1); None where unknown."""
    value = t.value if t is not None else None
    item = value.items[0] if isinstance(value, Elements) and len(value.items) == 1 else None
    return item if isinstance(item, Dim) else None


def bound(node: Node, arguments: Attributes, defaults: Attributes, missing: set[str]) -> Node:
    """A node of a function's body with the caller's attributes put in and omitted inputs left out."""
    attributes: dict[str, Any] = {}
    for name, value in node.attributes.items():
        if isinstance(value, Reference):
            argument = arguments[value.name] if value.name in arguments else defaults.get(value.name)
            if argument is not None:
                attributes[name] = argument
        elif isinstance(value, Graph):
            within = missing.difference(value.inputs, value.literals, *(n.outputs for n in value.nodes))
            attributes[name] = replace(value, nodes=[bound(n, arguments, defaults, within) for n in value.nodes])
        else:
            attributes[name] = value
    inputs = ["" if name in missing else name for name in node.inputs]
    return node._replace(attributes=Attributes(attributes), inputs=inputs)
