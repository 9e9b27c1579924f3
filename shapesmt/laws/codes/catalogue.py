"""The catalogue of codes: each law, and each kind of warning, has one of about fifty codes."""

from __future__ import annotations

from shapesmt.laws.codes import agreement, places, spatial, values, verdicts

__all__ = ["CATALOGUE", "code_of_kind"]

CATALOGUE = {
    entry.code: entry for entry in (*agreement.CODES, *spatial.CODES, *places.CODES, *values.CODES, *verdicts.CODES)
}
_OF_KIND = {entry.kind: entry.code for entry in CATALOGUE.values() if entry.kind}


def code_of_kind(kind: str) -> str:
    """Return the code of a kind of finding or warning.

    >>> code_of_kind("rank"), code_of_kind("broadcast")
    ('SM602', 'SM901')
    """
    return _OF_KIND[kind]
