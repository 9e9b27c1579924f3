"""Problem: the input tensors and the domain of admissible inputs, from a graph and its caller's declarations.

An assumption that determines one symbol by others (`total == past + seq`) replaces that symbol everywhere; any other
assumption is a fact of the domain.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import field
from math import inf

from shapesmt.analysis.verify.declarations import (
    ANY_RANK,
    Axis,
    Declarations,
    give_rank,
    input_declarations,
    inputs_without_rank,
    named_axes,
    own_names,
    rank_name,
    symbol_range,
    symbol_ranges,
)
from shapesmt.analysis.verify.inputs import Small, constant_shapes, idle_elements, open_elements, small_inputs
from shapesmt.analysis.verify.question import NO_OPTIONS, Question
from shapesmt.base.errors import UsageError
from shapesmt.base.frozen import frozen
from shapesmt.network.declarations import (
    LARGEST,
    Origin,
    misspelt,
    names_in,
    parse_dim,
    parse_formula,
    parse_range,
)
from shapesmt.network.graph import Graph
from shapesmt.operators.inference import Inference, infer
from shapesmt.operators.rules import Requirement, Tensor, rewrite_tensor, tensor
from shapesmt.prover.algebra import (
    Atom,
    Dim,
    Evaluator,
    Formula,
    Substitution,
    all_of,
    as_dim,
    substitute,
    symbol,
)
from shapesmt.prover.presolve import Domain, eliminate
from shapesmt.reports.answers import Counterexample, SymbolRange


@frozen(eq=False)
class Problem:
    """A graph with its input tensors, over the domain of admissible inputs.

    Attributes:
        ranges: The declared range of each name, with its source.
        dims: Each declared name as an expression over the domain's symbols.
        inputs: The input tensors.
        domain: The admissible inputs, before any node is decided.
        assumptions: The relations assumed between dimensions, as written.
        origins: The source of each assumption that wasn't given on the command line or in a call.
        declared: Each input's element type, and its axes as they are declared.
        expressions: The text of each dimension name that is a formula (`past + 1`).
        ranks: The symbol of each rank that isn't declared, by input.
        assumed: The requirements on these ranks, with the nodes' indices; the inputs have ranks that satisfy them.
        small: The inputs whose elements have names.
        inferred: An earlier inference, for these inputs or for others; None if there is none.
    """

    graph: Graph
    ranges: Mapping[str, SymbolRange]
    dims: Mapping[str, Dim]
    inputs: Mapping[str, Tensor]
    domain: Domain
    assumptions: tuple[str, ...] = ()
    origins: Mapping[str, str] = field(default_factory=dict)
    declared: Declarations = field(default_factory=dict)
    expressions: Mapping[str, str] = field(default_factory=dict)
    ranks: Mapping[str, Dim] = field(default_factory=dict)
    assumed: tuple[tuple[int, Requirement], ...] = ()
    small: Mapping[str, Small] = field(default_factory=dict)
    inferred: Inference | None = None

    @property
    def inference(self) -> Inference:
        """The shapes, elements and requirements of the graph; `inferred` if that is for these inputs."""
        known = self.inferred
        if known is not None and all(known.tensors.get(name) is t for name, t in self.inputs.items()):
            return known
        return infer(self.graph, self.inputs)

    @property
    def batch(self) -> str | None:
        """The dimension that comes first in every input whose first size has a name; None if there are several."""
        first = {axes[0] for _, axes in self.declared.values() if axes and isinstance(axes[0], str)}
        return next(iter(first)) if len(first) == 1 and first <= self.dims.keys() else None

    @property
    def unadopted(self) -> dict[str, SymbolRange]:
        """The ranges in the file's metadata for names that no size has: an exporter has renamed these sizes."""
        if not self.graph.ranges:
            return {}
        declared = (*self.graph.inputs.values(), *self.graph.declared.values())
        named = {axis for d in declared for axis in d.shape or ()}
        ranges = {}
        for name, text in self.graph.ranges.items():
            if name.isidentifier() and name not in named:
                with suppress(UsageError):  # a range with negative numbers isn't a range of sizes
                    ranges[name] = symbol_range(parse_range(text, name), "metadata")
        return ranges

    @property
    def stated_sizes(self) -> dict[str, Dim]:
        """The sizes in declared shapes that are formulas over the inputs' dimensions, such as `n//2`, by their text."""
        texts = {d for declared in self.graph.declared.values() for d in declared.shape or () if isinstance(d, str)}
        read = {}
        for text in sorted(text for text in texts - self.dims.keys() if text and not text.isidentifier()):
            with suppress(UsageError):  # a name that is no formula, or one over other names
                read[text] = parse_dim(text, self.dims)
        return {text: size for text, size in read.items() if names_in(text)}

    def widen(self) -> Problem:
        """Return the problem for inputs of any size, without assumptions; a size may be 0 only if it is declared so."""
        ranges = {name: SymbolRange(min(r.min, 1), None, 1, r.source) for name, r in self.ranges.items()}
        ranges.update(dict.fromkeys(map(rank_name, self.ranks), ANY_RANK))
        ranges.update({name: r for small in self.small.values() for name, r in small.anything().items()})
        return _make_problem(self.graph, self.declared, self.expressions, ranges, small=self.small)

    def at(self, numbers: Mapping[Atom, Dim]) -> Problem:
        """Return the problem with these numbers instead of symbols."""
        if not numbers:
            return self
        symbols = [s for s in self.domain.symbols if s not in numbers]
        domain = Domain(symbols, [substitute(f, numbers) for f in self.domain.facts])
        dims = {name: substitute(d, numbers) for name, d in self.dims.items()}
        ranks = {name: substitute(d, numbers) for name, d in self.ranks.items()}
        inputs = {name: rewrite_tensor(t, Substitution(numbers)) for name, t in self.inputs.items()}
        problem = dataclasses.replace(self, dims=dims, inputs=inputs, domain=domain, ranks=ranks)
        return _with_ranks(problem) if ranks else problem

    def counterexample(self, values: Mapping[Atom, int], deciding: Iterable[Atom] = ()) -> Counterexample:
        """Return an assignment as symbol values and input shapes; the symbols in `deciding` are marked as relevant."""
        at = Evaluator({a: int(v) for a, v in values.items()})

        def size(d: Dim) -> int:
            return int(at.dim(d))

        shapes = {name: tuple(map(size, t.shape)) for name, t in self.inputs.items() if t.shape is not None}
        for name, ndim in self.ranks.items():
            if len(shapes.get(name, ())) != size(ndim) or name not in shapes:
                shapes[name] = (1,) * size(ndim)
        decide = frozenset(deciding)
        relevant = tuple(name for name, d in self.dims.items() if not d.symbols.isdisjoint(decide))
        symbols = {name: size(d) for name, d in self.dims.items()}
        values_of_inputs = {name: s.at(symbols) for name, s in self.small.items() if s.matters(symbols)}
        return Counterexample(symbols, shapes, relevant, values_of_inputs)


