"""The model as frozen data, what callers declare of it, and the laws that its nodes obey."""

from __future__ import annotations

from shapesmt.base.lazy import lazy_imports

with lazy_imports(__name__):
    from shapesmt.network.declarations import (
        Dimension as Dimension,
        PartialShape as PartialShape,
        Range as Range,
        Rank as Rank,
        parse_dim as parse_dim,
        parse_formula as parse_formula,
        parse_range as parse_range,
        parse_shape as parse_shape,
    )
    from shapesmt.network.graph import (
        Attributes as Attributes,
        Declared as Declared,
        Function as Function,
        Graph as Graph,
        Literal as Literal,
        Node as Node,
        Nodes as Nodes,
        Runtime as Runtime,
        networkx_graph as networkx_graph,
    )
    from shapesmt.network.laws import (
        CATALOGUE as CATALOGUE,
        Code as Code,
        Law as Law,
    )
