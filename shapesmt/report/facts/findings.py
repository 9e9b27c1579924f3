"""Facts about findings: of titles and notes."""

from __future__ import annotations

from typing import NamedTuple

from shapesmt.laws import Law
from shapesmt.report.finding import Clash, FindingKind


class Broken(NamedTuple):
    """A broken law, how it relates its two sides ("==", ">=" or ""), and their sizes if it compares any."""

    law: Law
    relation: str
    clash: Clash | None


class Undecided(NamedTuple):
    """A node left undecided, and the law that says why after a colon; "" if none does."""

    kind: FindingKind
    law: str


class Inside(NamedTuple):
    """The place of a node in a subgraph or a function."""

    path: str


class Behind(NamedTuple):
    """The number of downstream nodes that are left unexamined as well."""

    nodes: int
