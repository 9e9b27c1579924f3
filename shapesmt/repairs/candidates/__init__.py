"""Candidates: every single change of a node that may repair a model; one generator for each kind of change."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from shapesmt.repairs.candidates.attributes import attributes
from shapesmt.repairs.candidates.constants import constants
from shapesmt.repairs.candidates.nodes import cropped, left_out, put_in
from shapesmt.repairs.candidates.operands import edges, operands, resized
from shapesmt.repairs.candidates.shapes import declared, weights
from shapesmt.repairs.candidates.site import Change, Shown, Site

__all__ = ["KINDS", "Change", "Shown", "Site", "declared"]

KINDS: tuple[Callable[[Site], Iterator[Change]], ...] = (
    attributes,
    constants,
    operands,
    edges,
    resized,
    weights,
    left_out,
    put_in,
    cropped,
)
"""The generators of changes, each for one kind at a site; `declared` is about the model as a whole."""
