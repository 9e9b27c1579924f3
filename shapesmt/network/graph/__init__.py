"""The model as frozen data."""

from __future__ import annotations

from shapesmt.base.lazy import lazy_imports

with lazy_imports(__name__):
    from shapesmt.network.graph.dataflow import (
        SCHEMA as SCHEMA,
        Document as Document,
        Flow as Flow,
        constant as constant,
        document as document,
        document_of as document_of,
        label as label,
        networkx_graph as networkx_graph,
        new_flow as new_flow,
        origin as origin,
        size as size,
    )
    from shapesmt.network.graph.graph import (
        GUARDS as GUARDS,
        STATED_RANKS as STATED_RANKS,
        STATED_TYPES as STATED_TYPES,
        Attributes as Attributes,
        AttributeValue as AttributeValue,
        Function as Function,
        Graph as Graph,
        Node as Node,
        Place as Place,
        Reference as Reference,
        Runtime as Runtime,
        Schemas as Schemas,
        SourceLine as SourceLine,
    )
    from shapesmt.network.graph.literal import (
        BITS as BITS,
        DTYPES as DTYPES,
        Absence as Absence,
        Declared as Declared,
        Literal as Literal,
        Scalar as Scalar,
    )
    from shapesmt.network.graph.nodes import NodeKind as NodeKind, Nodes as Nodes
    from shapesmt.network.graph.order import refuse_recursion as refuse_recursion, sort_nodes as sort_nodes
    from shapesmt.network.graph.schema import Parameter as Parameter, Signature as Signature
