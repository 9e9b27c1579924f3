"""The complete system of constraints: as text, as Z3 objects, and decided as a whole."""

from shapesmt.analysis.encoding.certify import UNKNOWN as UNKNOWN, certify_system as certify_system
from shapesmt.analysis.encoding.constraints import Constraints as Constraints
from shapesmt.analysis.encoding.encode import (
    Encoding as Encoding,
    Part as Part,
    encode_graph as encode_graph,
    encode_node as encode_node,
    variables as variables,
)
