"""One page that shows a model to people: verdict, valid region, findings with their cause graphs, tensors to search.

The page needs no other file: its content security policy forbids every request, and allows only the script and style
whose hashes it states. All text from the model passes through `tag` or `data`, which escape it.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING

from shapesmt.algebra import Verdict
from shapesmt.errors import printable
from shapesmt.render.page import drawing
from shapesmt.render.page.markup import Content, Markup, data, tag
from shapesmt.render.text.advice import flags
from shapesmt.render.text.findings import assignment, causes, first_of_each, replayed
from shapesmt.render.text.sources import quotation
from shapesmt.render.text.text import COMPLETE, proofs, subject
from shapesmt.render.text.words import adopted, count, either, extent, interval, name, runs_when
from shapesmt.report import Cell, FindingKind
from shapesmt.version import __version__

if TYPE_CHECKING:
    from shapesmt.report import (
        CauseGraph,
        DimBounds,
        Finding,
        ModelWarning,
        PageData,
        Raster,
        Report,
        Side,
        TensorBounds,
    )

__all__ = ["html_page"]

_MOST_FINDINGS = 40
_MOST_WARNINGS = 200
_SIGNS = {Verdict.PROVED: "✓", Verdict.UNKNOWN: "?", Verdict.DEPENDS: "◐", Verdict.FAILS: "✕"}
_MOST_CODE = 400


def html_page(page: PageData) -> str:
    """The page as one HTML text.

    >>> from shapesmt.report import Bounds, Counts, PageData, Report
    >>> report = Report("<m>.onnx", Verdict.PROVED, {}, Counts(2, proved=2))
    >>> html = html_page(PageData(report, Bounds("<m>.onnx", {}, {})))
    >>> html[:15], "&lt;m&gt;.onnx" in html, "<m>" in html
    ('<!doctype html>', True, False)
    """
    report = page.report
    style, script = (_asset(file) for file in ("page.css", "page.js"))
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"{report.verdict.value} {name(report.model)}"),
        tag("style", style),
    )
    body = tag(
        "body",
        _header(report),
        tag("main", _region(report, page.raster), _findings(page), _warnings(report), _tensors(page)),
        tag("footer", f"shapesmt {__version__}"),
        tag("script", script),
    )
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def _asset(file: str) -> Markup:
    return Markup(files("shapesmt.render.page").joinpath(file).read_text(encoding="utf-8"))


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _code(formula: str) -> Markup:
    return tag("code", printable(formula, _MOST_CODE))


def _badge(verdict: Verdict) -> Markup:
    return tag("span", tag("span", _SIGNS[verdict], aria_hidden="true"), f" {verdict.value}", class_=f"badge {verdict}")


def _header(report: Report) -> Markup:
    text = subject(report)
    return tag(
        "header",
        tag("p", _badge(report.verdict), class_="verdict"),
        tag("h1", name(report.model)),
        tag("p", text[:1].upper() + text[1:], class_="lead"),
        _inputs(report),
        [tag("p", str(row), class_="faint") for row in adopted({}, {}, report.unadopted)],
        tag("p", proofs(report), class_="faint"),
        tag("p", f"{COMPLETE}: {report.certificate}", class_="faint") if report.certificate else None,
    )


def _section(title: str, *content: Content, number: int | None = None) -> Markup:
    counted = tag("span", number, class_="number") if number is not None else None
    return tag("section", tag("h2", title, counted), *content)


def _inputs(report: Report) -> Markup | None:
    """The ranges of the symbols, and the assumptions."""
    if not report.symbols:
        return None
    chips = [
        tag("li", tag("b", name(symbol)), tag("span", interval(r.min, r.max, r.step)), tag("small", name(r.source)))
        for symbol, r in report.symbols.items()
    ]
    assumed = [
        tag("li", tag("b", "assumed"), _code(text), tag("small", name(report.origins.get(text, "--assume"))))
        for text in report.assumptions
    ]
    return tag("ul", chips, assumed, class_="chips", aria_label="admissible inputs")


def _region(report: Report, raster: Raster | None) -> Markup | None:
    """The inputs for which the model runs: the condition, the remedy, and the raster."""
    region = report.precondition
    if report.verdict is Verdict.FAILS or region is None or not region.text:
        return None
    how, formula = runs_when(region.whole, exact=region.data or region.exact, data=region.data is not None)
    text: list[Content] = [tag("p", f"The model {how}")]
    text += [tag("p", _code(formula), class_="formula")] if formula else []
    if report.remedy is not None:
        advice = tag("code", printable(flags(report.remedy), 1000), id="remedy")
        text += [
            tag("p", "It is PROVED with"),
            tag("p", advice, tag("button", "Copy", type="button", data_copy="remedy", hidden=""), class_="formula"),
        ]
    if raster is not None and raster.counts is not None:
        running, total = raster.counts
        over = " and ".join(name(axis.name) for axis in reversed(raster.axes))
        fixed = f" at {_fixed(raster)}" if raster.fixed else ""
        text.append(tag("p", tag("b", f"{running:,}"), f" of {total:,} choices of {over} run{fixed}"))
    if raster is None:
        return _section("Where it runs", text)
    drawn = tag("figure", tag("div", drawing.region(raster), class_="scroll"), _caption(raster), class_="picture")
    return _section("Where it runs", tag("div", tag("div", text), drawn, class_="beside"))


def _caption(raster: Raster) -> list[Markup]:
    cells = "".join(raster.rows)
    keys = (
        (Cell.RUNS, "good", "runs"),
        (Cell.FAILS, "bad", "fails"),
        (Cell.MIXED, "some", "some of the cell run"),
        (Cell.NONE, "none", "not admissible"),
    )
    legend = [tag("li", tag("span", class_=f"key {role}"), text) for letter, role, text in keys if letter in cells]
    legend += [tag("li", tag("span", class_="key mark"), "counterexample")] if raster.marks else []
    axes = [[printable(a.name), a.first, a.step, a.count, a.block] for a in raster.axes]
    return [
        tag("ul", legend, class_="legend"),
        tag("figcaption", "; ".join(_notes(raster))),
        tag("p", class_="readout", aria_live="polite"),
        data("picture-data", {"axes": axes, "rows": raster.rows}),
    ]


def _notes(raster: Raster) -> Iterator[str]:
    """What the raster doesn't show: the rest of an unbounded range, single inputs of a cell, the other symbols."""
    axes = raster.axes[::-1]
    for axis in axes:
        if axis.total is None:
            yield f"{name(axis.name)} has no end and is shown up to {axis.last}"
        elif axis.count < axis.total:
            yield f"{name(axis.name)} is shown up to {axis.last}, {axis.count} of {axis.total:,} values"
    if any(axis.block > 1 for axis in axes):
        yield f"a cell is {' by '.join(f'{axis.block} values of {name(axis.name)}' for axis in axes)}"
    for axis in axes:
        if axis.stride > 1:
            yield f"of {name(axis.name)}, one value in {axis.stride} was looked at"
    if raster.fixed:
        yield f"drawn at {_fixed(raster)}"


