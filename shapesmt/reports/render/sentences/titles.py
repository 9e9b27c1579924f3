"""Titles: the problem at a counterexample, as a sentence that names both sides with their numbers; and its case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from shapesmt.network import laws
from shapesmt.network.laws import Law
from shapesmt.prover.algebra import conjunction, name_text
from shapesmt.reports.answers import FindingKind, Side, facts
from shapesmt.reports.render.text.words import slot

_ALONE = {"==": "{left} is {a}, not {b}", ">=": "{left} is {a}, less than {b}", "": "{left} is {a}, against {b}"}
_NUMBERS = {"==": "{a} isn't {b}", ">=": "{a} is less than {b}", "": "{a} against {b}"}
_ONE_RANK = frozenset(
    law.sentence for law in (laws.TENSORS_ONE_RANK, laws.DATA_AND_INDICES_ONE_RANK, laws.INPUT_AND_WEIGHT_SAME_RANK)
)  # laws about the ranks of all inputs
_UNDECIDED = {
    FindingKind.RANK: "the rank of an input isn't known",
    FindingKind.TIMEOUT: "not looked at in the time given",
}


def broken(told: facts.Broken) -> str:
    """Return the sentence that says how a law is broken.

    >>> from shapesmt.network import laws
    >>> from shapesmt.reports.answers import Clash
    >>> broken(facts.Broken(laws.SIZES_BROADCAST, "", Clash(Side("n", 3, "x", 0), Side("m", 4, "y", 0))))
    'x[0] is 3, y[0] is 4'
    >>> broken(facts.Broken(laws.SIZES_BROADCAST, "", Clash(Side("n", 3, "x", 0), Side("2", 2, "shape", element=1))))
    'x[0] is 3, element 1 of shape is 2'
    >>> broken(facts.Broken(laws.WINDOW_FITS, ">=", Clash(Side("n", 3, "x", 2), Side("7", 7))))
    'the window needs 7, the padded input has 3'
    >>> broken(facts.Broken(laws.AXIS_INSIDE_RANK.of(axis=3, rank=2), "", None))
    'required: axis 3 is inside a tensor of rank 2'
    >>> ranks = laws.TENSORS_ONE_RANK.of(rank=4, other=3)
    >>> broken(facts.Broken(ranks, "", None, {0: 4, 1: 4, 2: 3}))
    'required: the tensors have one rank; input 2 has rank 3, the others 4'
    """
    law, relation, clash, ranks = told
    if law.template in _ONE_RANK and len({*ranks.values()}) > 1:
        return f"required: {law.sentence.partition(', not ')[0]}; {_odd_rank(ranks)}"
    if clash is None or any(s.value is None and not s.expr.isdecimal() for s in (clash.left, clash.right)):
        return law.broken if law.broken and "{" not in law.broken else f"required: {law}"
    a, b = (s.expr if s.value is None else str(s.value) for s in (clash.left, clash.right))
    if law.broken:
        return law.broken.format(left=a, right=b)
    left, right = _subject(clash.left, law), _subject(clash.right, law)
    if left and right:
        return f"{left} is {a}, {right} is {b}"
    if left:
        return _ALONE[relation].format(left=left, a=a, b=b)
    if right:
        return f"{right} is {b}, more than {a}" if relation == ">=" else _ALONE[relation].format(left=right, a=b, b=a)
    return _NUMBERS[relation].format(a=a, b=b)


def _odd_rank(ranks: Mapping[int, int]) -> str:
    """Return which inputs have another rank than most; the first ones count as most if there are as many of each.

    >>> _odd_rank({0: 1, 1: 2}), _odd_rank({0: 4, 1: 3, 2: 3})
    ('input 1 has rank 2, the other 1', 'input 0 has rank 4, the others 3')
    """
    usual = Counter(ranks.values()).most_common(1)[0][0]
    odd = [f"input {place} has rank {rank}" for place, rank in ranks.items() if rank != usual]
    return f"{', '.join(odd[:3])}, the other{'s' * (len(ranks) - len(odd) > 1)} {usual}"


def _subject(side: Side, law: Law) -> str:
    """Return the subject of a size: its slot in a tensor, a side that the law names, or a formula; "" for a number."""
    if side.tensor:
        return slot(side.tensor, side.axis, side.element)
    if side.name and side.name in law.sides:
        return side.name
    return "" if side.value is None or side.expr == str(side.value) else side.expr


def mixed(told: facts.Mixed) -> str:
    """Return the sentence about the tensor in which samples are mixed.

    >>> mixed(facts.Mixed("batch", "y", (8, 40), (4, 80), 8, ("y",)))
    'with batch = 8, [8, 40] is read as [4, 80]: several samples share an index of each axis'
    >>> mixed(facts.Mixed("batch", "m", None, (2, 4), 2, ("y", "z")))
    'with batch = 2, elements of m [2, 4] depend on several samples; so do y and z'
    """
    later = tuple(output for output in told.outputs if output != told.tensor)
    so = f"; so {'do' if len(later) > 1 else 'does'} {_listed(later)}" if later else ""
    if not told.known:
        return f"it isn't known which samples {told.tensor} depends on" + (f", nor {_listed(later)}" if later else "")
    at = "" if told.samples is None else f"with {told.symbol} = {told.samples}, "
    if told.before is not None and told.after is not None:
        return f"{at}{[*told.before]} is read as {[*told.after]}: several samples share an index of each axis"
    shape = "" if told.after is None else f" {[*told.after]}"
    return f"{at}elements of {told.tensor}{shape} depend on several samples{so}"


def _listed(names: tuple[str, ...], most: int = 3) -> str:
    """Return names as text, at most so many of them."""
    shown = names if len(names) <= most else (*names[: most - 1], f"{len(names) - most + 1} other outputs")
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def undecided(told: facts.Undecided) -> str:
    """Return the reason why a node is undecided; "" if its law says it already."""
    return _UNDECIDED.get(told.kind) or told.law.partition(": ")[2]


def when(told: facts.When) -> str:
    """Return a condition as text.

    >>> when(facts.When((facts.Choice("use_cache", True, by_data=False), "n >= 2")))
    'use_cache == 1 and n >= 2'
    >>> when(facts.When((facts.Choice("c", False, by_data=True),)))
    "'c' is false"
    """
    return conjunction([part if isinstance(part, str) else _choice(part) for part in told.parts])


def _choice(choice: facts.Choice) -> str:
    if choice.by_data:
        return f"'{choice.condition}' is {'true' if choice.value else 'false'}"
    return f"{name_text(choice.condition)} == {int(choice.value)}"
