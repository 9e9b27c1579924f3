"""Forms of the messages of tract, by public logs: none of them has been printed by a run of the tests."""

from __future__ import annotations

import re
from functools import partial

from shapesmt.tasks.runtime_errors.forms.form import Head, form

__all__ = ["FORMS", "HEADS"]

RUNTIME = "tract"
says = partial(form, RUNTIME)
_SIZE = r"(?:Sym|Val)\([^()\n]{1,100}(?:\([^()\n]{0,100}\))?\)"
HEADS = (
    Head(RUNTIME, re.compile(r'Failed analyse for node (?:#\d{1,9} )?"(?P<name>[^"\n]{0,300})" (?P<op>\w{1,100})')),
)  # fmt: skip
FORMS = (
    says(r"Impossible to unify Val\(<a>\) with Val\(<b>\)"),
    says(rf"Impossible to unify {_SIZE} with {_SIZE}"),
)  # fmt: skip
