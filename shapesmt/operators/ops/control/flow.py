"""Control flow: If and Loop, whose attributes are graphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from shapesmt.network import laws
from shapesmt.network.graph import Graph, Runtime
from shapesmt.operators.ops.control.declared import judge_branch, judge_loop, judge_no_iterations
from shapesmt.operators.ops.control.iterations import (
    Carried,
    Course,
    Stage,
    in_every_iteration,
    independent,
    initial_carried,
    put,
    trips_until_false,
)
from shapesmt.operators.ops.control.subgraphs import apart, mark, symbols_since, truth_of, twin
from shapesmt.operators.rules import (
    FLOATS,
    Case,
    Decided,
    Elements,
    RuleContext,
    Runs,
    Tensor,
    Traits,
    Value,
    elements,
    field,
    one_of,
    position,
    rewrite_tensor,
    rule,
    tensor,
)
from shapesmt.prover.algebra import (
    ONE,
    TRUE,
    ZERO,
    Atom,
    Dim,
    Kind,
    Substitution,
    all_of,
    any_of,
    at_least,
    at_most,
    const,
    differs,
    equal,
    maximum,
    minimum,
    negate,
    select,
    symbol,
)

UNROLLED = 32  # iterations unrolled at most
WRITTEN = 1 << 14  # nodes in an unrolled loop at most
ROUNDS = 8  # runs of a body to find a formula for its carried tensors
COUNTED = 1 << 31  # a trip count from here on is taken as unlimited
UNTIL_RUN = "if "  # prefix of the name of a condition that only data decides


def _branches(ctx: RuleContext) -> list[tuple[str, Graph]]:
    """Return both branches by name; require that they have no inputs."""
    graphs = [(name, ctx.graph(name)) for name in ("then_branch", "else_branch")]
    ctx.check(not any(graph.inputs for _, graph in graphs), laws.BRANCH_TAKES_NO_INPUT)
    return graphs


CONDITION_ONE_ELEMENT = laws.SM401.law("the condition has one element")


@rule("If", any_rank=True, nested=True, total=True, traits=Traits(runs=Runs.BRANCH))
def branch(ctx: RuleContext) -> list[Tensor]:
    """Return the outputs of the branch that the condition selects; its requirements apply only if it is selected."""
    condition = ctx.input(0)
    require_single(ctx, condition, CONDITION_ONE_ELEMENT)
    truth = truth_of(condition)
    ctx.assume_valid(0, fails=False)
    graphs = _branches(ctx)
    if truth is None:
        truth = ctx.fresh(f"{UNTIL_RUN}{ctx.node.inputs[0]}", 0, 1, how=Decided((0,), place=0, free=True))
    holds = differs(truth, 0)
    if truth.constant is not None:
        name, graph = graphs[0 if holds is TRUE else 1]
        return apart(ctx, graph, [], name, name[:4], judge=judge_branch)
    ways = holds, negate(holds)
    both = zip(graphs, ways, strict=True)
    outputs = [apart(ctx, graph, [], name, name[:4], way, judge_branch) for (name, graph), way in both]
    return [one_of([*map(Case, ways, pair)]) for pair in zip(*outputs, strict=False)]


def require_single(ctx: RuleContext, t: Tensor, law: laws.Law) -> None:
    """Require that a tensor holds one element: `[]`, `[1]`, `[1, 1]`."""
    if t.shape is not None:
        ctx.require_equal(t.numel, 1, law)


# Loop


BODY_TAKES_TRIP_CONDITION_CARRIED = laws.SM403.law("the body takes the trip, the condition and each carried tensor")
BODY_MAKES_CONDITION_AND_CARRIED = laws.SM403.law("the body makes the condition and each carried tensor")
TRIP_COUNT_SINGLE_NUMBER = laws.SM401.law("the trip count is a single number")


@rule("Loop", any_rank=True, nested=True, total=True, traits=Traits(runs=Runs.LOOP))
def loop(ctx: RuleContext) -> list[Tensor]:
    """Return the carried tensors after the last iteration, then the stacked scan outputs of all iterations."""
    body, start = ctx.graph("body"), [ctx.input(i) for i in range(2, len(ctx.inputs))]
    ctx.check(len(body.inputs) == 2 + len(start), BODY_TAKES_TRIP_CONDITION_CARRIED)
    ctx.check(len(body.outputs) > len(start), BODY_MAKES_CONDITION_AND_CARRIED)
    for index, law in enumerate((TRIP_COUNT_SINGLE_NUMBER, CONDITION_ONE_ELEMENT)):
        if ctx.has(index):
            require_single(ctx, ctx.input(index), law)
    assume_numbers(ctx)
    judge_loop(ctx, body, iteration_inputs(body, ZERO, start))
    limit, first = trip_limit(ctx), truth_of(ctx.input(1)) if ctx.has(1) else ONE
    iterations = limit.constant if limit is not None and first is ONE else None
    if iterations is not None and 1 <= iterations <= UNROLLED and iterations * weight(body) <= WRITTEN:
        outputs = unroll(ctx, body, start, iterations)
        if outputs is not None:
            return outputs
    return repeat(ctx, body, start, limit, first)


def assume_numbers(ctx: RuleContext) -> None:
    """Record inputs that may decide the iterations: trip count, condition and carried tensors other than floats."""
    for index, t in enumerate(ctx.inputs):
        if index < 2 or (t is not None and t.dtype not in FLOATS):
            ctx.assume_valid(index, fails=False)


def trip_limit(ctx: RuleContext) -> Dim | None:
    """Return the maximum number of iterations; None if unlimited."""
    if not ctx.has(0):
        return None
    count = truth_of(ctx.input(0))
    if count is not None:
        return None if count.lo >= COUNTED else maximum(count, 0)
    count = symbol(ctx.node.inputs[0], 0, kind=Kind.DATA)
    ctx.fresh_symbols.append(count)
    ctx.decisions[count] = Decided((0,), place=0, free=True)
    ctx.memoizable = False
    return count


def weight(graph: Graph) -> int:
    """Return the number of nodes of a graph if its inner loops are unrolled."""
    nested = ((UNROLLED if n.op == "Loop" else 1) * sum(map(weight, n.attributes.graphs)) for n in graph.nodes)
    return len(graph.nodes) + sum(nested)


def iteration_inputs(body: Graph, iteration: Dim, carry: Sequence[Tensor]) -> list[Tensor]:
    """Return the inputs of an iteration: its index, a true condition, and the loop-carried tensors."""
    ranks = [len(declared.shape or ()) for declared in body.inputs.values()]
    shapes = [(1,) if rank == 1 else () for rank in ranks[:2]]
    number = tensor("int64", shapes[0], elements(shapes[0], [iteration]))
    return [number, tensor("bool", shapes[1], elements(shapes[1], [ONE])), *carry]


def unroll(ctx: RuleContext, body: Graph, start: list[Tensor], iterations: int) -> list[Tensor] | None:
    """Return the outputs of at most `iterations` iterations, run one by one; None if it isn't known when they end."""
    before, carry, scan_outputs = mark(ctx), start, []
    for iteration in range(iterations):
        label = f"trip {iteration}"
        next_condition, *outputs = apart(
            ctx, body, iteration_inputs(body, const(iteration), carry), label, f"trip{iteration}"
        )
        carry = outputs[: len(start)]
        scan_outputs.append(outputs[len(start) :])
        condition = truth_of(next_condition)
        if condition is None or condition.constant is None:
            before.undo(ctx)
            return None
        if condition is ZERO:
            break
    return [*carry, *(stack_of(ctx, parts) for parts in zip(*scan_outputs, strict=True))]


