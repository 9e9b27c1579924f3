"""Changes of one attribute: an axis, a flag, the order of axes, a window's steps or pads, a number."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from shapesmt.network.graph import DTYPES
from shapesmt.tasks.repair.candidates.site import Change, Site

SMALL, USUAL, LARGE = 2.0, 2.5, 3.0
"""The costs of changes: of those with one other value, with a few, with many."""

Values = Iterator[tuple[Any, float]]
"""Other values of an attribute, each with its cost."""

_TYPES = tuple(number for number, name in DTYPES.items() if name in ("float32", "int64", "bool", "int32", "float16"))


def attributes(site: Site) -> Iterator[Change]:
    """Yield changes of each attribute that decides shapes, also of unstated ones with their defaults."""
    present = site.node.attributes
    values = {**_defaults(site), **{name: value for name, value in present.items() if name in _OTHERS}}
    for name, old in values.items():
        for new, cost in _OTHERS[name](site, old):
            if new != old:
                yield site.change("attribute", name, old, new, site.with_attributes({name: new}), cost)
    yield from _moved_ends(site)


def _axes(site: Site, old: Any) -> Values:
    """Yield the other axes of the first input."""
    rank = site.rank()
    if rank is not None and isinstance(old, int):
        others = [axis for axis in range(rank + (site.node.op in _BETWEEN)) if axis not in (old, old + rank)]
        for axis in others:
            yield axis - (rank if old < 0 and axis - rank < 0 else 0), USUAL + 0.01 * abs(axis - old % max(rank, 1))


def _flag(_site: Site, old: Any) -> Values:
    """Yield the flag's other value: 1 for 0."""
    if old in (0, 1):
        yield type(old)(1 - old), SMALL


def _orders(_site: Site, old: Any) -> Values:
    """Yield the permutation `old` with two of its axes exchanged: (0, 1, 2) -> (0, 2, 1)."""
    order = list(old)
    for i in range(len(order)):
        for j in range(i + 1, len(order)):
            new = tuple({i: order[j], j: order[i]}.get(k, a) for k, a in enumerate(order))
            yield new, SMALL + 0.01 * (j - i) + 0.5 * (new == tuple(range(len(new))))  # one that does nothing


