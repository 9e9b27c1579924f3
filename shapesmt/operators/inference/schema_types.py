"""Outputs that are stated: by the schema of an operator without a rule, or by the file, which counts more than a rule.

Only the archives of PyTorch state types and ranks that count, from the trace of the program: if a rule infers others,
the rule is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from shapesmt.base.errors import UsageError
from shapesmt.network.graph import STATED_RANKS, STATED_TYPES, Declared, Literal, Node, Schemas
from shapesmt.network.laws import as_law
from shapesmt.operators.rules import Application, Assumed, Elements, Requirement, RuleContext, Tensor, Unjudged, tensor
from shapesmt.prover.algebra import FALSE, Dim, Kind, as_dim
from shapesmt.prover.algebra.numeric import Float

NOTE = "its registered schema says what it makes, not what it needs"


Types: TypeAlias = "list[Declared] | str | None"
"""The types that a schema infers for a node's outputs, or its error; None if it infers none."""
Naming: TypeAlias = "Callable[[Dim], str | None]"
"""Gives a size that is no number its name; None if it has none."""


def nameless(_size: Dim) -> None:
    """Give no size a name."""


def inferred_types(
    schemas: Schemas,
    node: Node,
    opsets: Mapping[str, int],
    inputs: Sequence[Tensor | None],
    name_of: Naming = nameless,
    earlier: dict[object, Types] | None = None,
) -> Types:
    """Return what a schema infers from numbers and names; for equal nodes, whatever their names are, it is asked once.

    Its answers are taken from `earlier`, and added to it; None keeps none.
    """
    if any(t is not None and not t.is_tensor for t in inputs):
        return None
    types = [None if t is None else declared_of(t, name_of) for t in inputs]
    elements = [None if t is None else literal_of(t) for t in inputs]
    key = node.domain, node.op, node.attributes, tuple(map(bool, node.outputs)), *types, *elements
    known = {} if earlier is None else earlier
    if key not in known:
        try:
            known[key] = schemas.infer(node, opsets, types, elements)
        except UsageError:
            known[key] = None
    return known[key]


def infer_by_schema(
    schemas: Schemas, node: Node, inputs: Sequence[Tensor | None], opsets: Mapping[str, int], law: str
) -> Application | None:
    """Return the outputs that the node's schema infers, with the node undecided; None if it infers nothing.

    Each formula is passed to the schema as a name, and a size returned under that name is the formula. A size under
    another name, or without one, is unknown. An error of the schema is a requirement that fails.
    """
    if node.attributes.graphs or any(t is not None and not t.is_tensor for t in inputs):
        return None
    names: dict[Dim, str] = {}
    declared = [
        None if t is None else declared_of(t, lambda d: names.setdefault(d, f"size {len(names)}")) for t in inputs
    ]
    inferred = schemas.infer(node, opsets, declared, [None if t is None else literal_of(t) for t in inputs])
    if inferred is None:
        return None
    ctx = RuleContext(node, inputs, opsets.get(node.domain, 1))
    ctx.memoizable = False  # another schema may be registered under the same name
    ctx.unjudged.append(Unjudged("", node.op, "unsupported", law, NOTE))
    if isinstance(inferred, str):
        ctx.requirements.append(Requirement(FALSE, as_law(inferred)))
        return ctx.apply(lambda _: None)
    sizes: dict[str, Dim] = {name: dim for dim, name in names.items()}

    def size(declared_size: int | str | None, index: int, axis: int) -> Dim | int:
        if isinstance(declared_size, int):
            return declared_size
        key = declared_size or f"{index}.{axis}"
        if key not in sizes:
            sizes[key] = ctx.fresh(key, kind=Kind.OPEN)
        return sizes[key]

    def output(index: int, inferred_type: Declared) -> Tensor:
        dims = inferred_type.shape
        known = (
            None if dims is None or inferred_type.kind != "tensor" else [size(d, index, a) for a, d in enumerate(dims)]
        )
        return tensor(inferred_type.dtype, known)

    return ctx.apply(lambda _: [output(*pair) for pair in enumerate(inferred)])


def declared_of(t: Tensor, name_of: Naming) -> Declared:
    """Return a tensor's type as a file would declare it, where `name_of` gives the names of unknown sizes."""
    sizes = None if t.shape is None else [name_of(d) if d.constant is None else int(d.constant) for d in t.shape]
    return Declared(t.dtype, None if sizes is None else tuple(sizes))


def literal_of(t: Tensor) -> Literal | None:
    """Return a tensor of numbers as a constant; None unless all its elements are known."""
    if not isinstance(t.value, Elements):
        return None
    items = [item.constant if isinstance(item, Dim) else _number(item) for item in t.value.items]
    return None if None in items else Literal(t.dtype, t.value.shape, [i for i in items if i is not None])


def _number(item: Float | None) -> float | None:
    """Return the value of a float; None if it isn't known exactly."""
    return item.lo if item is not None and item.lo == item.hi and item.numerator is not None else None


def as_stated(application: Application, node: Node) -> Application:
    """Return the application with outputs as the file states them; each difference is an assumption by "archive".

    The elements of an output with another type are unknown, and the sizes of one with another rank.
    """
    types, ranks = node.attributes.get(STATED_TYPES), node.attributes.get(STATED_RANKS)
    if not isinstance(types, tuple) or not isinstance(ranks, tuple):
        return application
    outputs, assumed = [*application.outputs], [*application.assumed]
    for index, (dtype, rank) in enumerate(zip(types[: len(outputs)], ranks, strict=False)):
        x, laws = _as_stated(outputs[index], str(dtype), rank if isinstance(rank, int) else -1)
        outputs[index] = x
        assumed += [Assumed("", node.op, index, law, "archive") for law in laws]
    if len(assumed) == len(application.assumed):
        return application
    return replace(application, outputs=tuple(outputs), assumed=tuple(assumed))


def _as_stated(x: Tensor, dtype: str, rank: int) -> tuple[Tensor, list[str]]:
    """Return an output as stated, and what is assumed."""
    laws = []
    if dtype and x.dtype and dtype != x.dtype:
        laws.append(f"the output is {dtype}, not {x.dtype}")
        x = tensor(dtype, x.shape, ndim=x.ndim if x.shape is None else None, layout=x.layout)
    if rank >= 0 and x.shape is not None and rank != x.rank:
        laws.append(f"the output has rank {rank}, not {x.rank}")
        x = tensor(x.dtype, None, ndim=as_dim(rank))
    return x, laws