def pose(graph: Graph, question: Question = NO_OPTIONS) -> Problem:
    """Return the `Problem` for a graph and its caller's declarations.

    Raises:
        UsageError: A name that doesn't exist, a malformed range, shape or expression.
    """
    graph = graph.unguarded if question.guards == "ignore" else graph
    return _without_idle(_make_problem(graph, *_read_declarations(graph, question), _assume(graph, question)))


def pose_everything(graph: Graph) -> Problem:
    """Return the problem of all inputs that a graph's declared shapes admit: any size (0 too), any elements."""
    declared, names, ranges, small = _read_declarations(dataclasses.replace(graph, ranges={}), NO_OPTIONS)
    elements = {name for one in small.values() for name in one.names}
    sizes = {
        n: SymbolRange(0, None, 1, "model") if n not in elements and r != ANY_RANK else r for n, r in ranges.items()
    }
    return _make_problem(graph, declared, names, sizes, small)


def _read_declarations(
    graph: Graph, question: Question
) -> tuple[Declarations, dict[str, str], dict[str, SymbolRange], dict[str, Small]]:
    """Return the inputs' axes, the names that are formulas, the ranges of the other names, and the small inputs."""
    dims = own_names(graph, question.dims or {})
    declared = input_declarations(graph, question.shapes or {})
    ranks = inputs_without_rank(graph, declared)
    for name in ranks:
        give_rank(name, declared, dims)
    names, ranges = symbol_ranges(graph, declared, dims, list(map(rank_name, ranks)))
    shapes = constant_shapes(declared, names, ranges)
    small, elements = small_inputs(graph, shapes, {*names, *ranges}, question.values or {})
    return declared, names, {**ranges, **elements}, small


