"""Sentences about external files that can't be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shapesmt.base.errors import printable
from shapesmt.reports.render.text.words import count, first_items

if TYPE_CHECKING:
    from shapesmt.reports.answers import AbsentFile, facts

_MOST = 3  # the most files that are named
_WHY = {
    "missing": ("isn't next to the model", "aren't next to the model"),
    "unplaced": ("isn't read, as the model is no file on disk", "aren't read, as the model is no file on disk"),
    "short": ("is too short", "are too short"),
}
_HELP = {
    "missing": "put {} next to the model",
    "unplaced": "give the path of a file, with {} next to it",
    "short": "replace {} by the whole file",
}


def absent(told: facts.Absent) -> str:
    """Return why the files aren't read, and how many constants in them decide sizes.

    >>> from shapesmt.reports.answers import AbsentFile, facts
    >>> absent(facts.Absent((AbsentFile("dec.data", "missing", 12),)))
    "dec.data isn't next to the model, and 12 constants in it decide sizes"
    """
    number = sum(file.constants for file in told.files)
    where = "it" if len(told.files) == 1 else "them"
    what = f"{count(number, 'constant')} in {where} {'decides' if number == 1 else 'decide'} sizes"
    return f"{_reasons(told.files)}, and {what}"


def listed(files: Sequence[AbsentFile]) -> str:
    """Return which files aren't read, and whether they matter for shapes.

    >>> from shapesmt.reports.answers import AbsentFile
    >>> listed([AbsentFile("vit.onnx.data", "missing")])
    "vit.onnx.data isn't next to the model, and no constant in it is known to decide sizes"
    """
    from shapesmt.reports.answers import facts

    needed = [file for file in files if file.constants]
    if needed:
        return absent(facts.Absent((*needed,)))
    where = "it" if len(files) == 1 else "them"
    return f"{_reasons(files)}, and no constant in {where} is known to decide sizes"


def without(told: facts.Without) -> str:
    """Return how many nodes are undecided because of the files; "" for one."""
    return "" if told.nodes == 1 else f"{told.nodes} nodes are undecided without that"


def to_place(told: facts.ToPlace) -> str:
    """Return what helps, for each reason for which files aren't read.

    >>> from shapesmt.reports.answers import AbsentFile, facts
    >>> to_place(facts.ToPlace((AbsentFile("a", "missing", 1), AbsentFile("b", "missing", 1))))
    'put a, b next to the model'
    """
    return ", and ".join(_HELP[reason].format(_names(files)) for reason, files in _by_reason(told.files))


def unneeded(files: Sequence[str]) -> str:
    """Return a hint about missing files on which no answer depends; "" if there are none.

    >>> unneeded(["vit.onnx.data"])
    "vit.onnx.data isn't next to the model: this answer doesn't need it, a runtime does"
    """
    one = len(files) == 1
    named = first_items([printable(file, 60) for file in files], _MOST)
    why = _WHY["missing"][not one]
    return f"{named} {why}: this answer doesn't need {'it' if one else 'them'}, a runtime does" if files else ""


def _reasons(files: Sequence[AbsentFile]) -> str:
    return " and ".join(f"{_names(names)} {_WHY[reason][len(names) > 1]}" for reason, names in _by_reason(files))


def _by_reason(files: Sequence[AbsentFile]) -> list[tuple[str, list[str]]]:
    by_reason: dict[str, list[str]] = {}
    for file in files:
        by_reason.setdefault(file.reason, []).append(printable(file.file, 60))
    return [*by_reason.items()]


def _names(files: Sequence[str]) -> str:
    return first_items(files, _MOST)
