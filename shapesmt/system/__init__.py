"""The complete system of constraints: as text, as Z3 objects, and decided as a whole."""

from shapesmt.system.certify import UNKNOWN, certify
from shapesmt.system.constraints import Constraints
from shapesmt.system.encode import Encoding, Part, encode, encode_node, variables

__all__ = ["UNKNOWN", "Constraints", "Encoding", "Part", "certify", "encode", "encode_node", "variables"]
