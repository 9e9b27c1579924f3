"""The model as frozen data."""

from shapesmt.graph.dataflow import (
    SCHEMA,
    Document,
    Flow,
    constant,
    document,
    document_of,
    is_flow,
    label,
    networkx_graph,
    new_flow,
    origin,
    size,
)
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
    "is_flow",
    "label",
    "networkx_graph",
    "new_flow",
    "ordered",
    "origin",
    "refuse_recursion",
    "size",
]
