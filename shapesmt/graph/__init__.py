"""The model as frozen data."""

# ruff: noqa: F403 - a name is its module's, whichever that is
from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.lazy import all_lazy

if TYPE_CHECKING:
    from shapesmt.graph.dataflow import *
    from shapesmt.graph.graph import *
    from shapesmt.graph.literal import *
    from shapesmt.graph.nodes import *
    from shapesmt.graph.order import *
    from shapesmt.graph.schema import *
else:
    __getattr__, __all__ = all_lazy(
        __name__,
        {
            "dataflow": [
                "Document",
                "Flow",
                "SCHEMA",
                "constant",
                "document",
                "document_of",
                "label",
                "networkx_graph",
                "new_flow",
                "origin",
                "size",
            ],
            "graph": [
                "AttributeValue",
                "Attributes",
                "Function",
                "GUARDS",
                "Graph",
                "Node",
                "Place",
                "Reference",
                "Schemas",
                "SourceLine",
            ],
            "literal": ["DTYPES", "Declared", "Literal", "Scalar"],
            "nodes": ["NodeKind", "Nodes"],
            "order": ["ordered", "refuse_recursion"],
            "schema": ["Parameter", "Signature"],
        },
    )
