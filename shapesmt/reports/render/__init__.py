"""Write results as text for people, or as JSON, SARIF or annotations for programs; all wording of results is here."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, TextIO, TypeAlias, cast

from shapesmt.base.lazy import lazy_imports
from shapesmt.reports.render.streams import (
    discard_output as discard_output,
    discard_output_that_fails as discard_output_that_fails,
    have_streams as have_streams,
    is_refusal as is_refusal,
    refusal as refusal,
    tolerate_unprintable as tolerate_unprintable,
)

if TYPE_CHECKING:
    from shapesmt.reports.answers import AnyResult

with lazy_imports(__name__):
    from shapesmt.reports.render.json import to_json as to_json
    from shapesmt.reports.render.markdown import write_markdown as write_markdown
    from shapesmt.reports.render.page.excerpt import excerpt_html as excerpt_html
    from shapesmt.reports.render.page.html import html_page as html_page
    from shapesmt.reports.render.page.index import index_page as index_page
    from shapesmt.reports.render.page.memory.page import memory_page as memory_page
    from shapesmt.reports.render.progress import counting as counting, timing as timing
    from shapesmt.reports.render.quoting import (
        argument as argument,
        comment as comment,
        identifier as identifier,
        json_text as json_text,
        mlir as mlir,
        protobuf as protobuf,
        python as python,
        shell as shell,
    )
    from shapesmt.reports.render.schemas import schema as schema, schema_titles as schema_titles
    from shapesmt.reports.render.sentences import words as words
    from shapesmt.reports.render.text.findings import finding_head as finding_head, finding_lines as finding_lines
    from shapesmt.reports.render.text.text import fold_text as fold_text, lines as lines

Form: TypeAlias = str
"""The name of a form in which results are written."""


class Writer(NamedTuple):
    """How results are written in a form.

    Attributes:
        module: The module that has the function.
        function: Its name; it takes the result and the stream.
        says: What the form is for; "" for a text that other options choose, not `--format`.
        check: Whether only results of `check` have this form.
        located: Whether it states the path of the model's file.
    """

    module: str
    function: str
    says: str = ""
    check: bool = False
    located: bool = False


WRITERS: Mapping[Form, Writer] = {
    "text": Writer("text.text", "write_text", "text for people, in the width of the terminal"),
    "all": Writer("text.text", "write_everything"),
    "quiet": Writer("text.text", "write_headlines"),
    "fleet": Writer("text.text", "write_fleet"),
    "json": Writer("json", "write_result", "JSON, for programs"),
    "sarif": Writer("sarif", "write_sarif", "SARIF 2.1.0, for code scanning", check=True, located=True),
    "github": Writer("github", "write_github", "annotations of a workflow", check=True, located=True),
}
"""All forms; a new one is a line here, and a row of `shapesmt help json`."""
CHECK_FORMS = tuple(form for form, writer in WRITERS.items() if writer.says)
FORMS = tuple(form for form in CHECK_FORMS if not WRITERS[form].check)


def render(result: AnyResult, form: Form = "text", stream: TextIO | None = None) -> None:
    """Write `result` to `stream` (standard output by default) in one of the forms.

    Text fits the width of a terminal and is coloured there, unless `NO_COLOR` is set; anywhere else it is plain.

    >>> from shapesmt.prover.algebra import Verdict
    >>> from shapesmt.reports.answers import Counts, Report
    >>> render(Report("m.onnx", Verdict.PROVED, {}, Counts(2, proved=2)))
    PROVED m.onnx: all 2 node requirements hold
    2 of 2 requirements proved in 0.00 s after reading
    """
    writer = WRITERS[form]
    write = getattr(import_module(f"shapesmt.reports.render.{writer.module}"), writer.function)
    cast("Callable[[AnyResult, TextIO], None]", write)(result, sys.stdout if stream is None else stream)
