"""Indices that are known as formulas, and the sizes that tests of indexing try."""

from __future__ import annotations

import numpy as np

from tests.support.harness import node as named_node

NM = {"n": (0, 3), "m": (0, 3)}


NMK = {**NM, "k": (0, 3)}


I64 = {"i": "int64"}


C = {"zero": np.array(0), "one": np.array(1), "two": np.array(2)} | {f"ax{i}": np.array([i]) for i in (-1, 0, 1)}


def node(op, inputs, outputs=("out",), **attributes):
    """Return a node named after its first output, so that a model may have several nodes of one operator."""
    made = named_node(op, inputs, outputs, **attributes)
    made.name = outputs[0]
    return made


def count(limit, output, start="zero"):
    """Return a Range node for `start..limit-1`, whose elements are known only as a formula."""
    return node("Range", [start, limit, "one"], [output])
