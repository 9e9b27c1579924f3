"""The index of many models: tables over all of them, and a row for each with its answer and a link to its page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shapesmt.base.errors import printable
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import BatchReport, Report, Unchecked
from shapesmt.reports.render.page.answer import headline
from shapesmt.reports.render.page.document import badge, page_document, section
from shapesmt.reports.render.page.markup import Markup, tag
from shapesmt.reports.render.text.summary import tables, totals
from shapesmt.reports.render.text.words import count, name

MANY = 50
"""The number of models above which the tables over all of them come before the rows."""
_GRAVEST_FIRST = (Verdict.FAILS, Verdict.DEPENDS, Verdict.UNKNOWN, Verdict.PROVED)
_COLUMNS = ("verdict", "model", "answer", "proved")


def index_page(batch: BatchReport, links: Mapping[str, str]) -> str:
    """Return the page that links to the pages of several models; `links` has the files of these pages by model.

    >>> from shapesmt.reports.answers import BatchReport, Counts, Report
    >>> batch = BatchReport((Report("<m>.onnx", Verdict.PROVED, {}, Counts(2, proved=2)),))
    >>> '<a href="m.html"><bdi>&lt;m&gt;.onnx</bdi></a>' in index_page(batch, {"<m>.onnx": "m.html"})
    True
    """
    rows = [_row(model, links.get(model.model)) for model in sorted(batch.models, key=_gravity)]
    passed = batch.summary["proved"]
    title = f"{passed} of {count(len(batch.models), 'model')} proved"
    models = tag("section", _table(_COLUMNS, rows))
    shared = [section(name, _table(heads, _cells(rows))) for name, heads, rows in tables(batch.tally)]
    body = [
        tag("header", tag("h1", title), tag("p", totals(batch), class_="lead")),
        tag("main", *([*shared, models] if len(rows) > MANY else [models, *shared])),
    ]
    return page_document(title, body)


def _table(columns: Sequence[str], rows: Sequence[Markup]) -> Markup:
    heads = tag("tr", [tag("th", text, scope="col") for text in columns])
    return tag("table", tag("thead", heads), tag("tbody", rows), class_="models")


def _cells(rows: Sequence[Sequence[str]]) -> list[Markup]:
    return [tag("tr", [tag("td", printable(text, 200)) for text in row]) for row in rows]


def _gravity(model: Report | Unchecked) -> int:
    return -1 if isinstance(model, Unchecked) else _GRAVEST_FIRST.index(model.verdict)


def _row(model: Report | Unchecked, link: str | None) -> Markup:
    named = tag("bdi", name(model.model))
    if isinstance(model, Unchecked):
        error = tag("span", tag("span", "!", aria_hidden="true"), " ERROR", class_="badge ERROR")
        return tag("tr", tag("td", error), tag("td", named), tag("td", printable(model.error, 1000)), tag("td"))
    proved = f"{model.requirements.proved} of {model.requirements.total}"
    page = named if link is None else tag("a", named, href=link)
    return tag(
        "tr",
        tag("td", badge(model.verdict)),
        tag("td", page),
        tag("td", headline(model, below=" and fails for others")),
        tag("td", proved),
    )
