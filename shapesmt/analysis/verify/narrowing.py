"""Narrowing: replace symbols by narrower ones after a condition is reported, and translate back.

After a node that requires `height % 16 == 0`, nodes are decided with a symbol `height` of the values 16, 32, ...
After one that requires `total == past + seq`, they are decided with `past + seq` instead of `total`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

from shapesmt.base.lazy import cached_property
from shapesmt.operators.rules import Requirement, Tensor, rewrite_tensor, tensor
from shapesmt.prover.algebra import TRUE, Atom, Dim, Formula, Substitution, memo, of_atom


def narrowing_to(replacements: Mapping[Atom, Dim]) -> Narrowing:
    """Return the narrowing by a substitution; equal substitutions share one object, which caches its translations."""
    key = tuple(replacements.items())
    known = _NARROWINGS.get(key)
    if known is None:
        known = _NARROWINGS[key] = Narrowing(replacements)
    return known


class Narrowing:
    """Replaces symbols by ones that satisfy the reported conditions, and translates back."""

    def __init__(self, replacements: Mapping[Atom, Dim]) -> None:
        self.replacements = replacements
        self._forth = Substitution(replacements)
        twins = {a.as_symbol(): of_atom(s) for s, a in replacements.items()}
        self._back = Substitution({twin: s for twin, s in twins.items() if twin is not None})

    def tensor(self, t: Tensor) -> Tensor:
        """Return an input tensor over the narrowed symbols."""
        if t.shape is None:
            return t if t.ndim is None else tensor(t.dtype, None, ndim=self._forth.apply(t.ndim))
        return rewrite_tensor(t, self._forth)

    def narrow_sizes(self, sizes: Iterable[Dim]) -> list[Dim]:
        """Return sizes over the narrowed symbols."""
        return [self._forth.apply(d) for d in sizes]

    def values(self, values: Mapping[Atom, int]) -> dict[Atom, int]:
        """Return the assignment, with the values of the narrowed symbols added."""
        twins = {a.as_symbol(): values[s] for s, a in self.replacements.items() if s in values}
        return {**values, **{twin: value for twin, value in twins.items() if twin is not None}}

    def back(self, formula: Formula) -> Formula:
        """Return a condition translated back to the problem's own symbols."""
        original: Formula = self._back.apply(formula)
        return original

    @cached_property
    def only_ranges(self) -> bool:
        """Whether each symbol is replaced by one of the same name in a narrower range."""
        twins = ((s, replacement.as_symbol()) for s, replacement in self.replacements.items())
        return all(twin is not None and twin.name == s.name for s, twin in twins)

    def settles(self, formula: Formula) -> bool:
        """Whether a condition holds for all values of the narrowed symbols, by its normal form."""
        return self._forth.apply(formula) is TRUE

    def requirement(self, r: Requirement) -> Requirement:
        """Return a requirement translated back to the problem's own symbols."""
        return _rewritten(r, self._back)

    def narrow(self, r: Requirement) -> Requirement:
        """Return a requirement on the problem's own symbols over the narrowed ones."""
        return _rewritten(r, self._forth)


def _rewritten(r: Requirement, change: Substitution) -> Requirement:
    left, right = (None if side is None else change.apply(side) for side in (r.left, r.right))
    return r._replace(formula=change.apply(r.formula), left=left, right=right, branch=change.apply(r.branch))


_NARROWINGS: dict[Hashable, Narrowing] = memo("narrowings with what they translate", {})
