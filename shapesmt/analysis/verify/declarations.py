"""Declarations: the axes of every input, the names of its sizes and their ranges, from the file and from the caller.

`x: [batch, 3, ?, 1..8]` has the axes batch, 3, x_dim2, x_dim3 with batch in 1.., x_dim2 in 1.. and x_dim3 in 1..8.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence

from shapesmt.base.errors import UsageError
from shapesmt.network.declarations import (
    DimLike,
    Origin,
    Range,
    RangeLike,
    ShapeLike,
    misspelt,
    parse_dim,
    parse_range,
    parse_shape,
    quote,
    unknown_name,
)
from shapesmt.network.graph import Graph
from shapesmt.operators.rules import MAX_RANK
from shapesmt.prover.algebra import symbol
from shapesmt.reports.answers import SymbolRange

Axis = int | str | Range
Declarations = Mapping[str, "tuple[str, list[Axis] | None]"]
PLACEHOLDERS = ("?", "*", "-1", "None")  # written by exporters for a size without a name
_AXIS = re.compile(r"(?P<input>.+)\[(?P<axis>[0-9]{1,3})\]")
ANY_RANK = SymbolRange(0, MAX_RANK, 1, "default")


def input_declarations(graph: Graph, shapes: Mapping[str, ShapeLike]) -> dict[str, tuple[str, list[Axis] | None]]:
    """Return every input's element type and axes (None: any rank); the caller's shapes take precedence."""
    for name in shapes:
        if name not in graph.inputs:
            raise unknown_name("input", name, graph.inputs, graph.source)
    declared: dict[str, tuple[str, list[Axis] | None]] = {}
    apart = placeholders(graph)
    for name, d in graph.inputs.items():
        axes: list[Range | int | str | None] | None = None if d.shape is None or d.kind != "tensor" else [*d.shape]
        axes = axes if axes is None else [None if axis in apart else axis for axis in axes]
        if name in shapes:
            axes = _merge(name, axes, parse_shape(shapes[name], name))
        declared[name] = (d.dtype if d.kind != "sparse" else "", None if axes is None else named_axes(name, axes))
    return declared


def limit_ranks(graph: Graph, shapes: Mapping[str, ShapeLike]) -> None:
    """Refuse inputs of more dimensions than NumPy's arrays can have.

    Raises:
        UsageError: An input has too many dimensions.
    """
    for name, (_, axes) in input_declarations(graph, shapes).items():
        if axes is not None and len(axes) > MAX_RANK:
            raise UsageError(f"input {quote(name)} has {len(axes):,} dimensions; a tensor has at most {MAX_RANK}")


def own_names(graph: Graph, dims: Mapping[str, RangeLike]) -> dict[str, RangeLike]:
    """Return the caller's ranges by the dimensions' own names, for which the file may have aliases, or axes stand.

    The axis 2 of an input `image` is `image[2]`.

    Raises:
        UsageError: A dimension has two ranges, or an axis is a number or doesn't exist.
    """
    taken = {axis for d in graph.inputs.values() for axis in d.shape or ()}
    aliases = {alias: name for alias, name in graph.aliases.items() if alias not in taken}
    aliases |= {text: _name_of_axis(graph, text, spec) for text, spec in dims.items() if text not in {*taken, *aliases}}
    own: dict[str, RangeLike] = {}
    for text, spec in sorted(dims.items(), key=lambda pair: (_origin(pair[1]) is not None, pair[0] in aliases)):
        name = aliases.get(text, text)
        if own.setdefault(name, spec) != spec and _origin(spec) is None:  # what is given by hand precedes files
            raise UsageError(f"{quote(text)} is another name for {quote(name)}, which has another range")
    return own


def _name_of_axis(graph: Graph, text: str, spec: RangeLike) -> str:
    """Return the name of the dimension that is an input's axis, such as `image[2]`; any other text is unchanged.

    Raises:
        UsageError: The input has no such axis, or its size is a number in the file, and the range isn't optional.
    """
    match = _AXIS.fullmatch(text)
    if match is None or match["input"] not in graph.inputs:
        return text
    name, axis, shape = match["input"], int(match["axis"]), graph.inputs[match["input"]].shape
    size = None if shape is None else shape[axis] if axis < len(shape) else len(shape)
    if isinstance(size, str) and size and size not in placeholders(graph):
        return size
    if not isinstance(size, int):
        return f"{name}_dim{axis}"
    origin = _origin(spec)
    if origin is not None and not origin.needed:
        return text
    if shape is not None and axis >= len(shape):
        raise UsageError(f"{quote(text)}: input {quote(name)} has {len(shape)} axes, the first is 0")
    told = f"axis {axis} of {quote(name)} is {size} in the file"
    raise UsageError(f"{quote(text)}: {told}; --shape gives it other sizes")


def placeholders(graph: Graph) -> dict[str, list[str]]:
    """Return the placeholders (`?`) that the file uses for several sizes, with the names that these sizes get."""
    named: dict[str, list[str]] = {mark: [] for mark in PLACEHOLDERS}
    for name, d in graph.inputs.items():
        for i, axis in enumerate(d.shape or ()):
            if axis in named:
                named[str(axis)].append(f"{name}_dim{i}")
    return {mark: names for mark, names in named.items() if len(names) > 1}


def _merge(
    name: str, axes: list[Range | int | str | None] | None, shape: tuple[DimLike, ...] | None
) -> list[Range | int | str | None] | None:
    """Return the caller's `shape`, with the file's size (in `axes`) where the caller leaves it open; None: any rank."""
    if shape is None or axes is None:
        return None if shape is None else list(shape)
    if len(shape) != len(axes):
        raise UsageError(f"--shape gives input {quote(name)} {len(shape)} dimensions, the file gives it {len(axes)}")
    return [
        theirs if ours is None or (isinstance(ours, Range) and ours.lo == ours.hi == theirs) else ours
        for ours, theirs in zip(shape, axes, strict=True)
    ]


def named_axes(name: str, axes: list[Range | int | str | None]) -> list[Axis]:
    """Return the axes of an input, with names for those that have none: `x_dim0`."""
    return [f"{name}_dim{i}" if axis is None or axis == "" else axis for i, axis in enumerate(axes)]


def inputs_without_rank(graph: Graph, declared: Declarations) -> list[str]:
    """Return the inputs that are tensors of unknown rank; sequences and optional values have no rank."""
    return [name for name, (_, axes) in declared.items() if axes is None and graph.inputs[name].kind == "tensor"]


def rank_name(name: str) -> str:
    """Return the name of an undeclared rank: `x_rank` for the input `x`."""
    return f"{name}_rank"


def give_rank(name: str, declared: dict[str, tuple[str, list[Axis] | None]], dims: Mapping[str, RangeLike]) -> None:
    """Add named axes for an input whose rank the caller fixes (`--dim x_rank=4`)."""
    rank = parse_range(dims.get(rank_name(name), (0, MAX_RANK)), rank_name(name))
    if rank.lo > MAX_RANK or (rank.hi is not None and rank.hi > MAX_RANK):
        raise UsageError(f"{rank_name(name)} is {rank}; a tensor has at most {MAX_RANK} dimensions")
    if rank.lo == rank.hi:
        declared[name] = declared[name][0], named_axes(name, [None] * rank.lo)


def symbol_ranges(
    graph: Graph, declared: Declarations, dims: Mapping[str, RangeLike], ranks: Sequence[str] = ()
) -> tuple[dict[str, str], dict[str, SymbolRange]]:
    """Return the dimension names that are expressions (`2*n`), with their texts, and the range of each other name.

    An axis with a range and no name gets a name: `x_dim0`.

    Args:
        graph: The model.
        declared: The axes of its inputs.
        dims: The ranges that the caller gives.
        ranks: The names of unknown ranks.
    """
    open_ranks = {name: None if name in graph.ranges else ANY_RANK for name in ranks}
    order: dict[str, SymbolRange | None] = {**open_ranks, **_axis_ranges(graph, declared, dims)}
    plain = {name for name in order if name.isidentifier()}
    expressions = {name: name for name in order if name not in dims and _is_expression(name, plain)}
    sizes = dict.fromkeys(name for name in order if name not in expressions)
    for name in dims:
        if name not in sizes and _is_mistake(name, dims[name], graph, [size for size in sizes if size not in dims]):
            origin = _origin(dims[name])
            where = graph.source if origin is None else f"{graph.source}, named in {origin.source}"
            raise unknown_name("input dimension", name, [*sizes], where)
    ranges: dict[str, SymbolRange] = {}
    for name, known in order.items():
        if name in dims:
            r = parse_range(dims[name], name)
            if name in ranks and r.hi is None:
                r = dataclasses.replace(r, hi=MAX_RANK)
            ranges[name] = symbol_range(r, "--dim")
        elif known is not None:
            ranges[name] = known
        elif name in sizes:
            noted = graph.ranges.get(name)
            ranges[name] = symbol_range(parse_range(noted or "1..", name), "metadata" if noted else "default")
    return expressions, ranges


def _axis_ranges(graph: Graph, declared: Declarations, dims: Mapping[str, RangeLike]) -> dict[str, SymbolRange | None]:
    """Return the axes' names in order, with the range in a shape or None; an axis with a range and no name gets one."""
    order: dict[str, SymbolRange | None] = {}
    narrowed = _names_of_ranges(graph, declared, dims)
    for name, (_, axes) in declared.items():
        for i, axis in enumerate(axes or ()):
            if isinstance(axis, Range):
                label = narrowed.get((name, i), f"{name}_dim{i}")
                order[label] = symbol_range(axis, "--shape")
                axes[i] = label  # type: ignore[index]  # axes is the list being iterated
            elif isinstance(axis, str):
                order.setdefault(axis, None)
    return order


