"""Rules that rewrite one node each, in files by what they make superfluous."""

from shapesmt.optimize.rewrites import chains as chains, gathers as gathers, noops as noops, targets as targets
from shapesmt.optimize.rewrites.branches import take_branches as take_branches
from shapesmt.optimize.rewrites.site import REWRITES as REWRITES, SETTLED as SETTLED, Rewrite as Rewrite, Site as Site
from shapesmt.optimize.rewrites.vectors import rebuild as rebuild