def _assume(graph: Graph, question: Question) -> Mapping[str, Origin]:
    """Return the relations in the file's metadata and those that the caller assumes, each with its origin."""
    given = question.assume or ()
    own = given if isinstance(given, Mapping) else {text: Origin("--assume") for text in given}
    return {text: Origin("metadata", needed=False) for text in graph.relations} | {**own}


def _make_problem(
    graph: Graph,
    declared: Declarations,
    names: Mapping[str, str],
    ranges: Mapping[str, SymbolRange],
    small: Mapping[str, Small] | None = None,
    assume: Mapping[str, Origin] | None = None,
) -> Problem:
    free = {
        name: symbol(name, r.min, inf if r.max is None else r.max, step=r.step, fold=False)
        for name, r in ranges.items()
    }
    small = small or {}
    free.update({name: d for s in small.values() for name, d in s.symbols(ranges).items()})
    known = {**{alias: free[name] for alias, name in graph.aliases.items() if name in free}, **free}
    assumed = {text: origin for text, origin in (assume or {}).items() if _applies(text, origin, known)}
    sources = {text: origin.source for text, origin in assumed.items() if origin.source != "--assume"}
    formulas = [_parse_assumption(text, origin, known) for text, origin in assumed.items()]
    solved, facts = eliminate(all_of(*formulas).conjuncts)
    dims = {name: substitute(d, solved) for name, d in free.items()}
    ranks = {name: dims[rank_name(name)] for name in inputs_without_rank(graph, declared)}
    inputs = _inputs(declared, dims, names, ranks)
    inputs.update({name: tensor(s.dtype, s.shape, s.value(dims)) for name, s in small.items()})
    symbols = [s for d in free.values() if (s := d.as_symbol()) is not None and s not in solved]
    domain = Domain(symbols, facts)
    problem = Problem(graph, ranges, dims, inputs, domain, tuple(assumed), sources, declared, names, ranks, (), small)
    return _with_ranks(problem) if ranks else problem


def _without_idle(problem: Problem) -> Problem:
    """Return the problem without the input elements that nothing uses and that have no range from the caller."""
    elements = open_elements(problem.dims, problem.ranges)
    if not elements:
        return problem
    inference = infer(problem.graph, problem.at(problem.domain.numbers).inputs)
    idle = idle_elements(elements, inference, problem.domain.facts)
    dims = {name: d for name, d in problem.dims.items() if d.symbols.isdisjoint(idle)}
    ranges = {name: r for name, r in problem.ranges.items() if name in dims or name not in problem.dims}
    domain = Domain([s for s in problem.domain.symbols if s not in idle], problem.domain.facts)
    return dataclasses.replace(problem, dims=dims, ranges=ranges, domain=domain, inferred=inference)


