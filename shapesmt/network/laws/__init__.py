"""Codes, each with its remedy and the smallest model that violates its laws, and the laws that several files state.

A rule states `laws.WINDOW_FITS`, or `laws.AXIS_INSIDE_RANK.of(axis=3, rank=2)` if the sentence has numbers in it. A law
that no other file states stands above it: `DELTA_NOT_0 = laws.SM307.law("delta is not 0")`.
"""

# ruff: noqa: F403 - callers use `laws.NAME`, whichever file defines it
from shapesmt.network.laws.agreement import *
from shapesmt.network.laws.attention import *
from shapesmt.network.laws.attributes import *
from shapesmt.network.laws.indexing import *
from shapesmt.network.laws.law import OWN, Code, Law, as_law
from shapesmt.network.laws.own import *
from shapesmt.network.laws.pairing import *
from shapesmt.network.laws.parameters import *
from shapesmt.network.laws.presence import *
from shapesmt.network.laws.scalars import *
from shapesmt.network.laws.spatial import *
from shapesmt.network.laws.verdicts import *

__all__ = ["CATALOGUE", "OWN", "Code", "Law", "as_law", "code_of_kind"]

CATALOGUE = {entry.code: entry for _, entry in sorted(vars().items()) if isinstance(entry, Code)}
_OF_KIND = {entry.kind: entry.code for entry in CATALOGUE.values() if entry.kind}


def code_of_kind(kind: str) -> str:
    """Return the code of a kind of finding or warning.

    >>> code_of_kind("rank"), code_of_kind("broadcast")
    ('SM602', 'SM901')
    """
    return _OF_KIND[kind]
