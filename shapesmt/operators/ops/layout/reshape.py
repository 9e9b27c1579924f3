"""Reshape to a list of sizes, in which 0 copies the input's size and one -1 is inferred."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import inf

from shapesmt.network import laws
from shapesmt.network.declarations import LARGEST
from shapesmt.operators.ops.shared.fields import reshape_elements
from shapesmt.operators.rules import Decided, RuleContext, Tensor, Traits, rule
from shapesmt.prover.algebra import (
    ONE,
    Dim,
    Formula,
    all_of,
    any_of,
    at_least,
    common_factor,
    differs,
    divide_terms,
    divides,
    equal,
    maximum,
    negate,
    product,
    select,
    tight,
)


@rule("Reshape", any_rank=True, traits=Traits.VIEW)
def reshape(ctx: RuleContext) -> Tensor:
    """Reshape to `shape`: same number of elements; 0 copies the input's size, one -1 is inferred."""
    items = ctx.sizes(1 if ctx.version >= 5 else "shape")
    return reshape_to(ctx, items, allow_zero=ctx.flag("allowzero", only_one=True))


def reshape_to(
    ctx: RuleContext, items: Sequence[Dim | None] | None, *, allow_zero: bool, rounded: bool = False
) -> Tensor:
    """Reshape the first input to these sizes, one of which may be -1 (inferred).

    Args:
        ctx: The node.
        items: The requested sizes, None for each unknown one; None if the list is unknown.
        allow_zero: Whether 0 means an empty axis instead of copying the input's size.
        rounded: Whether the inferred size is rounded down if another is 0, as in TensorFlow.
    """
    x = ctx.input(0)
    if items is None:
        return ctx.tensor(None, x.dtype)
    sizes = _Sizes(ctx, x, items, allow_zero=allow_zero, rounded=rounded).output_sizes()
    return ctx.tensor(sizes, x.dtype, None if x.shape is None else reshape_elements(x, sizes))


ALLOWED_ZERO_EXCLUDES_MINUS_1 = laws.SM105.law("a 0 that is allowed leaves no size for -1")


class _Sizes:
    """The sizes requested by a reshape, sorted into plain sizes, sizes that may be -1, the one -1, and unknown ones."""

    def __init__(
        self, ctx: RuleContext, x: Tensor, items: Sequence[Dim | None], *, allow_zero: bool, rounded: bool
    ) -> None:
        self.ctx, self.x, self.allow_zero, self.rounded = ctx, x, allow_zero, rounded
        self.wild = [i for i, d in enumerate(items) if d is not None and d.constant == -1]
        ctx.check(len(self.wild) <= 1, laws.AT_MOST_ONE_MINUS_1)
        allowed = (allow_zero or ctx.flag("allowzero")) and not rounded  # ONNX's inference reads any number but 0 as 1
        zero = allowed and any(d is not None and d.constant == 0 for d in items)
        if zero and self.wild:  # ONNX Runtime refuses this in a constant only
            ctx.memoizable = False
            ctx.check(ctx.node.inputs[-1] not in ctx.literals, ALLOWED_ZERO_EXCLUDES_MINUS_1)
        self.unknown = [i for i, d in enumerate(items) if d is None]
        least = 0 if self.wild else -1
        self.either = {}
        self.sizes: list[Dim] = []
        for i, d in enumerate(items):
            if d is None or i in self.wild:
                self.sizes.append(ONE)
                continue
            law = laws.AT_MOST_ONE_MINUS_1 if self.wild and d.lo == -1 else laws.SIZES_MINUS_1_OR_MORE
            ctx.require_at_least(d, least, law)
            if not self.wild and tight(d)[0] < 0:
                self.either[i] = equal(d, -1)
            self.sizes.append(self._plain(i, d))

    def _plain(self, i: int, d: Dim) -> Dim:
        """Return a size that isn't -1; 0 stands for the input's size on this axis unless zeros are allowed."""
        if self.allow_zero or tight(d)[0] >= 1 or d.hi < 0:
            return d
        if self.x.shape is None:
            return select(equal(d, 0), self.ctx.fresh(f"size{i}"), d)
        if i >= self.x.rank:
            self.ctx.require(differs(d, 0), laws.ZERO_COPIES_INPUT_SIZE, d, self.x.rank)
            return d
        copied = self.x[i]
        if multiple(copied, d):  # the input's size is 0 as well then
            return d
        return select(equal(d, 0), copied, d)

    def output_sizes(self) -> list[Dim]:
        """Return the output's sizes; state the requirements that make them legal."""
        if self.x.shape is None or (self.unknown and not self._one_unknown()):
            return self._unknown_sizes()
        if self.either:
            return self._choices()
        if not self.wild:
            self._require_prefixes()
            self.ctx.require_equal(*uncommon_products(self.x.dims, self.sizes), laws.ELEMENT_COUNT_KEPT)
            return self.sizes
        remaining, legal = self._remaining(self.sizes)
        self.ctx.require(legal, laws.GIVEN_SIZES_DIVIDE_ELEMENT_COUNT, self.x.numel, product(self.sizes))
        return [remaining if i in self.wild else d for i, d in enumerate(self.sizes)]

    def _require_prefixes(self) -> None:
        """Require that the product of the sizes before one that may be 0 fits 64 bits, unless it is unbounded."""
        before = ONE
        for size in self.sizes:
            if size.lo < 1 and LARGEST < before.hi < inf:
                self.ctx.limit(at_least(LARGEST, before), laws.IN_64_BITS.of(what="the product of the sizes"), before)
            before = before * size

    def _one_unknown(self) -> bool:
        """Whether a single unknown size can be inferred, as no other size may be 0 or -1; if so, treat it as -1."""
        alone = len(self.unknown) == 1 and not self.wild and not self.either
        if alone and all(d.lo >= 1 for d in self.sizes):
            self.wild, self.unknown = self.unknown, []
            return True
        return False

    def _remaining(self, sizes: Sequence[Dim]) -> tuple[Dim, Formula]:
        """Return the inferred size `numel(x) / product(sizes)`, and the condition under which it is legal."""
        quotient, exact = divide_products(self.x.dims, sizes)
        if not self.allow_zero or all(d.lo >= 1 for d in sizes):
            return quotient, all_of(*(differs(d, 0) for d in sizes), exact)
        # ONNX Runtime leaves zeros out of both products when an allowed 0 empties the output.
        empty = any_of(*(equal(d, 0) for d in sizes))
        partial, whole = divide_products(list(map(_nonzero, self.x.dims)), list(map(_nonzero, sizes)))
        legal = all_of(equal(self.x.numel, 0), *() if self.rounded else (whole,))
        return select(empty, partial, quotient), any_of(all_of(empty, legal), all_of(negate(empty), exact))

    def _choices(self) -> list[Dim]:
        """Return sizes known as expressions, any one of which may be -1."""
        for a, b in combinations(self.either.values(), 2):
            self.ctx.require(negate(all_of(a, b)), laws.AT_MOST_ONE_MINUS_1)
        sizes, none = list(self.sizes), negate(any_of(*self.either.values()))
        cases = [all_of(none, equal(*uncommon_products(self.x.dims, self.sizes)))]
        for i, wild in self.either.items():
            remaining, legal = self._remaining([ONE if k == i else d for k, d in enumerate(self.sizes)])
            sizes[i] = select(wild, remaining, sizes[i])
            cases.append(all_of(wild, legal))
        self.ctx.require(any_of(*cases), laws.ELEMENT_COUNT_KEPT, self.x.numel, product(sizes))
        return sizes

    def _unknown_sizes(self) -> list[Dim]:
        """Return new symbols for several unknown sizes; their product is the remaining number of elements."""
        sizes = list(self.sizes)
        open_ = sorted((*self.wild, *self.unknown, *self.either))
        known = [d for i, d in enumerate(sizes) if i not in open_]
        numel = None if self.x.shape is None else self.x.numel
        for i in open_:
            most = numel if numel is not None and numel.lo >= 1 else None
            free = self.ctx.fresh(f"size{i}", 0, most, how=Decided((1,), free=True))
            sizes[i] = select(self.either[i], free, sizes[i]) if i in self.either else free
        if numel is not None and all(d.lo >= 1 for d in known):
            quotient, exact = divide_products(self.x.dims, known)
            self.ctx.require(exact, laws.GIVEN_SIZES_DIVIDE_ELEMENT_COUNT, numel, product(known))
            self.ctx.facts.append(equal(product(sizes[i] for i in open_), maximum(quotient, 0)))
        return sizes


