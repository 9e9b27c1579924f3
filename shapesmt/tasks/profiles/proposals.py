"""The question `dynamic_shapes`: the sizes of a program that may vary, as `torch.export` takes them.

A proposal is proven for the program that was exported with `Dim.AUTO`. If there is a module, PyTorch exports it with
the proposal, and the result is proven as well: sizes that PyTorch refuses are stated by weaker words, and sizes that
don't run are removed.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from time import monotonic
from typing import Any

from shapesmt.analysis.analysis import Analysis, analyse
from shapesmt.analysis.diagnose import find_remedy, static_axes
from shapesmt.analysis.verify import Claims, Problem, Question
from shapesmt.base.errors import ModelError, UsageError
from shapesmt.frontends import Format, Model, OpenedModel, load, open_model, program_or_model
from shapesmt.network.declarations import Range, names_in, parse_formula, parse_range
from shapesmt.network.graph import GUARDS, Attributes, Graph
from shapesmt.prover.algebra import TRUE, Formula, Verdict, conjunction, differs, one_call
from shapesmt.prover.judge import Judge
from shapesmt.reports.answers import DynamicShapes, Precondition, SymbolRange
from shapesmt.reports.render import identifier
from shapesmt.tasks.profiles.points import Points
from shapesmt.tasks.profiles.text import Layout, Words, layout, proposal_text

ATTEMPTS = 8  # exports of a module, at most
NARROWER = 4  # times that a proposal is narrowed, at most
_REFUSED = re.compile(r"Constraints violated \(([^)]*)\)")


@one_call()
def propose_dynamic_shapes(model: Model, question: Question) -> DynamicShapes:
    """Return the `dynamic_shapes` with which a program runs for the most sizes.

    Raises:
        ModelError: PyTorch can't export the module at all.
        UsageError: The model isn't a program of PyTorch.
    """
    content = question.read(lambda: open_model(model))
    if content.format not in (Format.TORCH, Format.PROGRAM):
        takes = "a file of torch.export.save (model.pt2), or a function that returns a module and its arguments"
        raise UsageError(f"{content.source}: no program of PyTorch; give {takes} (model.py:example)")
    graph = question.read(lambda: load(content))
    example = content.content.example if content.format is Format.PROGRAM else {}
    found = _Proposal(graph, question, example)
    region = found.region
    request = content.content.request if content.format is Format.PROGRAM else None
    verified = None if request is None else found.holds and _verify(found, request)
    static = static_axes(graph, found.analysis.judge)
    return DynamicShapes(
        graph.source,
        found.verdict,
        found.text(verified) if found.holds else "",
        region,
        verified,
        found.exports,
        found.admitted,
        found.analysis.problem.assumptions,
        static,
        found.analysis.seconds,
    )


class _Proposal:
    """A proposal, narrowed until it runs."""

    def __init__(self, graph: Graph, question: Question, example: Mapping[str, Sequence[int]]) -> None:
        self.question, self.example = question, example
        self.words: dict[str, Words] = {}
        self.exports = 0
        a = analyse(graph, question)
        self.unread = _unread_guards(a)
        self.traced = [*dict.fromkeys(u.op for _, u in a.examination.unjudged if u.kind == "unsupported")]
        if self.traced:  # trust their shapes, which PyTorch has traced
            self.question = question = dataclasses.replace(question, declared=Claims.TRUST)
        self.graph = _lenient(graph) if self.unread else graph
        self.analysis = first = analyse(self.graph, question)
        self.region, self.sizes, self.guarded = first.region, _region(first), first.guarded
        self.narrow()
        self.words.update({name: Words.DYNAMIC for name in self.layout.roots if self._steps_over(name, first)})

    def _steps_over(self, name: str, first: Analysis) -> bool:
        """Whether multiples of a `Dim` leave out sizes that run; no `Dim` states a condition such as `x % 8 != 0`."""
        r, others = self.analysis.problem.ranges[name], first.examination.domain.copy()
        others.assume(differs((first.problem.dims[name] - r.min) % r.step, 0))
        return r.step > 1 and first.judge.is_inhabited(others)

    @property
    def verdict(self) -> Verdict:
        """The verdict on the program; at best UNKNOWN if it has unreadable guards, which may refuse some sizes."""
        proved = self.analysis.examination.verdict
        return Verdict.worst([proved, Verdict.UNKNOWN]) if self.unread else proved

    @property
    def holds(self) -> bool:
        """Whether no size of the proposal is known to fail (see `_fails`)."""
        return not _fails(self.analysis)

    def resume(self, since: float) -> None:
        """Leave the time from `since` until now out of the limit: it was PyTorch's."""
        self.question = self.question.resumed(since)
        self.analysis = dataclasses.replace(self.analysis, judge=Judge(self.question.deadline))

    def narrow(self) -> None:
        """Narrow the question by remedies until nothing fails, and then to a box."""
        for _ in range(NARROWER):
            helping = _helping(self.analysis, self.question)
            if helping is None:
                break
            at_example = self._at_example(helping)
            a = analyse(self.graph, at_example)
            self.question = helping if _fails(a) else at_example
            self.analysis = analyse(self.graph, helping) if _fails(a) else a
        self._keep_to_a_box()
        self.layout: Layout = layout(self.analysis.problem)

    def _keep_to_a_box(self) -> None:
        """If relations remain that no `Dim` states, narrow to a box in which they hold; without one, propose AUTO."""
        problem, judge = self.analysis.problem, self.analysis.judge
        elements = _elements(problem)
        facts = [{s.name for s in fact.symbols} for fact in problem.domain.facts]
        left = {name for names in facts if names.isdisjoint(elements) for name in names}
        names = [name for name, size in problem.dims.items() if name in left and size.as_symbol() is not None]
        if not names or not self.holds:
            return
        points = Points(problem.domain, [problem.dims[name] for name in names], judge)
        three = judge.deadline.attempt(points.three, None)
        if three is not None:
            ends = zip(names, three.least, three.greatest, strict=True)
            box = {name: str(Range(low, high, problem.ranges[name].step)) for name, low, high in ends}
            ties = [
                text
                for text in self.question.assume or ()
                if parse_formula(text, problem.dims) is TRUE or names_in(text) & elements
            ]
            inside = dataclasses.replace(self.question, dims={**(self.question.dims or {}), **box}, assume=ties)
            a = analyse(self.graph, inside)
            if not _fails(a):
                self.question, self.analysis = inside, a
                return
        self.words.update(dict.fromkeys(left, Words.AUTO))

    def _at_example(self, question: Question) -> Question:
        """Return the question with the example's sizes for dimensions that were found to have a single value."""
        sizes: dict[str, int] = {}
        for name, shape in self.example.items():
            sizes.update(zip(map(str, self.analysis.problem.declared[name][1] or ()), shape, strict=True))
        dims, given = question.dims or {}, self.question.dims or {}
        one = {name for name, r in dims.items() if name not in given and parse_range(r).lo == parse_range(r).hi}
        return dataclasses.replace(question, dims={**dims, **{name: sizes[name] for name in one & sizes.keys()}})

    @property
    def admitted(self) -> dict[str, SymbolRange]:
        """The range of each dimension, except those that others decide."""
        problem = self.analysis.problem
        free = {name for name, size in problem.dims.items() if size.constant is None}
        return {name: r for name, r in problem.ranges.items() if name in free or r.min == r.max}

    def text(self, verified: bool | None) -> str:
        """Return the Python text of the proposal; `verified` as for `comments`."""
        arguments = self.graph.arguments or {name: name for name in self.graph.inputs}
        return proposal_text(arguments, self.layout, self.words, self.comments(verified))

    def comments(self, verified: bool | None) -> list[str]:
        """Return comments on facts that the text doesn't state; `verified` is None if there was no module to export."""
        comments = [self._acceptance_text(), *self._of_nodes()]
        if self.verdict is Verdict.UNKNOWN:
            comments[0] = f"as far as is known: {comments[0]}"
        comments += [f"takes the shapes that PyTorch traced for {op}, which has no rule" for op in self.traced]
        comments += [f"fails for data that break {condition}" for condition in _data(self.analysis)]
        comments += [f"a guard that shapesmt can't read may refuse some of these sizes: {text}" for text in self.unread]
        if verified is None:
            comments.append("proven of the program, but not tried: torch.export may refuse it")
        return comments

    def _acceptance_text(self) -> str:
        """Return which sizes the exported program accepts: the nodes run, and the guards hold."""
        if not self.layout.roots and all(isinstance(d, int) for axes in self.layout.inputs.values() for d in axes):
            return "this export accepts only the example's sizes"
        region = self.sizes
        whatever = "whatever the data, " if region.data is not None else ""
        if not region.text:
            return f"{whatever}this export accepts every size that may vary"
        how = _how(exact=bool(region.exact or region.data), partial=region.partial)
        return f"{whatever}this export accepts {how} {region.whole}"

    def _of_nodes(self) -> list[str]:
        """Return a comment on the sizes for which every node runs, if the guards refuse some of these; else []."""
        if self.guarded is None or not (self.guarded.refused or self.guarded.unread):
            return []
        if not self.guarded.nodes:
            return ["every node runs for every size that may vary"]
        how = _how(exact=self.guarded.exact, partial=self.guarded.partial)
        return [f"every node runs {how} {conjunction(self.guarded.nodes)}"]

    def weaken(self, refusal: str) -> bool:
        """Weaken the words for the sizes that PyTorch's message `refusal` names; return whether that was possible."""
        match = _REFUSED.search(refusal)
        named = {name.strip().lstrip("_") for name in match[1].split(",")} if match else set()
        roots = [root for root in self.layout.roots if identifier(root).lstrip("_") in named] or [*self.layout.roots]
        now = {root: self.words.get(root, Words.DIM) for root in roots}
        weaker = {root: Words(words + 1) for root, words in now.items() if words is not Words.AUTO}
        self.words.update(weaker)
        return bool(weaker)


