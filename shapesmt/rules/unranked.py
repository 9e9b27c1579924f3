"""Unranked: a rule applied to inputs of unknown rank, by applying it to every rank that they may have.

The ranks for which the rule doesn't end at once are what the node needs, stated as a requirement (`x_rank >= 11`).
What the outputs have in common over those ranks is what is known of them: their shape, or their rank in terms of the
input's. A rule that says which rank it needs (`ctx.with_rank`) is applied to that one alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from shapesmt import laws
from shapesmt.algebra import (
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
from shapesmt.rules.application import Application, Requirement, Unjudged
from shapesmt.rules.tensor import MAX_RANK, Tensor, UnknownRankError, rank_symbol, tensor

RANK_LAW = "the ranks of its inputs are known"

Given = Sequence[Tensor | None]
Ranks = dict[Dim, int]
HELD = "?"  # begins the names of the sizes that stand in for those of an assumed rank


@dataclass(frozen=True, eq=False)
class _Branch:
    """The rule applied where inputs have these ranks; without `made`, the rank of yet another input decides."""

    ranks: Ranks
    made: Application | None

    @property
    def broken(self) -> laws.Law | None:
        """The law that these ranks break, if any."""
        listed = self.made.requirements if self.made is not None else ()
        return next((r.law for r in listed if r.formula is FALSE), None)


def unranked(
    given: Given, apply: Callable[[Given], Application], outputs: Sequence[str], op: str, *, total: bool = False
) -> Application:
    """What a rule needs and makes where some of its inputs have no known rank.

    Args:
        given: The inputs.
        apply: Applies the rule; may raise `UnknownRankError`.
        outputs: The node's outputs, of which new symbols are named.
        op: The operator.
        total: No size of the inputs makes the node fail.
    """
    ranks = [_rank_of(t, i) if t is not None and t.shape is None and t.is_tensor else None for i, t in enumerate(given)]
    split, branches = _branches(given, ranks, apply)
    alive = [b for b in branches if b.broken is None]
    made = _Made(alive, split, outputs)
    if not alive:
        law = next(filter(None, (b.broken for b in branches)))
        return Application(made.outputs, (Requirement(FALSE, law),))
    needed = {n: k for n, k in alive[0].ranks.items() if n is not split and all(b.ranks.get(n) == k for b in alive)}
    of_ranks = [_needed(n, [k], ranks) for n, k in needed.items()]
    if split is not None:
        others = [n for n in alive[0].ranks if n is not split and n not in needed]
        of_ranks += [r for n in others if (r := _alike(split, n, alive, ranks))]
        possible = [b.ranks[split] for b in alive]
        of_ranks.append(_needed(split, possible, ranks))
        if len(possible) == 1:
            needed[split] = possible[0]
    stated, left = _common(alive)
    return Application(
        made.outputs,
        (*(r for r in of_ranks if r.formula is not TRUE), *stated),
        (),
        (Unjudged("", op, "rank", RANK_LAW),) if left and not total else (),
        not made.new,
        tuple(made.new),
        tuple((n, k) for n, k in needed.items() if not _is_held(n)),
        made.decides_success,
        made.decides_sizes_only,
    )


def joined(direct: Application, found: Application) -> Application:
    """What a rule that copes with unknown ranks says itself, with what all ranks have in common."""
    known = {r.formula for r in direct.requirements}
    pairs = zip(direct.outputs, found.outputs, strict=True)
    return replace(
        direct,
        outputs=tuple(_better(d, f) for d, f in pairs),
        requirements=(*direct.requirements, *(r for r in found.requirements if r.formula not in known)),
        unjudged=(*direct.unjudged, *found.unjudged),
        repeatable=direct.repeatable and found.repeatable,
        fresh_symbols=(*direct.fresh_symbols, *found.fresh_symbols),
        ranks=found.ranks,
    )


def _better(d: Tensor, f: Tensor) -> Tensor:
    if d.ndim is not None or not d.is_tensor:
        return d
    return tensor(d.dtype or f.dtype, f.shape, f.value, f.ndim)


def _rank_of(t: Tensor, index: int) -> Dim:
    return t.ndim if t.ndim is not None else rank_symbol(f"{HELD}{index}", kind=Kind.OPEN)


def _is_held(n: Dim) -> bool:
    return any(s.name.startswith(HELD) for s in n.symbols)


# Branches


def _branches(
    given: Given, ranks: Sequence[Dim | None], apply: Callable[[Given], Application]
) -> tuple[Dim | None, list[_Branch]]:
    """The rule at each rank of the first input whose rank it asks for, and that input's rank."""
    chosen: Ranks = {}
    first = _attempt(given, ranks, chosen, apply)
    if isinstance(first, _Branch):
        return None, [first]
    branches = []
    for rank in range(max(0, int(first.lo)), int(min(first.hi, MAX_RANK)) + 1):
        branch_ranks = {**chosen, first: rank}
        found = _attempt(given, ranks, branch_ranks, apply)
        branches.append(found if isinstance(found, _Branch) else _Branch(branch_ranks, None))
    return first, branches


def _attempt(
    given: Given, ranks: Sequence[Dim | None], chosen: Ranks, apply: Callable[[Given], Application]
) -> _Branch | Dim:
    """The rule where inputs have the chosen ranks and those that it says it needs; else the rank that it asks for."""
    while True:
        pairs = enumerate(zip(given, ranks, strict=True))
        inputs = [t if t is None or n is None else _held(t, n, i, chosen) for i, (t, n) in pairs]
        try:
            found = _Branch(chosen, apply(inputs))
        except UnknownRankError as asked:
            index = next((i for i, t in enumerate(inputs) if t is asked.tensor), None)
            n = None if index is None else ranks[index]
            if n is None:  # a tensor of its own making
                return _Branch(chosen, None)
            if asked.rank is None:
                return n
            chosen[n] = asked.rank
        else:  # a rule may go on without a rank: without its laws
            if found.broken is not None:
                return found
            left = zip(inputs, ranks, strict=True)
            return next((n for t, n in left if n is not None and t is not None and t.shape is None), found)


