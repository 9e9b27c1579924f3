"""Problem: a graph with what its caller declares → input tensors and the domain of admissible inputs.

An assumption that gives one symbol in terms of the others (`total == past + seq`) replaces that symbol everywhere;
the others are facts of the domain.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf

from shapesmt.algebra import (
    SYMBOL,
    Atom,
    Dim,
    Formula,
    Substitution,
    all_of,
    as_dim,
    evaluate,
    of_atom,
    substitute,
    symbol,
)
from shapesmt.errors import UsageError
from shapesmt.examine.inputs import Small, constant_shapes, idle_elements, small_inputs
from shapesmt.examine.question import NO_OPTIONS, Question
from shapesmt.graph import Graph
from shapesmt.inference import infer
from shapesmt.language import (
    DimLike,
    Origin,
    Range,
    RangeLike,
    ShapeLike,
    names_in,
    parse_dim,
    parse_formula,
    parse_range,
    parse_shape,
    unknown_name,
)
from shapesmt.presolve import Domain, range_facts
from shapesmt.report import Counterexample, SymbolRange
from shapesmt.rules import MAX_RANK, Requirement, Tensor, rewritten, tensor

Axis = int | str | Range
Declarations = Mapping[str, "tuple[str, list[Axis] | None]"]
PLACEHOLDERS = ("?", "*", "-1", "None")  # that exporters write where a size has no name
ANY_RANK = SymbolRange(0, MAX_RANK, 1, "default")


@dataclass(frozen=True, eq=False)
class Problem:
    """What is to be decided.

    Attributes:
        ranges: The declared range of each name, and where it comes from.
        dims: Each declared name as an expression over the domain's symbols.
        inputs: The input tensors.
        domain: The admissible inputs, before any node is judged.
        assumptions: The relations that hold of them, as written.
        origins: Of the assumptions that nobody gave by hand, where they come from.
        declared: Each input's element type, and its axes as they are declared.
        expressions: Of each dimension name that is a formula its text.
        ranks: Of each input that has no declared rank, the symbol that stands for it.
        assumed: What nodes need of these ranks, by the nodes' indices: the inputs have the ranks that follow.
        small: The inputs whose elements have names.
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

    @property
    def unadopted(self) -> dict[str, SymbolRange]:
        """The ranges that the file notes of names that none of its sizes has: an exporter renamed those."""
        if not self.graph.ranges:
            return {}
        declared = (*self.graph.inputs.values(), *self.graph.declared.values())
        named = {axis for d in declared for axis in d.shape or ()}
        found = {}
        for name, text in self.graph.ranges.items():
            if name.isidentifier() and name not in named:
                with suppress(UsageError):  # of a number that is no size, it may be negative
                    found[name] = _symbol_range(parse_range(text, name), "metadata")
        return found

    def widened(self) -> Problem:
        """The same graph for inputs of any size, from 1 on where none is declared to be 0; nothing is assumed."""
        ranges = {name: SymbolRange(min(r.min, 1), None, 1, r.source) for name, r in self.ranges.items()}
        ranges.update(dict.fromkeys(map(rank_name, self.ranks), ANY_RANK))
        ranges.update({name: r for small in self.small.values() for name, r in small.anything().items()})
        return _posed(self.graph, self.declared, self.expressions, ranges, small=self.small)

    def pinned(self) -> Problem:
        """The problem in which every symbol that has one value left is that number; itself where there is none."""
        numbers: dict[Atom, Dim] = {}
        domain = self.domain
        while found := _single_values(domain):
            numbers |= found
            domain = Domain([s for s in domain.symbols if s not in found], [substitute(f, found) for f in domain.facts])
        if not numbers:
            return self
        dims = {name: substitute(d, numbers) for name, d in self.dims.items()}
        ranks = {name: substitute(d, numbers) for name, d in self.ranks.items()}
        inputs = {name: rewritten(t, Substitution(numbers)) for name, t in self.inputs.items()}
        problem = dataclasses.replace(self, dims=dims, inputs=inputs, domain=domain, ranks=ranks)
        return _with_ranks(problem) if ranks else problem

    def counterexample(self, values: Mapping[Atom, int], deciding: Iterable[Atom] = ()) -> Counterexample:
        """An assignment as the symbols and input shapes that a caller would write; the deciding symbols matter."""
        constants = {a: int(v) for a, v in values.items()}

        def size(d: Dim) -> int:
            return int(evaluate(d, constants))

        shapes = {name: tuple(map(size, t.shape)) for name, t in self.inputs.items() if t.shape is not None}
        for name, ndim in self.ranks.items():
            if len(shapes.get(name, ())) != size(ndim) or name not in shapes:
                shapes[name] = (1,) * size(ndim)
        decide = frozenset(deciding)
        relevant = tuple(name for name, d in self.dims.items() if not d.symbols.isdisjoint(decide))
        symbols = {name: size(d) for name, d in self.dims.items()}
        given = {name: s.at(symbols) for name, s in self.small.items() if s.matters(symbols)}
        return Counterexample(symbols, shapes, relevant, given)


