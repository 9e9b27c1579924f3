"""Constants: replace tensors whose elements are the same numbers for every admissible input."""

from __future__ import annotations

from math import inf

from shapesmt.graph import Literal
from shapesmt.optimize.rewrites.site import MOST, Change, Site, number, rewrite
from shapesmt.rules import FLOATS, Elements

ENDS = {f"int{bits}": (-(1 << bits - 1), (1 << bits - 1) - 1) for bits in (8, 16, 32, 64)}
ENDS |= {f"uint{bits}": (0, (1 << bits) - 1) for bits in (8, 16, 32, 64)}
"""The minimum and the maximum of each integer type."""


WINDOWS = frozenset({"BlackmanWindow", "HannWindow", "HammingWindow"})


@rewrite(*sorted(WINDOWS))
def empty_window(site: Site) -> Change:
    """A window of size 0 has no elements."""
    made = site.made
    empty = made.dtype in FLOATS and made.shape is not None and made.shape[0].constant == 0
    return Literal(made.dtype, (0,), ()) if empty else None


@rewrite()
def constant(site: Site) -> Change:
    """Its elements are the same numbers for every admissible input."""
    made = site.made
    value = made.value
    if not isinstance(value, Elements) or len(value.items) > MOST or site.node.op == "Constant":
        return None
    numbers = [number(item) for item in value.items]
    if None in numbers or made.dtype not in ENDS.keys() | {"bool", *FLOATS} or not numbers:
        return None
    if 0 in numbers and not WINDOWS.isdisjoint(site.readers(site.node.outputs[0])):
        return None  # ONNX Runtime refuses to load a window with the constant size 0, but runs one of size 0
    low, high = ENDS.get(made.dtype, (-inf, inf))
    if not all(low <= n <= high for n in numbers if n is not None):
        return None  # the number wraps around in a run
    kind = bool if made.dtype == "bool" else float if made.dtype in FLOATS else int
    return Literal(made.dtype, value.shape, [kind(n) for n in numbers if n is not None])
