"""The model as frozen data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.graph.graph import (
    GUARDS,
    Attributes,
    AttributeValue,
    Function,
    Graph,
    Node,
    Place,
    Reference,
    Schemas,
    SourceLine,
)
from shapesmt.graph.literal import DTYPES, Declared, Literal, Scalar
from shapesmt.graph.order import ordered, refuse_recursion
from shapesmt.graph.schema import Parameter, Signature
from shapesmt.lazy import lazy

if TYPE_CHECKING:
    from shapesmt.graph.dataflow import (
        SCHEMA,
        Document,
        Flow,
        constant,
        document,
        document_of,
        label,
        networkx_graph,
        new_flow,
        origin,
        size,
    )

__all__ = [
    "DTYPES",
    "GUARDS",
    "SCHEMA",
    "AttributeValue",
    "Attributes",
    "Declared",
    "Document",
    "Flow",
    "Function",
    "Graph",
    "Literal",
    "Node",
    "Parameter",
    "Place",
    "Reference",
    "Scalar",
    "Schemas",
    "Signature",
    "SourceLine",
    "constant",
    "document",
    "document_of",
    "label",
    "networkx_graph",
    "new_flow",
    "ordered",
    "origin",
    "refuse_recursion",
    "size",
]

_HOMES = {
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
}
__getattr__ = lazy(__name__, _HOMES)