def pose(graph: Graph, question: Question = NO_OPTIONS) -> Problem:
    """The problem that a graph and what its caller declares pose; a mapping of assumptions has their origins.

    Raises:
        UsageError: A name that doesn't exist, a malformed range, shape or expression.
    """
    dims = question.dims or {}
    declared = _declared(graph, question.shapes or {})
    unranked = _unranked(graph, declared)
    for name in unranked:
        _give_rank(name, declared, dims)
    names, given = _symbols(graph, declared, dims, list(map(rank_name, unranked)))
    shapes = constant_shapes(declared, given)
    small, elements = small_inputs(graph, shapes, {*names, *given}, question.values or {})
    return _without_idle(_posed(graph, declared, names, {**given, **elements}, question.assume, small))


def _posed(
    graph: Graph,
    declared: Declarations,
    names: Mapping[str, str],
    given: Mapping[str, SymbolRange],
    assume: Iterable[str] | Mapping[str, Origin] | None = None,
    small: Mapping[str, Small] | None = None,
) -> Problem:
    free = {
        name: symbol(name, r.min, inf if r.max is None else r.max, step=r.step, fold=False) for name, r in given.items()
    }
    small = small or {}
    free.update({name: d for s in small.values() for name, d in s.symbols(given).items()})
    origins = assume if isinstance(assume, Mapping) else {}
    assumptions = [assume] if isinstance(assume, str) else list(assume or ())
    assumptions = [text for text in assumptions if text not in origins or _applies(text, origins[text], free)]
    formulas = [_assumed(text, origins.get(text), free) for text in assumptions]
    solved, facts = _eliminate(all_of(*formulas).conjuncts)
    meant = {name: substitute(d, solved) for name, d in free.items()}
    ranks = {name: meant[rank_name(name)] for name in _unranked(graph, declared)}
    inputs = {
        name: tensor(dtype, None if axes is None else [_dim(a, meant, names) for a in axes], ndim=ranks.get(name))
        for name, (dtype, axes) in declared.items()
    }
    inputs.update({name: tensor(s.dtype, s.shape, s.value(meant)) for name, s in small.items()})
    own = [s for d in free.values() if (s := d.as_symbol()) is not None and s not in solved]
    sources = {text: origins[text].source for text in assumptions if text in origins}
    sources = {text: source for text, source in sources.items() if source != "--assume"}
    domain = Domain(own, facts)
    problem = Problem(
        graph, given, meant, inputs, domain, tuple(assumptions), sources, declared, names, ranks, (), small
    )
    return _with_ranks(problem) if ranks else problem


def _without_idle(problem: Problem) -> Problem:
    """The problem without the elements of inputs of which nobody says anything, and on which nothing depends."""
    idle = idle_elements(problem.graph, problem.pinned().inputs, problem.dims.values(), problem.domain.facts)
    dims = {name: d for name, d in problem.dims.items() if d.symbols.isdisjoint(idle)}
    ranges = {name: r for name, r in problem.ranges.items() if name in dims or name not in problem.dims}
    domain = Domain([s for s in problem.domain.symbols if s not in idle], problem.domain.facts)
    return dataclasses.replace(problem, dims=dims, ranges=ranges, domain=domain) if idle else problem


