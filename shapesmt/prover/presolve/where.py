"""Values of a symbol, all of them or a sample, and the truth of conditions there.

A sample shows that a condition holds for some inputs. Whether it holds for all is up to `decide`.

    >>> from shapesmt.prover.algebra import divides, symbol
    >>> h = symbol("h", 1, 10**9)
    >>> values = values_of(Domain(h.symbols, [divides(3, h)]), h.as_symbol(), 4)
    >>> values.tolist(), truth_at(divides(2, h), {h.as_symbol(): values}).tolist()
    ([3, 6, 9, 12], [False, True, False, True])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from math import inf
from typing import TYPE_CHECKING

from shapesmt.base.lazy import np
from shapesmt.prover.algebra import SAFE, Atom, Checked, Evaluator, Formula, all_of
from shapesmt.prover.algebra.growth import compared_expressions
from shapesmt.prover.presolve.domain import Domain
from shapesmt.prover.presolve.enumeration import Values, magnitude
from shapesmt.prover.presolve.limits import FARTHEST, FIRST, NEAR, SEARCHED

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Spread(Enum):
    """The spacing of the values in a sample."""

    FIRST = "the least ones"
    EVEN = "evenly apart"
    NEARER = "ever further apart"


def values_of(domain: Domain, s: Atom, most: int = FIRST, spread: Spread = Spread.FIRST, start: float = -inf) -> Values:
    """Return a symbol's values from `start` on; if there are more than `most`, a sample of them, spaced by `spread`.

    A sample of the first values skips those that facts about the symbol alone exclude, and may then be shorter.
    It is empty if the facts may overflow at its values.
    """
    listed, (lo, hi) = domain.value_list(s), domain.ends(s)
    if listed is not None:
        listed = listed[listed >= start]
        return listed[_places(len(listed), most, spread)]
    first = int(max(start, lo) if max(start, lo) > -inf else min(hi, 0))
    first += (int(s.lo) - first) % s.step if s.step > 1 else 0
    if abs(first) >= SAFE:
        return np.array([], dtype=np.int64)
    facts = [f for f in domain.relations if f.symbols == {s}] if spread is Spread.FIRST else []
    searched = max(most, SEARCHED) if facts else most
    endless = {Spread.FIRST: searched, Spread.EVEN: NEAR + 1, Spread.NEARER: FARTHEST}
    count = endless[spread] if hi == inf else min((int(hi) - first) // s.step + 1, FARTHEST)
    values = first + _places(count, searched, spread) * s.step
    truth = truth_at(all_of(*facts), {s: values})
    return values[slice(0) if truth is None else truth][:most]


def ascending(domain: Domain, s: Atom) -> Sequence[int]:
    """Return the values of a symbol for bisection; if too many to list, its range within `FARTHEST` of 0."""
    values, (lo, hi) = domain.value_list(s), domain.ends(s)
    few = values if values is not None else domain.progression(s)
    if few is None:
        least = int(lo) if lo >= -FARTHEST else -FARTHEST
        return range(least + (0 if lo == -inf else int(lo) - least) % s.step, int(min(hi, FARTHEST)) + 1, s.step)
    return few  # type: ignore[return-value]  # a range or an array


def _places(count: int, most: int, spread: Spread) -> Values:
    """Return at most `most` indices below `count`: all, or with the first and, except for `Spread.FIRST`, the last."""
    if spread is Spread.FIRST or count <= most:
        return np.arange(min(count, most), dtype=np.int64)
    chosen = np.linspace(0, count - 1, most) if spread is Spread.EVEN else np.geomspace(1, count, most) - 1
    places: Values = np.unique(chosen.astype(np.int64))
    return places


def truth_at(condition: Formula, axes: Mapping[Atom, Values]) -> NDArray[np.bool_] | None:
    """Return whether a condition holds at each combination of values, as a mask with one axis per symbol.

    None if numbers in the condition may exceed 64-bit integers.
    """
    shape, grid = tuple(map(len, axes.values())), np.meshgrid(*axes.values(), indexing="ij", sparse=True)
    sizes = {s: int(np.abs(values).max(initial=0)) for s, values in axes.items()}
    evaluator = Evaluator if magnitude(compared_expressions(condition), sizes) < SAFE else Checked
    try:
        truth = evaluator(dict(zip(axes, grid, strict=True))).formula(condition)
    except OverflowError:
        return None
    return np.broadcast_to(np.asarray(truth, dtype=np.bool_), shape)
