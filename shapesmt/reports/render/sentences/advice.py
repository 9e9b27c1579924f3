"""Hints about cases that an answer doesn't cover, and notes on sizes that run beside a remedy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shapesmt.base.errors import printable
from shapesmt.prover.algebra import name_text
from shapesmt.reports.render.quoting import shell
from shapesmt.reports.render.sentences.absence import unneeded

if TYPE_CHECKING:
    from shapesmt.reports.answers import facts

_MOST = 3  # the most names in a hint


def hints(told: facts.Hints) -> tuple[str, ...]:
    """Return a sentence for each kind of case that is left out."""
    said = [told.missing, unneeded(told.absent)]
    if told.caches:
        first = f"{_start(told.caches)} at 1: the first step, with an empty cache, is left out"
        said.append(f"{first}; --dim {shell(f'{_name(told.caches[0])}=0..')} includes it")
    if told.from_two:
        name, r = next(iter(told.from_two.items()))
        spec = shell(f"{_name(name)}=1..{r.max or ''}")
        first = f"{_start([*told.from_two])} at 2 in the file's metadata"
        said.append(f"{first}: 1 is left out; --dim {spec} includes it")
    if told.one_value:
        values = _first([f"{_name(name)} = {r.min}" for name, r in told.one_value.items()])
        said.append(f"one value in the file's metadata: {values}")
    if told.by_version:
        shown = ", ".join(map(_name, told.by_version[:_MOST])) + ", ..." * (len(told.by_version) > _MOST)
        version = ".".join(map(str, told.version))
        said.append(f"{shown}: judged as ONNX Runtime {version} runs it; other versions differ at some sizes")
    if told.fixed:
        shapes = [f"{_name(name)} {'x'.join(map(str, sizes))}" for name, sizes in told.fixed.items()]
        name, first_sizes = next(iter(told.fixed.items()))
        spec = shell(f"{_name(name)}=[{','.join(['1..'] * len(first_sizes))}]")
        said.append(f"nothing varies: only {_first(shapes)} is meant; --shape {spec} asks for more")
    return tuple(filter(None, said))


def _first(items: Sequence[str]) -> str:
    """Return the first few items and how many more there are."""
    return ", ".join(items[:_MOST]) + (f" and {len(items) - _MOST} more" if len(items) > _MOST else "")


def _start(names: Sequence[str]) -> str:
    """Return the first few names and how many more there are, with the verb."""
    return _first([_name(name) for name in names]) + (" starts" if len(names) == 1 else " start")


def _name(name: str) -> str:
    return printable(name, 60)


def nearby(told: facts.Nearby) -> str:
    """Return which sizes run besides those of a remedy, and what else helps where it narrows what the caller gave.

    >>> from shapesmt.reports.answers import facts
    >>> nearby(facts.Nearby({"h": (7, 0), "w": (7, 0)}, False)), nearby(facts.Nearby({"h": (7, 0), "w": (0, 1)}, True))
    ('up to 7 less also works', 'also h up to 7 less, w up to 1 more; other sizes run too')
    >>> nearby(facts.Nearby({}, False, True))
    'change the model if all sizes are meant to run'
    """
    change = "change the model if all sizes are meant to run" if told.narrowed else ""
    broadcast = f"also runs, broadcast: {told.broadcast}" if told.broadcast else ""
    return "; ".join(filter(None, (_beside(told), broadcast, change)))


def _beside(told: facts.Nearby) -> str:
    words = dict.fromkeys(_around(*around) for around in told.slack.values())
    if len(words) == 1:
        return f"{next(iter(words))} also works" + (", and so do other sizes" if told.others else "")
    each = ", ".join(f"{name_text(name)} {_around(*around)}" for name, around in told.slack.items())
    return "; ".join(filter(None, (f"also {each}" if each else "", "other sizes run too" if told.others else "")))


def doubt(told: facts.Doubt) -> str:
    """Return why the model is more likely wrong than the ranges, with the number of sizes that run if it is known.

    >>> from shapesmt.reports.answers import facts
    >>> doubt(facts.Doubt(("batch",), (), (), (1, 7168)))
    '1 of 7,168 sizes runs: the model is more likely wrong than the ranges'
    >>> doubt(facts.Doubt(("batch", "n"), (), (), None))
    'this leaves one value of batch, n: the model is more likely wrong than the ranges'
    """
    if told.share is not None:
        valid, admissible = told.share
        left = f"{valid:,} of {admissible:,} sizes {'runs' if valid == 1 else 'run'}"
    elif told.related:
        left = f"sizes of one input have to satisfy {' and '.join(told.related)}"
    else:
        names = told.single or told.small
        left = f"this leaves {'one value' if told.single else 'a small part'} of {', '.join(map(name_text, names))}"
    return f"{left}: the model is more likely wrong than the ranges"


def _around(less: int, more: int) -> str:
    return " or ".join(f"up to {n} {way}" for n, way in ((less, "less"), (more, "more")) if n)
