"""Findings: why and for which inputs each unproved node fails, and for which inputs the model runs."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from shapesmt.analysis.diagnose import advice
from shapesmt.analysis.diagnose.absent import without_files
from shapesmt.analysis.diagnose.causes import READABLE, Sides, Tracer, in_order, source_of
from shapesmt.analysis.diagnose.finding import Where, finding
from shapesmt.analysis.diagnose.operands import operands_of, reads_of
from shapesmt.analysis.diagnose.settings import alone, settings_of
from shapesmt.analysis.verify import Examination, Examined, Judgement, Narrowing, Problem, is_open, when
from shapesmt.base.deadline import stage
from shapesmt.base.errors import ModelError, printable
from shapesmt.network.graph import GUARDS, Declared
from shapesmt.network.laws import GUARD_HOLDS, code_of_kind
from shapesmt.operators.rules import Requirement, Tensor, Unjudged
from shapesmt.prover.algebra import (
    FALSE,
    TRUE,
    Assignment,
    Atom,
    Evaluator,
    Formula,
    Verdict,
    all_of,
    conjunction,
    const,
    differs,
    equal,
    memo,
    negate,
    of_atom,
    resolve,
    substitute,
)
from shapesmt.prover.judge import Judge
from shapesmt.prover.presolve import Decision, Domain, truth_at, values_of
from shapesmt.prover.regions import NOWHERE, Region, conjunct_of
from shapesmt.reports.answers import (
    DataNeed,
    Finding,
    FindingKind,
    Guarded,
    Precondition,
    altered,
    facts,
)

MAX_TRIED = 16  # the most values of a symbol that are tried before a proof
MAX_ALONE = 32  # the most requirements of a node that are described without the findings before it
MAX_TRACED = 100  # the most findings of a report that get causes
NONE = Region((NOWHERE,), True)
_DECISIVE: dict[Hashable, list[Atom]] = memo("decisive symbols", {})


@stage("explanations")
def findings_of(a: Examined) -> tuple[Finding, ...]:
    """Return a finding for every judgement and every undecided node, in the order of `in_order`."""
    problem, examination = a.problem, a.examination
    tracer = Tracer(problem.graph, examination.original.tensors)
    indexed = [*_of_session(a)]
    for j in (j for j in examination.judgements if not j.session):
        found = a.judge.deadline.attempt(partial(_finding, j, a, tracer), None)
        indexed.append((j.index, found or _brief(j, problem)))
    unjudged, lacking = without_files(examination.unjudged, problem.graph, examination.original)
    indexed += [(lacking.index, lacking)] if lacking is not None else []
    late = [index for index, u in unjudged if u.kind == "timeout"]
    for index, u in unjudged:
        if u.kind == "timeout" and index != late[0]:
            continue
        others = len(set(late)) - 1 if u.kind == "timeout" else 0
        indexed.append((index, _undecided(problem, index, u, facts.Behind(others) if others else u.note)))
    return tuple(in_order([altered(f, source=source_of(problem.graph, index)) for index, f in indexed], a))


def _undecided(problem: Problem, index: int, u: Unjudged, note: object) -> Finding:
    """Return the finding about a node that is left undecided."""
    node, kind = problem.graph.nodes[index], FindingKind(u.kind)
    return finding(
        Verdict.UNKNOWN, kind, Where(f"{node.name}/{u.path}" if u.path else node.name, u.op, index), u.law,
        code=GUARD_HOLDS.code if node.op == GUARDS else code_of_kind(u.kind),
        title=facts.Undecided(kind, u.law if u.rests_on else ""), note=note, rests_on=u.rests_on,
    )  # fmt: skip


def _of_session(a: Examined) -> Iterator[tuple[int, Finding]]:
    """Yield the findings about what only the default session refuses, with the indices of the file's nodes."""
    session = a.examination.session
    if session is None or session.examination is None:
        return
    graph, seen = session.graph, session.examination
    own, tracer = replace(a, problem=session.problem, examination=seen), Tracer(graph.graph, seen.original.tensors)
    for j in seen.judgements:
        found = a.judge.deadline.attempt(partial(_finding, j, own, tracer), None)
        index = graph.places[j.index]
        upstream = {graph.places[i] for i in (j.index, *graph.graph.ancestors(j.index))}
        says = tuple(dict.fromkeys(graph.says[i] for i in sorted(upstream & graph.says.keys())))
        told = facts.InSession(says)
        node = a.problem.graph.nodes[index]
        kind = {"kind": FindingKind.SESSION, "index": index, "op_type": node.op, "note": told}
        yield index, altered(found or _brief(j, session.problem), **kind)


MAX_SIZE = (1 << 63) - 1
WORDS = "SM502"  # the code of laws about attributes that have to be one of several words


