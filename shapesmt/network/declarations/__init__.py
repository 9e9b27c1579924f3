"""The notation that callers write: ranges, shapes and expressions, and the Python values that stand for them."""

from __future__ import annotations

from shapesmt.base.lazy import lazy_imports

with lazy_imports(__name__):
    from shapesmt.network.declarations.admissible import (
        ADMISSIBLE as ADMISSIBLE,
        Admissible as Admissible,
        both as both,
        parse_admissible as parse_admissible,
    )
    from shapesmt.network.declarations.dimension import Dimension as Dimension, Rank as Rank
    from shapesmt.network.declarations.expressions import (
        names_in as names_in,
        parse_dim as parse_dim,
        parse_formula as parse_formula,
    )
    from shapesmt.network.declarations.names import misspelt as misspelt
    from shapesmt.network.declarations.partial_shape import PartialShape as PartialShape
    from shapesmt.network.declarations.ranges import (
        ACCEPTED_SHAPE as ACCEPTED_SHAPE,
        LARGEST as LARGEST,
        DimLike as DimLike,
        Origin as Origin,
        Range as Range,
        RangeLike as RangeLike,
        ShapeLike as ShapeLike,
        did_you_mean as did_you_mean,
        is_plain_name as is_plain_name,
        parse_range as parse_range,
        parse_shape as parse_shape,
        quote as quote,
        unknown_name as unknown_name,
    )
    from shapesmt.network.declarations.values import (
        ACCEPTED_VALUE as ACCEPTED_VALUE,
        LEAST_VALUE as LEAST_VALUE,
        Number as Number,
        ValueLike as ValueLike,
        parse_value as parse_value,
    )
