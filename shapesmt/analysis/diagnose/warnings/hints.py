"""Hints on cases that an answer leaves out, such as an empty cache, and the assumptions that it makes about data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from shapesmt.analysis.diagnose.absent import absent_files
from shapesmt.base.version import followed_runtime
from shapesmt.network.graph import Absence
from shapesmt.reports.answers import Assumed, facts

if TYPE_CHECKING:
    from shapesmt.analysis.verify import Examined, Problem
    from shapesmt.operators.inference import Inference

_CACHE = re.compile(r"(?:^|[._/])(?:kv_?)?(?:past|caches?)(?![a-z])", re.IGNORECASE)


def hints_of(a: Examined) -> tuple[str, ...]:
    """Return the hints: data is missing, ranges leave out a decoder's first step, runtimes differ, nothing varies."""
    problem, inference = a.problem, a.examination.original
    noted = {} if problem.graph.is_program else problem.ranges  # PyTorch's exporter leaves out size 1 in metadata
    noted = {name: r for name, r in noted.items() if r.source == "metadata"}
    one = {name: r for name, r in noted.items() if r.min == r.max}
    two = {name: r for name, r in noted.items() if r.min == 2 and name not in one}
    by_version = _by_version(inference)
    fixed = {} if problem.ranges else _sizes(problem)
    files = absent_files(problem.graph, inference) if problem.graph.absent else ()
    absent = tuple(f.file for f in files if not f.constants and f.reason == Absence.FILE.value)
    told: Any = facts.Hints(
        problem.graph.missing, absent, _caches(problem), two, one, by_version, fixed, followed_runtime()
    )
    return told if any(told[:-1]) else ()


def _sizes(problem: Problem) -> dict[str, tuple[int, ...]]:
    """Return the sizes of each input that has axes, if all of them are numbers; else {}."""
    shapes = {name: t.shape for name, t in problem.inputs.items() if t.shape != ()}
    sizes = {name: tuple([d.constant for d in shape]) for name, shape in shapes.items() if shape is not None}
    known = {name: tuple([n for n in numbers if n is not None]) for name, numbers in sizes.items()}
    return known if known == sizes and len(sizes) == len(shapes) else {}


def _by_version(inference: Inference) -> tuple[str, ...]:
    """Return the operators whose behaviour here depends on the version of ONNX Runtime."""
    places = [i for i, application in enumerate(inference.applications) if application.by_version]
    return tuple(sorted({inference.graph.nodes[i].op for i in places}))


def _caches(problem: Problem) -> tuple[str, ...]:
    """Return undeclared dimensions of a cache, which leave out the first step, at which the cache is empty.

    These are dimensions named like a cache, and those that only inputs named so have; the first axis is the batch.
    """
    caches: dict[str, None] = {}
    others: set[str] = set()
    for name, (_, axes) in problem.declared.items():
        named = [axis for axis in axes or () if isinstance(axis, str)]
        own = _CACHE.search(name) is not None
        others.update([] if own else named)
        caches.update((axis, None) for axis in named if axis in (axes or ())[1:] and (own or _CACHE.match(axis)))
    lengths = [name for name in caches if name not in others or _CACHE.match(name)]
    return tuple(name for name in lengths if name in problem.ranges and problem.ranges[name].source == "default")


def assumptions_of(a: Examined) -> tuple[Assumed, ...]:
    """Return the assumptions about unknown data on which each decided node rests, in the order of the graph."""
    return tuple(dict.fromkeys(_assumptions(a, {index for index, _ in a.examination.unjudged})))


def stated_of(a: Examined) -> tuple[Assumed, ...]:
    """Return what is assumed because the archive states it, in the order of the graph."""
    return tuple(one for one in assumptions_of(a) if one.by)


def _assumptions(a: Examined, unjudged: set[int]) -> Iterator[Assumed]:
    for index, application in enumerate(a.examination.original.applications):
        node = a.problem.graph.nodes[index]
        for one in application.assumed if index not in unjudged else [one for one in application.assumed if one.by]:
            path = f"{node.name}/{one.path}" if one.path else node.name
            places = node.outputs if one.by else node.inputs
            tensor = "" if one.path or one.input >= len(places) else places[one.input]
            yield Assumed(path, one.op, index, tensor, str(one.law), one.by)
