"""Warnings: what runs and still deserves a look, each with its kind, its code and an input at which it shows.

    broadcast    equal sizes are meant, and a 1 is stretched as well
    declaration  the file declares another shape than its nodes make
    unreachable  a branch that no input takes, a loop body that never runs
    range        assumptions that leave one value of a wider range
    size         more elements than 32 bits can count
    symbol       a dimension that no node reads
    placeholder  dimensions that the file gives no names but `?` or the like

They never change a verdict. Intervals and normal forms rule nearly all of them out, so that a model without warnings
pays next to nothing; each warning is proven.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from math import inf, prod

from shapesmt import laws
from shapesmt.algebra import (
    FALSE,
    Assignment,
    Atom,
    Bound,
    Dim,
    Evaluator,
    Formula,
    Kind,
    Verdict,
    all_of,
    any_of,
    at_least,
    at_most,
    differs,
    equal,
    negate,
    of_atom,
    product,
)
from shapesmt.deadline import stage
from shapesmt.errors import ModelError, printable
from shapesmt.examine import PLACEHOLDERS, Examination, Judge, Problem, placeholders
from shapesmt.graph import Declared, Graph, Node
from shapesmt.language import Range
from shapesmt.ops import truth_of
from shapesmt.presolve import Domain, decide, extent, monotone
from shapesmt.report import Counterexample, Finding, FindingKind, ModelWarning, WarningKind
from shapesmt.rules import Tensor

MOST_ELEMENTS = (1 << 31) - 1  # the most elements that a signed 32-bit index can count
STRETCHING = (laws.SIZES_BROADCAST, laws.BATCH_SIZES_BROADCAST)
MAX_TRIED = 1 << 16  # the most inputs that are tried for one number of elements
MAX_SIZE = 1 << 40  # the greatest size that is tried of a dimension without an end
MAX_LARGE = 4  # the most different tensors that are examined
MAX_STRETCHED = 16  # the most different pairs of sizes that are examined


@stage("warnings")
def model_warnings(
    problem: Problem, examination: Examination, judge: Judge, claims: Iterable[tuple[str, Finding]] = ()
) -> tuple[ModelWarning, ...]:
    """All warnings, in the order of their kinds; `claims` come from `declarations`."""
    examples = _Examples(problem, examination, judge)
    valid = not examination.fails
    kinds: tuple[Callable[[], Iterable[ModelWarning]], ...] = (
        lambda: _stretched(problem, examination, examples) if valid else (),
        lambda: (_of_claim(tensor, finding) for tensor, finding in claims),
        lambda: _unreachable(problem, examination, judge),
        lambda: _single_valued(problem),
        lambda: _large(problem, examination, examples) if valid else (),
        lambda: _unused(problem, examination),
        lambda: _unnamed(problem),
    )
    warnings: list[ModelWarning] = []
    for kind in kinds:
        warnings += judge.deadline.attempt(partial(_listed_all, kind), ())
    return tuple(warnings)


def _listed_all(kind: Callable[[], Iterable[ModelWarning]]) -> tuple[ModelWarning, ...]:
    return tuple(kind())


def _warning(
    kind: WarningKind,
    text: str,
    node: tuple[int, Node] | None = None,
    tensor: str = "",
    example: Counterexample | None = None,
) -> ModelWarning:
    from shapesmt.laws.codes import code_of_kind  # read only where there is a warning

    index, name, op = (-1, "", "") if node is None else (node[0], node[1].name, node[1].op)
    return ModelWarning(code_of_kind(kind), kind, name, op, index, tensor, text, example)


def _of_claim(tensor: str, f: Finding) -> ModelWarning:
    """The warning for a finding that a tensor hasn't its declared shape."""
    kind = WarningKind.DECLARATION
    return ModelWarning(f.code, kind, f.node, f.op_type, f.index, tensor, f.note, f.counterexample)


class _Examples:
    """Finds inputs of the valid region that show a warning, in the symbols of the report."""

    def __init__(self, problem: Problem, examination: Examination, judge: Judge) -> None:
        self._problem, self._judge, self._examination = problem, judge, examination
        meanings = examination.narrowing.meanings
        self._meant = {s: meanings.get(s, of_atom(s)) for s in problem.domain.symbols}

    def where(self, condition: Formula) -> Assignment | None:
        """The smallest valid input for which the condition holds, if any is known."""
        if condition is FALSE:
            return None
        return self._judge.decide(self._examination.narrowed, negate(condition)).counterexample

    def shown(self, point: Assignment, relevant: frozenset[Atom]) -> tuple[Counterexample, Evaluator]:
        """An input in the report's symbols with the relevant ones marked, and the values of expressions there."""
        at = Evaluator(self._judge.complete(self._examination.narrowed, point) or {})
        values = {s: at.dim(d) for s, d in self._meant.items()}
        return self._problem.counterexample(values, [s for s, d in self._meant.items() if d.symbols & relevant]), at


