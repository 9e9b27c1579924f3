"""Finding: the one place where findings are made, whatever they are about."""

from __future__ import annotations

from typing import Any, NamedTuple

from shapesmt.network.laws import Law
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Counterexample, Finding, FindingKind


class Where(NamedTuple):
    """The node that a finding is about; `place` is its index, -1 and `op` "" if it is about none."""

    name: str
    op: str
    place: int


def finding(
    verdict: Verdict,
    kind: FindingKind,
    where: Where,
    law: Law | str,
    condition: object = "",
    shown: Counterexample | None = None,
    *,
    code: str = "",
    title: object = "",
    note: object = "",
    when: object = "",
    help: object = "",  # noqa: A002 - as the field is called
    **others: Any,
) -> Finding:
    """Return a finding; `title`, `note`, `when` and `help` are facts, or "".

    Args:
        verdict: Whether the law fails, depends on the input, or isn't decided.
        kind: What the finding is about.
        where: The node.
        law: The law, with its code; a text needs a `code`.
        condition: The condition that isn't proved.
        shown: The input at which it fails.
        code: Another code than the law's.
        title: What is wrong at that input.
        note: What else is to be said.
        when: The branches that have to be taken.
        help: What helps.
        others: Further fields of `Finding`.
    """
    told: dict[str, Any] = {"title": title, "note": note, "when": when, "help": help}
    code = code or (law.code if isinstance(law, Law) else "")
    name, op, place = where
    return Finding(verdict, kind, name, op, place, str(law), str(condition), shown, code=code, **told, **others)
