"""Extents: the tightest interval of every dimension of every tensor over the valid region."""

from __future__ import annotations

from collections.abc import Iterable

from shapesmt.dim import Atom, Dim
from shapesmt.examine import Examination
from shapesmt.presolve import Domain
from shapesmt.report import DimBounds, TensorBounds
from shapesmt.solve.judge import Judge
from shapesmt.tensor import LOST, OPEN, Tensor


def tensor_bounds(
    examination: Examination, judge: Judge, names: Iterable[str] | None = None
) -> dict[str, TensorBounds]:
    """The bounds of every named tensor (all without names); tensors of one shape share theirs."""
    tensors = examination.inference.tensors
    domain = judge.deadline.attempt(lambda: examination.narrowed, Domain([]))  # then no extent is found in time
    sizes: dict[Dim, DimBounds] = {}
    shared: dict[Tensor, TensorBounds] = {}
    wanted = tensors if names is None else {name: tensors[name] for name in names}
    for t in wanted.values():
        if t not in shared:
            shape = t.shape if t.is_tensor else None  # a sequence has none of its own
            for dim in shape or ():
                if dim not in sizes:
                    sizes[dim] = _size(dim, domain, judge, examination)
            shared[t] = TensorBounds(t.dtype, None if shape is None else tuple([sizes[d] for d in shape]))
    return {name: shared[t] for name, t in wanted.items() if name}


def unbounded(examination: Examination) -> dict[str, TensorBounds]:
    """Every tensor with the formulas of its sizes, where no input is valid and nothing has bounds."""
    sizes: dict[Dim, DimBounds] = {}
    shared: dict[Tensor, TensorBounds] = {}
    tensors = examination.original.tensors
    for t in tensors.values():
        if t not in shared:
            for dim in t.shape or ():
                low, high = (0, None) if dim.constant is None else (dim.constant, dim.constant)
                sizes.setdefault(dim, DimBounds(low, high, str(dim), exact=False))
            known = t.shape is not None and t.is_tensor
            shared[t] = TensorBounds(t.dtype, tuple([sizes[d] for d in t.dims]) if known else None)
    return {name: shared[t] for name, t in tensors.items() if name}


def _size(dim: Dim, domain: Domain, judge: Judge, examination: Examination) -> DimBounds:
    """The bounds of one size; an end counts as attained only where every node is known to run there."""
    extent = judge.extent(domain, dim)
    known = examination.decided and not any(s.kind in (OPEN, LOST) for s in dim.symbols)
    tied = domain.cone(dim.symbols)[0]  # of places, some are tried: what holds at one has to hold at each
    known = known and examination.independent(tied) and not any(s.kind == "place" for s in tied)
    low, high = (None if w is None else _named(w) for w in extent.witnesses)
    return DimBounds(extent.lo, extent.hi, str(dim), extent.exact and (known or dim.constant is not None), (low, high))


def _named(witness: dict[Atom, int]) -> dict[str, int]:
    return {symbol.name: value for symbol, value in witness.items()}
