"""Core: a minimal set of facts that proves that a node can't run, or that its requirements hold.

The facts are stated over inputs of any size: bounds of declared ranges, assumptions, requirements of earlier nodes.
Each set is minimal and contradictory: on its own, or with the negation of a requirement that it proves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import NamedTuple

from shapesmt.analysis.verify import Examined, Judgement, Problem
from shapesmt.base.frozen import frozen
from shapesmt.base.lazy import cached_property
from shapesmt.network.declarations import parse_formula
from shapesmt.network.graph import Node
from shapesmt.operators.inference import Inference, infer
from shapesmt.operators.rules import Requirement
from shapesmt.prover.algebra import (
    FALSE,
    TRUE,
    Atom,
    Dim,
    Formula,
    Substitution,
    Verdict,
    equal,
    name_text,
    negate,
    of_atom,
    symbol,
)
from shapesmt.prover.presolve import range_facts
from shapesmt.reports.answers import Fact, Proof

MAX_PROOFS = 24  # requirements of a node that are explained; others are omitted
_ORIGINS = {"model": "declared in the file"}


class Known(NamedTuple):
    """A fact, as a condition and as the text of the report."""

    formula: Formula
    fact: Fact


@frozen(eq=False)
class CoreFinder:
    """Finds the facts that prove verdicts. Ranges and assumptions are facts too, so sizes are inferred without them."""

    a: Examined

    @cached_property
    def wide(self) -> Problem:
        """The problem without ranges and assumptions."""
        return self.a.problem.widen()

    @cached_property
    def inference(self) -> Inference:
        """The sizes and requirements over inputs of any size."""
        return infer(self.a.problem.graph, self.wide.inputs)

    @cached_property
    def _forth(self) -> Substitution:
        """The substitution of the problem's symbols by those without ranges."""
        symbols = {s.name: s for d in self.a.problem.dims.values() for s in d.symbols}
        return Substitution({s: self.wide.dims[name] for name, s in symbols.items() if name in self.wide.dims})

    def of_failure(self, judged: Judgement) -> tuple[Fact, ...]:
        """Return a minimal set of facts that can't all hold, including the node's requirement; () if none is proven."""
        laws = {r.law for r in judged.open}
        stated = self.inference.applications[judged.index].requirements
        anywhere = [r for r in stated if r.law in laws and r.formula is not TRUE]
        shorter = [r._replace(formula=self._forth.apply(r.formula)) for r in judged.open]
        settled = any(r.formula is FALSE for r in shorter)  # the declared ranges decide, so the core has to have them
        values = judged.decision.counterexample if judged.verdict is Verdict.DEPENDS else None
        known = [*self._input(values or {}), *self._definitions(judged.index), *self._before(judged.index)]
        for needed in (anywhere, shorter) if settled else (shorter, anywhere):
            own = [Known(r.formula, _requirement(r, judged.node)) for r in needed]
            tied = _related_facts([*own, *known], {s for k in own for s in k.formula.symbols})
            core = self._core(own if any(k.formula is FALSE for k in own) else tied)
            if core:
                return core
        return ()

    def of_success(self, index: int) -> tuple[Proof, ...]:
        """Return the facts that prove each requirement of a node; () if one isn't proven."""
        if index in self.a.examination.unreachable:
            return ()
        domain = self.a.admissible()
        definitions = [*self._definitions(index)]
        for known in definitions:
            domain.limit(self._in_problem_symbols(known.formula))
        for j in self.a.examination.judgements:
            if j.index < index and j.verdict is Verdict.DEPENDS:
                domain.assume(j.condition)
        proofs = []
        for r in self.inference.applications[index].requirements[:MAX_PROOFS]:
            decision = self.a.judge.decide(domain, self._in_problem_symbols(r.formula))
            if decision.verdict is Verdict.PROVED:
                facts = self._support(r.formula, [*definitions, *self._before(index)])
                proofs.append(Proof(str(r.law), str(r.formula), decision.by, facts))
            else:
                return ()
        return tuple(dict.fromkeys(proofs))

    def _support(self, claim: Formula, known: list[Known]) -> tuple[Fact, ...]:
        """Return a minimal set of facts that imply the claim; all related facts if none is found in time."""
        if claim is TRUE:
            return ()
        tied = _related_facts(known, claim.symbols)
        core = self._core(tied, negate(claim))
        return tuple(k.fact for k in tied) if core is None else core

    def _in_problem_symbols(self, formula: Formula) -> Formula:
        """Return the condition over the problem's own symbols, which have ranges."""
        back = {s: self.a.problem.dims[s.name] for s in formula.symbols if s.name in self.a.problem.dims}
        narrowed: Formula = Substitution(back).apply(formula)
        return narrowed

    def _input(self, values: Mapping[Atom, int]) -> Iterator[Known]:
        """Yield the sizes of the counterexample as facts."""
        for s, value in values.items():
            known: Dim = self._forth.apply(of_atom(s))
            yield Known(equal(known, value), Fact("input", f"{name_text(s.name)} == {value}"))

    def _before(self, index: int) -> Iterator[Known]:
        """Yield the bounds of ranges, the assumptions, and the requirements of earlier nodes as facts."""
        for name, r in self.a.problem.ranges.items():
            size = self.wide.dims[name]
            own = symbol(name, r.min, inf if r.max is None else r.max, step=r.step, fold=False).as_symbol()
            assert own is not None
            for formula in [equal(size, r.min)] if r.min == r.max else range_facts(own, size):
                if formula is not TRUE:
                    yield Known(formula, Fact("range", str(formula), law=_ORIGINS.get(r.source, r.source)))
        for text in self.a.problem.assumptions:
            for formula in parse_formula(text, self.wide.dims).conjuncts:
                yield Known(formula, Fact("assumption", str(formula)))
        for other in self.a.examination.judgements:
            if other.index < index and other.verdict is Verdict.DEPENDS:
                condition: Formula = self._forth.apply(other.condition)
                yield Known(condition, _requirement(other.open[0]._replace(formula=condition), other.node))

    def _definitions(self, index: int) -> Iterator[Known]:
        """Yield the facts about data-dependent sizes (0 <= n for NonZero) of the nodes up to this one."""
        applications = self.inference.applications[: index + 1]
        for node, application in zip(self.a.problem.graph.nodes, applications, strict=False):
            for formula in application.facts:
                yield Known(formula, Fact("definition", str(formula), node.name, node.op, "as much as data can give"))

    def _core(self, known: list[Known], *hypotheses: Formula) -> tuple[Fact, ...] | None:
        """Return a minimal set of facts that contradict the hypotheses; None if no contradiction is proven."""
        from shapesmt.prover.smt import core as minimal

        members = minimal({i: k.formula for i, k in enumerate(known)}, self.a.judge.deadline, hypotheses)
        return None if members is None else tuple(known[i].fact for i in members)


def _related_facts(known: Sequence[Known], symbols: Iterable[Atom]) -> list[Known]:
    """Return the facts that share a symbol with `symbols`, directly or through other facts."""
    tied, related = set(symbols), [False] * len(known)
    grown = True
    while grown:
        grown = False
        for i, k in enumerate(known):
            if not related[i] and not tied.isdisjoint(k.formula.symbols):
                related[i] = grown = True
                tied |= k.formula.symbols
    return [k for k, is_related in zip(known, related, strict=True) if is_related]


def _requirement(r: Requirement, node: Node) -> Fact:
    return Fact("requirement", str(r.formula), node.name, node.op, str(r.law))
