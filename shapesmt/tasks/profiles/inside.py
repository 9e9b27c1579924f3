"""Inside: a box of sizes in which every admissible input is valid, for formats that hold one box and no conditions.

The box has a given valid input and is as large as it gets: no end of it can be moved outwards. Formats state boxes in
different ways; see `Frame`.

    >>> from shapesmt.prover.algebra import at_least, symbol
    >>> past, seq = symbol("past", 1, 99), symbol("seq", 1, 99)
    >>> domain = Domain([past, seq])
    >>> Growth(domain, at_least(100, past + seq), {past: Frame(), seq: Frame()}, Judge()).box([7, 7])
    [(1, 50), (1, 50)]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from shapesmt.prover.algebra import Dim, Formula, all_of, at_least, at_most, equal
from shapesmt.prover.judge import Judge
from shapesmt.prover.presolve import Domain

PARTS = 1 << 10  # a fraction of a range is a multiple of 1/PARTS
FARTHEST = 1 << 40  # an unbounded size is never followed further

End: TypeAlias = "tuple[int, int | None]"


class Frame(NamedTuple):
    """How a format states the range of a size.

    Attributes:
        step: The distance between the values that it states.
        lower: Whether it states a lower bound if there is an upper one.
        open_lower: Whether it states a lower bound if there is no upper one.
    """

    step: int = 1
    lower: bool = True
    open_lower: bool = True


def facts_of(sizes: Iterable[Dim], frames: Iterable[Frame], box: Iterable[End]) -> list[Formula]:
    """Return the conditions on sizes that put an input inside a box, as a format states it."""
    told = []
    for size, frame, (low, high) in zip(sizes, frames, box, strict=True):
        stated = frame.open_lower if high is None else frame.lower or low == high
        told += [at_least(size, low)] if stated else []
        told += [at_most(size, high)] if high is not None else []
        told += [equal(size % frame.step, low % frame.step)] if frame.step > 1 else []
    return told


class Growth:
    """Finds boxes of sizes in which a condition holds for every input of a domain.

    Args:
        domain: The admissible inputs.
        condition: The condition under which they are valid.
        frames: The sizes, each with the way in which its range is stated.
        judge: Proves that the condition holds in a box.
    """

    def __init__(self, domain: Domain, condition: Formula, frames: Mapping[Dim, Frame], judge: Judge) -> None:
        self._domain, self._condition, self._judge = domain, condition, judge
        self._sizes, self._frames = [*frames], [*frames.values()]
        ends = [judge.extent(domain, size) for size in self._sizes]
        self.whole: list[End] = [(low.value or 0, high.value) for low, high in ends]

    def facts(self, box: Sequence[End]) -> list[Formula]:
        """Return the conditions on an input that put it inside a box, as the format states it."""
        return facts_of(self._sizes, self._frames, box)

    def holds(self, box: Sequence[End]) -> bool:
        """Whether the condition is proved for every input of the domain inside a box."""
        within = self._domain.copy()
        within.assume(all_of(*self.facts(box)))
        return self._judge.deadline.attempt(lambda: self._judge.proves(within, self._condition), False)

    def box(self, start: Sequence[int]) -> list[End]:
        """Return a box that has the sizes `start`, first grown along all sizes alike, then along one after the other.

        The result is `start` alone if the condition isn't proved in more.
        """
        box = self._all_alike([(size, size) for size in start])
        for place in range(len(box)):
            low, high = box[place]
            least, most = self.whole[place]
            frame = self._frames[place]
            if not frame.lower:  # the format states it from the minimum on, or as one number
                low = least if self._fits(box, place, (least, high)) else low
                if low != least:
                    continue
            if most is None and (frame.open_lower or low == least) and self._fits(box, place, (low, None)):
                box[place] = low, None
            else:
                box[place] = low, self._farthest(box, place, most)
            low, high = box[place]
            if low != least:
                steps = (low - least) // frame.step
                taken = _most(steps, lambda n: self._fits(box, place, (low - n * frame.step, high)))  # noqa: B023 - at once
                box[place] = low - taken * frame.step, high
        return box

    def _all_alike(self, box: Sequence[End]) -> list[End]:
        """Return the box after all bounded sizes have grown the same part of their way outwards."""

        def grown(parts: int) -> list[End]:
            return [
                _part(ends, whole, frame, parts)
                for ends, whole, frame in zip(box, self.whole, self._frames, strict=True)
            ]

        return grown(_most(PARTS, lambda parts: self.holds(grown(parts))))

    def _farthest(self, box: list[End], place: int, most: int | None) -> int:
        """Return the largest upper end of one size with which the condition still holds in the box."""
        low, high = box[place]
        assert high is not None
        step = self._frames[place].step
        room = FARTHEST if most is None else (most - high) // step
        return high + step * _most(room, lambda n: self._fits(box, place, (low, high + n * step)))

    def _fits(self, box: list[End], place: int, ends: End) -> bool:
        return self.holds([*box[:place], ends, *box[place + 1 :]])


def _part(ends: End, whole: End, frame: Frame, parts: int) -> End:
    """Return the ends of a size after `parts` of PARTS of its way outwards; unchanged if it is unbounded."""
    (low, _), (least, most) = ends, whole
    if most is None or not frame.lower:
        return ends
    down, up = ((end // frame.step) * parts // PARTS * frame.step for end in (low - least, most - low))
    return low - down, low + up


def _most(limit: int, holds: Callable[[int], bool]) -> int:
    """Return the largest number up to `limit` for which a property holds that smaller ones have too; 0 has it.

    >>> _most(1000, lambda n: n * n <= 50), _most(5, lambda n: True), _most(0, lambda n: False)
    (7, 5, 0)
    """
    low, step = 0, 1
    while low + step <= limit and holds(low + step):  # few steps if only a little holds
        low, step = low + step, 2 * step
    high = min(limit, low + step - 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low
