"""Run subgraphs; their requirements can be undone or rewritten, and their fresh symbols get unique names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from shapesmt.network import laws
from shapesmt.network.graph import Attributes, Declared, Graph, Node, Reference
from shapesmt.operators.rules import Elements, RuleContext, Tensor, Unjudged, rewrite_tensor
from shapesmt.prover.algebra import (
    TRUE,
    ZERO,
    Atom,
    Dim,
    Formula,
    Kind,
    Substitution,
    atom_of,
    of_atom,
    symbol,
    twin as of_kind,
)

UNDECLARED = Declared("", None)


class Run(NamedTuple):
    """A run of a graph inside a node, with its tensors by name, and the condition under which it takes place."""

    graph: Graph
    inputs: Sequence[Tensor]
    outputs: Sequence[Tensor]
    tensors: Mapping[str, Tensor]
    label: str
    condition: Formula

    @property
    def declared(self) -> list[Declared]:
        """The declarations of the graph's outputs."""
        return [self.graph.declared.get(name, UNDECLARED) for name in self.graph.outputs]


class Mark(NamedTuple):
    """The lengths of a context's lists at one moment, to undo or rewrite later additions."""

    requirements: int
    facts: int
    unjudged: int
    fresh_symbols: int
    bodies: int

    def undo(self, ctx: RuleContext) -> None:
        """Remove everything that was added to the lists since the mark."""
        for statements, length in zip(
            (ctx.requirements, ctx.facts, ctx.unjudged, ctx.fresh_symbols, ctx.bodies), self, strict=True
        ):
            del statements[length:]  # type: ignore[attr-defined]  # a list each

    def rewrite(self, ctx: RuleContext, change: Callable[[Any], Any], *, renamed: bool = True) -> None:
        """Apply `change` to the formulas added since the mark.

        Branch conditions and the sizes inside subgraphs are changed only if it renames symbols (`renamed`).
        """
        ctx.requirements[self.requirements :] = [
            r._replace(formula=change(r.formula), branch=change(r.branch) if renamed else r.branch)
            for r in ctx.requirements[self.requirements :]
        ]
        ctx.facts[self.facts :] = map(change, ctx.facts[self.facts :])
        if renamed:
            ctx.bodies[self.bodies :] = [body.rewrite(change) for body in ctx.bodies[self.bodies :]]


def mark(ctx: RuleContext) -> Mark:
    """Return the present lengths of the context's lists."""
    stated = len(ctx.requirements), len(ctx.facts), len(ctx.unjudged)
    return Mark(*stated, len(ctx.fresh_symbols), len(ctx.bodies))


def apart(
    ctx: RuleContext,
    graph: Graph,
    inputs: Sequence[Tensor],
    label: str,
    name: str,
    condition: Formula = TRUE,
    judge: Callable[[RuleContext, Run], None] | None = None,
) -> list[Tensor]:
    """Run a subgraph and return its outputs; `name` is added to the names of its new symbols, so that runs differ.

    `label` names the run in reports, `condition` is when it takes place. `judge` states the runtime's requirements on a
    run, besides the declared types and the ranks of its inputs.
    """
    start = mark(ctx)
    _require_types(ctx, graph.inputs.values(), inputs)
    first = 2 if ctx.node.op == "Loop" else 0
    _require_ranks(ctx, [*graph.inputs.values()][first:], inputs[first:], label)
    outputs = ctx.run_graph(graph, inputs, label, condition)
    tensors = ctx.bodies[-1].tensors if len(ctx.bodies) > start.bodies else {}
    run = Run(graph, inputs, outputs, tensors, label, condition)
    _require_types(ctx, run.declared, outputs)
    if judge is not None:
        with ctx.where(condition):
            judge(ctx, run)
    twins = {
        a: twin(a, f"{ctx.node.outputs[0]}.{name}")
        for d in ctx.fresh_symbols[start.fresh_symbols :]
        if (a := d.as_symbol())
    }
    renaming = Substitution({**twins, **{entry_of(a): of_kind(d, Kind.ENTRY) for a, d in twins.items()}})
    start.rewrite(ctx, renaming.apply)
    ctx.fresh_symbols[start.fresh_symbols :] = twins.values()
    return [rewrite_tensor(t, renaming) for t in outputs]


BODY_TENSORS_OF_DECLARED_TYPE = laws.SM403.law("the body's tensors are of their declared type, {dtype}")


def _require_types(ctx: RuleContext, declared: Iterable[Declared], tensors: Sequence[Tensor]) -> None:
    """Require that a body's inputs or outputs have the element types that it declares."""
    for declaration, t in zip(declared, tensors, strict=False):
        alike = (
            not (declaration.dtype and t.dtype) or declaration.dtype == t.dtype or "()" in declaration.dtype + t.dtype
        )
        ctx.check(alike, BODY_TENSORS_OF_DECLARED_TYPE.of(dtype=declaration.dtype))


def _require_ranks(ctx: RuleContext, declared: Iterable[Declared], tensors: Sequence[Tensor], label: str) -> None:
    """Require that the carried and scanned tensors have the ranks that the body declares.

    A Loop may run with other ranks, but the runtime infers shapes from the declaration first and may refuse it, so the
    node is undecided.
    """
    law = laws.BODY_TENSORS_OF_DECLARED_RANK
    for declaration, t in zip(declared, tensors, strict=False):
        sequence = t.dtype.startswith("seq(")  # its first size is its length; an empty one has tensors of any rank
        if declaration.shape is None or t.shape is None or (sequence and t[0] is ZERO):
            continue
        if len(declaration.shape) + sequence != t.rank:
            if ctx.node.op != "Loop":
                ctx.reject(law)
            ctx.unjudged.append(Unjudged(label, ctx.node.op, "rank", str(law)))


def symbols_since(ctx: RuleContext, known: int) -> frozenset[Atom]:
    """Return the fresh symbols after the first `known` ones, and those that replace them in unknown elements."""
    symbols = frozenset(a for d in ctx.fresh_symbols[known:] if (a := d.as_symbol()))
    return symbols.union(map(entry_of, symbols))


def entry_of(atom: Atom) -> Atom:
    """Return the symbol that replaces this one in elements that aren't known."""
    return atom_of(of_kind(of_atom(atom), Kind.ENTRY))


def twin(atom: Atom, prefix: str) -> Dim:
    """Return a symbol with the bounds of `atom` and the name `<prefix>.<its name>`."""
    return symbol(f"{prefix}.{atom.name}", atom.lo, atom.hi, step=atom.step, kind=atom.kind)


def truth_of(t: Tensor | None) -> Dim | None:
    """Return the one element of a condition (0 or 1); None if unknown."""
    value = t.value if t is not None else None
    item = value.items[0] if isinstance(value, Elements) and len(value.items) == 1 else None
    return item if isinstance(item, Dim) else None


def bound(node: Node, arguments: Attributes, defaults: Attributes, missing: set[str]) -> Node:
    """Return a node of a function's body as called: attributes inserted, omitted inputs removed.

    Attributes come from `arguments`, the call's, or from `defaults`; `missing` names the omitted inputs.
    """
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
