"""Rules that rewrite one node each, in files by what they make superfluous."""

from shapesmt.tasks.simplify.rewrites import chains as chains, gathers as gathers, noops as noops, targets as targets
from shapesmt.tasks.simplify.rewrites.branches import take_branches as take_branches
from shapesmt.tasks.simplify.rewrites.site import (
    REWRITES as REWRITES,
    SETTLED as SETTLED,
    Rewrite as Rewrite,
    Site as Site,
)
from shapesmt.tasks.simplify.rewrites.vectors import rebuild as rebuild
