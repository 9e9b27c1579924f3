"""Warnings: what runs and still deserves a look, each with its kind, its code and an input at which it shows.

    broadcast    equal sizes are meant, and a 1 is stretched as well
    declaration  the file declares another shape than its nodes make
    unreachable  a branch that no input takes, a loop body that never runs
    range        assumptions that leave one value of a wider range
    size         more elements than 32 bits can count
    symbol       a dimension that no node reads
    placeholder  dimensions that the file gives no names but `?` or the like
    static       a size that was to vary and is a number in the program

They never change a verdict. Intervals and normal forms rule nearly all of them out, so that a model without warnings
pays next to nothing; each warning is proven.
"""

from shapesmt.diagnose.warnings.claims import declarations, refuse_declarations
from shapesmt.diagnose.warnings.kinds import model_warnings
from shapesmt.diagnose.warnings.static import static_axes

__all__ = ["declarations", "model_warnings", "refuse_declarations", "static_axes"]