# Sizes of 1 that are stretched


def _stretched(problem: Problem, examination: Examination, examples: _Examples) -> Iterator[ModelWarning]:
    """Warn of two sizes that are equal for some valid inputs, while for others a 1 is broadcast to the other."""
    for index, x, y, when in islice(_open_broadcasts(examination), MAX_STRETCHED):
        apart = any_of(all_of(equal(x, 1), at_least(y, 2)), all_of(equal(y, 1), at_least(x, 2)))
        point = examples.where(all_of(when, apart))
        if point is None or examples.where(all_of(when, equal(x, y), at_least(x, 2))) is None:
            continue  # if they are never equal, the broadcast is intended
        shown, at = examples.shown(point, x.symbols | y.symbols)
        one, other = (x, y) if at.dim(x) == 1 else (y, x)
        size = f"{other} = {at.dim(other)}" if other.symbols else str(other)
        meant = f'--assume "{equal(x, y)}" if they are to be equal'
        text = f"{one} = 1 is stretched to {size} at {_sizes(shown)}; {meant}"
        yield _warning(WarningKind.BROADCAST, text, (index, problem.graph.nodes[index]), example=shown)


def _open_broadcasts(examination: Examination) -> Iterator[tuple[int, Dim, Dim, Formula]]:
    """The broadcasts whose sizes may be equal, or one of them 1: node, both sizes and condition, each pair once."""
    seen: set[Formula] = set()
    for index in examination.open:
        for r in examination.inference.applications[index].requirements:
            if r.formula.op == "or" and r.law in STRETCHING and r.formula not in seen:
                seen.add(r.formula)
                if r.left is not None and r.right is not None and _chosen(r.formula):
                    yield index, r.left, r.right, r.branch


# What the file declares


def declarations(
    problem: Problem, examination: Examination, judge: Judge, *, names_agree: bool = False
) -> tuple[tuple[str, Finding], ...]:
    """The tensors whose declared shape the inferred one contradicts, each with its finding.

    With `names_agree`, a name that no input has stands for one size as well: ONNX Runtime reuses memory by names,
    while of a PyTorch program they are names of its trace.
    """
    findings = []
    reused = names_agree and "torch" not in problem.graph.opsets
    names = {**_first_named(problem, examination), **problem.dims} if reused else problem.dims
    for name, declared in problem.graph.declared.items():
        look = partial(_contradicted, problem, examination, judge, name, declared, names)
        contradicted = judge.deadline.attempt(look, None)
        findings += [(name, contradicted)] if contradicted is not None else []
    return tuple(findings)


def refuse_declarations(problem: Problem, examination: Examination, judge: Judge) -> None:
    """Raise for the first declared shape that no input gives.

    Raises:
        ModelError: Naming the tensor and both shapes.
    """
    for _, f in declarations(problem, examination, judge):
        if f.verdict is Verdict.FAILS:
            where = f"node '{printable(f.node)}'"
            raise ModelError(
                f"{where}: {printable(f.law)}, which is never so ({printable(f.condition)}); "
                "--declared override writes what is inferred"
            )


def _first_named(problem: Problem, examination: Examination) -> dict[str, Dim]:
    """What each name in a declared shape stands for at first."""
    named: dict[str, Dim] = {}
    for tensor, declared in problem.graph.declared.items():
        t = examination.inference.tensors.get(tensor)
        if t is not None and t.shape is not None and t.is_tensor and len(declared.shape or ()) == len(t.shape):
            for name, size in zip(declared.shape or (), t.shape, strict=True):
                if isinstance(name, str) and name not in ("", *PLACEHOLDERS):
                    named.setdefault(name, size)
    return named