def _fixed(raster: Raster) -> str:
    return ", ".join(f"{name(symbol)} = {value}" for symbol, value in raster.fixed.items())


def _findings(page: PageData) -> Markup | None:
    findings = page.report.judged
    if not findings:
        return None
    shown = {id(finding) for finding in first_of_each(findings)[:_MOST_FINDINGS]}
    cards = [
        _finding(finding, findings, page.cause_graphs.get(place))
        for place, finding in enumerate(findings)
        if id(finding) in shown
    ]  # fmt: skip
    hidden = len(first_of_each(findings)) - len(cards)
    more = tag("p", f"{count(hidden, 'more finding')}; --format json lists all", class_="faint") if hidden else None
    return _section("Findings", cards, more, number=len(findings))


def _finding(finding: Finding, among: Sequence[Finding], shown: CauseGraph | None) -> Markup:
    position = f"node {finding.index}" if finding.index >= 0 else ""
    where = " · ".join(part for part in (name(finding.op_type), position, finding.code) if part)
    title = tag("h3", _badge(finding.verdict), tag("bdi", name(finding.node)), tag("small", where))
    details = [tag("p", printable(_law(finding, among), 400), class_="law"), *_details(finding)]
    text = tag("ol", [tag("li", tag("code", str(row).strip())) for row in causes(finding.because)], class_="causes")
    if shown is None:
        return tag("article", title, details, text if finding.because else None)
    listed = tag("details", tag("summary", "the same as a list"), text)
    drawn = tag("figure", tag("div", drawing.cause_graph(shown), class_="scroll"))
    return tag("article", title, tag("div", tag("div", details, listed), drawn, class_="beside"))


