"""Models made smaller by proof: every rewrite rests on an identity that holds for all admissible inputs."""

from shapesmt.optimize.annotated import annotated
from shapesmt.optimize.answer import analysed_protobuf, refused, simplified, simplify

__all__ = ["analysed_protobuf", "annotated", "refused", "simplified", "simplify"]