def _contradicted(
    problem: Problem,
    examination: Examination,
    judge: Judge,
    name: str,
    declared: Declared,
    names: Mapping[str, Dim],
) -> Finding | None:
    t = examination.inference.tensors.get(name)
    if t is None or t.shape is None or declared.shape is None or declared.kind != "tensor" or not t.is_tensor:
        return None
    claim = _claim(t.shape, declared.shape, names)
    decision = judge.decide(examination.domain, examination.narrowing.back(claim))
    if decision.verdict not in (Verdict.DEPENDS, Verdict.FAILS):
        return None
    values = judge.complete(examination.domain, decision.counterexample) or {}
    shown = problem.counterexample(values, claim.symbols) if claim.symbols else None
    theirs, ours = (", ".join(str(d or "?") for d in dims) for dims in (declared.shape, t.shape))
    at = f", as at {_sizes(shown)}" if shown is not None and shown.relevant else ""
    unread = (d for d in declared.shape if isinstance(d, str) and d in names and d not in problem.dims)
    reused = [f"{d} is {names[d]} elsewhere" for d in dict.fromkeys(unread)]
    by_name = f"; {', '.join(reused)}, and ONNX Runtime reuses memory by names" if reused else ""
    text = f"the file declares [{theirs}] of '{name}', its node makes [{ours}]{at}{by_name}"
    index, node = _producer(problem.graph, name) or (-1, None)
    where = (name, "", -1) if node is None else (node.name, node.op, index)
    law = f"tensor '{name}' has the declared shape [{theirs}]"
    condition = str(claim) if len(declared.shape) == len(t.shape) else f"rank {len(declared.shape)} == {len(t.shape)}"
    code = _warning(WarningKind.DECLARATION, text).code
    return Finding(decision.verdict, FindingKind.DECLARATION, *where, law, condition, shown, note=text, code=code)


def _claim(shape: tuple[Dim, ...], declared: tuple[int | str | None, ...], dims: Mapping[str, Dim]) -> Formula:
    """The condition under which a declared shape is right; sizes that the inputs don't decide are not compared."""
    if len(shape) != len(declared):
        return FALSE
    known = {i: dims.get(d) if isinstance(d, str) else d for i, d in enumerate(declared)}
    return all_of(*filter(_chosen, (equal(shape[i], d) for i, d in known.items() if d is not None)))


def _chosen(formula: Formula) -> bool:
    """Whether all symbols of a condition are sizes of the model's inputs."""
    return all(s.kind is Kind.INPUT for s in formula.symbols)


# What is never reached


def _unreachable(problem: Problem, examination: Examination, judge: Judge) -> Iterator[ModelWarning]:
    """Warn of branches and loop bodies that no admissible input reaches; not of an `If` whose outputs nothing reads."""
    tensors, graph, nodes = examination.original.tensors, problem.graph, problem.graph.nodes
    if not examination.original.nested:
        return
    for index, node in enumerate(nodes):
        if (
            node.op == "If"
            and node.inputs
            and any(graph.consumers(name) or name in graph.outputs for name in node.outputs)
        ):
            condition = truth_of(tensors.get(node.inputs[0]))
            verdict = None if condition is None else judge.decide(problem.domain, differs(condition, 0)).verdict
            if verdict in (Verdict.PROVED, Verdict.FAILS):
                branch, state = ("else", "true") if verdict is Verdict.PROVED else ("then", "false")
                text = f"no input takes the {branch} branch: '{node.inputs[0]}' is {state} for every input"
                yield _warning(WarningKind.UNREACHABLE, text, (index, node), tensor=node.inputs[0])
        elif node.op == "Loop" and (name := _never_runs(node, tensors)) is not None:
            yield _warning(
                WarningKind.UNREACHABLE, f"its body never runs: '{name}' is 0 for every input", (index, node)
            )


def _never_runs(node: Node, tensors: Mapping[str, Tensor]) -> str | None:
    """The trip count or first condition of a loop, if it is 0 for every input."""
    truths = ((name, truth_of(tensors[name])) for name in node.inputs[:2] if name)
    return next((name for name, value in truths if value is not None and value.hi <= 0), None)


# What the ranges leave


def _single_valued(problem: Problem) -> Iterator[ModelWarning]:
    """Warn of dimensions with a range of which the assumptions admit a single value."""
    for name, r in problem.ranges.items() if problem.assumptions else ():
        ends = extent(problem.domain, problem.dims[name]) if r.min != r.max else None
        if ends is not None and ends[0].value == ends[1].value:
            wide = Range(r.min, r.max, r.step)
            text = f"the assumptions leave {name} = {ends[0].value} alone in {wide}, so all is said of that value"
            yield _warning(WarningKind.RANGE, text)


# Tensors beyond 32 bits


