"""Requirement: a condition that a node needs in order to run, with its law."""

from __future__ import annotations

from typing import NamedTuple

from shapesmt.algebra import TRUE, Dim, Formula
from shapesmt.laws import Law


class Requirement(NamedTuple):
    """The condition, the law it stands for, and the two sides that clash when it fails.

    `within` is the path of the inner node for a requirement that comes from a subgraph or a function's body. `typed`
    says that it is about element types; `limit` that no shape depends on it: a node that breaks it can't run, but what
    shapes its outputs would have is known all the same. `given` is the condition of the branches that it stands in.
    """

    formula: Formula
    law: Law
    left: Dim | None = None
    right: Dim | None = None
    within: str = ""
    typed: bool = False
    limit: bool = False
    given: Formula = TRUE
