"""Models made smaller by proof: every rewrite rests on an identity that holds for all admissible inputs."""

from shapesmt.optimize.answer import simplified, simplify

__all__ = ["simplified", "simplify"]