def refuse(a: Examined, *, types: bool = True) -> None:
    """Raise for an untyped input, a node that runs for no input, or a tensor that contradicts its declaration.

    Laws on which no shape depends are ignored, except those about words in attributes, and without `types` those
    about element types.

    Raises:
        ModelError: Naming the input or tensor, or the node, the law and the condition.
    """
    graph, examination = a.problem.graph, a.examination
    for name, declared in graph.inputs.items():
        if not declared.dtype:
            raise ModelError(f"input '{printable(name)}' has no type")
    for j in examination.judgements:
        laws = [r for r in j.open if r.formula is FALSE] or j.open
        looked_at = [r for r in laws if not r.limit or r.law.code == WORDS]
        if j.verdict is Verdict.FAILS and any(types or not r.typed for r in looked_at):
            f = _finding(j, a, Tracer(graph, examination.original.tensors))
            raise ModelError(f"node '{printable(f.node)}' ({f.op_type}) can't run: {f.law}: {printable(f.condition)}")
    for name, t in examination.inference.tensors.items():
        _refuse_tensor(f"tensor '{printable(name)}'", t, graph.declared.get(name, Declared("", None)))


def _refuse_tensor(title: str, t: Tensor, declared: Declared) -> None:
    """Raise if a tensor contradicts its declared type or shape, or a size exceeds what a file can state."""
    if declared.dtype and t.dtype not in ("", declared.dtype):
        raise ModelError(f"{title} has the declared type {declared.dtype}, it is {t.dtype}")
    sizes = [d.constant for d in t.shape or ()]
    if any(size is not None and size > MAX_SIZE for size in sizes):
        raise ModelError(f"{title} has the shape {list(t.dims)}: an overflow of 64 bits")
    if t.shape is None or declared.shape is None or declared.kind != "tensor":
        return
    numbers = [d if isinstance(d, int) else None for d in declared.shape]
    fits = len(sizes) == len(numbers) and all(
        a == b or a is None or b is None for a, b in zip(sizes, numbers, strict=True)
    )
    if not fits:
        shown = ", ".join("?" if d is None else str(d) for d in declared.shape)
        raise ModelError(f"{title} has the declared shape [{printable(shown)}], it is [{', '.join(map(str, t.shape))}]")


def finding_at(index: int, requirements: Sequence[Requirement], values: Assignment, a: Examined) -> Finding | None:
    """Return the finding about a node at a given input, with its requirements as they were first inferred.

    None if the input is known to break none of them.
    """
    own = tuple(r for r in requirements if r.formula is not TRUE and r.formula.symbols <= values.keys())
    if all(map(Evaluator(dict(values)).formula, (r.formula for r in own))):
        return None
    condition = resolve(all_of(*(r.formula for r in own)))
    verdict = Verdict.FAILS if condition is FALSE else Verdict.DEPENDS
    j = Judgement(
        index, a.problem.graph.nodes[index], a.admissible(), condition,
        Decision(verdict, "", dict(values)), own, a.examination.original, Narrowing({}),
    )  # fmt: skip
    return _finding(j, a, Tracer(a.problem.graph, a.examination.original.tensors))


def precondition(a: Examined) -> Precondition:
    """Return the condition on inputs under which every node runs."""
    examination, judged = a.examination, a.examination.judgements
    if examination.fails:
        return Precondition((NOWHERE,), True)
    conditions = [j.condition for j in judged if j.verdict is Verdict.DEPENDS]
    if not conditions:
        return Precondition((), examination.decided, partial=not examination.decided)

    from shapesmt.prover.regions import readable

    def whole() -> Region:
        return describe_region(all_of(*conditions), a.admissible(), a)

    region = a.judge.deadline.attempt(whole, Region(tuple(filter(readable, map(conjunct_of, conditions))), False, True))
    exact, partial = region.exact and examination.decided, region.partial or not examination.decided
    if not any(map(_hinges, conditions)):
        return Precondition(region.conjuncts, exact, partial=partial)
    told = Precondition(region.conjuncts, False, exact, partial)
    return _with_data(told, a) if partial or told.nowhere else told


def _with_data(told: Precondition, a: Examined) -> Precondition:
    """Add what inputs and data have to satisfy, where no input is known that runs whatever the data."""
    parts = [
        (j, part) for j in a.examination.judgements if j.verdict is Verdict.DEPENDS for part in j.condition.conjuncts
    ]
    plain = all_of(*(part for _, part in parts if not _hinges(part)))
    inputs = a.judge.deadline.attempt(lambda: describe_region(plain, a.admissible(), a), Region((), False))
    of_data: dict[str, list[str]] = {}
    for j, part in parts:
        if _hinges(part):
            of_data.setdefault(j.node.name, []).append(str(part))
    needs = inputs.text if inputs.exact else tuple(map(str, plain.conjuncts))
    return replace(
        told, needs=needs, data_needs=tuple(DataNeed(node, conjunction(texts)) for node, texts in of_data.items())
    )