def _unread_guards(a: Analysis) -> list[str]:
    """Return the guards that can't be read."""
    nodes = a.problem.graph.nodes
    return [u.rests_on for index, u in a.examination.unjudged if nodes[index].op == GUARDS]


def _lenient(graph: Graph) -> Graph:
    """Return the graph without the guards that can't be read."""
    changed = [
        n._replace(attributes=Attributes({**n.attributes, "lenient": 1})) if n.op == GUARDS else n for n in graph.nodes
    ]
    return dataclasses.replace(graph, nodes=changed)


def _without_unsupported(a: Analysis) -> Analysis:
    """Return the analysis without operators that have no rule, whose shapes come from the program."""
    unjudged = tuple((index, u) for index, u in a.examination.unjudged if u.kind != "unsupported")
    return dataclasses.replace(a, examination=dataclasses.replace(a.examination, unjudged=unjudged))


def _region(a: Analysis) -> Precondition:
    """Return the sizes for which a program runs for all data; if there are none, for some data."""
    region = _without_unsupported(a).region
    return _whatever_data(a).region if region.nowhere else region


def _hinges(condition: Formula) -> bool:
    return any(s.by_data for s in condition.symbols)


def _data(a: Analysis) -> list[Formula]:
    """Return the data-dependent conditions that remain: nodes fail for data that violate them."""
    return [j.condition for j in a.examination.judgements if j.verdict is Verdict.DEPENDS and _hinges(j.condition)]