def _names_of_ranges(graph: Graph, declared: Declarations, dims: Mapping[str, RangeLike]) -> dict[tuple[str, int], str]:
    """Return the file's name of each axis for which the caller's shape has a range, by input and axis index.

    An axis is left out if the axes of its name have different ranges, or if `dims` has a range for the name.
    """
    ranges: dict[str, set[Range]] = {}
    places: dict[tuple[str, int], str] = {}
    for name, (_, axes) in declared.items():
        theirs = graph.inputs[name].shape or ()
        for i, (axis, label) in enumerate(zip(axes or (), theirs, strict=False)):
            if isinstance(axis, Range) and isinstance(label, str) and label.isidentifier() and label not in dims:
                places[name, i] = label
                ranges.setdefault(label, set()).add(axis)
    return {place: label for place, label in places.items() if len(ranges[label]) == 1}


def symbol_range(r: Range, source: str) -> SymbolRange:
    """Return a range as reports show it; `source` is used if the range has no origin."""
    return SymbolRange(r.lo, r.hi, r.step, source if r.origin is None else r.origin.source)


def _origin(spec: RangeLike) -> Origin | None:
    return spec.origin if isinstance(spec, Range) else None


def _is_mistake(name: str, spec: RangeLike, graph: Graph, others: Sequence[str]) -> bool:
    """Whether a range for a name that no input has is an error: it isn't if a caller's shape replaced the name.

    An optional range is an error only if its name looks like a misspelt other name.
    """
    origin = _origin(spec)
    if origin is None:
        return True
    replaced = any(name in (d.shape or ()) for d in graph.inputs.values())
    return not replaced and (origin.needed or misspelt(name, others))


def _is_expression(name: str, plain: set[str]) -> bool:
    """Whether a dimension's name is a formula over other dimensions (`past_len + 1`)."""
    if name.isidentifier():
        return False
    try:
        formula = parse_dim(name, {n: symbol(n, 1) for n in plain})
    except UsageError:
        return False
    return bool(formula.symbols)
