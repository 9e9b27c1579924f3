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


class Choice(NamedTuple):
    """What a condition that is 0 or 1 has to be; `by_data` names a tensor, else it is a symbol."""

    condition: str
    value: bool
    by_data: bool


class When(NamedTuple):
    """A conjunction of choices, and of formulas as text."""

    parts: tuple[Choice | str, ...]


class Inside(NamedTuple):
    """The place of a node in a subgraph or a function."""

    path: str


class Behind(NamedTuple):
    """The number of downstream nodes that are left unexamined as well."""

    nodes: int