def guard_region(a: Examined) -> Guarded | None:
    """Return the inputs for which the nodes run, and which of these inputs the guards refuse.

    None if the program has no guards that refuse inputs, or if a node is undecided or fails for every input.
    """
    problem, examination, judge = a.problem, a.examination, a.judge
    guards = [j for j in examination.judgements if j.node.op == GUARDS]
    others = [j for j in examination.judgements if j.node.op != GUARDS]
    unread = tuple(u.rests_on for index, u in examination.unjudged if problem.graph.nodes[index].op == GUARDS)
    if not (guards or unread) or len(unread) < len(examination.unjudged):
        return None
    if any(j.verdict is not Verdict.DEPENDS for j in others):
        return None
    conditions, domain = [j.condition for j in others], a.admissible()
    nodes = describe_region(all_of(*conditions), domain, a) if conditions else Region((), True)
    if not guards:
        return Guarded(nodes.text, nodes.exact, unread=unread)
    refusing = domain.copy()
    refusing.assume(all_of(*conditions))

    def beyond() -> Formula:
        return all_of(*(part for part in guards[0].condition.conjuncts if not judge.proves(refusing, part)))

    def told(condition: Formula) -> str:
        region = describe_region(condition, refusing, a)
        text = conjunction(region.text) if region.exact else ""
        return text if len(text) <= 2 * READABLE else ""

    refused = judge.deadline.attempt(lambda: told(negate(beyond())), "")
    if not refused and (passed := judge.deadline.attempt(lambda: told(beyond()), "")):
        refused = f"not ({passed})"
    return Guarded(nodes.text, nodes.exact, refused, nodes.partial, unread)


def _hinges(condition: Formula) -> bool:
    """Whether a condition contains a data-dependent size, such as the number of NonZero's results."""
    return any(s.by_data for s in condition.symbols)


def describe_region(condition: Formula, domain: Domain, a: Examined) -> Region:
    """Return the inputs for which a condition holds whatever the data; inexact if data-dependent sizes are related."""
    region, related = a.judge.region(domain, condition), a.judge.related_symbols(domain, condition.symbols)
    return region if a.examination.independent(related) else region._replace(exact=False)


def _finding(j: Judgement, a: Examined, tracer: Tracer) -> Finding:
    problem, values = a.problem, j.decision.counterexample
    broken = _first_broken(j, values)
    shown = None if values is None else problem.counterexample(values, _decisive(j, broken.formula, values, a.judge))
    region = _holds_iff(j, a)
    tracer = tracer.at(values)
    sides = Sides(j, broken, tracer, a.judge)
    earlier = sum(o.index < j.index for o in a.examination.judgements)
    traced = j.verdict is not Verdict.UNKNOWN and earlier < MAX_TRACED
    kind = FindingKind.DATA if _hinges(j.condition) else FindingKind.REQUIREMENT
    if shown is not None and values is not None:
        decided = sorted((s for s in broken.formula.symbols if s.by_data), key=lambda s: s.name)
        shown = replace(shown, data={s.name: values[s] for s in decided if s in values})
    reads = reads_of(j.node, problem.graph, tracer.tensors)
    ranks = {read.place: len(read.tensor.shape) for read in reads if read.tensor.shape is not None}
    where = region.whole if region is not None and region.exact else None
    safe = where if kind == FindingKind.DATA and j.verdict is Verdict.DEPENDS else None
    return finding(
        j.verdict, kind, Where(j.node.name, j.node.op, j.index), broken.law, j.condition, shown,
        title="" if values is None else facts.Broken(broken.law, broken.relation, sides.clash, ranks),
        note=facts.Inside(f"{j.node.name}/{broken.within}") if broken.within else "", when=when(broken.branch),
        holds_iff=None if safe is not None else where, safe_iff=safe, because=sides.causes if traced else (),
        unreached=j.verdict is Verdict.FAILS and bool(a.examination.rests_on.get(j.index)),
        clash=sides.clash, operands=operands_of(reads, sides.reads),
        help=_advice(advice.Case(a, j, broken, sides, region)) if traced else "",
        attributes=settings_of(j.node, *alone(j.node, problem.graph, tracer.tensors)),
    )  # fmt: skip


def _advice(case: advice.Case) -> object:
    """Return the fact about what helps; "" if none is known, or if the time is over."""
    nothing: object = ""
    return case.a.judge.deadline.attempt(lambda: advice.advice_on(case), nothing)