def _steps(_site: Site, old: Any) -> Values:
    """Yield steps of 1 and of 2 along all axes, then twice and half the old steps."""
    for new in ((1,) * len(old), (2,) * len(old), tuple(2 * s for s in old), tuple(s // 2 for s in old)):
        if min(new, default=0) > 0:
            yield new, USUAL


def _windows(_site: Site, old: Any) -> Values:
    """Yield windows one smaller or larger along all axes."""
    for by in (-1, 1):
        if min(old, default=1) + by > 0:
            yield tuple(size + by for size in old), USUAL


def _pads(site: Site, old: Any) -> Values:
    """Yield other pads: the same at both ends, half a window (which keeps the size), a whole window, and none."""
    pads, half = list(old), len(old) // 2
    yield tuple(pad or pads[(i + half) % len(pads)] for i, pad in enumerate(pads)), SMALL
    window = _window(site, half)
    for pad, cost in ((1, SMALL + 0.2), (2, USUAL)):
        if window is not None:
            yield tuple(pad * size // 2 for size in window) * 2, cost
    yield (0,) * len(pads), LARGE
    for by in (1, -1):
        if min(pads, default=0) + by >= 0:
            yield tuple(p + by for p in pads), LARGE


def _window(site: Site, axes: int) -> tuple[int, ...] | None:
    """Return the distance of a window's last element from its first, along each axis."""
    given: Any = site.node.attributes.get("kernel_shape")
    weight = site.known(1)
    if given is None and weight is not None and weight.shape is not None:
        given = [d.constant for d in weight.shape[2:]]
    dilations: Any = site.node.attributes.get("dilations") or (1,) * axes
    if not given or len(given) != axes or len(dilations) != axes or None in given:
        return None
    return tuple(d * (k - 1) for d, k in zip(dilations, given, strict=True))


def _extra(_site: Site, old: Any) -> Values:
    """Yield output padding with 0 and 1 exchanged on every axis: (0, 0) -> (1, 1)."""
    yield tuple(1 - min(extra, 1) for extra in old), SMALL + 0.2


def _number(site: Site, old: Any) -> Values:
    """Yield half, twice, neighbours, 1, the number of channels, and the numbers that clash."""
    channels = (site.known(1) or site.known(0)) if "group" in site.node.attributes else None
    first = channels.shape[0].constant if channels is not None and channels.shape else None
    for new, cost in ((2 * old, 2.2), (old // 2, 2.2), (1, 2.3), (first, 2.3), (old + 1, LARGE), (old - 1, LARGE)):
        if isinstance(new, int) and new > 0:
            yield new, cost
    for size in site.sizes:
        yield size, USUAL


def _types(_site: Site, old: Any) -> Values:
    """Yield the usual element types."""
    for new in _TYPES if isinstance(old, int) else ():
        yield new, SMALL + 0.7  # shapes rarely clash because of a type


def _sizes(site: Site, old: Any) -> Values:
    """Yield shapes in which one size becomes -1 (computed) or another number."""
    sizes = list(old) if isinstance(old, tuple) else []
    for i, size in enumerate(sizes):
        others = [(-1, 2.2), *((s, USUAL) for s in site.sizes), (2 * size, LARGE), (size // 2, LARGE)]
        for new, cost in others if isinstance(size, int) else ():
            if new and (new != -1 or -1 not in sizes or size == -1):
                yield tuple(new if k == i else s for k, s in enumerate(sizes)), cost
        if -1 in sizes and size > 0:  # the computed one is the other
            yield tuple(-1 if k == i else size if s == -1 else s for k, s in enumerate(sizes)), LARGE
            known = [s for s in site.sizes if s > 0]
            for other in known:
                yield tuple(-1 if k == i else other if s == -1 else s for k, s in enumerate(sizes)), USUAL + 0.2


def _moved_ends(site: Site) -> Iterator[Change]:
    """Yield changes that shift `start` and `end` together: 1..3 -> 0..2."""
    present, rank = site.node.attributes, site.rank()
    start, end = present.get("start"), present.get("end")
    if isinstance(start, int) and isinstance(end, int) and rank is not None and 0 <= start < end:
        for new in range(rank - (end - start) + 1):
            if new != start:
                edit = site.with_attributes({"start": new, "end": new + end - start})
                cost = 2.3 + 0.01 * abs(new - start)
                yield site.change("attribute", "start, end", (start, end), (new, new + end - start), edit, cost)


_OTHERS: Mapping[str, Callable[[Site, Any], Values]] = {
    **dict.fromkeys(("axis", "dim"), _axes),
    **dict.fromkeys(("keepdims", "keepdim", "transA", "transB", "allowzero", "ceil_mode"), _flag),
    **dict.fromkeys(("perm", "dims"), _orders),
    **dict.fromkeys(("strides", "stride", "dilations", "dilation"), _steps),
    "kernel_shape": _windows,
    **dict.fromkeys(("pads", "padding"), _pads),
    "output_padding": _extra,
    **dict.fromkeys(("group", "groups", "num_heads", "kv_num_heads", "blocksize"), _number),
    "to": _types,
    **dict.fromkeys(("size", "shape"), _sizes),
}

_FLAGGED = {"keepdims": 1}
_BETWEEN = ("Flatten",)
_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "Gemm": {"transA": 0, "transB": 0},
    "Gather": {"axis": 0},
    "Split": {"axis": 0},
    "Flatten": {"axis": 1},
    "Softmax": {"axis": -1},
    "TopK": {"axis": -1},
    **dict.fromkeys(("ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL2"), _FLAGGED),
    **{op: {"axis": 0, **_FLAGGED} for op in ("ArgMax", "ArgMin")},
    "Conv": {"group": 1},
    "ConvTranspose": {"group": 1},
}
_ALONG: Mapping[str, Mapping[str, int]] = {  # the number for each axis of a window
    **{op: {"strides": 1, "pads": 0, "dilations": 1} for op in ("Conv", "MaxPool", "AveragePool")},
    "ConvTranspose": {"strides": 1, "pads": 0, "dilations": 1, "output_padding": 0},
}


def _defaults(site: Site) -> dict[str, Any]:
    """Return the attributes of ONNX's operators that the node doesn't state, with their defaults."""
    node, rank = site.node, site.rank()
    if node.domain:
        return {}
    found = dict(_DEFAULTS.get(node.op, {}))
    for name, value in _ALONG.get(node.op, {}).items() if rank is not None and rank > 2 else ():
        found[name] = (value,) * ((rank - 2) * (2 if name == "pads" else 1)) if rank is not None else ()
    if node.op == "Transpose" and rank is not None:
        found["perm"] = tuple(reversed(range(rank)))
    return found
