"""Models made smaller by proof: every rewrite rests on an identity that holds for all admissible inputs."""

from shapesmt.optimize.annotated import annotated
from shapesmt.optimize.answer import refused, simplified, simplify

__all__ = ["annotated", "refused", "simplified", "simplify"]
