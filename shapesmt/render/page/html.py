"""The page of one model: the answer, where it runs, sizes to try, findings, warnings, a map, the tensors.

The page needs no other file. All text from the model passes through `tag` or `data`, which escape it.
"""

from __future__ import annotations

from shapesmt.render.page.answer import header
from shapesmt.render.page.document import page_document, section
from shapesmt.render.page.findings import findings_section, warnings
from shapesmt.render.page.markup import Markup, tag
from shapesmt.render.page.region import regions
from shapesmt.render.page.sizes import calculator_data, sizes_section
from shapesmt.render.page.tensors import tensors_section
from shapesmt.render.text.words import count, name
from shapesmt.report import PageData

SCRIPTS = ("evaluate.js", "model.js", "sizes.js", "table.js", "map.js", "page.js")


def html_page(page: PageData) -> str:
    """Return the page as one HTML text.

    >>> from shapesmt.algebra import Verdict
    >>> from shapesmt.report import Bounds, Counts, PageData, Report
    >>> report = Report("<m>.onnx", Verdict.PROVED, {}, Counts(2, proved=2))
    >>> html = html_page(PageData(report, Bounds("<m>.onnx", {}, {})))
    >>> html[:15], "&lt;m&gt;.onnx" in html, "<m>" in html
    ('<!doctype html>', True, False)
    """
    report = page.report
    main = tag(
        "main",
        regions(page),
        sizes_section(page),
        findings_section(page),
        warnings(report),
        _map(page),
        tensors_section(page),
    )
    body = [header(report), main, calculator_data(page.calculator)]
    return page_document(f"{report.verdict.value} {name(report.model)}", body, SCRIPTS)


def _map(page: PageData) -> Markup | None:
    """Return the place for the drawing of the whole graph; None without nodes."""
    nodes = page.calculator.nodes
    if not nodes:
        return None
    drawn = tag("canvas", id="map", role="img", aria_label=f"map of {count(len(nodes), 'node')}")
    here = tag("label", tag("input", type="checkbox", id="map-here"), "at the chosen sizes")
    whole = tag("button", "Show the whole graph", type="button", id="map-whole", hidden="")
    legend = tag("ul", class_="legend", id="map-legend")
    return section(
        "The whole graph",
        tag("p", "The nodes from left to right as they run, under the parts of their names.", class_="faint"),
        tag("div", legend, here if page.calculator.sliders else None, whole, class_="controls"),
        drawn,
        tag("noscript", tag("p", "The map needs scripts.")),
        tag("p", class_="readout", id="map-readout", aria_live="polite"),
        number=len(nodes),
    )