def _brief(j: Judgement, problem: Problem) -> Finding:
    """Return the finding without an explanation, if there is no time for one: verdict, law and counterexample."""
    values, broken = j.decision.counterexample, j.open[0]
    shown = None if values is None else problem.counterexample(values, values)
    kind = FindingKind.DATA if _hinges(j.condition) else FindingKind.REQUIREMENT
    return finding(j.verdict, kind, Where(j.node.name, j.node.op, j.index), broken.law, j.condition, shown)


def _decisive(j: Judgement, formula: Formula, values: Mapping[Atom, int], judge: Judge) -> Sequence[Atom]:
    """Return the relevant symbols: with their values the condition fails for all values of the others.

    A symbol to which earlier findings leave only one value is relevant as well.
    """
    about = formula, j.verdict is Verdict.DEPENDS, tuple(values.items())
    return judge.once(_DECISIVE, j.domain, about, partial(_deciding, judge))


def _deciding(judge: Judge, domain: Domain, about: tuple[Formula, bool, tuple[tuple[Atom, int], ...]]) -> list[Atom]:
    formula, depends, known = about
    relevant, values = sorted(formula.symbols, key=domain.order), dict(known)
    if not depends or any(s.universal for s in relevant):
        return domain.closure(relevant)[0]
    for s in relevant[::-1] if len(relevant) > 1 else ():
        if not _can_mend(s, formula, values, domain):
            fixed = domain.copy()
            fixed.assume(all_of(*(equal(of_atom(t), values[t]) for t in relevant if t is not s)))
            if judge.proves(fixed, negate(formula)):
                relevant.remove(s)
    tied = {s for f in domain.facts if len(f.symbols) > 1 for s in f.symbols if not s.universal}
    free = (s for s in sorted(tied - formula.symbols, key=domain.order) if s in values)
    return [*relevant, *(s for s in free if not _can_mend(s, differs(of_atom(s), values[s]), values, domain))]


def _can_mend(symbol: Atom, formula: Formula, values: Mapping[Atom, int], domain: Domain) -> bool:
    """Whether the condition holds if only this symbol changes, to another of its first few values."""
    together = all_of(formula, *(f for f in domain.facts if symbol in f.symbols and f.symbols <= values.keys()))
    asked = substitute(together, {s: const(v) for s, v in values.items() if s is not symbol})
    truth = truth_at(asked, {symbol: values_of(domain, symbol, MAX_TRIED)})
    return truth is not None and bool(truth.any())


def _first_broken(j: Judgement, values: dict[Atom, int] | None) -> Requirement:
    """Return the first requirement that the counterexample breaks."""
    if values is None:
        return j.open[0]
    evaluator = Evaluator(values)
    known = [r for r in j.open if r.formula.symbols <= values.keys()]
    return next((r for r in known if not evaluator.formula(r.formula)), j.open[0])


def _as_first_inferred(index: int, examination: Examination) -> Formula | None:
    """Return a node's requirements before conditions narrowed any size; None if a rank or a size was unknown then."""
    original = examination.original.applications[index]
    if original.unjudged or any(map(is_open, original.requirements)):
        return None
    return resolve(all_of(*(r.formula for r in original.requirements)))


def _holds_iff(j: Judgement, a: Examined) -> Region | None:
    """Return the inputs for which a node runs, of those for which all reported nodes before it run; None if unknown."""
    examination = a.examination
    if j.verdict is Verdict.UNKNOWN or a.judge.deadline.expired or any(j.index == i for i, _ in examination.unjudged):
        return None
    earlier = {o.index: o for o in examination.judgements if o.index < j.index and o.verdict is Verdict.DEPENDS}
    domain, condition = j.domain, j.condition
    if j.verdict is Verdict.FAILS and not earlier:
        return NONE
    if earlier:
        rests_on = examination.rests_on.get(j.index) or a.problem.graph.ancestors(j.index, set(earlier))
        many = j.verdict is Verdict.DEPENDS and len(examination.original.applications[j.index].requirements) > MAX_ALONE
        if len(rests_on) < len(earlier) and not many:
            asked = [_as_first_inferred(index, examination) for index in (*sorted(rests_on), j.index)]
            if None in asked:
                return None
            *before, condition = [formula for formula in asked if formula is not None]
            domain = a.admissible()
            for formula in before:
                a.judge.assume(domain, formula)
        elif j.verdict is Verdict.FAILS:
            return NONE
    if condition is FALSE:
        return NONE
    region = describe_region(condition, domain, a)
    if region.exact:
        return region
    anywhere = describe_region(condition, a.admissible(), a)
    return min(region, anywhere, key=lambda r: (not r.exact, len(r.text), sum(map(len, r.text))))