def names_of(graph: Graph) -> tuple[frozenset[str], frozenset[str]]:
    """The names of input dimensions, and of elements of small inputs: what an assumption can speak of."""
    declared = _declared(graph, {})
    names, given = _symbols(graph, declared, {}, list(map(rank_name, _unranked(graph, declared))))
    small, _ = small_inputs(graph, constant_shapes(declared, given), {*names, *given}, {})
    return frozenset(given), frozenset(name for s in small.values() for name in s.names)


def _applies(text: str, origin: Origin, known: Mapping[str, Dim]) -> bool:
    """Whether an assumption concerns the model: one that isn't needed does where all its names are known."""
    return origin.needed or names_in(text) <= known.keys()


def _assumed(text: str, origin: Origin | None, known: Mapping[str, Dim]) -> Formula:
    try:
        return parse_formula(text, known)
    except UsageError as error:
        raise (UsageError(f"{origin.source}: {error}") if origin is not None else error) from None


def rank_name(name: str) -> str:
    """The name that stands for the rank of an input that has no declared one."""
    return f"{name}_rank"


def _unranked(graph: Graph, declared: Declarations) -> list[str]:
    """The inputs that are tensors of unknown rank: sequences and optional values have none."""
    return [name for name, (_, axes) in declared.items() if axes is None and graph.inputs[name].kind == "tensor"]


def _give_rank(name: str, declared: dict[str, tuple[str, list[Axis] | None]], dims: Mapping[str, RangeLike]) -> None:
    """Dimensions for an input whose rank is given as if it were one (`--dim x_rank=4`)."""
    asked = parse_range(dims.get(rank_name(name), (0, MAX_RANK)), rank_name(name))
    if asked.lo > MAX_RANK or (asked.hi is not None and asked.hi > MAX_RANK):
        raise UsageError(f"{rank_name(name)} is {asked}; a tensor has at most {MAX_RANK} dimensions")
    if asked.lo == asked.hi:
        declared[name] = declared[name][0], _named(name, [None] * asked.lo)


def _with_ranks(problem: Problem) -> Problem:
    """The problem with the ranks that its nodes need of its inputs, until none follows from them."""
    while True:
        problem = _sized(problem)
        left = {t.ndim for t in problem.inputs.values() if t.shape is None and t.ndim is not None}
        symbols = {s for ndim in left for s in ndim.symbols}
        if not symbols:
            return problem
        found = infer(problem.graph, problem.inputs)
        stated = [(i, r) for i, a in enumerate(found.applications) for r in a.requirements]
        needed = [(i, r) for i, r in stated if r.formula.symbols and r.formula.symbols <= symbols]
        domain = problem.domain.copy()
        for _, r in needed:
            domain.assume(r.formula)
        values = {s: domain.values(s) for s in symbols}
        pinned = {s: as_dim(int(v[0])) for s, v in values.items() if v is not None and len(v) == 1}
        if not pinned or any(v is not None and not len(v) for v in values.values()):
            return problem
        inputs = {
            name: tensor(t.dtype, None, ndim=substitute(t.ndim, pinned))
            if t.shape is None and t.ndim is not None
            else t
            for name, t in problem.inputs.items()
        }
        assumed = (*problem.assumed, *((i, r) for i, r in needed if not r.formula.symbols.isdisjoint(pinned)))
        problem = dataclasses.replace(problem, inputs=inputs, assumed=assumed)


def _sized(problem: Problem) -> Problem:
    """The problem with a symbol for each size of the inputs whose rank is known by now."""
    inputs, ranges, dims = dict(problem.inputs), dict(problem.ranges), dict(problem.dims)
    for name, t in problem.inputs.items():
        rank = t.ndim.constant if t.shape is None and t.ndim is not None else None
        if rank is not None:
            names = _named(name, [None] * rank)
            new = {axis: symbol(axis, 0, fold=False) for axis in map(str, names) if axis not in dims}
            dims.update(new)
            ranges.update(dict.fromkeys(new, SymbolRange(0, None, 1, "default")))
            inputs[name] = tensor(t.dtype, [dims[str(axis)] for axis in names])
    free = dict.fromkeys(s for d in dims.values() for s in d.symbols if s not in problem.domain.symbols)
    domain = Domain([*problem.domain.symbols, *free], problem.domain.facts) if free else problem.domain
    return dataclasses.replace(problem, inputs=inputs, ranges=ranges, dims=dims, domain=domain)


