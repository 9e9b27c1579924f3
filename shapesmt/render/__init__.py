"""Results as text for people or JSON for programs: the only place where results are worded."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, TextIO, TypeAlias, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from shapesmt.reports import AnyResult

__all__ = ["CHECK_FORMS", "FORMS", "LOCATING", "Form", "render"]

Form: TypeAlias = str
FORMS: tuple[Form, ...] = ("text", "json")  # of any answer
CHECK_FORMS: tuple[Form, ...] = (*FORMS, "sarif", "github")  # of what `check` found
LOCATING: tuple[Form, ...] = ("sarif", "github")  # those that say where the model's file is

_WRITERS = {
    "text": ("text", "write_text"),
    "quiet": ("text", "write_headlines"),
    "json": ("json", "write_result"),
    "sarif": ("sarif", "write_sarif"),
    "github": ("github", "write_github"),
}


def render(result: AnyResult, form: Form = "text", stream: TextIO | None = None) -> None:
    """Write `result` to `stream` (standard output by default) in one of the forms.

    Text fits the width of a terminal and is coloured there, unless `NO_COLOR` is set; anywhere else it is plain.

    >>> from shapesmt.finding import Verdict
    >>> from shapesmt.report import Counts, Report
    >>> render(Report("m.onnx", Verdict.PROVED, {}, Counts(2, proved=2)))
    PROVED m.onnx: all 2 requirements hold
    2 of 2 requirements proved in 0.00 s
    """
    module, name = _WRITERS[form]
    write = getattr(import_module(f"shapesmt.render.{module}"), name)
    cast("Callable[[AnyResult, TextIO], None]", write)(result, sys.stdout if stream is None else stream)
