"""Reading: find the error message in a text such as a log, the nodes that it names, and the numbers that it prints."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from shapesmt.errors import printable
from shapesmt.graph import Graph
from shapesmt.messages.forms import FORMS, HEADS, Form

__all__ = ["Message", "read"]

MOST = 1 << 20  # characters of a log that are read
LONGEST = 3000  # characters from the node that a message names to the end of its reason
BEFORE = 300  # characters of a line before that node that are shown, or have the reason
NESTED = 120  # maximum number of characters between a node that a message names and the one inside it
SHOWN = 600  # maximum number of characters of a message in an answer


@dataclass(frozen=True)
class Message:
    """An error message of a runtime, as read from a text.

    Attributes:
        runtime: The runtime whose form it has; "" if it is of no known form.
        text: The message on one line, safe to print.
        names: The nodes that it names, the outermost first; "" for one without a name.
        op: The operator of the innermost node, as the runtime calls it; "" if the message doesn't say.
        form: Its form; None if it isn't known.
        said: The text of each group of the form's pattern, by the group's name.

    >>> read("while running Concat node. Name:'/up/Concat' Status Message: Axis 2 differs").names
    ('/up/Concat',)
    """

    runtime: str
    text: str
    names: tuple[str, ...] = ()
    op: str = ""
    form: Form | None = None
    said: Mapping[str, str] = field(default_factory=dict)

    @property
    def known(self) -> bool:
        """Whether it names a node or has a known form."""
        return bool(self.names) or self.form is not None

    def foreign(self, graph: Graph) -> bool:
        """Whether the message is from another runtime than the one for the graph's format, which has other laws."""
        return self.runtime not in ("", graph.runtime.value)


class _Seen(NamedTuple):
    """A match of a head (`form` is None) or of a form in a text."""

    start: int
    runtime: str
    match: re.Match[str]
    form: Form | None = None

    def part(self, group: str) -> str:
        """Return the text of a group; "" if the pattern has no such group."""
        return self.match.groupdict().get(group) or ""


def read(text: object) -> Message:
    """Return the first error message in a text such as a log, or in an exception's text."""
    log = str(text)[:MOST]
    heads = sorted(_Seen(m.start(), head.runtime, m) for head in HEADS for m in head.pattern.finditer(log))
    reasons = _reasons(log, 0, len(log))
    if not heads and not reasons:
        return Message("", printable(" ".join(log[-SHOWN:].split()), SHOWN))
    if reasons and (not heads or reasons[0].start < heads[0].start):
        reason = reasons[0]
        named = [h for h in heads if h.runtime == reason.runtime and h.start - reason.match.end() < BEFORE][:1]
        start, end = reason.start, reason.match.end()
    else:
        named = _nested_heads(log, heads)
        start, last = heads[0].start, named[-1]
        others = (h.start for h in heads if h.start > last.start and h.runtime != "openvino")
        end = min([last.start + LONGEST, *others])
        found = _reasons(log, start, end)
        reason = found[0] if found else named[0]
    line = max(log.rfind("\n", 0, start) + 1, start - BEFORE)
    if reason.form is not None:  # what follows the line of the reason is other text of the log
        end = log.find("\n", reason.match.end())
        end = len(log) if end < 0 else end
    return Message(
        named[0].runtime if named else reason.runtime,
        printable(" ".join(log[line : min(max(end, start), start + LONGEST // 2)].split()), SHOWN),
        tuple(dict.fromkeys(h.part("name") for h in named)),
        named[-1].part("op") if named else "",
        reason.form,
        {k: v for k, v in reason.match.groupdict().items() if v} if reason.form is not None else {},
    )


def _reasons(log: str, start: int, end: int) -> list[_Seen]:
    """Return the first match of each form in `log[start:end]`, sorted by position."""
    part = log[start:end]
    found = ((form, form.pattern.search(part)) for form in FORMS)
    return sorted((_Seen(start + m.start(), f.runtime, m, f) for f, m in found if m), key=lambda seen: seen.start)


def _nested_heads(log: str, heads: Sequence[_Seen]) -> list[_Seen]:
    """Return the first head and those for the nodes inside that one; OpenVINO names a node several times."""
    inner = [heads[0]]
    for head in heads[1:]:
        between, repeats = log[inner[-1].match.end() : head.start], head.runtime == inner[0].runtime == "openvino"
        if len(between) > (LONGEST if repeats else NESTED) or ("\n" in between and not repeats):
            break
        if not repeats:
            inner.append(head)
    return inner
