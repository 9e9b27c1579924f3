"""Provenance: the inputs from which a node has a size of its output, by its own rule.

The rule is applied again to inputs that differ in one size. What changes in the output was computed from that size, or
taken from it unchanged. Ranks and element types are treated in the same way.

    >>> from shapesmt.frontends import load
    >>> from shapesmt.operators.rules import tensor
    >>> graph = load(b'''<ir_version: 8, opset_import: ["":18]> g (float[3, 4, 5] x) => (y) {
    ...     y = Transpose <perm = [2, 0, 1]> (x) }''')
    >>> x = tensor("float32", [3, 4, 5])
    >>> provenance_of(graph.nodes[0], graph, {"x": x}, 0, (Part("axis", 0), as_dim(5)))
    Provenance(sources=(Source(input=0, part=Part(kind='axis', index=2), value=Dim('5')),), taken=True)
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from math import inf
from typing import Literal, NamedTuple, TypeAlias

from shapesmt.network.graph import Graph, Node
from shapesmt.operators.inference import Slot, Trials, resized
from shapesmt.operators.rules import Application, Elements, Requirement, Tensor, tensor
from shapesmt.prover.algebra import ONE, TRUE, Atom, Dim, Kind, as_dim, symbol

MAX_TRIALS = 64  # the most applications of a rule for one size of its output
MAX_ELEMENTS = 16  # the most elements of an input that are looked at
TYPES = ("float32", "int64", "bool")  # element types that are tried in place of another

PartKind: TypeAlias = Literal["axis", "element", "rank", "type"]
Effect: TypeAlias = Literal["taken", "other", "broken", ""]
Value: TypeAlias = "Dim | int | str"


class Part(NamedTuple):
    """A property of a tensor: the size of an axis, an element (both by index), its rank or its element type.

    The index of an element is None if it isn't known.
    """

    kind: PartKind
    index: int | None = 0  # type: ignore[assignment]  # tuples have a method of that name


class Source(NamedTuple):
    """A property of a node's input, and its value."""

    input: int
    part: Part
    value: Value


class Provenance(NamedTuple):
    """The properties of inputs on which one of an output depends; whether it is `taken` from each of them unchanged."""

    sources: tuple[Source, ...]
    taken: bool


def value_of(t: Tensor, part: Part) -> Value | None:
    """Return a property of a tensor; None if it isn't known, or if there is no such axis or element."""
    if part.kind == "type":
        return t.dtype or None
    if part.kind == "rank":
        return None if t.shape is None else len(t.shape)
    listed = t.value.items if isinstance(t.value, Elements) else ()
    sizes = listed if part.kind == "element" else t.shape or ()
    size = sizes[part.index] if part.index is not None and part.index < len(sizes) else None
    return size if isinstance(size, Dim) else None


def sizes_of(t: Tensor) -> Iterator[tuple[Part, Dim]]:
    """Yield the sizes of a tensor's axes, and its elements if they are few integers."""
    for axis, size in enumerate(t.shape or () if t.is_tensor and not t.cases else ()):
        yield Part("axis", axis), size
    items = t.value.items if isinstance(t.value, Elements) else ()
    for index, item in enumerate(items if len(items) <= MAX_ELEMENTS else ()):
        if isinstance(item, Dim):
            yield Part("element", index), item


def provenance_of(
    node: Node,
    graph: Graph,
    read: Mapping[str, Tensor],
    output: int,
    wanted: tuple[Part, Value],
    constants: Collection[int] = (),
) -> Provenance | None:
    """Return the inputs from which a node has a property of its output, and whether that is theirs.

    None if the rule doesn't return it for these inputs, as for a data-dependent size.

    Args:
        node: The node.
        graph: The graph that contains it.
        read: The tensors that the node reads.
        output: The position of the output.
        wanted: The property, and its value.
        constants: The positions of inputs that are constants. They count only if the property isn't from another input.
    """  # fmt: skip
    part, value = wanted
    trials = Trials(node, graph, read, MAX_TRIALS)
    usual = trials.applied({})
    if usual is None or _property(usual, output, part) != value:
        return None
    sources = [*_sources(node, read, part.kind)]
    if part.kind == "rank":  # or it is the length of an input such as a Reshape's target
        sources += [s for s in _sources(node, read, "axis") if isinstance(read[node.inputs[s.input]].value, Elements)]
    # a number doesn't depend on symbols, and to depend on a 1 tells nothing
    sources = [s for s in sources if s.value == value or (_symbols(s.value) <= _symbols(value) and s.value is not ONE)]

    def found(*effects: Effect, same: bool, constant: bool) -> tuple[Source, ...]:
        asked = [s for s in sources if (s.value == value) is same and (s.input in constants) is constant]
        return tuple([s for s in asked if _effect(s, trials, output, wanted) in effects])

    taken = found("taken", same=True, constant=False) or found("other", "broken", same=True, constant=False)
    if not taken and part.kind == "axis":
        taken = found("taken", same=True, constant=True)
    if taken:
        return Provenance(taken, True)
    computed = found("other", "broken", same=False, constant=False) if part.kind != "type" else ()
    if part.kind == "rank":  # many rules break at another rank of any input
        computed = found("other", same=False, constant=False) or computed
    if computed:
        return Provenance(tuple(_essential(computed)), False)
    taken = found("taken", "other", "broken", same=True, constant=True)
    return Provenance(taken, bool(taken))


