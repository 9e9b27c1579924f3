"""Both: a model and its simplified copy run on ONNX Runtime at many sizes, where they have to give the same bits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain, islice, product
from math import inf
from random import Random
from typing import TYPE_CHECKING

from shapesmt.algebra import Assignment, Atom, equal, of_atom
from shapesmt.deadline import Deadline
from shapesmt.errors import InternalError, UsageError
from shapesmt.examine import Analysis
from shapesmt.presolve import Domain
from shapesmt.replay.cut import CutError
from shapesmt.replay.run import Drawn, Filled, Runtime, require_runtime

if TYPE_CHECKING:
    import onnx

FAR = 64  # how far above its least value a size without an end is tried


def exact(a: Analysis) -> bool:
    """Whether a model has to give the same bits: not with floats of 16 bits.

    ONNX Runtime computes these in 32 bits, and rounds them only between some nodes: other ones where nodes are gone.
    """
    return not any(t.dtype in ("float16", "bfloat16") for t in a.examination.original.tensors.values())


def compared(model: onnx.ModelProto, copy: onnx.ModelProto, a: Analysis, count: int, folder: str | None = None) -> int:
    """The number of sizes at which both were run, the corners of the ranges first, until the deadline.

    Raises:
        InternalError: They differ somewhere: in a bit of an output, or because one of them refuses.
        UsageError: ONNX Runtime isn't installed.
    """
    require_runtime("--check-runs")
    models, done = (model.SerializeToString(), copy.SerializeToString()), 0
    with Runtime(a.judge.deadline) as runtime:
        for values in islice(assignments(a), count):
            try:
                difference = runtime.differing(models, _feeds(a, values, done), folder, exact=exact(a))
            except CutError:  # there is no time left
                break
            if difference:
                sizes = ", ".join(f"{name}={n}" for name, n in a.problem.counterexample(values).symbols.items())
                raise InternalError(f"the simplified model isn't the same at {sizes}: {difference}")
            done += 1
    return done


def unloaded(copy: onnx.ModelProto, original: onnx.ModelProto, folder: str | None, deadline: Deadline) -> str:
    """Why ONNX Runtime doesn't load a rewritten model; "" if it does, refuses the original too, or isn't installed.

    External data is in `folder`. It is "" as well if loading takes longer than the deadline, or a minute.
    """
    from google.protobuf.message import EncodeError

    with suppress(CutError, EncodeError, UsageError, ValueError):
        require_runtime("--check-runs")
        with Runtime(deadline) as runtime:
            reason = runtime.said(copy.SerializeToString(), original.SerializeToString(), folder)
            return f"ONNX Runtime refuses it: {reason}" if reason else ""
    return ""


def assignments(a: Analysis) -> Iterator[Assignment]:
    """Admissible sizes: the corners of the ranges as far as relations admit them, then sizes drawn by chance.

    It ends with the deadline, and where there is nothing to draw.
    """
    domain, random = a.problem.domain, Random(0)  # noqa: S311 - to be the same again
    free = [s for s in domain.symbols if not s.universal]
    ends = [_ends(domain, s) for s in free]
    corners = product(*(dict.fromkeys(pair) for pair in ends))
    drawn = ([random.randint(low, high) for low, high in ends] for _ in iter(int, 1))
    for wanted in chain(corners, drawn if free else ()):
        point = _near(a, free, wanted)
        if a.judge.deadline.expired:
            return
        if point is not None:
            yield point


def _ends(domain: Domain, s: Atom) -> tuple[int, int]:
    low, high = domain.ends(s)
    low = 0 if low == -inf else int(low)
    return low, low + FAR * s.step if high == inf else int(high)


def _near(a: Analysis, symbols: list[Atom], wanted: Iterable[int]) -> Assignment | None:
    """Admissible sizes that have as many of the wanted values as the relations admit together."""
    domain = a.problem.domain.copy()
    for s, value in zip(symbols, wanted, strict=True):
        trial = domain.copy()
        trial.assume(equal(of_atom(s), value))
        if (value - int(max(s.lo, 0))) % s.step == 0 and a.judge.satisfiable(trial):
            domain = trial
    return a.judge.complete(domain, {})


def _feeds(a: Analysis, values: Assignment, seed: int) -> dict[str, Filled]:
    """The inputs at these sizes; elements that the sizes don't name are drawn by chance."""
    at = a.problem.counterexample(values)
    return {
        name: (t.dtype or "float32", at.inputs[name], at.values.get(name) or Drawn(seed))
        for name, t in a.problem.inputs.items()
        if name in at.inputs
    }
