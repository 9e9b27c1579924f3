"""Reading: find the error message in a text such as a log, the nodes that it names, and the numbers that it prints."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import NamedTuple

from shapesmt.base.errors import printable
from shapesmt.base.frozen import frozen
from shapesmt.network.graph import Graph
from shapesmt.tasks.runtime_errors.forms import FORMS, HEADS, UNRELATED, Form

__all__ = ["Message", "read"]

MOST = 1 << 20  # characters of a log that are read
LONGEST = 3000  # characters from the node that a message names to the end of its reason
BEFORE = 300  # characters of a line before that node that are shown, or have the reason
NESTED = 120  # maximum number of characters between a node that a message names and the one inside it
SHOWN = 600  # maximum number of characters of a message in an answer
MANY = 12  # numbers of unknown meaning that are used to choose an input; more are ignored

_COLOR = re.compile(r"(?:\x1b|\\x1b|\\u001b|\\033|\^\[)\[[0-9;]{0,20}[mK]")  # also as text, as in a log in JSON
_PREFIX = re.compile(  # what logs put in front of a message: a time, a level, a process, a line of the runtime's source
    r"(?:\s{0,9}(?:\[?\d{4}[-/]\d\d[-/]\d\d[T ]{0,2}[\d:.,+Z]{0,30}\]?|\[?\d\d:\d\d:\d\d[\d.,]{0,10}\]?|"
    r"\[\d\d/\d\d/\d{2,4}-[\d:]{1,12}\]|\[[A-Z]:[^\]\n]{0,200}\]|"
    r"[EWIF]\d{4} [\d:.]{1,20} {1,9}\d{1,9} [\w./-]{1,100}:\d{1,9}\]|"
    r"[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d(?: [\w.-]{1,100} [\w./-]{1,100}(?:\[\d{1,9}\])?:)?|"
    r"\[?\b(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL)\b\]?:?|[\w.-]{1,100} {1,9}\||[-|])){1,12}\s{0,9}"
)
_SOURCE = re.compile(
    r"[^\n]{0,600} was false\.|Node number \d{1,9}|"
    r"While validating node '[^\n]{0,2000}' with friendly_name '[^'\n]{0,500}'|"
    r"Check '[^'\n]{0,300}' failed|[\w./-]{1,300}\.(?:cc|cpp|cu|h|hpp|py):\d{1,9}"
)
_LIST = re.compile(
    r"[\[({](-?\d{1,19}(?:\s{0,3}[,x]\s{0,3}-?\d{1,19}){0,30})[\])}]|(?<![\w.#-])(-?\d{1,19})(?![\w#]|\.\d)"
)


@frozen()
class Message:
    """An error message of a runtime, as read from a text.

    Attributes:
        runtime: The runtime whose form it has; "" if it is of no known form.
        text: The message on one line, safe to print.
        names: The nodes that it names, the outermost first; "" for one without a name.
        op: The operator of the innermost node, as the runtime calls it; "" if the message doesn't say.
        form: Its form; None if it isn't known.
        said: The text of each group of the form's pattern, by the group's name.
        unread: The numbers that it prints beside those, each alone or with the others of its list.
        related: Whether it may be about shapes; False for those of devices, missing kernels and files.
        loading: Whether the runtime says it while it loads the file, so that no input is to blame.

    >>> read("while running Concat node. Name:'/up/Concat' Status Message: Axis 2 differs").names
    ('/up/Concat',)
    """

    runtime: str
    text: str
    names: tuple[str, ...] = ()
    op: str = ""
    form: Form | None = None
    said: Mapping[str, str] = field(default_factory=dict)
    unread: tuple[tuple[int, ...], ...] = ()
    related: bool = True
    loading: bool = False

    @property
    def known(self) -> bool:
        """Whether it names a node, has a known form, or is known not to be about shapes."""
        return bool(self.names) or self.form is not None or not self.related

    def foreign(self, graph: Graph) -> bool:
        """Whether the message is from another runtime than the graph's, which has other laws."""
        own = ("onnxruntime", graph.runtime.value) if graph.is_onnx else (graph.runtime.value,)
        return self.runtime not in ("", *own)


class _Seen(NamedTuple):
    """A match of a head (`form` is None) or of a form in a text."""

    start: int
    runtime: str
    match: re.Match[str]
    form: Form | None = None
    loading: bool = False

    def part(self, group: str) -> str:
        """Return the text of a group; "" if the pattern has no such group."""
        return self.match.groupdict().get(group) or ""


def read(text: object) -> Message:
    """Return the first error message in a text such as a log, or in an exception's text."""
    log = _COLOR.sub("", str(text)[:MOST])
    heads = _heads(log)
    reasons = _reasons(log, 0, len(log))
    if not heads and not reasons:
        other = UNRELATED.search(log)
        line = _line(log, other.start(), other.end()) if other is not None else log[-SHOWN:]
        return Message("", printable(" ".join(line.split()), SHOWN), related=other is None)
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
    if reason.form is not None:  # what follows the line of the reason is other text of the log
        end = log.find("\n", reason.match.end())
        end = len(log) if end < 0 else end
    end = min(max(end, start), start + LONGEST // 2)
    inside = (h.match.end() for h in named if h.match.end() < reason.match.start())
    told = max(inside, default=reason.match.start() if reason.form is not None else named[-1].match.end())
    return Message(
        named[0].runtime if named else reason.runtime,
        printable(" ".join(_line(log, start, end).split()), SHOWN),
        tuple(dict.fromkeys(h.part("name") for h in named)),
        named[-1].part("op") if named else "",
        reason.form,
        {k: v for k, v in reason.match.groupdict().items() if v} if reason.form is not None else {},
        _unread(log, told, end, reason),
        reason.form is not None or UNRELATED.search(log, start, end) is None,
        bool(named) and named[-1].loading,
    )


def _line(log: str, start: int, end: int) -> str:
    """Return the text from the line of `start`, without what a log puts before a message, to `end`."""
    begin = max(log.rfind("\n", 0, start) + 1, start - BEFORE)
    prefix = _PREFIX.match(log[begin:start]) if begin == 0 or log[begin - 1] == "\n" else None
    return log[begin + (prefix.end() if prefix is not None else 0) : end]


def _unread(log: str, start: int, end: int, reason: _Seen) -> tuple[tuple[int, ...], ...]:
    """Return the numbers of a message that its form doesn't read, without those of lines in the runtime's source."""
    if reason.form is None:
        return _numbers(log[start:end])
    source = " was false." if " was false." in reason.match[0] else ""  # a form may begin inside the runtime's source
    before = log[start : reason.match.start()] + source
    return (*_numbers(before), *_numbers(log[reason.match.end() : end]))


def _numbers(text: str) -> tuple[tuple[int, ...], ...]:
    found = (m[1] or m[2] for m in _LIST.finditer(_SOURCE.sub(" ", text)))
    return tuple(dict.fromkeys(tuple(map(int, re.findall(r"-?\d+", part))) for part in found))[:MANY]


def _heads(log: str) -> list[_Seen]:
    """Return all matches of heads, sorted by position."""
    found = (_Seen(m.start(), h.runtime, m, loading=h.loading) for h in HEADS for m in h.pattern.finditer(log))
    return sorted(found, key=lambda seen: seen.start)


def _reasons(log: str, start: int, end: int) -> list[_Seen]:
    """Return the first match of each form in `log[start:end]`, sorted by position."""
    found = ((form, form.pattern.search(log, start, end)) for form in FORMS)
    return sorted((_Seen(m.start(), f.runtime, m, f) for f, m in found if m), key=lambda seen: seen.start)


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
