"""What callers write: ranges, shapes and expressions, and the same as values."""

from shapesmt.language.dimension import Dimension, Rank
from shapesmt.language.expressions import names_in, parse_dim, parse_formula
from shapesmt.language.names import misspelt
from shapesmt.language.partial_shape import PartialShape
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
