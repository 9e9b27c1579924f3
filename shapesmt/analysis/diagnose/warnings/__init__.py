"""Warnings: signs that a model runs but not as intended, each with its kind, its code and an input that shows it.

`WarningKind` lists the kinds, `kinds.py` has what finds each. Hints say which cases an answer doesn't cover, and what
it assumes of data.

A warning never changes a verdict, and each is proven. Intervals and normal forms rule out nearly all of them, so that
they cost next to nothing for a model without any.
"""

from shapesmt.analysis.diagnose.warnings.claims import declarations, refuse_declarations
from shapesmt.analysis.diagnose.warnings.hints import assumptions_of, hints_of, stated_of
from shapesmt.analysis.diagnose.warnings.kinds import model_warnings
from shapesmt.analysis.diagnose.warnings.static import fixed_sizes, hurried_static_axes, static_axes

__all__ = [
    "assumptions_of",
    "declarations",
    "fixed_sizes",
    "hints_of",
    "hurried_static_axes",
    "model_warnings",
    "refuse_declarations",
    "stated_of",
    "static_axes",
]
