"""Quantities: the numbers that a message prints, as conditions on the sizes of the node that raises it.

A necessary condition holds wherever the node prints the message; what isn't known adds nothing to it. A sufficient one
holds only where it does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from shapesmt.operators.rules import Requirement
from shapesmt.prover.algebra import FALSE, TRUE, Formula, all_of, any_of, equal, maximum, negate
from shapesmt.tasks.runtime_errors.clashes import SIDES, Clash, batches, clashes_of, fork
from shapesmt.tasks.runtime_errors.forms import Fork, Form
from shapesmt.tasks.runtime_errors.meanings import INEXACT, implied, meaning, nearly
from shapesmt.tasks.runtime_errors.reading import Message
from shapesmt.tasks.runtime_errors.site import Site, in_order, numbers_of, same, stated, stops

__all__ = ["Printed", "likely", "past_end", "printed", "resembling"]

BATCHED = 100  # the line of matmul_helper.h after which ONNX Runtime treats several matrices, in most versions


class Printed(NamedTuple):
    """A necessary condition for a node to print a message, and sufficient ones; none if none is known.

    Under each sufficient condition the text is the same. Under two of them it may come from two lines of the runtime's
    source, which it names.
    """

    necessary: Formula
    sufficient: tuple[Formula, ...] = ()


def printed(site: Site, message: Message, others: Sequence[Requirement] | None = None) -> Printed:
    """Return the conditions under which a node prints a message.

    Any failure may be printed if the form isn't known, or is of laws that the node doesn't have: several operators say
    the same about other inputs, and a rule states nothing after a requirement that fails for every input.

    Args:
        site: The node.
        message: The message.
        others: Requirements that hold too where the message is certain; None if it never is.
    """
    form, said = message.form, message.said
    if form is None or (form.laws and not stated(site, form)):
        return Printed(TRUE)
    clashes, early = clashes_of(site, form, said), _earlier(site, form)
    numbers = [meaning(site, form, group, said) for group in said if group not in SIDES]
    numbers.append(implied(site, form, said))
    told = all_of(nearly(site, form, said), *(condition for condition in (*numbers, *early) if condition is not None))
    necessary = all_of(told, any_of(*(all_of(c.condition, *(r.formula for r in c.before)) for c in clashes)))
    unread = message.unread or form.skips or None in numbers or any(map(INEXACT.fullmatch, said))
    unread = unread or (site.foreign and not said)  # without a number, nothing ties another runtime's laws to these
    if others is None or unread or site.loose or site.merged or not site.whole:
        return Printed(necessary)
    ordered = not {"a", "b"} <= said.keys() or (form.stop is not None and not site.foreign)
    certain = [
        (
            _certain(clash, form, site, others, sided=bool(said.keys() & (SIDES | {"guard"}))),
            fork(form, site, clash.requirement),
        )
        for clash in clashes
        if ordered and None not in early
    ]
    ways = (any_of(*(all_of(c, f) for c, f in certain)), any_of(*(all_of(c, negate(f)) for c, f in certain)))
    return Printed(necessary, tuple(all_of(told, way) for way in ways if way is not FALSE))


def _earlier(site: Site, form: Form) -> list[Formula | None]:
    """Return the conditions that the runtime passes each earlier check of the operator; None for one not known."""
    if site.loose or site.foreign:
        return []
    passes: list[Formula | None] = []
    for check in form.earlier:
        known, fails = implied(site, check, {}), [negate(r.formula) for r in stated(site, check)]
        passes.append(None if known is None and fails else negate(all_of(known or FALSE, any_of(*fails))))
    return passes


def _certain(clash: Clash, form: Form, site: Site, others: Sequence[Requirement], *, sided: bool) -> Formula:
    """Return the condition that a clash is what the node prints: every other requirement that may be printed holds.

    `sided` says whether the message has the sides of the clash, or tells which one it is.
    """
    failing, numbered = clash.requirement, clash.condition
    if failing is None or (form.fork is Fork.INNER and len(site.shapes) > 2):
        return FALSE
    if sided and not in_order(site, failing):
        return FALSE
    own = {r.formula for r in clash.before}
    checks = () if site.foreign else (*form.earlier, *form.later)
    free = {r.formula for r in site.requirements if any(check.states(r.law) for check in checks)}
    if not site.foreign and (stops(site, form) is not None or form.where):
        free.update(r.formula for r in stated(site, form))
    elif not sided and form.stop is None:  # whichever requirement of the same law fails, it says the same
        whole = "inputs" in form.pattern.groupindex
        free.update(r.formula for r in stated(site, form) if whole or r.law == failing.law)
    around = [r.formula for r in site.requirements if r.formula not in free and r.formula is not failing.formula]
    return all_of(numbered, *own, *around, *(r.formula for r in others))


def likely(site: Site, message: Message, *, ordered: bool, alone: bool) -> Formula:
    """Return a condition that usually holds too when the node raises the message.

    With `alone`, only one requirement fails; with `ordered`, the two printed sizes are in the order of the law's sides.
    """
    form, numbers, cases = message.form, numbers_of(message.said), []
    for r in site.requirements if form is None else stated(site, form):
        order = TRUE
        if r.left is not None and r.right is not None and "a" in numbers and "b" in numbers:
            a, b = numbers["a"], numbers["b"]
            order = all_of(equal(r.left, a), equal(r.right, b)) if ordered else same(r.left, r.right, a, b)
        elif r.right is not None and "index" in numbers:
            order = equal(r.right, numbers["index"])
        others = [o.formula for o in site.requirements if o is not r] if alone else []
        cases.append(all_of(negate(r.formula), order, *others))
    return any_of(*cases) if cases else TRUE


def resembling(site: Site, message: Message) -> list[Formula]:
    """Return conditions that the node has the numbers whose meaning isn't read: those that tell most come first.

    Among lists of one length the last comes first: a message says what it wants, then what it got. A list is the
    shape or the elements of an input, a single one any size, element or side of a requirement.
    """
    quantities, conditions = [d for d in site.quantities if d.constant is None], []
    for _, numbers in sorted(enumerate(message.unread), key=lambda pair: (len(pair[1]), pair[0]), reverse=True):
        lists = [*site.shapes, *(site.elements(index) or () for index in range(len(site.inputs)))]
        whole = any_of(*(all_of(*map(equal, shape, numbers)) for shape in lists if len(shape) == len(numbers) > 1))
        conditions += [whole] if whole is not FALSE else [any_of(*(equal(d, n) for d in quantities)) for n in numbers]
    if "line" in message.said and batches(site) is not FALSE:
        conditions.append(batches(site) if int(message.said["line"]) >= BATCHED else negate(batches(site)))
    return [condition for condition in dict.fromkeys(conditions) if condition not in (TRUE, FALSE)]


def past_end(site: Site, earlier: Iterable[Requirement], said: Mapping[str, str]) -> Formula:
    """Return the condition under which a lookup before the node has passed the end of its table without an error.

    The lookup then returns as many rows as the table has from the first index on.
    """
    numbers, cases = numbers_of(said), []
    sizes = dict.fromkeys(d for shape in site.shapes for d in shape)
    for r in earlier:
        if r.left is None or r.right is None:
            continue
        rows = [(d, maximum(r.right - r.left + d - 1, 0)) for d in sizes]
        if "a" in numbers and "b" in numbers:
            cases += [all_of(negate(r.formula), same(d, left, numbers["a"], numbers["b"])) for d, left in rows]
    return any_of(*cases)
