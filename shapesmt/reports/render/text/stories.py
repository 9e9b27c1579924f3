"""Stories: the findings grouped by cause, each story as long as there is room for.

A report is meant to be read at once: it has at most `MOST_LINES` lines at 80 columns. Each group of findings has at
least its head and the inputs that fail; the first ones, which are the gravest, have their sides, causes and operands
too, as long as these fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from shapesmt.reports.answers import Finding, Group, SymbolRange
from shapesmt.reports.render.text.findings import (
    advice_lines,
    finding_head,
    further_lines,
    input_lines,
    operands,
    side_lines,
)
from shapesmt.reports.render.text.words import BLANK, COMMAND, FAINT, Line, common_path, count, first_items, line, name

MOST_LINES = 40
_WIDTH = 80
_MOST_CAUSES, _FEW_CAUSES = 6, 3  # causes of a story in a shortened report: if there is room, and if not
_MOST_NAMED = 4
_REST = 3  # lines about what is shortened or left out


class Story(NamedTuple):
    """A group of findings: the first is told in full, the others are only named by their nodes."""

    group: Group
    first: Finding
    others: tuple[Finding, ...] = ()

    @property
    def more(self) -> str:
        """The text about the group's other nodes: ` and 3 more nodes; 12 later nodes weren't checked`."""
        more, behind = self.group.size - 1, self.group.behind
        after = f"; {count(behind, 'later node')} {'was' if behind == 1 else 'were'}n't checked"
        return (f" and {count(more, 'more node')}" if more else "") + (after if behind else "")


def stories_of(findings: Sequence[Finding], groups: Sequence[Group] = ()) -> list[Story]:
    """Return the findings by group, in the order of the first of each; a finding without a group is its own story."""
    members: dict[object, list[Finding]] = {}
    for finding in findings:
        members.setdefault(id(finding) if finding.group is None else finding.group, []).append(finding)
    return [_story(own, groups) for own in members.values()]


def _story(members: Sequence[Finding], groups: Sequence[Group]) -> Story:
    first = members[0]
    known = first.group is not None and first.group < len(groups)
    group = groups[first.group] if known and first.group is not None else Group(len(members))
    same = [f for f in members[1:] if f.kind == first.kind]
    return Story(group, first, tuple(same[: group.size - 1]))


def story_lines(
    every: Sequence[Story],
    symbols: Mapping[str, SymbolRange],
    room: int,
    *,
    everything: bool = False,
    further: str = "--all",
) -> Iterator[Line]:
    """Yield the stories, each after a blank line, in `room` lines of 80 columns; with `everything`, in full length.

    A shortened story still has the inputs that fail. The last line counts what is shortened or left out; `further`
    shows it.
    """
    versions = [_versions(story, symbols, everything=everything) for story in every]
    if everything or sum(height(longest) for longest, *_ in versions) <= room:
        for longest, *_ in versions:
            yield from longest
        return
    least = [height(shortest) for *_, shortest in versions]
    number = _fitting(least, room - _REST)
    left = room - _REST - sum(least[:number])
    shortened = 0
    for own, needed in zip(versions[:number], least, strict=False):
        chosen = next((rows for rows in own if height(rows) <= left + needed), own[-1])
        left -= height(chosen) - needed
        shortened += chosen is not own[0]
        yield from chosen
    told = [f"{count(shortened, 'finding')} shortened"] if shortened else []
    if rest := [f"{name(story.first.node)} ({story.first.verdict.value})" for story in every[number:]]:
        told.append(f"{count(len(rest), 'more finding')}: {first_items(rest, most=_MOST_NAMED)}")
    yield BLANK
    yield line(0, "; ".join(told), "; ", (further, COMMAND))


def _versions(story: Story, symbols: Mapping[str, SymbolRange], *, everything: bool) -> list[list[Line]]:
    """Return the texts of a story, the longest first; with `everything`, only that one."""
    first = story.first
    names = [name(f.node) for f in (first, *story.others)]
    path = common_path(names)
    others = [f".../{text[len(path) :]}" if path else text for text in names[1:]]
    listed = first_items(others, most=len(names) if everything else _MOST_NAMED)
    also = [line(2, (f"also: {listed}", FAINT))] if story.others else []
    head, inputs = [BLANK, *finding_head(first, story.more)], [*input_lines(first, symbols, story.group)]
    brief = [*head, *side_lines(first), *inputs]
    if everything:
        return [[*brief, *operands(first), *further_lines(first), *also]]
    more, few = ([*further_lines(first, most), *also] for most in (_MOST_CAUSES, _FEW_CAUSES))
    helped = [*brief, *advice_lines(first)]
    short = [*head, *inputs]
    longest = [*brief, *operands(first), *more]
    return [longest, [*brief, *more], [*brief, *few], helped, [*short, *advice_lines(first)], brief, short]


def _fitting(heights: Sequence[int], room: int) -> int:
    """Return how many of these fit; at least one.

    >>> _fitting([3, 3, 3], 9), _fitting([3, 3, 3, 3], 7), _fitting([3, 3], 1)
    (3, 2, 1)
    """
    return max(1, sum(total <= room for total in accumulate(heights)))


def height(rows: Iterable[Line]) -> int:
    """Return the number of lines that the rows take at 80 columns.

    >>> height([line(0, "x" * 80), line(0, "x" * 81), BLANK])
    4
    """
    return sum(max(1, -(-len(str(row)) // _WIDTH)) for row in rows)
