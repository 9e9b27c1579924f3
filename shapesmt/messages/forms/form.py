r"""Form: the pattern of a message, the laws that it is about, and the meaning of the numbers in it.

The name of a group in a pattern says what the number is:

- `name`, `op`, `input`: the node, its operator, the model's input.
- `a` and `b`: the two sizes that clash, in the order of the law if `stop` is known; `axis` is theirs.
- `low` and `high`: such sizes, the smaller one first.
- `line`: the line of a matrix product's source.
- `operand`: the operand that a product blames ("left"); `phase`: whether the first axis is broadcast ("Init").
- `i0`: the shape of the node's input 0; `i0s` without the first two axes; `i0t` without any first axes; `i0p` with or
  without axes of size 1 in front, `i0b` with at most one; `i0a1` its axis 1; `at` its axis `axis`.
- `e1`: the elements of input 1, or of the list that PyTorch has instead; `count`: the number of input 0's elements;
  `target`: the product of input 1's.
- `rows` and `columns`: the other sizes of the matrices whose inner sizes are `a` and `b`, with batches folded in;
  `batch`: the number of their batches.
- `number`: the input that has the second size, `that` its shape; `shape`: the shape of one of the inputs.
- `along`: input 0's size along the node's own axis; `padded`: its last axes with the node's padding.
- `attr_start`: the node's attribute `start`; `guard`: the text of a program's guard.
- `size`: a size of one of the inputs; `last`: input 0's size along the node's own axis, minus 1; `first`: that size,
  negated; `index`: an index outside an axis; `own`: the node's own axis; `group`: its attribute of that name.
- `parts` and `total`: the number of elements of input 1, and their sum; `outputs`: the number of outputs; `part` and
  `rest`: an element of input 1, and what those before it leave of the node's own axis.
- `one`: the number 1, which the runtime prints of its own code.
- `bytes`: the bytes of memory that can't be had.
- `inputs`: the shapes of all inputs; `short_axis`: an axis of the one with the fewest.
- `got`, `declared`: the size of a model's input along `axis`, and the one that the file declares, or all their sizes;
  `least` and `most`: the range in its place. The input is `input`, or the one at `place`.

Each repetition in a pattern is of a single class of characters and bounded, so that no text takes long to read.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

__all__ = ["NAME", "Fork", "Form", "Head", "Stop", "form"]

NAME = r"[^'\n]{0,500}"  # a node's name between quotes


class Head(NamedTuple):
    """The part of a runtime's message that names the node."""

    runtime: str
    pattern: re.Pattern[str]


class Stop(Enum):
    """Which of several requirements that fail under one law a runtime reports: of those in the order of the rule."""

    FIRST = "first"
    LAST = "last"


class Fork(Enum):
    """What decides which of two lines of its source a runtime names in a message."""

    INNER = "inner"  # whether an axis after the one that clashes has several elements
    BATCHES = "batches"  # whether the last operand has several matrices
    EMPTY = "empty"  # whether the axis is empty


class Form(NamedTuple):
    """A form of a runtime's messages: its pattern, and the codes of the laws whose breach it reports.

    Attributes:
        stop: Which of several failing requirements it reports; None if that isn't known.
        fork: What decides which line of the runtime's source prints it; None if there is one.
        skips: Whether it prints numbers that aren't read.
    """

    runtime: str
    pattern: re.Pattern[str]
    codes: tuple[str, ...] = ()
    stop: Stop | None = None
    fork: Fork | None = None
    skips: bool = False


_N = r"-?\d{1,19}"
_LIST = r"[\d, .x-]{0,400}"
_ANY = r"[\d, .?-]{0,400}"
_SHAPES = r"[\d, {}\[\]]{0,2000}"


def _compile(text: str) -> re.Pattern[str]:
    """Return a pattern in which `<a>` is the number `a`, `<i0>` the list `i0` and `<_>` a number that isn't read."""

    def group(named: re.Match[str]) -> str:
        name = named[1]
        body = _ANY if name in ("got", "declared") and "<axis>" not in text else _SHAPES if name == "inputs" else _N
        body = _LIST if re.fullmatch(r"i\d[stpb]?|e1|shape\d?|that|padded", name) else body
        return body if name == "_" else f"(?P<{name}>{body})"

    return re.compile(re.sub(r"(?<!\?P)<(\w+)>", group, text))


def form(runtime: str, text: str, *codes: str, stop: Stop | None = None, fork: Fork | None = None) -> Form:
    """Return the form of a text in which `<a>` is the number `a`, `<i0>` a list, and `<_>` a number that isn't read."""
    return Form(runtime, _compile(text), codes, stop, fork, "<_>" in text)
