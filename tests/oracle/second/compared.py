"""The second opinion on a model of fixed sizes, beside what shapesmt proves and what ONNX Runtime does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

import shapesmt
from tests.oracle.onnx_peer import Call, Run, info
from tests.oracle.second import Outcome, T, evaluate

SMALL = 16  # elements of an integer input that are written into the model


def fixed(model: onnx.ModelProto, feeds: Mapping[str, Any]) -> Call:
    """The model with these inputs only: small integers are constants in it, any other has the shape it is fed with."""
    made = onnx.ModelProto.FromString(model.SerializeToString())
    del made.graph.input[:], made.graph.value_info[:]
    given = {n: np.asarray(v) for n, v in feeds.items()}
    constants = {n: v for n, v in given.items() if v.dtype.kind in "iub" and v.size <= SMALL}
    made.graph.initializer.extend(numpy_helper.from_array(v, n) for n, v in constants.items())
    rest = {n: v for n, v in given.items() if n not in constants}
    made.graph.input.extend(info(n, v) for n, v in rest.items())
    present = {o.name for o in made.graph.output}
    every = [o for node in made.graph.node for o in node.output if o and o not in present]
    made.graph.output.extend(onnx.ValueInfoProto(name=name) for name in every)
    for output in made.graph.output:
        output.CopyFrom(onnx.ValueInfoProto(name=output.name))
    return Call(made.SerializeToString(), rest)


@dataclass(frozen=True)
class Ours:
    """What shapesmt says: the verdict and why, the ends of sizes, the law of each operator that fails, laws' codes."""

    verdict: str
    why: str
    shapes: Mapping[str, tuple[tuple[int, int | None], ...]]
    failing: Mapping[str, str] = field(default_factory=dict)
    codes: frozenset[str] = frozenset()


def second(call: Call) -> Outcome:
    """The second opinion on a call."""
    inputs = {n: T("string" if v.dtype.kind in "OU" else str(v.dtype), v.shape) for n, v in call.feeds.items()}
    return evaluate(call.proto, inputs)


def ours(call: Call) -> Ours:
    """What shapesmt proves of a call."""
    model = call.proto
    try:
        report = shapesmt.check(model)
    except shapesmt.ModelError as error:
        return Ours("FAILS", str(error), {})
    why = "; ".join(f"{f.op_type}: {f.law}" for f in report.findings)
    if report.verdict.name == "FAILS":
        failing = {f.op_type: f.law for f in report.findings if f.verdict.name == "FAILS"}
        return Ours("FAILS", why, {}, failing, frozenset(f.code for f in report.findings))
    tensors = shapesmt.bounds(model).tensors
    ends = {n: tuple((d.min, d.max) for d in t.shape) for n, t in tensors.items() if t.shape is not None}
    return Ours(report.verdict.name, why, ends)


def differing(call: Call, said: Outcome, found: Ours) -> str:
    """What the second opinion and shapesmt disagree about; "" if nothing."""
    if said.failing and found.verdict == "PROVED":
        return f"PROVED, but {said.failing}"
    if said.verdict == "runs" and found.verdict == "FAILS":
        return f"FAILS for {found.why}, but it runs"
    wrong = {n: t.shape for n, t in said.tensors.items() if not fits(t.shape, found.shapes.get(n))}
    return f"{ {n: found.shapes[n] for n in wrong} }, but {wrong}" if wrong else ""


OTHER_SHAPE = "another shape"


def first_difference(call: Call, said: Outcome, found: Ours) -> tuple[str, str]:
    """The operator of the first node that the second opinion and shapesmt disagree about, and in what."""
    for index, node in enumerate(call.proto.graph.node):
        why = said.failing.get(node.name or f"{node.op_type}_{index}")
        if why is not None:
            return node.op_type, why
        if node.op_type in found.failing:
            return node.op_type, found.failing[node.op_type]
        if any(not fits(said.tensors[o].shape, found.shapes.get(o)) for o in node.output if o in said.tensors):
            return node.op_type, OTHER_SHAPE
    return "", ""


def fits(shape: tuple[int, ...], ends: tuple[tuple[int, int | None], ...] | None) -> bool:
    """Whether sizes are inside the ends that were proved."""
    return ends is None or (
        len(shape) == len(ends)
        and all(lo <= d and (hi is None or d <= hi) for d, (lo, hi) in zip(shape, ends, strict=True))
    )


def contradicts(run: Run, said: Outcome) -> str:
    """What a run says against the second opinion, which is about shapes only; "" if nothing."""
    if run.open or run.refused:
        return ""
    if said.failing:
        return f"{said.failing}, but ONNX Runtime makes {run.made}"
    made = {n: shape for n, _, shape in run.made if n in said.tensors and said.tensors[n].shape != shape}
    return f"{ {n: said.tensors[n].shape for n in made} }, but ONNX Runtime makes {made}" if made else ""


TYPES = {"SM501", "SM502"}


def by_type(run: Run, said: Outcome, found: Ours) -> bool:
    """Whether a run and shapesmt refuse what the second opinion says nothing of: element types, and what names them."""
    refused = run.refused and (not run.open or found.codes & TYPES)
    return said.verdict == "runs" and found.verdict == "FAILS" and bool(refused)


def allows(run: Run, found: Ours) -> bool:
    """Whether a run doesn't speak against what shapesmt says."""
    if run.open or run.refused:
        return run.open or found.verdict != "PROVED"
    return found.verdict != "FAILS" and all(fits(shape, found.shapes.get(n)) for n, _, shape in run.made)
