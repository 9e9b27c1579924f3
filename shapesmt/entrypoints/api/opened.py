"""Opened: a model with ranges and relations, and every question that can be asked about it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias

from shapesmt.analysis import diagnose
from shapesmt.analysis.analysis import Analysis, analyse
from shapesmt.analysis.verify import NO_OPTIONS, SESSIONS, TIMEOUT, Claims, Question, pose
from shapesmt.base.errors import UsageError, one_frame, printable
from shapesmt.entrypoints.api.options import Export, Options, narrowed, require_known
from shapesmt.frontends import Model, ModelSource, program_or_model
from shapesmt.network.declarations import RangeLike, ShapeLike, ValueLike, quote, unknown_name
from shapesmt.prover.algebra import Verdict, one_call
from shapesmt.reports.answers import Report, TensorFacts, altered

if TYPE_CHECKING:
    import networkx as nx
    from onnx import ModelProto

    from shapesmt.analysis.encoding import Constraints
    from shapesmt.reports.answers import (
        Bounds,
        DynamicShapes,
        ErrorOrigin,
        Explanation,
        Memory,
        ModelFacts,
        PageData,
        Profile,
        Repairs,
    )

LEAST_FOR_BOUNDS = 0.5
"""Seconds: a page computes exact bounds for half the check's time, at least this long; others are only sound."""
BOTH = {"declared": Claims.CHECK.value, "session": SESSIONS[0]}
"""Options of a question that judges a model: it checks declared shapes and ONNX Runtime's default session as well."""
SESSION = {"session": SESSIONS[0]}
Output: TypeAlias = "str | os.PathLike[str] | None"


