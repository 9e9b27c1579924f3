"""Warnings: signs that a model runs but not as intended, each with its kind, its code and an input that shows it.

    broadcast    sizes that are meant to be equal, but a 1 is broadcast as well
    declaration  the file declares another shape than its nodes compute
    session      the default session runs where the file fails, or gives an output another shape
    unreachable  a branch that no input takes, a loop body that never runs
    range        assumptions that leave one value of a wider range
    size         a tensor with more elements than a signed 32-bit integer can count
    symbol       a dimension that no node reads
    placeholder  dimensions that the file names `?` or the like, which is no name
    static       a size that was to be dynamic but is a number in the program

Hints say which cases an answer doesn't cover, and what it assumes of data.

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