def _essential(sources: Collection[Source]) -> Iterator[Source]:
    """Yield the sources without the lengths of inputs whose elements are sources, such as a Reshape's target."""
    read = {s.input for s in sources if s.part.kind == "element"}
    return (s for s in sources if s.part.kind != "axis" or s.input not in read)


def bearing_on(
    r: Requirement,
    application: Application,
    node: Node,
    graph: Graph,
    read: Mapping[str, Tensor],
    constants: Collection[int] = (),
) -> dict[Source, Requirement]:
    """Return the properties of inputs on which a requirement depends, with the requirement where they are different.

    Args:
        r: The requirement, one of those in `application`. If it is about symbols, only sizes with symbols are tried.
        application: The application of the node's rule.
        node: The node.
        graph: The graph that contains it.
        read: The tensors that the node reads.
        constants: The positions of inputs that are omitted, such as those of constants.
    """  # fmt: skip
    inner, place = application.inner_nodes(MAX_TRIALS), application.requirements.index(r)
    trials = Trials(node, graph, read, MAX_TRIALS // (1 + inner))
    bearing: dict[Source, Requirement] = {}
    kinds: tuple[PartKind, ...] = ("type",) if r.typed else ("axis", "rank")
    for kind in kinds:
        for source in () if bearing else _sources(node, read, kind):
            fixed = isinstance(source.value, Dim) and not source.value.symbols
            if source.input in constants or (fixed and r.formula.symbols):
                continue
            changed = _alternatives(read[node.inputs[source.input]], source)
            tried = (trials.applied({source.input: t}) for t, _ in changed)
            restated = (_restated(r, place, application, again) for again in tried if again is not None)
            other = next((own for own in restated if (own.formula, own.law) != (r.formula, r.law)), None)
            bearing |= {} if other is None else {source: other}
    return {s: bearing[s] for s in _essential(bearing)}


def _restated(r: Requirement, place: int, before: Application, after: Application) -> Requirement:
    """Return a requirement as another application states it; one without sides that holds if it states it no more."""
    same = [own for own in after.requirements if own.law.template == r.law.template and own.within == r.within]
    if len(before.requirements) == len(after.requirements):
        return after.requirements[place]
    return r if r in same else same[0] if len(same) == 1 else r._replace(formula=TRUE, left=None, right=None)


def _sources(node: Node, read: Mapping[str, Tensor], kind: PartKind) -> Iterator[Source]:
    """Yield the properties of inputs that may decide one of this kind."""
    for place, name in enumerate(node.inputs):
        t = read.get(name)
        if t is None:
            continue
        if kind in ("rank", "type"):
            value = value_of(t, Part(kind))
            if value is not None:
                yield Source(place, Part(kind), value)
        else:
            yield from (Source(place, own, size) for own, size in sizes_of(t))


def _effect(source: Source, trials: Trials, output: int, wanted: tuple[Part, Value]) -> Effect:
    """Return what becomes of an output's property if a source changes.

    "taken" if it becomes what the source is, "other" if it changes otherwise, "broken" if it is unknown then, "" if it
    stays.
    """
    part, value = wanted
    effect: Effect = ""
    for changed, other in _alternatives(trials.read[trials.node.inputs[source.input]], source):
        again = trials.applied({source.input: changed})
        now = None if again is None else _property(again, output, part)
        if now is not None:
            return "taken" if now == other else "other" if now != value else ""
        effect = "broken"
    return effect


def _symbols(value: Value) -> frozenset[Atom]:
    return value.symbols if isinstance(value, Dim) else frozenset()


def _property(application: Application, output: int, part: Part) -> Value | None:
    return value_of(application.outputs[output], part) if output < len(application.outputs) else None


def _alternatives(t: Tensor, source: Source) -> Iterator[tuple[Tensor, Value]]:
    """Yield the input with another value of a property, and that value."""
    kind, index, value = *source.part, source.value
    if kind == "rank":
        if t.shape is not None:
            yield tensor(t.dtype, (ONE, *t.shape)), len(t.shape) + 1
    elif kind == "type":
        yield from ((tensor(other, t.shape, t.value), other) for other in TYPES if other != t.dtype)
    elif isinstance(value, Dim):
        slot = Slot(source.input, index) if kind == "axis" else Slot(source.input, None, index)
        for other in _other_sizes(value):
            yield resized(t, slot, other), other


def _other_sizes(size: Dim) -> list[Dim]:
    """Return other sizes to try: a new symbol, then for a number the next one, for rules that need to know it."""
    number, own = size.constant, size.as_symbol()
    if number is None:
        return [symbol(f"not {size}", size.lo, size.hi, kind=Kind.INPUT if own is None else own.kind, fold=False)]
    return [symbol(f"not {size}", min(number, 0), inf), as_dim(number + 1)]