def _whatever_data(a: Analysis) -> Analysis:
    """Return the analysis without the data-dependent conditions."""
    kept = tuple(j for j in a.examination.judgements if not _hinges(j.condition) or j.verdict is Verdict.FAILS)
    examination = dataclasses.replace(_without_unsupported(a).examination, judgements=kept)
    return dataclasses.replace(a, examination=examination)


def _fails(a: Analysis) -> bool:
    """Whether some size is known to fail; if no size runs for all data, failures that depend on data don't count."""
    if not a.fails or not a.region.nowhere:
        return a.fails
    return _whatever_data(a).fails


def _elements(problem: Problem) -> set[str]:
    """Return the names of elements of small inputs, for which there is no `Dim`."""
    return {name for small in problem.small.values() for name in small.names}


def _helping(a: Analysis, question: Question) -> Question | None:
    """Return the question narrowed to sizes for which the program runs; None if nothing fails or no remedy is found."""
    if not a.fails:
        return None
    help_ = find_remedy(_whatever_data(a) if a.region.nowhere else _without_unsupported(a), _region(a))
    if help_ is None:
        return None
    return dataclasses.replace(
        question,
        dims={**(question.dims or {}), **help_.dims},
        values={**(question.values or {}), **help_.values},
        assume=(*(question.assume or ()), *help_.assume),
    )


