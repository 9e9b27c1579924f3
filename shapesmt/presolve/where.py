"""Values of a symbol, all of them or a sample, and the truth of conditions there.

A sample shows that a condition holds for some inputs. Whether it holds for all is up to `decide`.

    >>> from shapesmt.algebra import divides, symbol
    >>> h = symbol("h", 1, 10**9)
    >>> looked = values_of(Domain(h.symbols, [divides(3, h)]), next(iter(h.symbols)), 4)
    >>> looked.values.tolist(), looked.how
    ([1, 2, 3, 4], <How.SAMPLED: 'sampled'>)
    >>> truth_at(divides(3, h), {next(iter(h.symbols)): looked.values}).tolist()
    [False, False, True, False]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from shapesmt.algebra import Atom, Evaluator, Formula, atom_of, fits_int64, substitute, symbol
from shapesmt.lazy import np
from shapesmt.presolve.domain import Domain
from shapesmt.presolve.enumeration import Values
from shapesmt.presolve.limits import FARTHEST, FIRST, NEAR

if TYPE_CHECKING:
    from numpy.typing import NDArray


class How(Enum):
    """Whether values are all values of a symbol or a sample."""

    LISTED = "listed"  # they are all that the facts about it alone admit
    SAMPLED = "sampled"  # they are some of its range


class Spread(Enum):
    """The spacing of the values in a sample."""

    FIRST = "the least ones"
    EVEN = "evenly apart"
    NEARER = "ever further apart"


class Looked(NamedTuple):
    """Ascending values of a symbol, and whether they are all or a sample."""

    values: Values
    how: How


def values_of(domain: Domain, s: Atom, most: int = FIRST, spread: Spread = Spread.FIRST) -> Looked:
    """Return the values of a symbol if there are at most `most`, else a sample of at most `most`."""
    listed, (lo, hi) = domain.listed(s), domain.ends(s)
    first = int(lo) if lo > -inf else int(min(hi, 0))
    total = len(listed) if listed is not None else inf if hi == inf else (int(hi) - first) // s.step + 1
    reach = FARTHEST if total < inf else {Spread.FIRST: most, Spread.EVEN: NEAR + 1, Spread.NEARER: FARTHEST}[spread]
    count = int(min(total, reach))
    places = _places(count, most, spread) if count > most else np.arange(max(count, 0), dtype=np.int64)
    values = listed[places] if listed is not None else first + places * s.step
    return Looked(values, How.LISTED if len(values) == total and (listed is not None or lo > -inf) else How.SAMPLED)


def ascending(domain: Domain, s: Atom) -> Sequence[int]:
    """Return the values of a symbol for bisection; if too many to list, its range within `FARTHEST` of 0."""
    values, (lo, hi) = domain.values(s), domain.ends(s)
    if values is None:
        least = int(lo) if lo >= -FARTHEST else -FARTHEST
        return range(least + (0 if lo == -inf else int(lo) - least) % s.step, int(min(hi, FARTHEST)) + 1, s.step)
    return values  # type: ignore[return-value]  # an array


def _places(count: int, most: int, spread: Spread) -> Values:
    """Return at most `most` indices below `count`, with the first and, except for `Spread.FIRST`, the last."""
    if spread is Spread.FIRST:
        return np.arange(most, dtype=np.int64)
    chosen = np.linspace(0, count - 1, most) if spread is Spread.EVEN else np.geomspace(1, count, most) - 1
    places: Values = np.unique(chosen.astype(np.int64))
    return places


def truth_at(condition: Formula, axes: Mapping[Atom, Values]) -> NDArray[np.bool_] | None:
    """Evaluate a condition at all combinations of some values; None if its numbers may exceed 64-bit integers."""
    shape = tuple(map(len, axes.values()))
    if 0 in shape:
        return np.zeros(shape, dtype=np.bool_)
    near = {s: symbol(s.name, int(values[0]), int(values[-1]), fold=False) for s, values in axes.items()}
    holds = substitute(condition, near)
    if not fits_int64(holds):
        return None
    grid = np.meshgrid(*axes.values(), indexing="ij", sparse=True)
    at = Evaluator({atom_of(near[s]): values for s, values in zip(axes, grid, strict=True)})
    return np.broadcast_to(np.asarray(at.formula(holds), dtype=np.bool_), shape)