class Opened:
    """A model, with what is said of its inputs; `shapesmt.open` returns one.

    The model is read once. `where` returns a further one of the same model: nothing changes, so that several threads
    may ask at the same time. Each method is described at the function of its name, such as `shapesmt.check`.

    >>> import shapesmt
    >>> add = shapesmt.open(b'''<ir_version: 8, opset_import: ["":18]>
    ... g (float[n, 3] x, float[m, 3] y) => (float[k, 3] z) { z = Add(x, y) }''')
    >>> some = add.where(n="2..8", m="2..8")
    >>> some
    <Opened <bytes> where n=2..8, m=2..8>
    >>> some.proved, some.where("n == m").proved, add.where(n=1).proved
    (False, True, True)
    """

    def __init__(self, model: ModelSource, question: Question = NO_OPTIONS) -> None:
        self.model = model
        self.question = question

    def where(
        self,
        /,
        *relations: str,
        dims: Mapping[str, RangeLike] | None = None,
        shapes: Mapping[str, ShapeLike] | None = None,
        values: Mapping[str, ValueLike] | None = None,
        **ranges: RangeLike,
    ) -> Opened:
        """Return the same model with more ranges, which replace those of the same name, and more relations.

        Args:
            relations: Relations between dimensions, as "height % 16 == 0".
            dims: Ranges by name, for names that Python doesn't take as a keyword or that are words of this interface.
            shapes: Shapes of inputs, which override the file's.
            values: Elements of small inputs.
            ranges: The range of each named dimension: `batch=1`, `height="64..512:16"`.

        Raises:
            UsageError: A word of this interface is given as if it were a dimension, or a dimension twice.
        """
        given = {"dims": dims, "shapes": shapes, "values": values, **ranges}
        return Opened(self.model, narrowed(self.question, relations, given))

    def ask(self, declared: str | None = None, session: str | None = None, **more: Any) -> Question:
        """Return the question, asked now, with what is to be used where `declared` and `session` aren't given."""
        asked = self.question
        more |= {"declared": asked.declared or declared, "session": asked.session or session}
        return replace(asked, started=monotonic(), **more)

    def analysis(self, **more: Any) -> Analysis:
        """Return the examined model, of which all answers are made."""
        return analyse(self.model, self.ask(**more))

    @property
    def verdict(self) -> Verdict:
        """Whether every node runs for every input.

        It is the verdict of `check`, but at numbers it may be decided where that of `check` is UNKNOWN: from the second
        question on it follows from when the model runs at all sizes.
        """
        return self._verdict()

    @property
    def proved(self) -> bool:
        """Whether every node is proved to run for every input."""
        return self._verdict() is Verdict.PROVED

    @one_frame
    @one_call()
    def _verdict(self) -> Verdict:
        from shapesmt.analysis.kept import verdict_of

        return verdict_of(self.model, self.ask(**BOTH))

    @one_frame
    @one_call()
    def check(
        self, *, certify: bool = False, strict: bool = False, replay: bool = False, samples: str | Iterable[str] = ()
    ) -> Report:
        """Return whether every node runs for every input; if not, which input fails, and which inputs run."""
        asked = self.question
        how: dict[str, Any] = {"certify": asked.certify or certify, "strict": asked.strict or strict}
        how |= {"replay": asked.replay or replay, "samples": samples or asked.samples}
        report = self._report(self.ask(**BOTH, **how))[1]
        return altered(report, pages=lambda: self._page(report))

    @one_frame
    @one_call()
    def page(self) -> str:
        """Return an HTML page: verdict, findings, valid region, tensors."""
        from shapesmt.reports.render import html_page

        return html_page(self.page_data())

    def page_data(self, **more: Any) -> PageData:
        """Return the data of a page: the answers of `check` and `bounds`, the causes of failures, and the region."""
        return _page_data(*self._report(self.ask(**more, **BOTH)))

    @one_call()
    def _page(self, report: Report) -> str:
        from shapesmt.reports.render import html_page

        question = self.ask(timeout=TIMEOUT, **BOTH)  # a page isn't in the time limit of its report
        return html_page(_page_data(analyse(self.model, question), report))

    @one_frame
    @one_call()
    def bounds(self, *tensors: str) -> Bounds:
        """Return the minimum and maximum of every dimension of `tensors`, by default all, where the model runs."""
        a = self.analysis(**SESSION)
        for name in tensors:
            if name not in a.examination.inference.tensors:
                made = next((node.outputs for node in a.problem.graph.nodes if node.name == name), ())
                if any(made):
                    outputs = ", ".join(map(quote, filter(None, made)))
                    raise UsageError(f"{quote(name)} is a node of {a.problem.graph.source}; its output is {outputs}")
                raise unknown_name("tensor", name, a.examination.inference.tensors, a.problem.graph.source)
        return a.bounds_of(tensors) if tensors else a.bounds

    @one_frame
    def explain(
        self, target: str | None = None, *, constraints: bool = False, error: object = None, replay: bool = False
    ) -> Explanation | ErrorOrigin:
        """Explain why a node fails, where a tensor's sizes come from, a runtime's message, or the verdict."""
        from shapesmt.tasks.runtime_errors import explain_target

        question = self.ask(replay=replay, **SESSION)
        return explain_target(self.model, question, target, constraints=constraints, error=error)

    @one_frame
    def memory(
        self,
        *,
        mode: str = "live",
        budget: str | int | None = None,
        greatest: str | None = None,
        at: Mapping[str, int] | None = None,
    ) -> Memory:
        """Return the bytes of activations: at most, at given sizes, and the inputs within a budget."""
        from shapesmt.tasks.memory import Wanted, measure

        return measure(self.model, self.ask(), Wanted(mode, budget, greatest, at or {}))

    @one_frame
    def profile(
        self,
        target: str = "json",
        *,
        opt: Mapping[str, int] | None = None,
        profiles: int = 1,
        inner: Iterable[str] = (),
        valid_only: bool = False,
        hull: bool = False,
    ) -> Profile:
        """Return the least, usual and greatest size of every input, in the words of a compiler."""
        from shapesmt.tasks.profiles import find_profile

        how: dict[str, Any] = {"profiles": profiles, "inner": inner, "valid_only": valid_only, "hull": hull}
        return find_profile(self.model, self.ask(**SESSION), target, opt=opt, **how)

    @one_frame
    def repair(self, output: Output = None, *, take: int | None = None, as_declared: bool = False) -> Repairs:
        """Return single changes after which the model runs for every input, and write one to `output`."""
        from shapesmt.tasks.repair import find_repairs

        answer = find_repairs(self.model, self.ask(), output, take=take, as_declared=as_declared)
        if answer.refused:
            how = "give as_declared=True" if answer.taken else "choose a proposal (take=)"
            raise UsageError(f"{answer.refused}; {how} if it is to be written all the same")
        return answer

    @one_frame
    def simplify(
        self,
        output: Output = None,
        *,
        valid_only: bool = False,
        check_runs: int = 0,
        trust_ranges: bool = False,
        target: str | None = None,
    ) -> ModelProto:
        """Return the ONNX model without superfluous nodes, and save it to `output`."""
        from shapesmt.tasks.simplify import refusal, write_simplified

        how: dict[str, Any] = {"valid_only": valid_only, "check_runs": check_runs, "trust_ranges": trust_ranges}
        proto, answer = write_simplified(self.model, self.ask(target=target), output, **how)
        if proto is None:
            raise refusal(answer.model, answer.verdict)
        return proto

    @one_frame
    def tighten(
        self,
        output: Output = None,
        *,
        valid_only: bool = False,
        target: str | None = None,
        written: str | None = None,
        simplify: bool = False,
        trust_ranges: bool = False,
    ) -> ModelProto:
        """Return the ONNX model with the shape of every tensor written into it, and save it to `output`."""
        from shapesmt.tasks.simplify import refusal, write_tightened

        question = self.ask(target=target, written=written, declared=Claims.CHECK.value)
        how: dict[str, Any] = {"valid_only": valid_only, "simplify": simplify, "trust_ranges": trust_ranges}
        proto, answer = write_tightened(self.model, question, output, **how)
        if proto is None:
            raise refusal(answer.bounds.model, answer.bounds.verdict, "narrow the ranges as `check` says")
        return proto

    @one_frame
    def dynamic_shapes(self) -> DynamicShapes:
        """Return the `dynamic_shapes` with which PyTorch's program runs for the most sizes."""
        from shapesmt.tasks.profiles import propose_dynamic_shapes

        return propose_dynamic_shapes(self.model, self.ask())

    @one_frame
    @one_call()
    def encode(self, node: str | None = None) -> str:
        """Return the complete system as SMT-LIB 2 text, or a node's part of it."""
        question = self.ask()
        graph, deadline = question.read(self.model.graph), question.deadline
        return deadline.require(lambda: diagnose.system_text(pose(graph, question), node), "the system isn't complete")

    @one_frame
    @one_call()
    def encoding(self) -> Constraints:
        """Return the complete system as named Z3 variables and constraints."""
        from shapesmt.analysis.encoding import Constraints

        question = self.ask()
        graph = question.read(self.model.graph)
        problem = question.deadline.require(lambda: pose(graph, question), "the inputs aren't known")
        about = problem.graph, problem.inputs, problem.dims, problem.domain.facts, problem.assumed
        return question.deadline.require(lambda: Constraints(*about), "the system isn't complete")

    @one_frame
    @one_call()
    def repro(self, node: str | None = None) -> str | None:
        """Return a Python script that shows a failure on ONNX Runtime: that of `node`, or the first."""
        from shapesmt.frontends import load_protobuf
        from shapesmt.tasks.replay import script_for

        question = self.ask()
        proto, graph = question.read(lambda: load_protobuf(self.model))
        names = [n.name for n in graph.nodes]
        if node is not None and node not in names:
            raise unknown_name("node", node, names, graph.source)
        a = analyse(self.model, question)
        return a.judge.deadline.require(lambda: script_for(proto, graph, a.findings, node), "no script is made")

    @one_frame
    @one_call()
    def dataflow(self) -> nx.MultiDiGraph[str]:
        """Return the networkx graph, with `dtype` and `shape` of each edge's tensor."""
        from shapesmt.entrypoints.api.facts import flow_of

        return flow_of(self.model, self.ask())

    @one_frame
    @one_call()
    def inspect(self) -> ModelFacts:
        """Return the inputs, dimensions with their axes, and operators."""
        from shapesmt.entrypoints.api.facts import facts_of

        return facts_of(self.model, self.ask())

    @one_frame
    def assert_proved(self) -> Report:
        """Return the report if the model is proved, else raise AssertionError with the report."""
        __tracebackhide__ = True
        from shapesmt.entrypoints.api.testing import require_proved

        return require_proved(self.check())

    def _report(self, question: Question) -> tuple[Analysis, Report]:
        """Return the analysis of the model, and the answer of `check`."""
        proto = None
        if question.replay:
            from shapesmt.tasks.replay import replay_findings, runnable

            proto, _ = question.read(lambda: runnable(self.model))
        a = analyse(self.model, question)
        problem, examination, failures = a.problem, a.examination, a.findings
        if question.replay:
            failures = replay_findings(proto, problem.graph, failures, a.judge.deadline)
        failures, groups = diagnose.group_findings(failures, a, a.region)
        counts, verdict = examination.tally(), Verdict.worst([examination.verdict, *(s.verdict for s in a.samples)])
        proven = diagnose.system_verdict(a) if question.certify else ""
        claims, warnings = dict(a.contradictions).values(), a.warnings
        found, tensors = (*failures, *a.sample_findings, *claims), examination.original.tensors
        report = Report(
            problem.graph.source, verdict, problem.ranges, counts, found, a.region, a.seconds,
            problem.assumptions, proven, origins=problem.origins, unadopted=problem.unadopted, warnings=warnings,
            strict=question.strict, remedy=a.remedy, groups=groups, release=diagnose.find_release(question, a),
            hints=diagnose.hints_of(a), guarded=a.guarded, assumed=diagnose.assumptions_of(a),
            fixed=diagnose.fixed_sizes(problem, a.static) if verdict is Verdict.PROVED else (),
            absent=diagnose.absent_files(problem.graph, examination.original),
            samples=next(iter(a.samples), None), further_samples=a.samples[1:],
            inputs={n: TensorFacts.of(dtype, axes) for n, (dtype, axes) in problem.declared.items()},
            outputs={n: TensorFacts.of(t.dtype, t.shape) for n in problem.graph.outputs if (t := tensors.get(n))},
        )  # fmt: skip
        return a, report

    def __repr__(self) -> str:
        asked = self.question
        said = [
            f"{name}={value}"
            for given in (asked.dims, asked.shapes, asked.values)
            for name, value in (given or {}).items()
        ]
        said += asked.assume or ()
        return printable(f"<Opened {self.model.name}{' where ' if said else ''}{', '.join(said)}>", 1000)


def _page_data(a: Analysis, report: Report) -> PageData:
    """Return the data that a page shows with a report: bounds, chains of causes, region, formulas."""
    hurried = a.within(max(LEAST_FOR_BOUNDS, report.seconds / 2))
    return diagnose.page_content(a, report, hurried.bounds)


def opened_with(model: Model, options: Mapping[str, Any]) -> Opened:
    """Return the model with its options; a module of PyTorch is exported."""
    require_known(options, Options)
    export = [options.get(name) for name in Export.__annotations__]
    asked = {name: value for name, value in options.items() if name not in Export.__annotations__}
    return Opened(ModelSource(program_or_model(model, *export)), Question(**asked))