def _law(finding: Finding, among: Sequence[Finding]) -> str:
    if finding.kind != FindingKind.UNSUPPORTED:
        return finding.law
    others = sum(f.kind == FindingKind.UNSUPPORTED and f.op_type == finding.op_type for f in among) - 1
    rest = f"; the same for {count(others, 'other node')}" if others else ""
    return f"operator {name(finding.op_type)} has no rule, so its outputs are unknown{rest}"


def _details(finding: Finding) -> Iterator[Markup]:
    """The clashing sides, the counterexample, and the inputs for which the node runs."""
    if source := quotation(finding.source, finding.node):
        yield tag("p", tag("code", source), class_="faint")
    if finding.note:
        yield tag("p", printable(finding.note, 400), class_="faint")
    if finding.when:
        yield tag("p", "when ", _code(finding.when), class_="faint")
    if finding.clash is not None:
        sides = _side(finding.clash.left), tag("span", "against", class_="faint"), _side(finding.clash.right)
        yield tag("div", sides, class_="clash")
    elif finding.condition:
        yield tag("p", _code(finding.condition), class_="formula")
    rows = [*_inputs_that_fail(finding), *_inputs_that_run(finding), *_WHY_OPEN.get(finding.kind, ())]
    if rows:
        yield tag("dl", [(tag("dt", key), tag("dd", value)) for key, value in rows])


_WHY_OPEN = {
    FindingKind.DATA: [("data", "it hinges on a size that only the data decide")],
    FindingKind.ELEMENTS: [("not judged", "it rests on numbers that aren't followed")],
    FindingKind.RANK: [("not judged", "--shape says what rank an input has")],
}


def _inputs_that_fail(finding: Finding) -> Iterator[tuple[str, Content]]:
    if finding.verdict is Verdict.FAILS:
        yield "fails", "for every input"
    if finding.counterexample is not None:
        yield "as at" if finding.verdict is Verdict.FAILS else "fails at", assignment(finding.counterexample)
    if finding.replay is not None:
        yield "replay", replayed(finding.replay)


def _inputs_that_run(finding: Finding) -> Iterator[tuple[str, Content]]:
    if finding.verdict is Verdict.DEPENDS and finding.holds_iff:
        yield "runs exactly when", _code(finding.holds_iff)
    if finding.safe_iff:
        how, formula = runs_when(finding.safe_iff, data=True)
        yield how, _code(formula) if formula else ""
    if finding.verdict is Verdict.UNKNOWN and finding.kind in (FindingKind.REQUIREMENT, FindingKind.DATA):
        yield "undecided", "in the time given; a longer --timeout may decide it"


def _side(side: Side) -> Markup:
    value = None if side.value is None or side.expr == str(side.value) else tag("b", side.value)
    axis = "" if side.axis is None else f"[{side.axis}]"
    place = tag("small", f"{name(side.tensor)}{axis}") if side.tensor else None
    return tag("span", place, value, _code(side.expr), class_="side")


