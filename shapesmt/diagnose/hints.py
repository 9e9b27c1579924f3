"""Hints about cases that the answer doesn't cover, such as a decoder's first step (empty cache)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from shapesmt.errors import printable
from shapesmt.render import shell
from shapesmt.version import followed_runtime

if TYPE_CHECKING:
    from shapesmt.examine import Examination, Problem
    from shapesmt.inference import Inference

_CACHE = re.compile(r"(?:^|[._/])(?:kv_?)?(?:past|caches?)(?![a-z])", re.IGNORECASE)
_MOST = 3  # the most names in a hint


def hints(problem: Problem, examination: Examination) -> tuple[str, ...]:
    """Return the hints: the file lacks data, the ranges leave out a decoder's first step, other runtimes differ."""
    left_out = (*_first_step(problem), *_noted(problem))
    return (*filter(None, [problem.graph.missing]), *left_out, *_by_version(examination.original))


def _noted(problem: Problem) -> tuple[str, ...]:
    """Return hints if the file's metadata leave out size 1, as PyTorch's exporter does, or all sizes but one."""
    if problem.graph.is_program:
        return ()
    noted = {name: r for name, r in problem.ranges.items() if r.source == "metadata"}
    one = [name for name, r in noted.items() if r.min == r.max]
    two = [name for name, r in noted.items() if r.min == 2 and name not in one]
    told = [f"{printable(name, 60)} has one value in the file's metadata, {noted[name].min}" for name in one[:_MOST]]
    if two:
        spec = shell(f"{printable(two[0], 60)}=1..{noted[two[0]].max or ''}")
        out = f"{_names(two)} {_starts(two)} at 2 in the file's metadata: 1 is left out; --dim {spec} includes it"
        told.insert(0, out)
    return tuple(told)


def _names(names: Sequence[str]) -> str:
    """Return the first few names as text, and how many more there are."""
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return ", ".join(printable(name, 60) for name in names[:_MOST]) + more


def _starts(names: Sequence[str]) -> str:
    return "starts" if len(names) == 1 else "start"


def _by_version(inference: Inference) -> tuple[str, ...]:
    """Return one hint if the nodes' behaviour depends on the version of ONNX Runtime, else ()."""
    places = [i for i, application in enumerate(inference.applications) if application.by_version]
    ops = sorted({inference.graph.nodes[i].op for i in places})
    if not ops:
        return ()
    shown = ", ".join(printable(op, 60) for op in ops[:_MOST]) + ", ..." * (len(ops) > _MOST)
    version = ".".join(map(str, followed_runtime()))
    return (f"{shown}: as ONNX Runtime {version} runs it; other versions differ at some sizes",)


def _first_step(problem: Problem) -> tuple[str, ...]:
    """Return one hint if an undeclared dimension of a cache leaves out the first step, at which the cache is empty.

    The first axis of a cache is the batch. A dimension that other inputs share counts only if it is named like a cache.
    """
    caches: dict[str, None] = {}
    others: set[str] = set()
    for name, (_, axes) in problem.declared.items():
        named = [axis for axis in axes or () if isinstance(axis, str)]
        if not _CACHE.search(name):
            others.update(named)
        elif axes and len(axes) > 1:
            caches.update((axis, None) for axis in axes[1:] if isinstance(axis, str))
    lengths = [name for name in caches if name not in others or _CACHE.match(name)]
    open_ones = [name for name in lengths if name in problem.ranges and problem.ranges[name].source == "default"]
    if not open_ones:
        return ()
    first = f"{_names(open_ones)} {_starts(open_ones)} at 1: the first step, with an empty cache, is left out"
    return (f"{first}; --dim {shell(f'{printable(open_ones[0], 60)}=0..')} includes it",)
