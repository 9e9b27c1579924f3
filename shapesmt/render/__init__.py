"""Results as text for people or JSON for programs: the only place where results are worded."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Literal, TextIO, TypeAlias

if TYPE_CHECKING:
    from shapesmt.report import Result

__all__ = ["Form", "render"]

Form: TypeAlias = Literal["text", "json"]


def render(result: Result, form: Form = "text", stream: TextIO | None = None) -> None:
    """Write `result` to `stream` (standard output by default).

    Text fits the width of a terminal and is coloured there, unless `NO_COLOR` is set; anywhere else it is plain.

    >>> from shapesmt.report import Counts, Report, Verdict
    >>> render(Report("m.onnx", Verdict.PROVED, {}, Counts(2, proved=2)))
    PROVED m.onnx: all 2 requirements hold
    2 of 2 requirements proved in 0.00 s
    """
    stream = sys.stdout if stream is None else stream
    if form == "json":
        from shapesmt.render.json import write_json

        write_json(result.to_dict(), stream)
    else:
        from shapesmt.render.text import write_text

        write_text(result, stream)
