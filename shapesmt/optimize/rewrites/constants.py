"""Tensors whose elements are the same numbers for every admissible input."""

from __future__ import annotations

from shapesmt.graph import Literal
from shapesmt.optimize.rewrites.site import MOST, Change, Site, number, rewrite
from shapesmt.rules import FLOATS, Elements

_INTEGERS = frozenset(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))


@rewrite()
def constant(site: Site) -> Change:
    """Its elements are the same numbers for every admissible input."""
    made = site.made
    value = made.value
    if not isinstance(value, Elements) or len(value.items) > MOST or site.node.op == "Constant":
        return None
    numbers = [number(item) for item in value.items]
    if None in numbers or made.dtype not in _INTEGERS | {"bool", *FLOATS} or not numbers:
        return None
    kind = bool if made.dtype == "bool" else float if made.dtype in FLOATS else int
    return Literal(made.dtype, value.shape, [kind(n) for n in numbers if n is not None])
