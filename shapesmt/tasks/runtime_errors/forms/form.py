r"""Form: the pattern of a message, the laws that it is about, and the meaning of the numbers in it.

The name of a group in a pattern says what the number is:

- `name`, `op`, `input`: the node, its operator, the model's input.
- `a` and `b`: the two sizes that clash, in the order of the law if `stop` is known; `axis` is theirs.
- `low` and `high`: such sizes, the smaller one first.
- `line`: the line of a matrix product's source.
- `operand`: the operand that a product blames ("left"); `phase`: whether the first axis is broadcast ("Init").
- `i0`: the shape of the node's input 0; `i0s` without the first two axes; `i0t` without any first axes; `i0p` with or
  without axes of size 1 in front, `i0b` with at most one; `i0a1` its axis 1, `i0z1` its last axis, `i0at` its axis
  `axis`; `o0a1` is of output 0; `r0` the rank of input 0; `n0` the number of its elements.
- `e1`: the elements of input 1, or of the list that PyTorch has instead; `e1a0` the first of them; `p1` their product;
  `e1at` that with the index `place`, the first one that isn't from 0 to `top` - 1; `target`: their product, where a 0
  may copy a size.
- `rows` and `columns`: the other sizes of the matrices whose inner sizes are `a` and `b`, with batches folded in;
  `batch`: the number of their batches.
- `number`: the input that has the second size, `that` its shape; `shape`: the shape of one of the inputs.
- `along`: input 0's size along the node's own axis; `padded`: its last axes with the node's padding.
- `attr_start`: the node's attribute `start`; `guard`: the text of a program's guard.
- `size`: a size of one of the inputs; `last`: input 0's size along the node's own axis, minus 1; `first`: that size,
  negated; `index`: an index outside an axis; `own`: the node's own axis; `group`: its attribute, 1 by default.
- `parts` and `total`: the number of elements of input 1, and their sum; `outputs`: the number of outputs; `part` and
  `rest`: an element of input 1, and what those before it leave of the node's own axis.
- `zero` and `one`: the numbers 0 and 1, which the runtime prints of its own code.
- `bytes`: the bytes of memory that can't be had.
- `inputs`: the shapes of all inputs; `short_axis`: an axis of the one with the fewest.
- `got`, `declared`: the size of a model's input along `axis`, and the one that the file declares, or all their sizes;
  `least` and `most`: the range in its place. The input is `input`, or the one at `place`.

Each repetition in a pattern is of a single class of characters and bounded, so that no text takes long to read.
"""

from __future__ import annotations

import re
from enum import Enum
from itertools import chain
from typing import NamedTuple

from shapesmt.network.laws import Law

__all__ = ["NAME", "Fork", "Form", "Head", "Stop", "form", "in_order"]

NAME = r"[^'\n]{0,500}"  # a node's name between quotes


class Head(NamedTuple):
    """The part of a runtime's message that names the node.

    Attributes:
        loading: Whether the runtime says it while it loads the file, so that the node fails whatever the input.
    """

    runtime: str
    pattern: re.Pattern[str]
    loading: bool = False


class Stop(Enum):
    """Which of several requirements that fail under one law a runtime reports: of those in the order of the rule."""

    FIRST = "first"
    LAST = "last"


class Fork(Enum):
    """A condition on which it depends which of two lines of its source a runtime names in a message."""

    INNER = "inner"  # whether an axis after the one that clashes has several elements
    BATCHES = "batches"  # whether the last operand has several matrices
    EMPTY = "empty"  # whether the axis is empty


class Form(NamedTuple):
    """A form of a runtime's messages: its pattern, and the laws whose breach it reports, or their codes.

    Attributes:
        stop: Which of several failing requirements it reports; None if that isn't known.
        fork: What decides which line of the runtime's source prints it; None if there is one.
        where: A condition on the sizes that the message implies but doesn't print, such as "i0a0 != i1a0"; it's
            false if the node has no such input or axis, unless the size is named as in "i4a2_or_0".
        skips: Whether it prints numbers that aren't read, or is one of several messages for the same breach.
        computed: The groups that are an expression over sizes, each with it, such as `("head", "i0a2 // attr_heads")`.
        earlier: The forms of what the runtime checks before; their laws hold where this one is printed.
        later: The forms of what it checks after that; their laws may be violated too.
    """

    runtime: str
    pattern: re.Pattern[str]
    laws: tuple[str | Law, ...] = ()
    stop: Stop | None = None
    fork: Fork | None = None
    where: str = ""
    skips: bool = False
    computed: tuple[tuple[str, str], ...] = ()
    earlier: tuple[Form, ...] = ()
    later: tuple[Form, ...] = ()

    def states(self, law: Law) -> bool:
        """Whether the form is about a law."""
        return law.code in self.laws or any((law.template or law.sentence) == own.sentence for own in self._own)

    @property
    def _own(self) -> list[Law]:
        return [law for law in self.laws if isinstance(law, Law)]


_N = r"-?\d{1,19}"
_LIST = r"[\d, .x-]{0,400}"
_ANY = r"[\d, .?-]{0,400}"
_SHAPES = r"[\d, {}\[\]]{0,2000}"


def _compile(text: str) -> re.Pattern[str]:
    """Return a pattern in which `<a>` is the number `a`, `<i0>` the list `i0` and `<_>` a number that isn't read."""

    def group(named: re.Match[str]) -> str:
        name = named[1]
        body = _ANY if name in ("got", "declared") and "<axis>" not in text else _SHAPES if name == "inputs" else _N
        body = _LIST if re.fullmatch(r"i\d[stpb]?|e\d|shape\d?|that|padded", name) else body
        return body if name == "_" else f"(?P<{name}>{body})"

    return re.compile(re.sub(r"(?<!\?P)<(\w+)>", group, text))


def form(
    runtime: str,
    text: str,
    *laws: str | Law,
    stop: Stop | None = None,
    fork: Fork | None = None,
    where: str = "",
    certain: bool = True,
    **computed: str,
) -> Form:
    """Return the form of a text in which `<a>` is the number `a`, `<i0>` a list, and `<_>` a number that isn't read.

    It isn't `certain` if the runtime has several texts for a breach of the laws and nothing here tells them apart.
    """
    skips = "<_>" in text or not certain
    return Form(runtime, _compile(text), laws, stop, fork, where, skips, tuple(computed.items()))


def in_order(*groups: Form | tuple[Form, ...]) -> tuple[Form, ...]:
    """Return the forms of one operator, in the order in which the runtime checks their laws.

    The order of those in a tuple isn't known.
    """
    steps = [(group,) if isinstance(group, Form) else group for group in groups]
    return tuple(
        f._replace(earlier=tuple(chain(*steps[:i])), later=tuple(chain(*steps[i + 1 :])))
        for i, step in enumerate(steps)
        for f in step
    )