def _verify(proposal: _Proposal, request: Any) -> bool:
    """Whether PyTorch exports the module with the proposal, weakened and narrowed if necessary, and the result runs."""
    while proposal.exports < ATTEMPTS:
        proposal.exports += 1
        shapes, began = _shapes(proposal.text(True), proposal.graph.arguments), monotonic()
        try:
            program = program_or_model(request.module, request.args, request.kwargs, shapes)
        except ModelError as refusal:
            if not proposal.weaken(str(refusal)):
                return False
            continue
        finally:
            proposal.resume(began)
        a = _within(program, proposal)
        helping = _helping(a, proposal.question)
        if helping is None:
            return not _fails(a)
        proposal.question = helping
        proposal.analysis = analyse(proposal.graph, helping)
        proposal.narrow()
    return False


def _shapes(text: str, arguments: Any) -> Any:
    """Execute the text of a proposal, which may name the arguments' named tuples; return its `dynamic_shapes`."""
    names: dict[str, Any] = {kind.__name__: kind for kind in _named_tuples(arguments)}
    exec(text, names)  # noqa: S102 - as users do who paste it
    return names["dynamic_shapes"]


def _named_tuples(arguments: Any) -> Iterator[type]:
    if hasattr(arguments, "_fields"):
        yield type(arguments)
    if isinstance(arguments, (Mapping, list, tuple)):
        for part in arguments.values() if isinstance(arguments, Mapping) else arguments:
            yield from _named_tuples(part)


def _within(program: OpenedModel, proposal: _Proposal) -> Analysis:
    """Return the analysis of an export's result, for the sizes of the proposal."""
    graph = _lenient(load(program)) if proposal.unread else load(program)
    given = proposal.analysis.problem.declared
    shapes: dict[str, list[str | int | None]] = {}
    for name, declared in graph.inputs.items():
        axes = zip(given[name][1] or (), declared.shape or (), strict=True)
        shapes[name] = [new if isinstance(new, int) else old if isinstance(old, int) else str(old) for old, new in axes]
    names = {axis for axes in shapes.values() for axis in axes} | _elements(proposal.analysis.problem)
    dims = {name: r for name, r in (proposal.question.dims or {}).items() if name in names}
    assume = [text for text in proposal.question.assume or () if names_in(text) <= names]
    return analyse(graph, dataclasses.replace(proposal.question, shapes=shapes, dims=dims, assume=assume))


def _how(*, exact: bool, partial: bool) -> str:
    """Return "exactly when" for an exact condition, "only when" for a necessary one, else "when" (sufficient)."""
    return "exactly when" if exact else "only when" if partial else "when"
