"""The findings of a page: one card for each cause, with the origin of its sizes, and the warnings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from shapesmt.base.errors import printable
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import (
    CauseGraph,
    Counterexample,
    Finding,
    FindingKind,
    Group,
    ModelWarning,
    PageData,
    Report,
    Side,
    Slider,
)
from shapesmt.reports.render.page.document import badge, code, section
from shapesmt.reports.render.page.drawings.chain import cause_graph
from shapesmt.reports.render.page.markup import Content, Markup, tag
from shapesmt.reports.render.text.findings import (
    advice_for,
    assignment,
    causes,
    every_input,
    finding_head,
    operands,
    replay_sentence,
)
from shapesmt.reports.render.text.stories import Story, stories_of
from shapesmt.reports.render.text.words import count, name, runs_when, slot

_MOST_STORIES = 40
_FLAG = re.compile(r"""(--[a-z][\w-]*(?:[ =](?:"[^"]*"|[^\s(),;"]*[=.\d][^\s(),;"]*))?)""")  # an option, with its value
_MOST_NODES = 200  # the most nodes of a group that are listed
_MOST_WARNINGS = 200


def findings_section(page: PageData) -> Markup | None:
    """Return a card for each cause, in the order of the report; None without findings."""
    judged = page.report.judged
    every = stories_of(judged, page.report.groups)
    if not every:
        return None
    places = {id(finding): place for place, finding in enumerate(judged)}
    cards = [_card(story, places[id(story.first)], page) for story in every[:_MOST_STORIES]]
    hidden = len(every) - len(cards)
    more = tag("p", f"{count(hidden, 'more finding')}; --all lists them", class_="faint") if hidden else None
    undecided = all(story.first.verdict is Verdict.UNKNOWN for story in every)
    return section("What isn't decided" if undecided else "What is wrong", cards, more, number=len(every))


def _card(story: Story, place: int, page: PageData) -> Markup:
    finding = story.first
    position = f"node {finding.index}" if finding.index >= 0 else ""
    where = " · ".join(part for part in (name(finding.op_type), position, finding.code) if part)
    title = tag("h3", badge(finding.verdict), tag("bdi", name(finding.node)), tag("small", f"{where}{story.more}"))
    graph = page.cause_graphs.get(place)
    details = tag("div", *_details(finding, story.group, page), _others(story.others))
    return tag("article", title, tag("div", details, _drawn(finding, graph)), id=f"finding-{place}")


def _others(others: Sequence[Finding]) -> Markup | None:
    """Return the other nodes with the same cause; None if there are none."""
    if not others:
        return None
    listed = [tag("li", tag("bdi", name(f.node)), f" node {f.index}") for f in others[:_MOST_NODES]]
    return tag("details", tag("summary", f"the same at {count(len(others), 'more node')}"), tag("ul", listed))


def _drawn(finding: Finding, shown: CauseGraph | None) -> Markup | None:
    if shown is not None:
        return cause_graph(shown)
    if not finding.because:
        return None
    return tag("ol", [tag("li", tag("code", str(row).strip())) for row in causes(finding.because)], class_="causes")


def _details(finding: Finding, group: Group, page: PageData) -> Iterator[Markup]:
    """Yield the problem, the clashing sides, the inputs for which the node fails and runs, the law, and advice."""
    for row in [*finding_head(finding)][1:]:
        yield tag("p", str(row).strip(), class_="law")
    if finding.note and finding.kind != FindingKind.UNSUPPORTED:
        yield tag("p", printable(finding.note, 400), class_="faint")
    if finding.when:
        yield tag("p", "when ", code(finding.when), class_="faint")
    if finding.clash is not None:
        sides = _side(finding.clash.left), tag("span", "against", class_="faint"), _side(finding.clash.right)
        yield tag("div", sides, class_="clash")
    elif finding.condition not in ("", "True", "False"):
        yield tag("p", code(finding.condition), class_="formula")
    if read := [str(row).strip() for row in operands(finding)]:
        yield tag("p", read[0], class_="faint")
        yield tag("ul", [tag("li", tag("code", row)) for row in read[1:]])
    sliders = page.calculator.sliders
    rows = [
        *_inputs_that_fail(finding, sliders),
        *_inputs_that_run(finding, group),
        *_WHY_OPEN.get(finding.kind, ()),
        *_law_and_help(finding),
    ]
    if rows:
        yield tag("dl", [(tag("dt", key), tag("dd", value)) for key, value in rows])


def _law_and_help(finding: Finding) -> Iterator[tuple[str, Content]]:
    if finding.title and finding.kind != FindingKind.UNSUPPORTED:
        yield "required", printable(finding.law, 400)
    advice = advice_for(finding)
    if advice:
        yield "help", [*_flags_marked(advice), "; more: ", code(f"shapesmt explain {finding.code}")]


def _flags_marked(advice: str) -> Iterator[Content]:
    """Yield the parts of an advice; options with their values are code, which isn't broken inside.

    >>> "".join(map(str, _flags_marked("say so (--dim n=1..8)")))
    'say so (<code class="flag">--dim n=1..8</code>)'
    """
    for place, part in enumerate(_FLAG.split(advice)):
        yield tag("code", part, class_="flag") if place % 2 else part


_WHY_OPEN = {
    FindingKind.DATA: [("data", "whether it fails depends on the data too, not on sizes alone")],
    FindingKind.ELEMENTS: [("not checked", "it depends on numbers that aren't tracked")],
    FindingKind.COUNT: [("not checked", "whether it fails depends on the data that are counted")],
    FindingKind.LAYOUT: [("not checked", "how its input is in memory isn't tracked")],
    FindingKind.RANK: [("not checked", "--shape gives an input its rank")],
}


def _inputs_that_fail(finding: Finding, sliders: Sequence[Slider]) -> Iterator[tuple[str, Content]]:
    if finding.verdict is Verdict.FAILS:
        yield "fails", f"for {every_input(finding)}"
    if finding.counterexample is not None:
        how = "as at" if finding.verdict is Verdict.FAILS else "fails at"
        yield how, [assignment(finding.counterexample), _try(finding.counterexample, sliders)]
    if finding.replay is not None:
        yield "replay", replay_sentence(finding.replay)


def _try(example: Counterexample, sliders: Sequence[Slider]) -> Content:
    """Return a button that chooses these sizes; None without sliders."""
    if not sliders:
        return None
    sizes = ",".join(str(example.symbols.get(s.name, s.first)) for s in sliders)
    return [" ", tag("button", "Try these sizes", type="button", data_sizes=sizes, hidden="")]


def _inputs_that_run(finding: Finding, group: Group) -> Iterator[tuple[str, Content]]:
    where = group.holds_iff or finding.holds_iff
    if finding.verdict is Verdict.DEPENDS and where:
        yield "runs exactly when" if group.size == 1 else "all run exactly when", code(where)
    safe = group.safe_iff or finding.safe_iff
    if safe:
        how, formula = runs_when(safe, data=True)
        yield how, code(formula) if formula else ""
    if finding.verdict is Verdict.UNKNOWN and finding.kind in (FindingKind.REQUIREMENT, FindingKind.DATA):
        yield "undecided", "in the time given; a longer --timeout may decide it"


def _side(side: Side) -> Markup:
    value = None if side.value is None or side.expr == str(side.value) else tag("b", side.value)
    place = slot(name(side.tensor), side.axis, side.element) if side.tensor else printable(side.name, 200)
    return tag("span", tag("small", place) if place else None, value, code(side.expr), class_="side")


def warnings(report: Report) -> Markup | None:
    """Return the section of the warnings; None if there are none."""
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
