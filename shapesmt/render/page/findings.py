"""The findings of a page: one card for each cause, with how its sizes came about, and the warnings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from shapesmt.algebra import Verdict
from shapesmt.errors import printable
from shapesmt.render.page.chain import cause_graph, fits_beside
from shapesmt.render.page.document import badge, code, section
from shapesmt.render.page.markup import Content, Markup, tag
from shapesmt.render.text.findings import assignment, causes, replayed
from shapesmt.render.text.words import count, name, runs_when
from shapesmt.report import FindingKind

if TYPE_CHECKING:
    from shapesmt.report import CauseGraph, Counterexample, Finding, ModelWarning, PageData, Report, Side, Slider

__all__ = ["findings", "warnings"]

_MOST_GROUPS = 40
_MOST_NODES = 200  # the most nodes of a group that are listed
_MOST_WARNINGS = 200
_GRAVEST_FIRST = (Verdict.FAILS, Verdict.DEPENDS, Verdict.UNKNOWN, Verdict.PROVED)

Placed = tuple[int, "Finding"]  # a finding and its place in the report


def findings(page: PageData) -> Markup | None:
    """A card for each cause, the gravest first."""
    groups = by_cause(page.report.judged)
    if not groups:
        return None
    cards = [_card(group, page) for group in groups[:_MOST_GROUPS]]
    hidden = len(groups) - len(cards)
    more = tag("p", f"{count(hidden, 'more cause')}; --format json lists all", class_="faint") if hidden else None
    return section("What is wrong", cards, more, number=len(groups))


def by_cause(judged: Sequence[Finding]) -> list[list[Placed]]:
    """The findings in groups of one cause: the same law and the same condition, or an operator without a rule."""
    groups: dict[object, list[Placed]] = {}
    for place, finding in enumerate(judged):
        groups.setdefault(_cause(finding), []).append((place, finding))
    return sorted(groups.values(), key=lambda group: _GRAVEST_FIRST.index(group[0][1].verdict))


def _cause(finding: Finding) -> object:
    if finding.kind == FindingKind.UNSUPPORTED:
        return finding.kind, finding.op_type
    what = finding.condition or finding.note or finding.node
    return finding.verdict, finding.kind, finding.code, finding.law, what, finding.holds_iff, finding.when


def _card(group: Sequence[Placed], page: PageData) -> Markup:
    place, finding = group[0]
    position = f"node {finding.index}" if finding.index >= 0 else ""
    where = " · ".join(part for part in (name(finding.op_type), position, finding.code) if part)
    title = tag("h3", badge(finding.verdict), tag("bdi", name(finding.node)), tag("small", where))
    details = tag(
        "div", tag("p", printable(_law(finding), 400), class_="law"), *_details(finding, page), _others(group)
    )
    graph = page.cause_graphs.get(place)
    beside = "beside" if graph is not None and fits_beside(graph) else None
    return tag("article", title, tag("div", details, _drawn(finding, graph), class_=beside), id=f"finding-{place}")


def _law(finding: Finding) -> str:
    if finding.kind != FindingKind.UNSUPPORTED:
        return finding.law
    return f"operator {name(finding.op_type)} has no rule, so its outputs are unknown"


def _others(group: Sequence[Placed]) -> Markup | None:
    """The other nodes of the same cause."""
    others = group[1:]
    if not others:
        return None
    listed = [tag("li", tag("bdi", name(f.node)), f" node {f.index}") for _, f in others[:_MOST_NODES]]
    return tag("details", tag("summary", f"the same at {count(len(others), 'more node')}"), tag("ul", listed))


def _drawn(finding: Finding, shown: CauseGraph | None) -> Markup | None:
    if shown is not None:
        return cause_graph(shown)
    if not finding.because:
        return None
    return tag("ol", [tag("li", tag("code", str(row).strip())) for row in causes(finding.because)], class_="causes")


def _details(finding: Finding, page: PageData) -> Iterator[Markup]:
    """The clashing sides, the counterexample, and the inputs for which the node runs."""
    if finding.note:
        yield tag("p", printable(finding.note, 400), class_="faint")
    if finding.when:
        yield tag("p", "when ", code(finding.when), class_="faint")
    if finding.clash is not None:
        sides = _side(finding.clash.left), tag("span", "against", class_="faint"), _side(finding.clash.right)
        yield tag("div", sides, class_="clash")
    elif finding.condition:
        yield tag("p", code(finding.condition), class_="formula")
    sliders = page.calculator.sliders
    rows = [*_inputs_that_fail(finding, sliders), *_inputs_that_run(finding), *_WHY_OPEN.get(finding.kind, ())]
    if rows:
        yield tag("dl", [(tag("dt", key), tag("dd", value)) for key, value in rows])


_WHY_OPEN = {
    FindingKind.DATA: [("data", "it hinges on a size that only the data decide")],
    FindingKind.ELEMENTS: [("not judged", "it rests on numbers that aren't followed")],
    FindingKind.RANK: [("not judged", "--shape says what rank an input has")],
}


def _inputs_that_fail(finding: Finding, sliders: Sequence[Slider]) -> Iterator[tuple[str, Content]]:
    if finding.verdict is Verdict.FAILS:
        yield "fails", "for every input"
    if finding.counterexample is not None:
        how = "as at" if finding.verdict is Verdict.FAILS else "fails at"
        yield how, [assignment(finding.counterexample), _try(finding.counterexample, sliders)]
    if finding.replay is not None:
        yield "replay", replayed(finding.replay)


def _try(example: Counterexample, sliders: Sequence[Slider]) -> Content:
    """A button that chooses these sizes."""
    if not sliders:
        return None
    sizes = ",".join(str(example.symbols.get(s.name, s.first)) for s in sliders)
    return [" ", tag("button", "Try these sizes", type="button", data_sizes=sizes, hidden="")]


def _inputs_that_run(finding: Finding) -> Iterator[tuple[str, Content]]:
    if finding.verdict is Verdict.DEPENDS and finding.holds_iff:
        yield "runs exactly when", code(finding.holds_iff)
    if finding.safe_iff:
        how, formula = runs_when(finding.safe_iff, data=True)
        yield how, code(formula) if formula else ""
    if finding.verdict is Verdict.UNKNOWN and finding.kind in (FindingKind.REQUIREMENT, FindingKind.DATA):
        yield "undecided", "in the time given; a longer --timeout may decide it"


def _side(side: Side) -> Markup:
    value = None if side.value is None or side.expr == str(side.value) else tag("b", side.value)
    axis = "" if side.axis is None else f"[{side.axis}]"
    place = tag("small", f"{name(side.tensor)}{axis}") if side.tensor else None
    return tag("span", place, value, code(side.expr), class_="side")


def warnings(report: Report) -> Markup | None:
    """The section of the warnings."""
    if not report.warnings:
        return None
    items = [_warning(warning) for warning in report.warnings[:_MOST_WARNINGS]]
    hidden = len(report.warnings) - len(items)
    more = tag("p", f"{count(hidden, 'more warning')}; --format json lists all", class_="faint") if hidden else None
    strict = tag("p", "--strict makes these fail", class_="faint") if report.strict else None
    return section("Warnings", tag("ul", items, class_="warnings"), more, strict, number=len(report.warnings))


def _warning(warning: ModelWarning) -> Markup:
    position = f"node {warning.index}" if warning.index >= 0 else ""
    where = " · ".join(part for part in (name(warning.op_type), position, warning.code) if part)
    title = tag("p", tag("bdi", name(warning.node) or warning.kind), tag("small", where))
    return tag("li", title, tag("p", printable(warning.text, 400)))
