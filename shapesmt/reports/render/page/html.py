"""The page of one model: the answer, where it runs, sizes to try, findings, warnings, a map, the tensors.

The page needs no other file. All text from the model passes through `tag` or `data`, which escape it.
"""

from __future__ import annotations

from shapesmt.reports.answers import PageData
from shapesmt.reports.render.page.answer import header
from shapesmt.reports.render.page.document import page_document
from shapesmt.reports.render.page.findings import findings_section, warnings
from shapesmt.reports.render.page.graph.section import MOST_DRAWN, graph_section
from shapesmt.reports.render.page.markup import Content, tag
from shapesmt.reports.render.page.region import regions
from shapesmt.reports.render.page.sizes import calculator_data, sizes_section
from shapesmt.reports.render.page.tensors import tensors_section
from shapesmt.reports.render.text.words import name

SCRIPTS = ("evaluate.js", "model.js", "sizes.js", "tensors.js")


def html_page(page: PageData) -> str:
    """Return the page as one HTML text.

    >>> from shapesmt.prover.algebra import Verdict
    >>> from shapesmt.reports.answers import Bounds, Counts, PageData, Report
    >>> report = Report("<m>.onnx", Verdict.PROVED, {}, Counts(2, proved=2))
    >>> html = html_page(PageData(report, Bounds("<m>.onnx", {}, {})))
    >>> html[:15], "&lt;m&gt;.onnx" in html, "<m>" in html
    ('<!doctype html>', True, False)
    """
    report = page.report
    main = tag(
        "main",
        _explored(page),
        findings_section(page),
        warnings(report),
        graph_section(page),
        tensors_section(page),
    )
    body = [header(report), main, calculator_data(page.calculator)]
    graph = "blocks.js" if len(page.calculator.nodes) > MOST_DRAWN else "map.js"
    scripts = (*SCRIPTS, "table.js", "kinds.js", graph, "page.js")
    return page_document(f"{report.verdict.value} {name(report.model)}", body, scripts)


def _explored(page: PageData) -> Content:
    """Return where the model runs and, on a wide screen at its right, sizes to try."""
    where, sizes = regions(page), sizes_section(page)
    return tag("div", where, sizes, class_="pair") if where and sizes else [where, sizes]
