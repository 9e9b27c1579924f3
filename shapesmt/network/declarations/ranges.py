"""Parse the ranges of symbols and shapes of inputs that users declare, and suggest names for unknown ones.

RANGE is `8`, `1..32`, `1..`, `..32` or `64..512:16`; SHAPE is `[1..8,3,?,400]`, `[...]` or `1x3x224x224`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import field
from operator import index
from typing import Protocol, SupportsIndex, TypeAlias, runtime_checkable

from shapesmt.base.errors import UnknownNameError, UsageError, printable
from shapesmt.base.frozen import frozen

LARGEST = 2**63 - 1  # the largest int64
ACCEPTED_RANGE = "write 8, 1..32, 1.., ..32 or 64..512:16"
ACCEPTED_SHAPE = "write [1..8,3,?,400], [batch,3,h,w], 1x3x224x224, or [...] when the rank is unknown"

_RANGE = re.compile(r"\s*(-?[0-9]*)\s*(?:(\.\.)\s*(-?[0-9]*)\s*(?::\s*(-?[0-9]+)\s*)?)?", re.ASCII)
_ALMOST = re.compile(r"\s*([0-9]+)\s*(?::|-|,|\.{3}|to)\s*([0-9]+)\s*(?:[:,]\s*([0-9]+)\s*)?", re.ASCII)
_NAME = re.compile(r"[^\W\d][\w.:/-]*")
_MOST_COMPARED = 2000  # difflib takes some 20 µs for each
_MOST_LISTED = 6


@frozen()
class Origin:
    """The source of a declaration, such as an option, a configuration file, or an input's shape.

    A declaration that isn't `needed` is ignored if the model lacks the name, unless it looks like a misspelt name.
    """

    source: str
    needed: bool = True


@frozen()
class Range:
    """A range as a caller writes it: `lo, lo + step, ...` up to `hi`, unbounded if `hi` is None.

    A report shows it as a `SymbolRange`.

    >>> 80 in Range(64, 512, 16), 72 in Range(64, 512, 16)
    (True, False)
    >>> str(Range(64, 512, 16)), str(Range(8, 8)), str(Range())
    ('64..512:16', '8', '1..')
    """

    lo: int = 1
    hi: int | None = None
    step: int = 1
    origin: Origin | None = field(default=None, compare=False, repr=False)

    def __contains__(self, size: int) -> bool:
        return self.lo <= size and (self.hi is None or size <= self.hi) and (size - self.lo) % self.step == 0

    def __str__(self) -> str:
        if self.lo == self.hi:
            return str(self.lo)
        end = "" if self.hi is None else self.hi
        return f"{self.lo}..{end}" + (f":{self.step}" if self.step > 1 else "")


@runtime_checkable
class Ranged(Protocol):
    """An object such as a `Dimension`: its `to_range` returns the range that it declares, None for any size."""

    def to_range(self) -> Range | None: ...  # noqa: D102 - as above


@runtime_checkable
class Shaped(Protocol):
    """An object such as a `PartialShape`: its `to_ranges` returns a range per dimension, None for an unknown rank."""

    def to_ranges(self) -> tuple[Range | None, ...] | None: ...  # noqa: D102 - as above


RangeLike: TypeAlias = "str | SupportsIndex | range | tuple[SupportsIndex, SupportsIndex | None] | Range | Ranged"
DimLike: TypeAlias = "Range | str | None"  # a range, a symbol's name, or a fresh symbol
ShapeLike: TypeAlias = "str | Sequence[RangeLike | None] | Shaped"


def parse_range(spec: RangeLike, name: str = "") -> Range:
    """Parse the range that a text, an int, a pair or a Python `range` declares for the dimension `name`.

    `hi` is lowered to the last size that the steps reach. `..32` starts at 1; write `0..32` to include 0.

    >>> parse_range("64..520:16"), parse_range(8), parse_range((1, None))
    (Range(lo=64, hi=512, step=16), Range(lo=8, hi=8, step=1), Range(lo=1, hi=None, step=1))
    >>> parse_range(range(64, 513, 16))
    Range(lo=64, hi=512, step=16)
    >>> parse_range("5..2", "height")
    Traceback (most recent call last):
      ...
    shapesmt.base.errors.UsageError: range '5..2' of 'height' is empty: 5 > 2; write lo..hi with lo <= hi

    Raises:
        UsageError: the text is no range, or the range is empty, negative or beyond 2**63 - 1.
    """
    lo, hi, step = _numbers(spec, name)
    origin = spec.origin if isinstance(spec, Range) else None
    what = f"range {quote(spec)}" + (f" of {quote(name)}" if name else "")
    for number in (lo, hi or 0, step):
        if number < 0:
            raise UsageError(f"{what} has {number}; sizes are 0 or more; {ACCEPTED_RANGE}")
        if number > LARGEST:
            raise UsageError(f"{what} exceeds {LARGEST}, the largest size a tensor can have")
    if step == 0:
        raise UsageError(f"{what} has step 0; a step is 1 or more, as in 64..512:16")
    if hi is None:
        return Range(lo, None, step, origin)
    if lo > hi:
        raise UsageError(f"{what} is empty: {lo} > {hi}; write lo..hi with lo <= hi")
    last = hi - (hi - lo) % step
    return Range(lo, last, 1 if last == lo else step, origin)


def parse_shape(spec: ShapeLike, name: str = "") -> tuple[DimLike, ...] | None:
    """Parse the shape that a text or a sequence declares for the input `name`; return None for an unknown rank.

    Each dimension is a `Range`, a symbol's name, or None for an unnamed one (`?`).

    >>> parse_shape("[1..8, ?, `Batch Size`]")
    (Range(lo=1, hi=8, step=1), None, 'Batch Size')
    >>> parse_shape("1x3x224x224") == parse_shape((1, 3, 224, 224))
    True
    >>> parse_shape("[...]") is None
    True

    Raises:
        UsageError: the text is no shape, or a dimension is no range.
    """
    if isinstance(spec, Shaped):
        ranges = spec.to_ranges()
        return None if ranges is None else tuple(_dimension(r, name, spec) for r in ranges)
    if not isinstance(spec, str):
        if not isinstance(spec, Iterable):
            raise _no_shape(spec, name)
        return tuple(_dimension(item, name, spec) for item in spec)
    items = shape_items(spec)
    if items is None:
        raise _no_shape(spec, name)
    if items == ["..."]:
        return None
    return tuple(_dimension(item, name, spec) for item in items)


def ends(text: str) -> tuple[int | None, int | None, int] | None:
    """Return `(lo, hi, step)` of a range's text as written, None for an omitted bound; None if the text is no range.

    >>> ends("8"), ends("..32"), ends("64..512:16"), ends("n")
    ((8, 8, 1), (None, 32, 1), (64, 512, 16), None)
    """
    match = _RANGE.fullmatch(text) if len(text) <= 100 else None
    if match is None or not (match[1] or match[3]) or "-" in (match[1], match[3]):
        return None
    lo = int(match[1]) if match[1] else None
    return lo, int(match[3]) if match[3] else None if match[2] else lo, int(match[4] or 1)


def shape_items(text: str) -> list[str] | None:
    """Split a shape's text into its dimensions, as written; return None for an empty text.

    >>> shape_items("[1..8, ?]"), shape_items("3x224x224"), shape_items("[]"), shape_items("")
    (['1..8', ' ?'], ['3', '224', '224'], [], None)
    """
    bare = text.strip()
    if len(bare) > 1 and bare[0] == "[" and bare[-1] == "]":
        return _items(bare[1:-1].strip())
    return _items(bare) or None


def is_plain_name(text: str) -> bool:
    """Whether a dimension's name can stand in a shape as it is, without backticks.

    >>> is_plain_name("batch"), is_plain_name("past + 1")
    (True, False)
    """
    return _NAME.fullmatch(text) is not None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: the nearest known one, else the first few.

    >>> did_you_mean("hieght", ["batch", "height"])
    "; did you mean 'height'?"
    >>> did_you_mean("q", ["batch", "height"])
    '; it has batch, height'
    """
    names = list(dict.fromkeys(known))
    near = _nearest(name, names)
    if near is not None:
        return f"; did you mean {quote(near)}?"
    if not names:
        return "; it has none"
    rest = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
    return f"; it has {', '.join(printable(n, 60) for n in names[:_MOST_LISTED])}{rest}"


