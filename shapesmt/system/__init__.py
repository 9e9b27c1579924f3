"""The complete system of constraints: as text, as Z3 objects, and decided as a whole."""

from shapesmt.system.certify import UNKNOWN as UNKNOWN, certify as certify
from shapesmt.system.constraints import Constraints as Constraints
from shapesmt.system.encode import (
    Encoding as Encoding,
    Part as Part,
    encode as encode,
    encode_node as encode_node,
    variables as variables,
)
