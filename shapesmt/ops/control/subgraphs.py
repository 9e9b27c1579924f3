"""Running subgraphs: what they state can be taken back or rewritten, and what they make gets names of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from shapesmt import laws
from shapesmt.algebra import (
    FALSE,
    TRUE,
    Atom,
    Dim,
    Formula,
    Kind,
    Substitution,
    all_of,
    atom_of,
    equal,
    of_atom,
    symbol,
)
from shapesmt.algebra import twin as of_kind
from shapesmt.graph import Attributes, Declared, Graph, Node, Reference
from shapesmt.rules import Elements, RuleContext, Tensor, Unjudged, rewritten, tensor


class Mark(NamedTuple):
    """How much a context had stated, to take back or rewrite what came after."""

    requirements: int
    facts: int
    unjudged: int
    fresh_symbols: int

    def undo(self, ctx: RuleContext) -> None:
        """Take it back."""
        for listed, length in zip((ctx.requirements, ctx.facts, ctx.unjudged, ctx.fresh_symbols), self, strict=True):
            del listed[length:]  # type: ignore[attr-defined]  # a list each

    def rewrite(self, ctx: RuleContext, change: Callable[[Formula], Formula], *, renamed: bool = True) -> None:
        """Change its conditions; those of branches only if symbols are renamed."""
        ctx.requirements[self.requirements :] = [
            r._replace(formula=change(r.formula), given=change(r.given) if renamed else r.given)
            for r in ctx.requirements[self.requirements :]
        ]
        ctx.facts[self.facts :] = map(change, ctx.facts[self.facts :])


def mark(ctx: RuleContext) -> Mark:
    """What is stated so far."""
    return Mark(len(ctx.requirements), len(ctx.facts), len(ctx.unjudged), len(ctx.fresh_symbols))


def apart(
    ctx: RuleContext, graph: Graph, inputs: Sequence[Tensor], label: str, name: str, given: Formula = TRUE
) -> list[Tensor]:
    """A subgraph's outputs; the sizes that data decides in there get names of their own."""
    start = mark(ctx)
    _require_types(ctx, graph.inputs.values(), inputs)
    _require_ranks(ctx, graph, inputs, label)
    outputs = ctx.run_graph(graph, inputs, label, given)
    declared = [graph.declared.get(o, Declared("", None)) for o in graph.outputs]
    _require_types(ctx, declared, outputs)
    with ctx.where(given):
        _require_sizes(ctx, graph.inputs.values(), inputs, label)
        _require_sizes(ctx, declared, outputs, label, made=True)
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
    """State that what a body takes and makes is of the element types that it declares."""
    for said, t in zip(declared, tensors, strict=False):
        alike = not (said.dtype and t.dtype) or said.dtype == t.dtype or "()" in said.dtype + t.dtype
        ctx.check(alike, laws.BODY_TENSORS_OF_DECLARED_TYPE.of(dtype=said.dtype))


def _require_ranks(ctx: RuleContext, graph: Graph, inputs: Sequence[Tensor], label: str) -> None:
    """State that what a body carries and scans has its declared rank.

    A Loop may run without it, but what the runtime infers of its body, and may refuse, rests on what is declared.
    """
    law, first = laws.BODY_TENSORS_OF_DECLARED_RANK, 2 if ctx.node.op == "Loop" else 0
    for said, t in zip([*graph.inputs.values()][first:], inputs[first:], strict=False):
        if said.shape is not None and t.shape is not None and len(said.shape) != t.rank:
            ctx.check(ctx.node.op == "Loop", law)
            ctx.unjudged.append(Unjudged(label, ctx.node.op, "rank", str(law)))


