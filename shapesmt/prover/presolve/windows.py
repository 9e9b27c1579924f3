"""Windows: the minimum of a symbol and the remainders that it may leave, by the facts about it alone.

>>> from shapesmt.prover.algebra import equal, symbol
>>> h = symbol("h", 4)
>>> bounds_of_symbol(h.as_symbol(), (4, inf), [equal((h + 3) // 4, 8 * ((h + 3) // 32))])
(29, inf, Window(modulus=32, shift=3, width=4))
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from math import inf, lcm

from shapesmt.base.lazy import np
from shapesmt.prover.algebra import Atom, Bound, Formula, Interval, Window, all_of, at_most, equal, memo, of_atom
from shapesmt.prover.algebra.growth import of_formula
from shapesmt.prover.presolve.cells import Cells, Integers
from shapesmt.prover.presolve.grid import admissible_cells, is_even
from shapesmt.prover.presolve.limits import MAX_PERIOD

_WINDOWS: dict[Hashable, tuple[int, Window | None]] = memo("windows of remainders", {})


def in_window(s: Atom) -> Formula:
    """Return the condition that a symbol is inside its window; the symbol has to have one."""
    assert s.window is not None
    remainder = (of_atom(s) + s.window.shift) % s.window.modulus
    return equal(remainder, 0) if s.window.width == 1 else at_most(remainder, s.window.width - 1)


def bounds_of_symbol(s: Atom, ends: Interval, facts: Iterable[Formula]) -> tuple[Bound, Bound, Window | None]:
    """Return the minimum, the maximum and the window of a symbol by `ends` and those of the facts about it alone.

    The window is the one that restricts most; None if none does. It may have values that violate a fact. A symbol that
    is declared with a maximum has no window: its values are listed.
    """
    (low, high), alone = ends, tuple([f for f in facts if f.symbols == {s}])
    if not alone or low == -inf or s.hi < inf:
        return low, high, s.window
    key = s, low, alone
    if key not in _WINDOWS:
        _WINDOWS[key] = _window_of(s, int(low), all_of(*filter(is_even, alone)))
    low, window = _WINDOWS[key]
    return low, high, window or s.window


def _window_of(s: Atom, low: int, fact: Formula) -> tuple[int, Window | None]:
    form = of_formula(fact)
    period = lcm(s.step, form.periods.get(s, 1)) if form is not None else 1
    if form is None or not 1 < period <= MAX_PERIOD:
        return low, None
    first = np.arange(low, low + period, s.step, dtype=np.int64)
    endless = np.full((1, len(first)), inf)
    cells = Cells(first[None], np.full((1, 1, len(first)), period), endless, np.ones((1, len(first))))
    admitted = admissible_cells(fact, s, cells, form.degrees.get(s, 0))
    if admitted is None or not admitted.number:
        return low, None
    values = admitted.first[0]
    windows = [_around(np.unique(values % m), m) for m in range(2, period + 1) if period % m == 0]
    best = max(windows, key=lambda w: (w.modulus / w.width, w.modulus))
    return int(values.min()), best if best.width < best.modulus else None


def _around(remainders: Integers, modulus: int) -> Window:
    """Return the smallest window that contains the ascending remainders."""
    gaps = np.diff(remainders, append=remainders[0] + modulus)
    widest = int(gaps.argmax())
    start = int(remainders[(widest + 1) % len(remainders)])
    return Window(modulus, -start % modulus, modulus + 1 - int(gaps[widest]))
