"""The catalogue of error codes: every law, and every kind of warning, under one of some fifty codes.

Rules state laws in words and know no codes. A law's code is that of the entry of which it contains the longest
phrase; one that contains none is the operator's own, `SM199`. The law of your own rule may begin with its code:

    ctx.require_equal(x[-1] % 3, 0, "ACME7: the last size splits into blocks of 3")
"""

from __future__ import annotations

import re
from functools import cache

from shapesmt.laws import agreement, places, spatial, values, verdicts
from shapesmt.laws.code import Code

__all__ = ["CATALOGUE", "OWN", "Code", "code_of_kind", "coded"]

OWN = "SM199"
CATALOGUE = {
    entry.code: entry for entry in (*agreement.CODES, *spatial.CODES, *places.CODES, *values.CODES, *verdicts.CODES)
}
_OF_KIND = {entry.kind: entry.code for entry in CATALOGUE.values() if entry.kind}
_GIVEN = re.compile(r"([A-Z]{2,12}[0-9]{1,6}): (.+)", re.DOTALL)


@cache
def coded(law: str) -> tuple[str, str]:
    """The code of a law, and the law without a code of its own.

    >>> coded("broadcast sizes are equal or 1"), coded("ACME7: sizes are odd")
    (('SM101', 'broadcast sizes are equal or 1'), ('ACME7', 'sizes are odd'))
    >>> coded("sizes are odd")[0]
    'SM199'
    """
    given = _GIVEN.fullmatch(law)
    if given:
        return given[1], given[2]
    likest = max(CATALOGUE.values(), key=lambda entry: entry.likeness(law))
    return likest.code if likest.likeness(law) else OWN, law


def code_of_kind(kind: str) -> str:
    """The code of a finding, or of a warning, that is of this kind.

    >>> code_of_kind("rank"), code_of_kind("broadcast")
    ('SM602', 'SM901')
    """
    return _OF_KIND[kind]
