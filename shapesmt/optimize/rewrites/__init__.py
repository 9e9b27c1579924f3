"""Rules that rewrite one node each, in files by what they make superfluous."""

from shapesmt.optimize.rewrites import chains, constants, gathers, noops, targets
from shapesmt.optimize.rewrites.branches import take_branches
from shapesmt.optimize.rewrites.site import REWRITES, SETTLED, Rewrite, Site
from shapesmt.optimize.rewrites.vectors import rebuild

__all__ = [
    "REWRITES",
    "SETTLED",
    "Rewrite",
    "Site",
    "chains",
    "constants",
    "gathers",
    "noops",
    "rebuild",
    "take_branches",
    "targets",
]
