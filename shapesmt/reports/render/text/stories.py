"""Stories: the findings grouped by cause, each story as long as there is room for.

A report is meant to be read at once: it has at most `MOST_LINES` lines at 80 columns. Each group of findings has at
least its head; the first ones, which are the gravest, have their causes too, as long as these fit. Operands are shown
in the room that is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from shapesmt.reports.answers import Finding, Group, SymbolRange
from shapesmt.reports.render.text.findings import brief_lines, common_path, finding_head, further_lines, operands
from shapesmt.reports.render.text.words import BLANK, FAINT, Line, count, first_items, line, name

MOST_LINES = 40
_WIDTH = 80
_MOST_CAUSES, _FEW_CAUSES = 6, 3  # causes of a story in a shortened report: if there is room, and if not
_MOST_NAMED = 4
_REST = 3  # lines about the findings that aren't shown


class Story(NamedTuple):
    """A group of findings: the first is told in full, the others are only named by their nodes."""

    group: Group
    first: Finding
    others: tuple[Finding, ...] = ()

    @property
    def more(self) -> str:
        """The text about the group's other nodes: ` and 3 more nodes; 12 nodes behind them are not judged`."""
        more, behind = self.group.size - 1, self.group.behind
        after = (
            f"; {count(behind, 'node')} behind {'them' if more else 'it'} {'is' if behind == 1 else 'are'} not judged"
        )
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
    every: Sequence[Story], symbols: Mapping[str, SymbolRange], room: int, *, everything: bool = False
) -> Iterator[Line]:
    """Yield the stories, each after a blank line, in `room` lines of 80 columns; with `everything`, in full length."""
    heads = [[BLANK, *finding_head(story.first, story.more)] for story in every]
    shown = len(heads) if everything else _fitting([height(head) for head in heads], room)
    left = room - sum(map(height, heads[:shown])) - (_REST if shown < len(heads) else 0)
    bodies: list[_Body] = []
    for story in every[:shown]:
        fitting = (body for body in _bodies(story, symbols, everything=everything) if everything or body.height <= left)
        bodies.append(next(fitting, _Body([], [])))
        left -= bodies[-1].height
    for story, head, (brief, further) in zip(every[:shown], heads, bodies, strict=False):
        read = [*operands(story.first)] if brief or further else []
        read = read if everything or height(read) <= left else []
        left -= height(read)
        yield from (*head, *brief, *read, *further)
    if shown < len(every):
        names = [f"{name(s.first.node)} ({s.first.verdict.value})" for s in every[shown:]]
        yield BLANK
        yield line(0, f"{count(len(names), 'more finding')}: {first_items(names, most=_MOST_NAMED)}; --all lists them")


def _fitting(heights: Sequence[int], room: int) -> int:
    """Return how many of these fit, leaving room for the line about the rest; at least one.

    >>> _fitting([3, 3, 3], 9), _fitting([3, 3, 3, 3], 10), _fitting([3, 3], 1)
    (3, 2, 1)
    """
    if sum(heights) <= room:
        return len(heights)
    return max(1, sum(total <= room - _REST for total in accumulate(heights)))


class _Body(NamedTuple):
    """The lines below a story's head: those before the first finding's operands, and those after them."""

    brief: list[Line]
    further: list[Line]

    @property
    def height(self) -> int:
        return height(self.brief) + height(self.further)


def _bodies(story: Story, symbols: Mapping[str, SymbolRange], *, everything: bool) -> Iterator[_Body]:
    """Yield the texts that may follow a story's head, the longest first."""
    names = [name(f.node) for f in (story.first, *story.others)]
    path = common_path(names)
    short = [f".../{text[len(path) :]}" if path else text for text in names[1:]]
    also = line(2, ("also: " + first_items(short, most=len(names) if everything else _MOST_NAMED), FAINT))
    brief = [*brief_lines(story.first, symbols, story.group)]
    for most in (0,) if everything else (_MOST_CAUSES, _FEW_CAUSES):
        yield _Body(brief, [*further_lines(story.first, most), *([also] if story.others else [])])
    yield _Body(brief, [])


def height(rows: Iterable[Line]) -> int:
    """Return the number of lines that the rows take at 80 columns.

    >>> height([line(0, "x" * 80), line(0, "x" * 81), BLANK])
    4
    """
    return sum(max(1, -(-len(str(row)) // _WIDTH)) for row in rows)