def _declared(graph: Graph, shapes: Mapping[str, ShapeLike]) -> dict[str, tuple[str, list[Axis] | None]]:
    """Every input's element type and axes: the file's, under what the caller says of them."""
    for name in shapes:
        if name not in graph.inputs:
            raise unknown_name("input", name, graph.inputs, graph.source)
    declared: dict[str, tuple[str, list[Axis] | None]] = {}
    apart = placeholders(graph)
    for name, d in graph.inputs.items():
        axes: list[Range | int | str | None] | None = None if d.shape is None or d.kind != "tensor" else [*d.shape]
        axes = axes if axes is None else [None if axis in apart else axis for axis in axes]
        if name in shapes:
            axes = _merged(name, axes, parse_shape(shapes[name], name))
        declared[name] = (d.dtype if d.kind != "sparse" else "", None if axes is None else _named(name, axes))
    return declared


def placeholders(graph: Graph) -> dict[str, list[str]]:
    """What stands for a size and names none (`?`), where it stands for several, with the names that they get."""
    found: dict[str, list[str]] = {mark: [] for mark in PLACEHOLDERS}
    for name, d in graph.inputs.items():
        for i, axis in enumerate(d.shape or ()):
            if axis in found:
                found[str(axis)].append(f"{name}_dim{i}")
    return {mark: names for mark, names in found.items() if len(names) > 1}


def _merged(
    name: str, axes: list[Range | int | str | None] | None, asked: tuple[DimLike, ...] | None
) -> list[Range | int | str | None] | None:
    """The asked shape, with the file's size wherever it leaves one open."""
    if asked is None or axes is None:
        return None if asked is None else list(asked)
    if len(asked) != len(axes):
        raise UsageError(f"--shape gives input '{name}' {len(asked)} dimensions, the file gives it {len(axes)}")
    return [
        theirs if ours is None or (isinstance(ours, Range) and ours.lo == ours.hi == theirs) else ours
        for ours, theirs in zip(asked, axes, strict=True)
    ]


def _named(name: str, axes: list[Range | int | str | None]) -> list[Axis]:
    return [f"{name}_dim{i}" if axis is None or axis == "" else axis for i, axis in enumerate(axes)]


def _symbols(
    graph: Graph, declared: Declarations, dims: Mapping[str, RangeLike], ranks: Sequence[str] = ()
) -> tuple[dict[str, str], dict[str, SymbolRange]]:
    """The symbols with their ranges, and of each expression among the dimension names its text."""
    order: dict[str, SymbolRange | None] = dict.fromkeys(ranks, ANY_RANK)
    narrowed = _narrowed(graph, declared, dims)
    for name, (_, axes) in declared.items():
        for i, axis in enumerate(axes or ()):
            if isinstance(axis, Range):
                label = narrowed.get((name, i), f"{name}_dim{i}")
                order[label] = _symbol_range(axis, "--shape")
                axes[i] = label  # type: ignore[index]  # axes is the list we iterate
            elif isinstance(axis, str):
                order.setdefault(axis, None)
    plain = {name for name in order if name.isidentifier()}
    expressions = {name: name for name in order if name not in dims and _is_expression(name, plain)}
    for name in dims:
        if (name not in order or name in expressions) and _needed(name, dims[name], graph):
            origin = _origin(dims[name])
            where = graph.source if origin is None else f"{graph.source}, named in {origin.source}"
            raise unknown_name("input dimension", name, [n for n in order if n not in expressions], where)
    ranges: dict[str, SymbolRange] = {}
    for name, known in order.items():
        if name in dims:
            asked = parse_range(dims[name], name)
            if name in ranks and asked.hi is None:
                asked = dataclasses.replace(asked, hi=MAX_RANK)
            ranges[name] = _symbol_range(asked, "--dim")
        elif known is not None:
            ranges[name] = known
        elif name not in expressions:
            noted = graph.ranges.get(name)
            ranges[name] = _symbol_range(parse_range(noted or "1..", name), "metadata" if noted else "default")
    return expressions, ranges


