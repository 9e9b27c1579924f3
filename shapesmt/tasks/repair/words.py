"""Words: describe a change, and the evidence for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from shapesmt.base.errors import printable
from shapesmt.prover.algebra import Verdict
from shapesmt.tasks.repair.candidates import Change, Shown
from shapesmt.tasks.repair.search import Proved

MOST = 120
"""The maximum number of characters of a value."""


def shown(value: Shown) -> str:
    """Return a value as text for a report, at most 120 characters long.

    >>> shown((0, 2, 1)), shown("x"), shown(None)
    ('0,2,1', 'x', 'nothing')
    """
    if value is None:
        return "nothing"
    text = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return printable(text, MOST)


def texts_of(changes: Sequence[Change]) -> list[str]:
    """Describe changes, each by a text of its own: what a node makes is added where two have the same text."""
    texts = [*map(change_text, changes)]
    often = Counter(texts)
    makes = [printable(change.site.node.outputs[0], MOST) for change in changes]
    return [text + f" (which makes {made})" * (often[text] > 1) for text, made in zip(texts, makes, strict=True)]


def change_text(change: Change) -> str:
    """Describe a change, for example `perm of Transpose_0: 0,1 -> 1,0`."""
    node = change.site.node
    where, name = printable(node.name or node.op, MOST), printable(change.name, MOST)
    old, new = shown(change.old), shown(change.new)
    if change.is_joint:
        places = [printable(change.site.graph.nodes[i].name, MOST) for i in sorted(change.edit.nodes)]
        return f"{old} -> {new}: {', '.join(places)}"
    if change.kind == "node" and isinstance(change.new, str):
        return f"{name} of one operand before {new}"
    return _single(change, where, name, old, new)


def _single(change: Change, where: str, name: str, old: str, new: str) -> str:
    """Describe a change of one node by its printable parts."""
    node = change.site.node
    match change.kind:
        case "attribute":
            return f"{name} of {where}: {old} -> {new}"
        case "constant":
            return f"input {change.input} of {where}: {old} -> {new}"
        case "operands":
            return f"operands of {where} the other way round: {new}"
        case "edge":
            return f"input {change.input} of {where}: {old} -> {new}"
        case "weight":
            return f"shape of {name}, input {change.input} of {where}: {old} -> {new}"
        case "declared":
            return f"axis {change.input} of input {name}: {old} -> {new}"
        case _ if change.input is None and isinstance(change.new, tuple):
            return f"pad input {shown(change.old)} to multiples: axis {', axis '.join(map(str, change.new))}"
        case _ if change.input is None:
            return f"leave out {where} ({name})"
        case _ if len(change.edit.before) and any(len(nodes) > 1 for nodes in change.edit.before.values()):
            return f"crop input {change.input} of {where} to the other's size along {new}"
        case _:
            readers = f" and every other reader of {printable(node.inputs[change.input], MOST)}"
            return f"{name} {new} before input {change.input} of {where}{readers * (len(change.edit.nodes) > 1)}"


def evidence(proved: Proved) -> str:
    """Return evidence on a change besides its proof, such as `3 of 4 Conv nodes alike have it`; "" if there is none."""
    votes, op = proved.votes, printable(proved.change.site.node.op)
    right, wrong = proved.declared
    said = [f"{votes.new} of {votes.total} {op} nodes alike have it"] * bool(votes.new)
    said += ["the outputs have their declared sizes"] * (right > 0 and not wrong)
    said += ["an output isn't as declared"] * bool(wrong)
    said += ["other findings are left"] * (proved.verdict is not Verdict.PROVED)
    return "; ".join(said)