def stack_of(ctx: RuleContext, parts: Sequence[Tensor]) -> Tensor:
    """Stack tensors along a new first axis, each in the shape of the first; undecided if a rank is unknown."""
    first = parts[0]
    if any(t.shape is None for t in parts):
        leave_open(ctx, const(len(parts)))
        return tensor(first.dtype, None)
    if ctx.runtime is Runtime.ONNX:  # it compares bytes
        for t in parts[1:]:
            ctx.require_equal(t.numel, first.numel, laws.SCAN_OUTPUT_KEEPS_SIZE)
    else:
        ctx.require_agree(*parts, law=laws.SCAN_OUTPUT_KEEPS_SIZE)
    shape: list[Dim | int] = [len(parts), *first.dims]
    values = [t.value for t in parts]
    value: Value | None = None
    if any(isinstance(v, Elements) for v in values) and all(d.constant is not None for d in first.dims):
        sizes = [int(d.constant or 0) for d in first.dims]
        missing = [None] * int(first.numel.constant or 0)
        items = [i for v in values for i in (v.items if isinstance(v, Elements) else missing)]
        value = elements((len(parts), *sizes), items) if len(items) == len(parts) * len(missing) else None
    return tensor(first.dtype, shape, value)


def repeat(ctx: RuleContext, body: Graph, start: list[Tensor], limit: Dim | None, first: Dim | None) -> list[Tensor]:
    """Return the outputs of any number of iterations, by running the body once with a symbol as the index.

    `limit` is the maximum number of iterations, `first` the condition before the first; None if unknown.
    """
    most = None if limit is None or limit.hi >= COUNTED else max(int(limit.hi) - 1, 0)
    index = ctx.fresh("trip", 0, most, Kind.ITERATION)
    before = mark(ctx)
    carry, outputs = find_changes(ctx, body, start, index)
    hidden = symbols_since(ctx, before.fresh_symbols)
    iterations = trip_count(ctx, limit, first, truth_of(outputs[0]), index, hidden)
    kind = Kind.DATA if any(a.kind is Kind.DATA for a in hidden | iterations.symbols) else Kind.LOST
    if kind is Kind.DATA:  # then the sizes of carried tensors may depend on data
        known = Substitution({a: symbol(a.name, a.lo, a.hi, kind=kind) for a in hidden if a.kind is Kind.LOST})
        before.rewrite(ctx, known.apply)
        outputs = [rewrite_tensor(t, known) for t in outputs]
        ctx.fresh_symbols[before.fresh_symbols :] = [known.apply(d) for d in ctx.fresh_symbols[before.fresh_symbols :]]
        hidden = symbols_since(ctx, before.fresh_symbols)
    before.rewrite(ctx, lambda f: in_every_iteration(f, index, iterations), renamed=False)
    in_an_iteration = at_least(iterations - 1, index)
    ctx.bodies[before.bodies :] = [
        b._replace(runs=all_of(b.runs, in_an_iteration)) for b in ctx.bodies[before.bodies :]
    ]
    judge_first(ctx, body, carry, iterations)
    kinds = [kind if c.start.is_tensor else Kind.LOST for c in carry]
    final = [c.at(iterations, index, unknown(ctx, f"final{k}", kinds[k])) for k, c in enumerate(carry)]
    scan_outputs = outputs[1 + len(start) :]
    if iterations.lo < 1:
        judge_no_iterations(ctx, body, iterations)
    fixed = [t.shape for t in scan_outputs] if iterations.lo >= 1 else without_iterations(ctx, body, start, index)
    return [
        *final,
        *(stack_slices(ctx, t, index, iterations, hidden, f) for t, f in zip(scan_outputs, fixed, strict=True)),
    ]


