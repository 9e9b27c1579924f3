"""Explain why a requirement isn't proved, for which inputs, and what would help."""

from __future__ import annotations

from shapesmt.diagnose.assumed import assumed as assumed
from shapesmt.diagnose.findings import (
    finding_at as finding_at,
    findings as findings,
    guarded as guarded,
    precondition as precondition,
    refuse as refuse,
)
from shapesmt.diagnose.groups import grouped as grouped
from shapesmt.diagnose.hints import hints as hints
from shapesmt.diagnose.release import release as release
from shapesmt.diagnose.remedy import remedy as remedy
from shapesmt.diagnose.warnings import (
    declarations as declarations,
    model_warnings as model_warnings,
    refuse_declarations as refuse_declarations,
    static_axes as static_axes,
)
from shapesmt.lazy import lazy_imports

with lazy_imports(__name__):
    from shapesmt.diagnose.certificate import (
        certified as certified,
        complete_system as complete_system,
        system_text as system_text,
    )
    from shapesmt.diagnose.explanation import explanation_of as explanation_of
    from shapesmt.diagnose.page.content import page_content as page_content
