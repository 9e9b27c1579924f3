"""Why a requirement isn't proved, for which inputs, and what would help."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.diagnose.findings import findings, guarded, precondition, refuse
from shapesmt.diagnose.groups import grouped
from shapesmt.diagnose.hints import hints
from shapesmt.diagnose.release import release
from shapesmt.diagnose.remedy import remedy
from shapesmt.diagnose.warnings import declarations, model_warnings, refuse_declarations, static_axes
from shapesmt.lazy import lazy

if TYPE_CHECKING:
    from shapesmt.diagnose.certificate import certified, complete_system, system_text
    from shapesmt.diagnose.explanation import explanation_of
    from shapesmt.diagnose.page.content import page_content

__all__ = [
    "certified",
    "complete_system",
    "declarations",
    "explanation_of",
    "findings",
    "grouped",
    "guarded",
    "hints",
    "model_warnings",
    "page_content",
    "precondition",
    "refuse",
    "refuse_declarations",
    "release",
    "remedy",
    "static_axes",
    "system_text",
]

_HOMES = {
    "certificate": ["certified", "complete_system", "system_text"],
    "explanation": ["explanation_of"],
    "page.content": ["page_content"],
}
__getattr__ = lazy(__name__, _HOMES)