def _large(problem: Problem, examination: Examination, examples: _Examples) -> Iterator[ModelWarning]:
    """Warn of the largest tensor with more elements than 32 bits can count, at a smallest such input."""
    tensors = examination.inference.tensors
    large = {t: most for t in dict.fromkeys(tensors.values()) if MOST_ELEMENTS < (most := _most(t)) < inf}
    for t in sorted(large, key=large.__getitem__, reverse=True)[:MAX_LARGE]:
        size = product(t.dims)
        point = _overflow(size, examination.narrowed)
        if point is not None:
            name = next(name for name, other in tensors.items() if other is t)
            shown, values = examples.shown(point, size.symbols)
            at = f" at {_sizes(shown)}" if shown.relevant else ""
            count = values.dim(size)
            bits = 32 if count < 1 << 63 else 64
            text = f"'{name}' has {count} elements{at}; indices of {bits} bits end at {(1 << bits - 1) - 1}"
            yield _warning(WarningKind.SIZE, text, _producer(problem.graph, name), tensor=name, example=shown)
            return


def _most(t: Tensor) -> Bound:
    """An upper bound on the number of elements of a tensor with these sizes."""
    most: Bound = 1
    for d in t.shape or ():
        most *= d.hi
    return most if t.shape is not None and t.is_tensor else 0


def _overflow(size: Dim, domain: Domain) -> Assignment | None:
    """An input at which the number of elements exceeds the limit, each dimension as small as possible; or None."""
    if any(s.universal for s in size.symbols):
        return None
    symbols, facts = domain.cone(size.symbols)
    axes = {s: _listed(domain, s) for s in symbols}
    if not all(map(len, axes.values())):
        return None
    if facts or monotone(size) != 1:
        few = prod(map(len, axes.values())) <= MAX_TRIED
        decision = decide(domain, at_most(size, MOST_ELEMENTS)) if few else None
        return decision.counterexample if decision is not None else None
    point = {s: int(values[-1]) for s, values in axes.items()}
    if Evaluator(point).dim(size) <= MOST_ELEMENTS:
        return None
    for s, values in axes.items():
        at = bisect_left(values, True, key=lambda v: Evaluator({**point, s: int(v)}).dim(size) > MOST_ELEMENTS)
        point[s] = int(values[at])
    return point


def _listed(domain: Domain, s: Atom) -> Sequence[int]:
    """The admissible values of a symbol in ascending order, up to `MAX_SIZE`."""
    values, (lo, hi) = domain.values(s), domain.ends(s)
    if values is None:
        return range(int(lo), int(min(hi, MAX_SIZE)) + 1, s.step)
    return values  # type: ignore[return-value]  # an array


# Dimensions that say nothing


def _unused(problem: Problem, examination: Examination) -> Iterator[ModelWarning]:
    """Warn of dimensions of inputs that no node reads."""
    tensors, graph = examination.original.tensors, problem.graph
    missing = {s for d in problem.dims.values() for s in d.symbols}
    computed = [t for a in dict.fromkeys(examination.original.applications) for t in a.outputs]
    for t in (*computed, *map(tensors.__getitem__, examination.original.unranked)):
        if not missing:
            return
        missing.difference_update(*(d.symbols for d in t.shape or ()))
    places: dict[Atom, list[str]] = {}
    for i, t in problem.inputs.items():
        for s in {s for size in t.shape or () for s in size.symbols}:
            places.setdefault(s, []).append(i)
    for name, d in problem.dims.items():
        having = list(dict.fromkeys(i for s in d.symbols for i in places.get(s, ())))
        if having and d.symbols & missing and not any(graph.consumers(i) or i in graph.outputs for i in having):
            inputs = ", ".join(f"'{i}'" for i in having)
            yield _warning(WarningKind.SYMBOL, f"nothing depends on {name}: no node reads {inputs}", tensor=having[0])


def _unnamed(problem: Problem) -> Iterator[ModelWarning]:
    """Warn of placeholders (`?`) that the file writes for several dimensions, which are independent sizes."""
    for mark, names in placeholders(problem.graph).items():
        dims = [name for name in names if name in problem.dims]
        if len(dims) > 1:
            text = f"{printable(repr(mark))} names no size: {', '.join(dims)} are sizes of their own"
            yield _warning(WarningKind.PLACEHOLDER, text, tensor=dims[0].rpartition("_dim")[0])


def _sizes(shown: Counterexample) -> str:
    names: Iterable[str] = shown.relevant or shown.symbols
    return ", ".join(f"{name}={shown.symbols[name]}" for name in names)


def _producer(graph: Graph, tensor: str) -> tuple[int, Node] | None:
    index = graph.producer(tensor)
    return None if index is None else (index, graph.nodes[index])
