"""Calls recorded and judged in processes of their own: PyTorch ends some that it should refuse, and the process too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from torch.testing._internal.common_methods_invocations import op_db

from tests.oracle.forked import results
from tests.oracle.torch import exported
from tests.oracle.torch.calls import Call
from tests.oracle.torch.judge import Outcome, judged
from tests.oracle.torch.samples import sampled, written

WRITTEN = "="  # stands for the calls written by hand
DIED = "died"
SECONDS = 600  # for all calls of an operator, on a machine that does other things


def entries(names: Sequence[str] = ()) -> list[str]:
    """The operators in PyTorch's list that a name fits: a part of theirs, a pattern as `[a-f]*`, or `=add` exactly.

    The first is "=" where calls written by hand are asked for; without names it is all of them.
    """
    listed = sorted({info.name for info in op_db})
    fitting = [name for name in listed if not names or any(_fits(name, wanted) for wanted in names)]
    return [WRITTEN, *fitting] if not names or WRITTEN in names else fitting


def _fits(name: str, wanted: str) -> bool:
    if wanted.startswith("="):
        return name == wanted[1:]
    return fnmatchcase(name, wanted) if "*" in wanted else wanted in name


def recorded(item: tuple[str, int]) -> list[Call]:
    """The calls of an operator in PyTorch's list, at most so many samples of each element type."""
    name, most = item
    return list(written() if name == WRITTEN else sampled(name, most))


def judgements(names: Sequence[str] = (), most: int = 1000, ops: Sequence[str] = ()) -> Iterator[tuple[str, Outcome]]:
    """The operator of each call, each once, and what came of it; `ops` are what the names of operators begin with."""
    items = [(name, most) for name in entries(names)]
    seen: dict[str, Call] = {}
    for (name, _), calls in zip(items, results(recorded, items, SECONDS), strict=True):
        if calls is None:
            yield name, Outcome(DIED, "while it was recorded")
        for call in calls or ():
            if not ops or call.op.removeprefix("aten.").startswith(tuple(ops)):
                seen.setdefault(str(call), call)
    for (text, call), outcome in zip(seen.items(), results(judged, [*seen.values()], SECONDS), strict=True):
        yield call.op.removeprefix("aten."), outcome or Outcome(DIED, text)


def exported_judgements(names: Sequence[str] = (), most: int = 1000) -> Iterator[exported.Judged]:
    """The programs of operators in PyTorch's list, and what came of each."""
    items = [(name, most) for name in entries(names) if name != WRITTEN]
    for (name, _), programs in zip(items, results(exported.judged, items, SECONDS), strict=True):
        yield from [exported.Judged(name, (), Outcome(DIED))] if programs is None else programs
