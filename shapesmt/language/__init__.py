"""What callers write: ranges, shapes and expressions, and the same as values."""

# ruff: noqa: F403 - a name is its module's, whichever that is
from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.lazy import all_lazy

if TYPE_CHECKING:
    from shapesmt.language.dimension import *
    from shapesmt.language.expressions import *
    from shapesmt.language.names import *
    from shapesmt.language.partial_shape import *
    from shapesmt.language.ranges import *
    from shapesmt.language.values import *
else:
    __getattr__, __all__ = all_lazy(
        __name__,
        {
            "dimension": ["Dimension", "Rank"],
            "expressions": ["names_in", "parse_dim", "parse_formula"],
            "names": ["misspelt"],
            "partial_shape": ["PartialShape"],
            "ranges": [
                "ACCEPTED_SHAPE",
                "DimLike",
                "LARGEST",
                "Origin",
                "Range",
                "RangeLike",
                "ShapeLike",
                "did_you_mean",
                "is_plain_name",
                "parse_range",
                "parse_shape",
                "quoted",
                "unknown_name",
            ],
            "values": ["ACCEPTED_VALUE", "LEAST_VALUE", "Number", "ValueLike", "parse_value"],
        },
    )
