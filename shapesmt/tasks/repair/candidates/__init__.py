"""Candidates: every single change of a node that may repair a model; one generator for each kind of change."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from shapesmt.tasks.repair.candidates.apart import kept_apart
from shapesmt.tasks.repair.candidates.attributes import attributes
from shapesmt.tasks.repair.candidates.constants import constants
from shapesmt.tasks.repair.candidates.near import readers, sites
from shapesmt.tasks.repair.candidates.nodes import crops, left_out, put_in
from shapesmt.tasks.repair.candidates.operands import edges, operands, sizes_from_input
from shapesmt.tasks.repair.candidates.padding import padding
from shapesmt.tasks.repair.candidates.shapes import declared_sizes, weights
from shapesmt.tasks.repair.candidates.site import Change, Shown, Site

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