def judge_first(ctx: RuleContext, body: Graph, carry: Sequence[Carried], iterations: Dim) -> None:
    """Check the first iteration separately if elements are known in it that aren't known in later ones."""
    if any(c.loses for c in carry):
        firsts = [c.at(ZERO, ZERO, unknown(ctx, f"first{k}", Kind.LOST)) for k, c in enumerate(carry)]
        states = [c.start if c.start.shape == t.shape else t for c, t in zip(carry, firsts, strict=True)]
        apart(ctx, body, iteration_inputs(body, ZERO, states), "trip 0", "first", at_least(iterations, 1))


def unknown(ctx: RuleContext, name: str, kind: Kind) -> Callable[[int], Dim]:
    """Return a function from an axis to a fresh symbol for the unknown size of a carried tensor."""
    return lambda axis: ctx.fresh(f"{name}x{axis}", kind=kind)


def without_iterations(ctx: RuleContext, body: Graph, start: list[Tensor], index: Dim) -> list[tuple[Dim, ...] | None]:
    """Return the shapes of scan outputs after no iterations: runtimes set each size to 0 unless it is constant."""
    before = mark(ctx)
    blank = [
        tensor(t.dtype, None if t.shape is None else [ctx.fresh(f"blank{k}x{i}") for i in range(t.rank)])
        for k, t in enumerate(start)
    ]
    outputs = apart(ctx, body, iteration_inputs(body, index, blank), "", "blank")[1 + len(start) :]
    before.undo(ctx)
    return [t.shape for t in outputs]


def find_changes(ctx: RuleContext, body: Graph, start: list[Tensor], index: Dim) -> tuple[list[Carried], list[Tensor]]:
    """Return how the body changes the carried tensors `start`, and the outputs of the iteration with index `index`."""
    carry = [initial_carried(t) for t in start]
    for round_ in range(ROUNDS + 1):
        if round_ == ROUNDS:
            carry = [Carried(t, None, None, None) for t in start]
        before = mark(ctx)
        states = [c.at(index, index, unknown(ctx, f"carried{k}", Kind.LOST)) for k, c in enumerate(carry)]
        outputs = apart(ctx, body, iteration_inputs(body, index, states), "", "body")
        hidden = symbols_since(ctx, before.fresh_symbols)
        left = outputs[1 : 1 + len(start)]
        refined = [next_guess(c, t, index, hidden) for c, t in zip(carry, left, strict=True)]
        if refined == carry:
            break
        carry = refined
        before.undo(ctx)
    return carry, outputs