def _require_sizes(
    ctx: RuleContext, declared: Iterable[Declared], tensors: Sequence[Tensor], label: str, *, made: bool = False
) -> None:
    """State that what a Scan's body takes, and what it or a branch makes, has the sizes that are declared as numbers.

    The runtime makes room for outputs of these sizes, unless it infers another number: that can't be told here.
    """
    law = laws.BODY_OUTPUTS_OF_DECLARED_SIZE if made else laws.BODY_INPUTS_OF_DECLARED_SIZE
    for said, t in zip(declared, () if ctx.node.op == "Loop" else tensors, strict=False):
        for wanted, size in zip(said.shape or (), t.shape or (), strict=False) if _alike(said, t) else ():
            if made and isinstance(wanted, int) and size.constant not in (None, wanted):
                ctx.unjudged.append(Unjudged(label, ctx.node.op, "elements", str(law)))
            elif isinstance(wanted, int):
                ctx.limit(equal(size, wanted), law, size, wanted)


def judge_declared(ctx: RuleContext, body: Graph, inputs: Sequence[Tensor]) -> None:
    """State that a Loop's condition has its declared rank; the body is open if it couldn't run on declared sizes.

    The runtime infers the body on what it declares, before it knows what is carried.
    """
    condition, said = ctx.inputs[1], [*body.inputs.values()][1]
    if condition is not None and condition.shape is not None and said.shape is not None:
        ctx.limit(len(said.shape) == condition.rank, laws.BODY_TENSORS_OF_DECLARED_RANK)
    given = [_as_declared(said, t) for said, t in zip(body.inputs.values(), inputs, strict=True)]
    if all(t.shape == other.shape for t, other in zip(inputs, given, strict=True)):
        return
    before = mark(ctx)
    apart(ctx, body, given, "", "declared")
    clash = any(all_of(r.given, r.formula) is FALSE for r in ctx.requirements[before.requirements :])
    before.undo(ctx)
    if clash:
        ctx.unjudged.append(Unjudged("", "Loop", "elements", str(laws.BODY_RUNS_ON_DECLARED_SIZES)))


def _as_declared(said: Declared, t: Tensor) -> Tensor:
    """A tensor of the sizes that are declared as numbers, of whose elements nothing is known."""
    if t.shape is None or said.shape is None or not _alike(said, t):
        return tensor(t.dtype, t.shape)
    return tensor(t.dtype, [w if isinstance(w, int) else d for w, d in zip(said.shape, t.shape, strict=True)])


def _alike(said: Declared, t: Tensor) -> bool:
    return said.shape is not None and t.shape is not None and len(said.shape) == t.rank


def symbols_since(ctx: RuleContext, known: int) -> frozenset[Atom]:
    """The fresh symbols after the first so many."""
    found = frozenset(a for d in ctx.fresh_symbols[known:] if (a := d.as_symbol()))
    return found.union(map(entry_of, found))


def entry_of(atom: Atom) -> Atom:
    """The symbol that stands for this one in elements that aren't known."""
    return atom_of(of_kind(of_atom(atom), Kind.ENTRY))


def twin(atom: Atom, prefix: str) -> Dim:
    """A symbol like it of another name."""
    return symbol(f"{prefix}.{atom.name}", atom.lo, atom.hi, step=atom.step, kind=atom.kind)


def truth_of(t: Tensor | None) -> Dim | None:
    """The one element of a condition (0 or 1); None where unknown."""
    value = t.value if t is not None else None
    item = value.items[0] if isinstance(value, Elements) and len(value.items) == 1 else None
    return item if isinstance(item, Dim) else None


def bound(node: Node, given: Attributes, defaults: Attributes, missing: set[str]) -> Node:
    """A node of a function's body with the caller's attributes put in and omitted inputs left out."""
    attributes: dict[str, Any] = {}
    for name, value in node.attributes.items():
        if isinstance(value, Reference):
            passed = given[value.name] if value.name in given else defaults.get(value.name)
            if passed is not None:
                attributes[name] = passed
        elif isinstance(value, Graph):
            within = missing.difference(value.inputs, value.literals, *(n.outputs for n in value.nodes))
            attributes[name] = replace(value, nodes=[bound(n, given, defaults, within) for n in value.nodes])
        else:
            attributes[name] = value
    inputs = ["" if name in missing else name for name in node.inputs]
    return node._replace(attributes=Attributes(attributes), inputs=inputs)