def _warnings(report: Report) -> Markup | None:
    """The section of the warnings."""
    if not report.warnings:
        return None
    items = [_warning(warning) for warning in report.warnings[:_MOST_WARNINGS]]
    hidden = len(report.warnings) - len(items)
    more = tag("p", f"{count(hidden, 'more warning')}; --format json lists all", class_="faint") if hidden else None
    strict = tag("p", "--strict makes these fail", class_="faint") if report.strict else None
    return _section("Warnings", tag("ul", items, class_="warnings"), more, strict, number=len(report.warnings))


def _warning(warning: ModelWarning) -> Markup:
    position = f"node {warning.index}" if warning.index >= 0 else ""
    where = " · ".join(part for part in (name(warning.op_type), position, warning.code) if part)
    title = tag("p", tag("bdi", name(warning.node) or warning.kind), tag("small", where))
    return tag("li", title, tag("p", printable(warning.text, 400)))


def _tensors(page: PageData) -> Markup | None:
    """The table of all tensors; the page's script creates the visible rows from data."""
    bounds = page.bounds
    if not bounds.tensors:
        return None
    places = {id(t): place for place, t in enumerate(bounds.distinct())}
    tensors = sorted(bounds.tensors.items(), key=lambda item: _producer(item[0], page)[1] == "constant")
    rows = [[printable(key, 1000), *_producer(key, page), places[id(t)]] for key, t in tensors]
    kinds = [_kind(t, valid=bounds.valid) for t in bounds.distinct()]
    inexact = sum(not t.exact for t in bounds.tensors.values())
    over = "Bounds over the inputs for which the model runs; both ends are attained and proven"
    over += f", but for {inexact} marked ~, where they are only sound." if inexact else "."
    if not bounds.valid:
        over = "No input is valid, so nothing has bounds."
    controls = tag(
        "div",
        tag("input", type="search", id="search", placeholder="Search tensors, nodes, operators, formulas",
            aria_label="Search tensors", autocomplete="off", spellcheck="false"),
        tag("label", tag("input", type="checkbox", id="varying"), "only sizes that vary"),
        tag("output", id="found"),
        class_="controls",
    )  # fmt: skip
    heads = [tag("th", text, scope="col") for text in ("tensor", "made by", "dtype", "shape", "formulas")]
    table = tag("table", tag("thead", tag("tr", heads)), tag("tbody", id="rows"))
    return _section(
        "Tensors",
        tag("p", over, class_="faint"),
        controls,
        tag("div", table, class_="scroll"),
        tag("button", "Show more", type="button", id="more", hidden=""),
        tag("noscript", tag("p", "The table needs scripts; shapesmt bounds prints it as text.")),
        data("tensor-data", {"kinds": kinds, "rows": rows}),
        number=len(rows),
    )


def _producer(tensor: str, page: PageData) -> tuple[str, str]:
    node, op = page.producers.get(tensor, ("", ""))
    return printable(node, 1000), printable(op, 200)


def _kind(t: TensorBounds, *, valid: bool) -> list[object]:
    """Element type, intervals, formulas, and whether any size varies."""
    dtype = printable(t.dtype) or "?"
    if t.shape is None:
        shown = either([_intervals(shape) for shape in t.shapes]) or "[...]"
        formulas = "; ".join(f"{_formulas(case.shape)} where {printable(case.when, _MOST_CODE)}" for case in t.cases)
        return [dtype, shown, formulas, True]
    varies = any(d.min != d.max for d in t.shape)
    return [dtype, _intervals(t.shape) if valid else "", _formulas(t.shape) if varies else "", varies]


def _intervals(shape: Sequence[DimBounds]) -> str:
    return f"[{', '.join(map(extent, shape))}]"


def _formulas(shape: Sequence[DimBounds]) -> str:
    return f"[{', '.join(map(_formula, shape))}]"


def _formula(dim: DimBounds) -> str:
    return str(dim.min) if dim.min == dim.max else printable(dim.expr, _MOST_CODE)