def next_guess(c: Carried, out: Tensor, index: Dim, hidden: frozenset[Atom]) -> Carried:
    """Return the next hypothesis on a carried tensor, given the body's output.

    An empty sequence, or a list without set elements, gets the sizes of its first element.
    """
    start = c.start
    if start.dtype.startswith("unset(") and out.dtype.startswith("list(") and out.shape is not None:
        return first_element(tensor(out.dtype, [start[0], *out.dims[1:]]), index, hidden)
    empty = start.dtype.startswith("seq(") and start.shape is not None and start[0] is ZERO
    if empty and out.shape is not None and out.rank != start.rank:
        return first_element(tensor(start.dtype, [ZERO, *out.dims[1:]]), index, hidden)
    return c.after(out, index, hidden)


def first_element(t: Tensor, index: Dim, hidden: frozenset[Atom]) -> Carried:
    """Return a carried sequence whose tensors have the first iteration's sizes; sizes that depend on it are unknown."""
    sizes = [put(d, index, ZERO) for d in t.dims]
    courses = [Course(d) if independent(d, hidden) else Course(ZERO, stage=Stage.LOST) for d in sizes]
    return replace(initial_carried(tensor(t.dtype, [c.start for c in courses])), sizes=tuple(courses))


def trip_count(
    ctx: RuleContext, limit: Dim | None, first: Dim | None, last: Dim | None, index: Dim, hidden: frozenset[Atom]
) -> Dim:
    """Return the number of iterations: `limit`, or fewer if the condition that each computes for the next fails.

    `first` is the condition before the first iteration, `last` the one after the iteration `index`; None if unknown.
    """
    until = None
    if last is not None and first is not None:
        until = limit if last is ONE else ONE if last is ZERO else trips_until_false(last, index, hidden)
    if until is None:
        at_once = first is ONE and (limit is None or limit.lo >= 1)
        return ctx.fresh("trips", 1 if at_once else 0, limit, Kind.DATA if last is None or first is None else Kind.LOST)
    assert first is not None
    return select(differs(first, 0), until if limit is None else minimum(until, limit), 0)


def stack_slices(
    ctx: RuleContext,
    t: Tensor,
    index: Dim,
    iterations: Dim,
    hidden: frozenset[Atom],
    fixed: tuple[Dim, ...] | None,
) -> Tensor:
    """Return the scan output of all iterations, given its slice `t` of the iteration `index`.

    `fixed` is the shape of a slice if there are no iterations; symbols in `hidden` differ between iterations.
    """
    require_steady(ctx, t, index, iterations, hidden)
    if t.shape is None:
        return tensor(t.dtype, None)
    empty = [d if d.constant is not None else ZERO for d in fixed or [ZERO] * t.rank]
    pairs = zip(t.dims, empty, strict=True)
    sizes = [select(at_least(iterations, 1), put(d, index, ZERO), other) for d, other in pairs]
    value: Value | None = None
    item = truth_of(t)
    if t.rank == 0 and item is not None and item.symbols.isdisjoint(hidden):
        value = field(put(item, index, position(1)))
    return tensor(t.dtype, [iterations, *sizes], value)


def require_steady(ctx: RuleContext, t: Tensor, index: Dim, iterations: Dim, hidden: frozenset[Atom]) -> None:
    """Require that a scan output has the same sizes in all iterations, unless there is only one.

    ONNX Runtime's Loop compares bytes.
    """
    if t.shape is None:
        return leave_open(ctx, iterations)
    others = Substitution({a: twin(a, "other") for a in hidden})
    in_bytes = ctx.node.op == "Loop" and ctx.runtime is Runtime.ONNX
    for d in (t.numel,) if in_bytes else t.shape:
        another = put(others.apply(d), index, ZERO)
        if another is not d:
            same = in_every_iteration(equal(d, another), index, iterations)
            steady = same if independent(d, hidden) else any_of(at_most(iterations, 1), same)
            ctx.require(steady, laws.SCAN_OUTPUT_KEEPS_SIZE, d, another)


def leave_open(ctx: RuleContext, iterations: Dim) -> None:
    """Leave a node undecided if it has several iterations, whose scan outputs may differ in rank."""
    ctx.leave("rank", laws.SCAN_OUTPUT_KEEPS_SIZE, branch=at_least(iterations, 2))
