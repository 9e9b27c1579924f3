"""Gathers: replace by a reshape a gather whose indices count through all elements in order.

Exporters write attention masks in this way: `mask[rows, columns]` with rows and columns that are ranges.
"""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.operators.rules import move_positions, position
from shapesmt.prover.algebra import ZERO, Dim, as_dim, product, total
from shapesmt.tasks.simplify.rewrites.site import Change, Site, formula, rewrite
from shapesmt.tasks.simplify.rewrites.targets import VIEWS, reshape_node, target


@rewrite("Gather")
def gather_in_order(site: Site) -> Change:
    """The indices count from 0 to the last one of the axis, in order."""
    data, indices = site.read(0), site.read(1)
    element = formula(indices)
    if data.shape is None or indices.shape is None or element is None or site.integer("axis", 0) != 0:
        return None
    return _reshape(site) if data.shape and _counts(element, indices.shape, data.shape[:1]) else None


@rewrite("GatherND")
def gather_tuples_in_order(site: Site) -> Change:
    """The index tuples go through all elements in order."""
    data, indices = site.read(0), site.read(1)
    element, width = formula(indices), indices.shape[-1].constant if indices.shape else None
    if data.shape is None or indices.shape is None or element is None or site.integer("batch_dims", 0) != 0:
        return None
    if width is None or not 0 < width <= len(data.shape):
        return None
    numbers = (
        _component(element, c) * product(data.shape[c + 1 : width]) for c in range(width)
    )  # of rows, of columns, ...
    return _reshape(site) if _counts(total(numbers), indices.shape[:-1], data.shape[:width]) else None


def _component(element: Dim, index: int) -> Dim:
    """Return component `index` of the index tuples, as a formula of a tuple's position."""
    return move_positions(element, lambda axis: as_dim(index) if axis == 1 else position(axis - 1))


def _counts(element: Dim, shape: Sequence[Dim], counted: Sequence[Dim]) -> bool:
    """Whether the elements are 0, 1, 2, ... in row-major order over `shape`, one for each element of axes `counted`."""
    rank = len(shape)
    places = [ZERO if d.constant == 1 else position(rank - axis) for axis, d in enumerate(shape)]
    number = total(place * product(shape[axis + 1 :]) for axis, place in enumerate(places))
    inside = move_positions(element, lambda axis: places[rank - axis] if axis <= rank else position(axis))
    return inside is number and product(shape) is product(counted)


def _reshape(site: Site) -> Change:
    """Return a Reshape of the data, or of the tensor that it is a view of; None if neither has a constant target."""
    inner = site.producer(0, *VIEWS)
    sources = [site.name(0), *(inner.inputs[:1] if inner is not None else ())]
    targets = ((name, target(site, site.draft.facts_of(name))) for name in sources)
    return next((reshape_node(site, name, numbers) for name, numbers in targets if numbers is not None), None)