def names_of(graph: Graph) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names that an assumption can use: of input dimensions, and of elements of small inputs."""
    _, _, ranges, small = _read_declarations(graph, NO_OPTIONS)
    elements = frozenset(name for s in small.values() for name in s.names)
    return frozenset(ranges.keys() - elements | graph.aliases.keys()), elements


def _applies(text: str, origin: Origin, known: Mapping[str, Dim]) -> bool:
    """Whether an assumption concerns the model; an optional one does if its names are known or look misspelt."""
    return origin.needed or all(name in known or misspelt(name, known) for name in names_in(text))


def _parse_assumption(text: str, origin: Origin, known: Mapping[str, Dim]) -> Formula:
    try:
        return parse_formula(text, known, LARGEST)
    except UsageError as error:
        raise UsageError(f"{origin.source}: {error}") from None


def _with_ranks(problem: Problem) -> Problem:
    """Return the problem with the input ranks that its nodes require; repeat until no further rank follows."""
    while True:
        problem = _with_sizes(problem)
        unknown = {t.ndim for t in problem.inputs.values() if t.shape is None and t.ndim is not None}
        symbols = {s for ndim in unknown for s in ndim.symbols}
        if not symbols:
            return problem
        inference = infer(problem.graph, problem.inputs)
        requirements = [(i, r) for i, a in enumerate(inference.applications) for r in a.requirements]
        needed = [(i, r) for i, r in requirements if r.formula.symbols and r.formula.symbols <= symbols]
        domain = problem.domain.copy()
        for _, r in needed:
            domain.assume(r.formula)
        values = {s: domain.values(s) for s in symbols}
        fixed = {s: as_dim(int(v[0])) for s, v in values.items() if v is not None and len(v) == 1}
        if not fixed or any(v is not None and not len(v) for v in values.values()):
            return problem
        inputs = {
            name: tensor(t.dtype, None, ndim=substitute(t.ndim, fixed)) if t.shape is None and t.ndim is not None else t
            for name, t in problem.inputs.items()
        }
        assumed = (*problem.assumed, *((i, r) for i, r in needed if not r.formula.symbols.isdisjoint(fixed)))
        problem = dataclasses.replace(problem, inputs=inputs, assumed=assumed)


def _with_sizes(problem: Problem) -> Problem:
    """Return the problem with a symbol for each size of an input whose rank has become known."""
    inputs, ranges, dims = dict(problem.inputs), dict(problem.ranges), dict(problem.dims)
    for name, t in problem.inputs.items():
        rank = t.ndim.constant if t.shape is None and t.ndim is not None else None
        if rank is not None:
            names = named_axes(name, [None] * rank)
            new = {axis: symbol(axis, 0) for axis in map(str, names) if axis not in dims}
            dims.update(new)
            ranges.update(dict.fromkeys(new, SymbolRange(0, None, 1, "default")))
            inputs[name] = tensor(t.dtype, [dims[str(axis)] for axis in names])
    free = dict.fromkeys(s for d in dims.values() for s in d.symbols if s not in problem.domain.symbols)
    domain = Domain([*problem.domain.symbols, *free], problem.domain.facts) if free else problem.domain
    return dataclasses.replace(problem, inputs=inputs, ranges=ranges, dims=dims, domain=domain)


def _inputs(
    declared: Declarations, dims: Mapping[str, Dim], expressions: Mapping[str, str], ranks: Mapping[str, Dim]
) -> dict[str, Tensor]:
    """Return the input tensors; inputs of one type and shape, such as a decoder's many caches, share one tensor."""
    inputs: dict[str, Tensor] = {}
    same: dict[tuple[object, ...], Tensor] = {}
    for name, (dtype, axes) in declared.items():
        key = dtype, None if axes is None else tuple(axes), ranks.get(name)
        if key not in same:
            same[key] = tensor(dtype, None if axes is None else [_dim(a, dims, expressions) for a in axes], ndim=key[2])
        inputs[name] = same[key]
    return inputs


def _dim(axis: Axis, dims: Mapping[str, Dim], expressions: Mapping[str, str]) -> Dim | int:
    if isinstance(axis, str):
        return parse_dim(axis, dims) if axis in expressions else dims[axis]
    assert isinstance(axis, int)
    if axis < 0:
        raise UsageError(f"an input is declared with the size {axis}; sizes are 0 or more")
    return axis
