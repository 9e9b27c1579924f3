"""The catalogue: every law, and every kind of warning, is under one of some fifty codes."""

from __future__ import annotations

from shapesmt.laws.codes import agreement, places, spatial, values, verdicts

__all__ = ["CATALOGUE", "code_of_kind"]

CATALOGUE = {
    entry.code: entry for entry in (*agreement.CODES, *spatial.CODES, *places.CODES, *values.CODES, *verdicts.CODES)
}
_OF_KIND = {entry.kind: entry.code for entry in CATALOGUE.values() if entry.kind}


def code_of_kind(kind: str) -> str:
    """The code of a finding, or of a warning, that is of this kind.

    >>> code_of_kind("rank"), code_of_kind("broadcast")
    ('SM602', 'SM901')
    """
    return _OF_KIND[kind]
