"""Models made smaller by proof: every rewrite rests on an identity that holds for all admissible inputs."""

from shapesmt.optimize.answer import reduced, simplified, simplify

__all__ = ["reduced", "simplified", "simplify"]
