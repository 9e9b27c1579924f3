"""What callers write: ranges, shapes and expressions, and the same as values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.language.expressions import names_in, parse_dim, parse_formula
from shapesmt.language.names import misspelt
from shapesmt.language.ranges import (
    ACCEPTED_SHAPE,
    LARGEST,
    DimLike,
    Origin,
    Range,
    RangeLike,
    ShapeLike,
    did_you_mean,
    is_plain_name,
    parse_range,
    parse_shape,
    quoted,
    unknown_name,
)
from shapesmt.lazy import lazy

if TYPE_CHECKING:
    from shapesmt.language.dimension import Dimension, Rank
    from shapesmt.language.partial_shape import PartialShape

__all__ = [
    "ACCEPTED_SHAPE",
    "LARGEST",
    "DimLike",
    "Dimension",
    "Origin",
    "PartialShape",
    "Range",
    "RangeLike",
    "Rank",
    "ShapeLike",
    "did_you_mean",
    "is_plain_name",
    "misspelt",
    "names_in",
    "parse_dim",
    "parse_formula",
    "parse_range",
    "parse_shape",
    "quoted",
    "unknown_name",
]

_HOMES = {
    "dimension": ["Dimension", "Rank"],
    "partial_shape": ["PartialShape"],
}
__getattr__ = lazy(__name__, _HOMES)