def unknown_name(what: str, name: str, known: Iterable[str], where: str) -> UnknownNameError:
    """Return the error for a `name` that `where` lacks; `what` is its kind, and the nearest `known` name is suggested.

    >>> unknown_name("input dimension", "hieght", ["batch", "height"], "unet.onnx")
    UnknownNameError("no input dimension 'hieght' in unet.onnx; did you mean 'height'?")
    """
    return UnknownNameError(f"no {what} {quote(name)} in {where}{did_you_mean(str(name), known)}")


def quote(value: object) -> str:
    r"""Return `value` in quotes, printable, on one line.

    >>> print(quote("Batch\nSize"))
    'Batch\nSize'
    """
    text = printable(str(value), 60)
    return f'"{text}"' if "'" in text else f"'{text}'"


def _numbers(spec: RangeLike, name: str) -> tuple[int, int | None, int]:
    """Return `(lo, hi, step)` as written, unchecked."""
    if isinstance(spec, Range):
        return spec.lo, spec.hi, spec.step
    if isinstance(spec, str):
        written = ends(spec)
        if written is None:
            raise _no_range(spec, name)
        return 1 if written[0] is None else written[0], *written[1:]
    if isinstance(spec, Ranged):
        spec = spec.to_range() or Range()
        return spec.lo, spec.hi, spec.step
    try:
        if isinstance(spec, bool):
            raise TypeError("a bool is no size")
        if isinstance(spec, range):
            return min(spec[0], spec[-1]), max(spec[0], spec[-1]), abs(spec.step)
        if isinstance(spec, SupportsIndex):
            return index(spec), index(spec), 1
        if isinstance(spec, list):
            raise TypeError("a list may mean single sizes")
        lo_, hi_ = spec
        return index(lo_), None if hi_ is None else index(hi_), 1
    except (TypeError, ValueError, IndexError):
        raise _no_range(spec, name) from None


