"""Unranked: apply a rule to inputs of unknown rank, by applying it to every rank that they may have.

A rank is possible if the rule doesn't reject it; that the rank is a possible one becomes a requirement of the node
(`x_rank >= 11`). Properties that the outputs share over all possible ranks are known: their shape, or their rank in
terms of the input's. A rule that names the rank it needs (`ctx.with_rank`) is applied at that rank only. Ranks well
above every number in a node behave alike: only the greatest of them is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from shapesmt.base.frozen import frozen
from shapesmt.network import laws
from shapesmt.network.graph import Node
from shapesmt.operators.rules.application import RANK_LAW, Application, Requirement, Unjudged
from shapesmt.operators.rules.tensors import MAX_RANK, Tensor, UnknownRankError, rank_symbol, tensor
from shapesmt.operators.rules.value import Elements
from shapesmt.prover.algebra import (
    FALSE,
    TRUE,
    Atom,
    Dim,
    Formula,
    Kind,
    all_of,
    any_of,
    as_dim,
    at_least,
    equal,
    maximum,
    symbol,
)

Inputs = Sequence[Tensor | None]
Ranks = dict[Dim, int]
MARGIN = 4  # ranks that far above a node's greatest number are alike
STAND_IN = "?"  # prefix of names of an input's sizes at an assumed rank: `?0.1`


@frozen(eq=False)
class _Branch:
    """The rule applied at these ranks of the inputs; None if it also needs the rank of another tensor."""

    ranks: Ranks
    application: Application | None

    @property
    def profile(self) -> list[int]:
        """Numbers that grow linearly with the rank if ranks are alike: the ranks of outputs and inputs, and counts."""
        if self.application is None:
            return []
        sizes = [-1 if t.shape is None else t.rank for t in self.application.outputs]
        return [self.broken is None, len(self.application.unjudged), *sizes, *self.ranks.values()]

    @property
    def broken(self) -> laws.Law | None:
        """The law that these ranks break; None if they break none."""
        requirements = self.application.requirements if self.application is not None else ()
        return next((r.law for r in requirements if r.formula is FALSE), None)


def over_ranks(
    inputs: Inputs, apply: Callable[[Inputs], Application], node: Node, *, total: bool = False, every: bool = True
) -> Application:
    """Apply a rule at every rank that inputs of unknown rank may have, and merge the results.

    Args:
        inputs: The inputs.
        apply: Applies the rule; may raise `UnknownRankError`.
        node: The node; new symbols are named after its outputs.
        total: Whether the node runs for inputs of all sizes.
        every: Whether every rank is tried, rather than only one of those well above the numbers of the node.
    """
    ranks = [
        _rank_of(t, i) if t is not None and t.shape is None and t.is_tensor else None for i, t in enumerate(inputs)
    ]
    split, branches, alike = _branches(inputs, ranks, apply, MAX_RANK if every else _greatest(node, inputs) + MARGIN)
    alive = [b for b in branches if b.broken is None]
    merged = _Outputs(alive, split, node.outputs)
    if not alive:
        law = next(filter(None, (b.broken for b in branches)))
        return Application(merged.outputs, (Requirement(FALSE, law),))
    fixed = {n: k for n, k in alive[0].ranks.items() if n is not split and all(b.ranks.get(n) == k for b in alive)}
    rank_requirements = [_rank_requirement(n, [k], ranks) for n, k in fixed.items()]
    if split is not None:
        dependent = [n for n in alive[0].ranks if n is not split and n not in fixed]
        rank_requirements += [r for n in dependent if (r := _alike(split, n, alive, ranks))]
        possible = sorted({*(b.ranks[split] for b in alive), *(alike if branches[-1].broken is None else ())})
        rank_requirements.append(_rank_requirement(split, possible, ranks))
        if len(possible) == 1:
            fixed[split] = possible[0]
    shared, more_needed = _common(alive)
    return Application(
        merged.outputs,
        (*(r for r in rank_requirements if r.formula is not TRUE), *shared),
        (),
        (Unjudged("", node.op, "rank", RANK_LAW),) if more_needed and not total else (),
        not merged.new,
        tuple(merged.new),
        tuple((n, k) for n, k in fixed.items() if not _is_stand_in(n)),
        merged.decides_success,
        merged.decides_sizes_only,
        by_version=any(b.application is not None and b.application.by_version for b in alive),
        assumed=merged.assumed,
    )


def merge_rank_facts(direct: Application, over_ranks: Application) -> Application:
    """Return the application of a rule that accepts unknown ranks, with the facts that hold at all ranks added."""
    known = {r.formula for r in direct.requirements}
    pairs = zip(direct.outputs, over_ranks.outputs, strict=True)
    return replace(
        direct,
        outputs=tuple(_better(d, f) for d, f in pairs),
        requirements=(*direct.requirements, *(r for r in over_ranks.requirements if r.formula not in known)),
        unjudged=(*direct.unjudged, *over_ranks.unjudged),
        repeatable=direct.repeatable and over_ranks.repeatable,
        fresh_symbols=(*direct.fresh_symbols, *over_ranks.fresh_symbols),
        ranks=over_ranks.ranks,
        by_version=direct.by_version or over_ranks.by_version,
        assumed=tuple(dict.fromkeys((*direct.assumed, *over_ranks.assumed))),
    )


def _better(direct: Tensor, over_ranks: Tensor) -> Tensor:
    if direct.ndim is not None or not direct.is_tensor:
        return direct
    return tensor(direct.dtype or over_ranks.dtype, over_ranks.shape, over_ranks.value, over_ranks.ndim)


def _rank_of(t: Tensor, index: int) -> Dim:
    return t.ndim if t.ndim is not None else rank_symbol(f"{STAND_IN}{index}", kind=Kind.OPEN)


def _is_stand_in(n: Dim) -> bool:
    return any(s.name.startswith(STAND_IN) for s in n.symbols)


# Branches


def _branches(
    inputs: Inputs, ranks: Sequence[Dim | None], apply: Callable[[Inputs], Application], last: int
) -> tuple[Dim | None, list[_Branch], range]:
    """Return the first unknown rank that the rule asks for (None if none), and the rule applied at its values.

    Above `last`, only the greatest value is tried if the rule continues there as at the last two; the values that
    aren't tried are the third result.
    """
    chosen: Ranks = {}
    first = _attempt(inputs, ranks, chosen, apply)
    if isinstance(first, _Branch):
        return None, [first], range(0)

    def at(rank: int) -> _Branch:
        branch_ranks = {**chosen, first: rank}
        outcome = _attempt(inputs, ranks, branch_ranks, apply)
        return outcome if isinstance(outcome, _Branch) else _Branch(branch_ranks, None)

    lo, hi = max(0, int(first.lo)), int(min(first.hi, MAX_RANK))
    low = [at(rank) for rank in range(lo, min(hi, max(last, lo + 1)) + 1)]
    between = range(lo + len(low), hi)
    high = [at(hi)] if lo + len(low) <= hi else []
    if between and any(b.broken is None for b in low + high) and _even(low[-2], low[-1], high[0], len(between) + 1):
        return first, low + high, between
    return first, [*low, *map(at, between), *high], range(0)


def _even(first: _Branch, second: _Branch, last: _Branch, steps: int) -> bool:
    """Whether the profiles of three ranks grow linearly: the last is `steps` above the second of two neighbours."""
    profiles = first.profile, second.profile, last.profile
    same = len({len(p) for p in profiles}) == 1
    return same and all(c - b == steps * (b - a) for a, b, c in zip(*profiles, strict=True))


def _greatest(node: Node, inputs: Inputs) -> int:
    """Return the greatest number of a node that may count axes, in its attributes and inputs' ranks and elements.

    Numbers above `MAX_RANK` don't count: `Reshape` to `[2, 768]` asks for no rank of 768.
    """
    numbers = [len(node.inputs), len(node.outputs), *_numbers([*node.attributes.values()])]
    for t in inputs:
        if t is not None and t.shape is not None:
            numbers += [t.rank, *(d.constant for d in t.shape[-1:] if d.constant is not None)]
            if isinstance(t.value, Elements):
                numbers += [abs(i.constant) for i in t.value.items if isinstance(i, Dim) and i.constant is not None]
    return max(n for n in numbers if n <= MAX_RANK)


def _numbers(value: object) -> Iterator[int]:
    """Yield the integers of an attribute, and the lengths of its lists and texts."""
    if isinstance(value, int):
        yield abs(value)
    elif isinstance(value, str | bytes | Sequence):
        yield len(value)
        for item in () if isinstance(value, str | bytes) else value:
            yield from _numbers(item)


def _attempt(
    inputs: Inputs, ranks: Sequence[Dim | None], chosen: Ranks, apply: Callable[[Inputs], Application]
) -> _Branch | Dim:
    """Apply the rule to inputs of the chosen ranks; return the unknown rank that it needs next, if any, as a symbol."""
    while True:
        pairs = enumerate(zip(inputs, ranks, strict=True))
        ranked_inputs = [t if t is None or n is None else _at_rank(t, n, i, chosen) for i, (t, n) in pairs]
        try:
            branch = _Branch(chosen, apply(ranked_inputs))
        except UnknownRankError as unknown:
            index = next((i for i, t in enumerate(ranked_inputs) if t is unknown.tensor), None)
            n = None if index is None else ranks[index]
            if n is None:  # the tensor is computed by the rule itself
                return _Branch(chosen, None)
            if unknown.rank is None:
                return n
            chosen[n] = unknown.rank
        else:  # a rule may return before it has checked an input's rank
            if branch.broken is not None:
                return branch
            remaining = zip(ranked_inputs, ranks, strict=True)
            return next((n for t, n in remaining if n is not None and t is not None and t.shape is None), branch)


def _at_rank(t: Tensor, n: Dim, index: int, chosen: Ranks) -> Tensor:
    """Return the input at its chosen rank, with a new symbol for each size."""
    for other, rank in chosen.items():
        apart = (n - other).constant
        if apart is not None and rank + apart >= 0:
            return tensor(
                t.dtype, [symbol(f"{STAND_IN}{index}.{axis}", kind=Kind.DATA) for axis in range(rank + apart)]
            )
    return t


# Laws


INPUT_HAS_RANK = laws.SM303.law("input {index} has rank {ranks}")


def _rank_requirement(n: Dim, possible: Sequence[int], ranks: Sequence[Dim | None]) -> Requirement:
    """Return the requirement that a rank is one of the possible ones."""
    lo, hi = possible[0], possible[-1]
    law = INPUT_HAS_RANK.of(index=ranks.index(n), ranks=_ranks_text(possible, n))
    if len(possible) == 1:
        return Requirement(equal(n, lo), law, n, as_dim(lo))
    if len(possible) <= hi - lo:
        return Requirement(any_of(*(equal(n, k) for k in possible)), law)
    if hi >= min(n.hi, MAX_RANK):
        return Requirement(at_least(n, lo), law, n, as_dim(lo))
    return Requirement(all_of(at_least(n, lo), at_least(hi, n)), law, n, as_dim(hi))


INPUTS_AGREE_IN_RANK = laws.SM303.law("inputs {first} and {second} agree in rank")


def _alike(split: Dim, n: Dim, alive: Sequence[_Branch], ranks: Sequence[Dim | None]) -> Requirement | None:
    """Require that rank `n` minus rank `split` is what it is in every branch; None if the branches disagree."""
    apart = {b.ranks[n] - b.ranks[split] for b in alive if n in b.ranks}
    if len(apart) > 1 or any(n not in b.ranks for b in alive):
        return None
    other = split + apart.pop()
    law = INPUTS_AGREE_IN_RANK.of(first=ranks.index(split), second=ranks.index(n))
    return Requirement(equal(n, other), law, n, other)


def _ranks_text(possible: Sequence[int], n: Dim) -> str:
    lo, hi = possible[0], possible[-1]
    if len(possible) <= hi - lo:
        return f"{', '.join(map(str, possible[:-1]))} or {hi}"
    if lo == hi:
        return str(lo)
    return f"{lo} or more" if hi >= min(n.hi, MAX_RANK) else f"{lo} to {hi}"


def _common(alive: Sequence[_Branch]) -> tuple[tuple[Requirement, ...], bool]:
    """Return the requirements stated at every rank, and whether some ranks state more."""
    if any(b.application is None or b.application.unjudged for b in alive):
        return (), True
    by_formula = [
        {r.formula: r for r in b.application.requirements if r.formula is not TRUE} for b in alive if b.application
    ]
    shared = [f for f in by_formula[0] if all(f in other for other in by_formula) and not _is_branch_own(f, alive[0])]
    return tuple(by_formula[0][f] for f in shared), any(len(other) > len(shared) for other in by_formula)


def _is_branch_own(what: Formula | Dim, branch: _Branch) -> bool:
    """Whether `what` contains a symbol that only this branch has created."""
    own = (
        {s for d in branch.application.fresh_symbols for s in d.symbols}
        if branch.application is not None
        else set[Atom]()
    )
    return any(s.name.startswith(STAND_IN) or s in own for s in what.symbols)


# Outputs


class _Outputs:
    """The outputs, as far as the branches agree on them."""

    def __init__(self, alive: Sequence[_Branch], split: Dim | None, names: Sequence[str]) -> None:
        self.new: list[Dim] = []
        self._alive, self._split = alive, split
        self._applications = [b.application for b in alive if b.application is not None]
        self.outputs = tuple(self._output(j, name) for j, name in enumerate(names))
        self.decides_success = frozenset[int]().union(*(m.decides_success for m in self._applications))
        self.decides_sizes_only = self.decides_success.intersection(*(m.decides_sizes_only for m in self._applications))
        self.assumed = tuple(dict.fromkeys(one for m in self._applications for one in m.assumed))

    def _output(self, j: int, name: str) -> Tensor:
        outputs = [m.outputs[j] for m in self._applications]
        dtype = outputs[0].dtype if outputs and all(t.dtype == outputs[0].dtype for t in outputs) else ""
        if len(outputs) < len(self._alive) or not outputs:
            return tensor(dtype, None)
        if any(t.shape is None for t in outputs):
            return outputs[0] if all(t is outputs[0] for t in outputs) else tensor(dtype, None)
        sizes = [len(t.dims) for t in outputs]
        if len(set(sizes)) > 1 and self._split is not None:
            ranks = [b.ranks[self._split] for b in self._alive]
            return tensor(dtype, None, ndim=_rank_in_terms(self._split, ranks, sizes))
        value = outputs[0].value if all(t.value is outputs[0].value for t in outputs) else None
        columns = zip(*(t.dims for t in outputs), strict=True)
        return tensor(dtype, [self._size(column, f"{name}[{i}]") for i, column in enumerate(columns)], value)

    def _size(self, column: Sequence[Dim], name: str) -> Dim:
        """Return the size that all branches give this axis in `column`; if they disagree, a new symbol `name`."""
        if all(d is column[0] for d in column) and not _is_branch_own(column[0], self._alive[0]):
            return column[0]
        lo, hi = min(d.lo for d in column), max(d.hi for d in column)
        self.new.append(symbol(name, max(lo, 0), hi, kind=Kind.DATA))
        return self.new[-1]


def _rank_in_terms(n: Dim, ranks: Sequence[int], sizes: Sequence[int]) -> Dim | None:
    """Return an output's rank as `n + k` or `max(n, k)`, where `n` is the input's rank; None if neither fits.

    At the rank `ranks[i]` of the input, the output has the rank `sizes[i]`.
    """
    apart = {size - rank for size, rank in zip(sizes, ranks, strict=True)}
    if len(apart) == 1:
        return n + apart.pop()
    least = min(sizes)
    return maximum(n, least) if all(s == max(r, least) for s, r in zip(sizes, ranks, strict=True)) else None