def _held(t: Tensor, n: Dim, index: int, chosen: Ranks) -> Tensor:
    """The input at its chosen rank, with sizes that stand for any."""
    for other, rank in chosen.items():
        apart = (n - other).constant
        if apart is not None and rank + apart >= 0:
            return tensor(t.dtype, [symbol(f"{HELD}{index}.{axis}", kind=Kind.DATA) for axis in range(rank + apart)])
    return t


# Laws


def _needed(n: Dim, possible: Sequence[int], ranks: Sequence[Dim | None]) -> Requirement:
    """The rank is one of those that are possible."""
    lo, hi = possible[0], possible[-1]
    law = laws.INPUT_HAS_RANK.of(index=ranks.index(n), ranks=_listed(possible, n))
    if len(possible) == 1:
        return Requirement(equal(n, lo), law, n, as_dim(lo))
    if len(possible) <= hi - lo:
        return Requirement(any_of(*(equal(n, k) for k in possible)), law)
    if hi >= min(n.hi, MAX_RANK):
        return Requirement(at_least(n, lo), law, n, as_dim(lo))
    return Requirement(all_of(at_least(n, lo), at_least(hi, n)), law, n, as_dim(hi))


def _alike(split: Dim, n: Dim, alive: Sequence[_Branch], ranks: Sequence[Dim | None]) -> Requirement | None:
    """One rank is as far from the other as it is in every branch; None where it isn't."""
    apart = {b.ranks[n] - b.ranks[split] for b in alive if n in b.ranks}
    if len(apart) > 1 or any(n not in b.ranks for b in alive):
        return None
    other = split + apart.pop()
    law = laws.INPUTS_AGREE_IN_RANK.of(first=ranks.index(split), second=ranks.index(n))
    return Requirement(equal(n, other), law, n, other)


def _listed(possible: Sequence[int], n: Dim) -> str:
    lo, hi = possible[0], possible[-1]
    if len(possible) <= hi - lo:
        return f"{', '.join(map(str, possible[:-1]))} or {hi}"
    if lo == hi:
        return str(lo)
    return f"{lo} or more" if hi >= min(n.hi, MAX_RANK) else f"{lo} to {hi}"


def _common(alive: Sequence[_Branch]) -> tuple[tuple[Requirement, ...], bool]:
    """What is needed at every rank, and whether more is needed at some."""
    if any(b.made is None or b.made.unjudged for b in alive):
        return (), True
    listed = [{r.formula: r for r in b.made.requirements if r.formula is not TRUE} for b in alive if b.made]
    shared = [f for f in listed[0] if all(f in other for other in listed) and not _varies(f, alive[0])]
    return tuple(listed[0][f] for f in shared), any(len(other) > len(shared) for other in listed)


def _varies(what: Formula | Dim, branch: _Branch) -> bool:
    """Whether it is about sizes that belong to this branch."""
    made = {s for d in branch.made.fresh_symbols for s in d.symbols} if branch.made is not None else set[Atom]()
    return any(s.name.startswith(HELD) or s in made for s in what.symbols)


# Outputs


class _Made:
    """The outputs, as far as the branches agree on them."""

    def __init__(self, alive: Sequence[_Branch], split: Dim | None, names: Sequence[str]) -> None:
        self.new: list[Dim] = []
        self._alive, self._split = alive, split
        self._made = [b.made for b in alive if b.made is not None]
        self.outputs = tuple(self._output(j, name) for j, name in enumerate(names))
        self.decides_success = frozenset[int]().union(*(m.decides_success for m in self._made))
        self.decides_sizes_only = self.decides_success.intersection(*(m.decides_sizes_only for m in self._made))

    def _output(self, j: int, name: str) -> Tensor:
        found = [m.outputs[j] for m in self._made]
        dtype = found[0].dtype if found and all(t.dtype == found[0].dtype for t in found) else ""
        if len(found) < len(self._alive) or not found:
            return tensor(dtype, None)
        if any(t.shape is None for t in found):
            return found[0] if all(t is found[0] for t in found) else tensor(dtype, None)
        sizes = [len(t.dims) for t in found]
        if len(set(sizes)) > 1 and self._split is not None:
            ranks = [b.ranks[self._split] for b in self._alive]
            return tensor(dtype, None, ndim=_rank_in_terms(self._split, ranks, sizes))
        value = found[0].value if all(t.value is found[0].value for t in found) else None
        columns = zip(*(t.dims for t in found), strict=True)
        return tensor(dtype, [self._size(column, f"{name}[{i}]") for i, column in enumerate(columns)], value)

    def _size(self, column: Sequence[Dim], name: str) -> Dim:
        """The size that all branches give, or a symbol for it."""
        if all(d is column[0] for d in column) and not _varies(column[0], self._alive[0]):
            return column[0]
        lo, hi = min(d.lo for d in column), max(d.hi for d in column)
        self.new.append(symbol(name, max(lo, 0), hi, kind=Kind.DATA))
        return self.new[-1]


def _rank_in_terms(n: Dim, ranks: Sequence[int], sizes: Sequence[int]) -> Dim | None:
    """The output's rank over the input's."""
    apart = {size - rank for size, rank in zip(sizes, ranks, strict=True)}
    if len(apart) == 1:
        return n + apart.pop()
    least = min(sizes)
    return maximum(n, least) if all(s == max(r, least) for s, r in zip(sizes, ranks, strict=True)) else None