def _narrowed(graph: Graph, declared: Declarations, dims: Mapping[str, RangeLike]) -> dict[tuple[str, int], str]:
    """The axes to which a shape gives a range and the file a name: it is the range of that name, if of one range."""
    asked: dict[str, set[Range]] = {}
    places: dict[tuple[str, int], str] = {}
    for name, (_, axes) in declared.items():
        theirs = graph.inputs[name].shape or ()
        for i, (axis, label) in enumerate(zip(axes or (), theirs, strict=False)):
            if isinstance(axis, Range) and isinstance(label, str) and label.isidentifier() and label not in dims:
                places[name, i] = label
                asked.setdefault(label, set()).add(axis)
    return {place: label for place, label in places.items() if len(asked[label]) == 1}


def _symbol_range(r: Range, source: str) -> SymbolRange:
    return SymbolRange(r.lo, r.hi, r.step, source if r.origin is None else r.origin.source)


def _origin(spec: RangeLike) -> Origin | None:
    return spec.origin if isinstance(spec, Range) else None


def _needed(name: str, spec: RangeLike, graph: Graph) -> bool:
    """Whether it is a mistake that no input has the name: not where an input's shape was given without it."""
    origin = _origin(spec)
    return origin is None or (origin.needed and not any(name in (d.shape or ()) for d in graph.inputs.values()))


def _is_expression(name: str, plain: set[str]) -> bool:
    """Whether a dimension's name is a formula over other dimensions (`past_len + 1`)."""
    if name.isidentifier():
        return False
    try:
        formula = parse_dim(name, {n: symbol(n, 1) for n in plain})
    except UsageError:
        return False
    return bool(formula.symbols)


def _dim(axis: Axis, dims: Mapping[str, Dim], expressions: Mapping[str, str]) -> Dim | int:
    if isinstance(axis, str):
        return parse_dim(axis, dims) if axis in expressions else dims[axis]
    assert isinstance(axis, int)
    if axis < 0:
        raise UsageError(f"an input is declared with the size {axis}; sizes are 0 or more")
    return axis


def _single_values(domain: Domain) -> dict[Atom, Dim]:
    """The symbols of which one value is left."""
    ends = {s: domain.ends(s) for s in domain.symbols}
    for s in {s for fact in domain.facts if len(fact.symbols) > 1 for s in fact.symbols}:
        ends[s] = (domain.extent(of_atom(s)) or ends[s])[:2]
    return {s: as_dim(int(lo)) for s, (lo, hi) in ends.items() if lo <= hi < lo + s.step}


def _eliminate(parts: tuple[Formula, ...]) -> tuple[dict[Atom, Dim], list[Formula]]:
    """Substitutions for the symbols that equalities determine, and the facts that are left."""
    solved: dict[Atom, Dim] = {}
    facts: list[Formula] = []
    for part in parts:
        part = substitute(part, solved)
        found = _solve(part)
        if found is None:
            facts.extend(part.conjuncts)
            continue
        atom, meaning = found
        solved = {a: substitute(m, {atom: meaning}) for a, m in solved.items()}
        solved[atom] = meaning
        facts = [substitute(f, {atom: meaning}) for f in facts]
        facts += range_facts(atom, meaning)
    return solved, facts


def _solve(fact: Formula) -> tuple[Atom, Dim] | None:
    """The symbol that an equality determines best: in terms of the others, with the fewest minus signs."""
    if fact.op != "eq" or fact.dim is None:
        return None
    choices: list[tuple[int, str, Atom, Dim]] = []
    for factors, coefficient in fact.dim.products():
        atom = factors[0] if len(factors) == 1 else None
        if atom is not None and atom.op is SYMBOL and abs(coefficient) == 1:
            meaning = of_atom(atom) - fact.dim * coefficient
            if atom not in meaning.symbols:
                choices.append((sum(c < 0 for _, c in meaning.terms), atom.name, atom, meaning))
    return min(choices, key=lambda c: c[:2])[2:] if choices else None