def multiple(a: Dim, b: Dim) -> bool:
    """Whether `a` is a polynomial times `b`, so that it is 0 where `b` is.

    >>> from shapesmt.prover.algebra import symbol
    >>> n = symbol("n", 0)
    >>> multiple(3 * n * n, n), multiple(n + 1, n)
    (True, False)
    """
    if len(b.terms) != 1 or not b.terms[0][0]:
        return a is b
    ((monomial, coefficient),) = b.terms
    return all(c % coefficient == 0 and not Counter(monomial) - Counter(m) for m, c in a.terms)


def divide_products(sizes: Sequence[Dim], divisors: Sequence[Dim]) -> tuple[Dim, Formula]:
    """Return `product(sizes) // product(divisors)` and whether it is exact, for divisors that aren't 0.

    >>> from shapesmt.prover.algebra import as_dim, symbol
    >>> batch, seq = symbol("batch", 0), symbol("seq", 0)
    >>> divide_products([batch * seq, as_dim(768)], [batch, seq, as_dim(12)])
    (Dim('64'), Formula('True'))
    """
    top, bottom = map(product, _uncommon(sizes, divisors, 0))
    number, monomial = common_factor((top, bottom))
    if bottom.terms:
        top, bottom = divide_terms(top, number, monomial), divide_terms(bottom, number, monomial)
    return top // bottom, divides(bottom, top)


def uncommon_products(a: Sequence[Dim], b: Sequence[Dim], least: float = 1) -> tuple[Dim, Dim]:
    """Return the products of both lists without common sizes that are at least `least`: `[n, 6], [n, 5]` -> 6, 5."""
    left, right = _uncommon(a, b, least)
    return product(left), product(right)


def _uncommon(a: Sequence[Dim], b: Sequence[Dim], least: float) -> tuple[list[Dim], list[Dim]]:
    """Return both lists without the sizes that are in both and at least `least`: `[n, 6], [n, 5]` -> `[6], [5]`."""
    left, right = list(a), []
    for d in b:
        if d in left and d.lo >= least:
            left.remove(d)
        else:
            right.append(d)
    return left, right


def _nonzero(d: Dim) -> Dim:
    return select(equal(d, 0), 1, d)


__all__ = ["divide_products", "reshape", "reshape_to", "uncommon_products"]
