"""Models made smaller by proof: every rewrite rests on an identity that holds for all admissible inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.lazy import lazy

if TYPE_CHECKING:
    from shapesmt.optimize.answer import simpler
    from shapesmt.optimize.whole import simplified

__all__ = ["simpler", "simplified"]

__getattr__ = lazy(__name__, {"answer": ["simpler"], "whole": ["simplified"]})
