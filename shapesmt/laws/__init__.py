"""All laws, each with its sentence and its code; `shapesmt.laws.codes` has the catalogue of codes, with remedies.

A rule states `laws.WINDOW_FITS`, or `laws.AXIS_INSIDE_RANK.of(axis=3, rank=2)` if the sentence has numbers in it.
"""

# ruff: noqa: F403 - callers use `laws.NAME`, whichever file defines it
from shapesmt.laws.agreement import *
from shapesmt.laws.attention import *
from shapesmt.laws.attributes import *
from shapesmt.laws.indexing import *
from shapesmt.laws.law import OWN, Law, as_law
from shapesmt.laws.pairing import *
from shapesmt.laws.parameters import *
from shapesmt.laws.presence import *
from shapesmt.laws.ranks import *
from shapesmt.laws.scalars import *
from shapesmt.laws.shape_functions import *
from shapesmt.laws.spatial import *

__all__ = ["OWN", "Law", "as_law"]