def _no_range(spec: object, name: str) -> UsageError:
    of = f" of {quote(name)}" if name else ""
    return UsageError(f"{quote(spec)} is not a range{of}; {_meant(spec) or ACCEPTED_RANGE}")


def _meant(spec: object) -> str:
    """Return a proposal of the range that a similar text, or a list of two numbers, may mean; "" if there is none.

    >>> _meant("64:512"), _meant("64-512"), _meant([64, 128]), _meant("large")
    ('did you mean 64..512?', 'did you mean 64..512?', 'did you mean (64, 128), for 64..128?', '')
    """
    match = _ALMOST.fullmatch(spec) if isinstance(spec, str) else None
    if match is not None and int(match[1]) <= int(match[2]):
        step = f":{match[3]}" if match[3] else ""
        return f"did you mean {match[1]}..{match[2]}{step}?"
    pair = isinstance(spec, list) and len(spec) == len(("lo", "hi")) and all(type(n) is int for n in spec)
    return f"did you mean ({spec[0]}, {spec[1]}), for {spec[0]}..{spec[1]}?" if isinstance(spec, list) and pair else ""


def _no_shape(spec: object, name: str) -> UsageError:
    of = f" of {quote(name)}" if name else ""
    return UsageError(f"{quote(spec)} is not a shape{of}; {ACCEPTED_SHAPE}")


def _items(bare: str) -> list[str]:
    """Split a shape without brackets at commas, or at `x` if it starts with a size."""
    if not bare:
        return []
    if "," not in bare and (bare[0].isdigit() or bare[0] in "?."):
        return bare.split("x")
    pieces = bare.split("`")
    pieces[::2] = [unquoted.replace(",", "\0") for unquoted in pieces[::2]]
    return "`".join(pieces).split("\0")


def _dimension(item: RangeLike | None, name: str, spec: object) -> DimLike:
    if isinstance(item, str):
        text = item.strip()
        if text == "?":
            return None
        if len(text) > 2 and text[0] == text[-1] == "`":
            return text[1:-1].replace("``", "`")
        if _NAME.fullmatch(text):
            return text
        if not text or not _RANGE.fullmatch(text):
            raise _no_shape(spec, name)
    if item is None or (isinstance(item, Ranged) and item.to_range() is None):
        return None
    return parse_range(item, name)


def _nearest(name: str, names: Sequence[str]) -> str | None:
    """Return the known name that differs least from `name`; None if none is near."""
    from difflib import get_close_matches

    folded = name.casefold()
    near = [known for known in names if abs(len(known) - len(name)) <= 2 + len(name) // 4][:_MOST_COMPARED]
    same = next((known for known in near if known.casefold() == folded), None)
    if same is not None or len(name) > 200:
        return same
    return next(iter(get_close_matches(name, near, n=1, cutoff=0.6)), None)
