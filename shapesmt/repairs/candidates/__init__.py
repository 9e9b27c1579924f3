"""Candidates: every single change of a node that may repair a model; one generator for each kind of change."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from shapesmt.repairs.candidates.apart import kept_apart
from shapesmt.repairs.candidates.attributes import attributes
from shapesmt.repairs.candidates.constants import constants
from shapesmt.repairs.candidates.near import readers, sites
from shapesmt.repairs.candidates.nodes import crops, left_out, put_in
from shapesmt.repairs.candidates.operands import edges, operands, sizes_from_input
from shapesmt.repairs.candidates.padding import padding
from shapesmt.repairs.candidates.shapes import declared_sizes, weights
from shapesmt.repairs.candidates.site import Change, Shown, Site

__all__ = ["KINDS", "Change", "Shown", "Site", "declared_sizes", "kept_apart", "padding", "readers", "sites"]

KINDS: tuple[Callable[[Site], Iterator[Change]], ...] = (
    attributes,
    constants,
    operands,
    edges,
    sizes_from_input,
    weights,
    left_out,
    put_in,
    crops,
)
"""The generators of changes, each for one kind at a site; `declared_sizes` and `padding` change a model's inputs."""
