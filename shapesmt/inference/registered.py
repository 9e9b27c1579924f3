"""Registered: what an operator without a rule makes, where its schema was registered with an inference function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.algebra import FALSE, Dim, Kind
from shapesmt.graph import Declared, Literal
from shapesmt.laws import as_law
from shapesmt.rules import Application, Elements, InferenceContext, Requirement, Tensor, Unjudged, tensor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shapesmt.laws import as_law
from shapesmt.graph import Node, Schemas

NOTE = "its registered schema says what it makes, not what it needs"


def registered(
    schemas: Schemas, node: Node, given: Sequence[Tensor | None], opsets: Mapping[str, int], wanted: str
) -> Application | None:
    """The outputs that the node's schema infers, the node itself left undecided; None where it infers nothing.

    Equal sizes go in under one name and come back as what they are. Of a size that comes back under another name, or
    without any, nothing is known. What the schema refuses is a requirement that fails.
    """
    if node.attributes.graphs or any(t is not None and not t.is_tensor for t in given):
        return None
    names: dict[Dim, str] = {}
    declared = [None if t is None else _declared(t, names) for t in given]
    inferred = schemas.infer(node, opsets, declared, [None if t is None else _literal(t) for t in given])
    if inferred is None:
        return None
    ctx = InferenceContext(node, given, opsets.get(node.domain, 1))
    ctx.memoizable = False  # another schema may be registered under the same name
    ctx.unjudged.append(Unjudged("", node.op, "unsupported", wanted, NOTE))
    if isinstance(inferred, str):
        ctx.requirements.append(Requirement(FALSE, as_law(inferred)))
        return ctx.apply(lambda _: None)
    sizes: dict[str, Dim] = {name: dim for dim, name in names.items()}

    def size(said: int | str | None, index: int, axis: int) -> Dim | int:
        if isinstance(said, int):
            return said
        key = said or f"{index}.{axis}"
        if key not in sizes:
            sizes[key] = ctx.fresh(key, kind=Kind.OPEN)
        return sizes[key]

    def output(index: int, said: Declared) -> Tensor:
        dims = said.shape
        known = None if dims is None or said.kind != "tensor" else [size(d, index, a) for a, d in enumerate(dims)]
        return tensor(said.dtype, known)

    return ctx.apply(lambda _: [output(*pair) for pair in enumerate(inferred)])


def _declared(t: Tensor, names: dict[Dim, str]) -> Declared:
    """The type as a file would declare it; each formula has a name of its own."""

    def said(d: Dim) -> int | str:
        return int(d.constant) if d.constant is not None else names.setdefault(d, f"size {len(names)}")

    return Declared(t.dtype, None if t.shape is None else tuple(map(said, t.shape)))


def _literal(t: Tensor) -> Literal | None:
    """The elements of an integer tensor, where all are constant."""
    if not isinstance(t.value, Elements):
        return None
    items = [item.constant if isinstance(item, Dim) else None for item in t.value.items]
    return None if None in items else Literal(t.dtype, t.value.shape, [i for i in items if i is not None])
