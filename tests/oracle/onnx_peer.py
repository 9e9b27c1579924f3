"""One call of an ONNX operator, run by ONNX Runtime in a process of its own and judged by shapesmt.

A call is a model of a node, or a few, with what its inputs hold. All sizes are numbers, so a verdict is PROVED or FAILS
unless data decide.
"""

from __future__ import annotations

import re
import resource
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

import shapesmt
from tests.oracle.faults import lenient, odd
from tests.oracle.forked import SECONDS, results
from tests.oracle.runner import NO_KERNEL, session, varied
from tests.support.versions import relaxed, require_runtime

# What this build has no kernel for, what only data make fail, and what is refused of a branch that isn't taken.
OPEN = (
    *(*NO_KERNEL, "Unsupported data type", "does not support double yet", "data type is not supported with"),
    *("Failed to construct locale", "CPU MoE only"),
    *(
        "Status Message: stod",
        "Status Message: stoull",
        "Status Message: stoll",
        "parameter out of computation range",
        "Op (If) [TypeInferenceError]",
    ),
    *("converted to MLDataType", "Failed to allocate memory", "not yet supported on this hardware platform"),
)


MEMORY = 16 << 30  # bytes that the process of a call may have


@dataclass(frozen=True)
class Call:
    """A model, serialized, and what its inputs are fed with; `changed` says what its siblings differ in."""

    model: bytes
    feeds: dict[str, Any] = field(hash=False)
    assumed: bool = False
    changed: str = ""

    @property
    def proto(self) -> onnx.ModelProto:
        """A model that may be changed."""
        return onnx.ModelProto.FromString(self.model)

    def __str__(self) -> str:
        graph = self.proto.graph
        constants = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
        shown = [f"{n}: {_short(v)}" for n, v in {**self.feeds, **constants}.items()]
        shown += [f"{a.name}={_short(helper.get_attribute_value(a))}" for n in graph.node for a in n.attribute]
        names = "/".join(".".join(filter(None, (n.domain, n.op_type))) for n in graph.node)
        versions = {o.domain: o.version for o in self.proto.opset_import}
        version = versions.get(graph.node[-1].domain, 1)
        return f"{names}-{version}({', '.join(shown)}) with {self.changed or 'nothing changed'}"


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray):
        listed = f"={value.tolist()}" if 0 < value.size <= 8 else ""
        return f"{value.dtype}{list(value.shape)}{listed}"
    return str(value)[:60]


@dataclass(frozen=True)
class Run:
    """What is made of a call: its outputs' types and shapes, or why it is refused; `open` if that says little."""

    made: tuple[tuple[str, str, tuple[int, ...]], ...] = ()
    refused: str = ""
    open: bool = False


def made_call(
    nodes: Sequence[onnx.NodeProto],
    feeds: dict[str, Any],
    constants: dict[str, Any],
    opsets: Sequence[onnx.OperatorSetIdProto],
    assumed: bool = False,
) -> Call:
    """The call of these nodes, its inputs' types those of what they are fed with."""
    inputs = [info(name, value) for name, value in feeds.items()]
    outputs = [onnx.ValueInfoProto(name=o) for node in nodes for o in node.output if o]
    weights = [numpy_helper.from_array(np.asarray(v), name) for name, v in constants.items()]
    graph = helper.make_graph(list(nodes), "call", inputs, outputs, weights)
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    return Call(model.SerializeToString(), feeds, assumed)


def info(name: str, value: Any) -> onnx.ValueInfoProto:
    """The declaration of an input that holds this: an array, or a list of them."""
    if isinstance(value, list):
        kind = helper.np_dtype_to_tensor_dtype(value[0].dtype)
        shape = value[0].shape if len({v.shape for v in value}) == 1 else None
        return helper.make_tensor_sequence_value_info(name, kind, shape)
    kind = onnx.TensorProto.STRING if value.dtype.kind in "OU" else helper.np_dtype_to_tensor_dtype(value.dtype)
    return helper.make_tensor_value_info(name, kind, value.shape)


# ONNX Runtime


def outcomes(calls: Sequence[Call], seconds: int = SECONDS) -> Iterator[Run]:
    """What ONNX Runtime makes of each call, in so many seconds."""
    require_runtime()
    for run in results(attempt, calls, seconds):
        yield run or Run(refused="the process died", open=True)


def attempt(call: Call) -> Run:
    """The call run on what it is fed with, and where that fails on other data of these shapes."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    model = call.proto
    try:
        ready = session(model)
    except Exception as error:
        refused = _refusal(error)
        return replace(refused, open=refused.open or _is_inside(model, refused.refused))
    names = [o.name for o in model.graph.output]
    found = Run(refused="it takes nothing")
    for feeds in _feeds(call.feeds):
        try:
            made = dict(zip(names, ready.run(None, feeds), strict=True))
        except Exception as error:
            found = _refusal(error)
            continue
        return _judged(model, feeds, made)
    return found


def _is_inside(model: onnx.ModelProto, refused: str) -> bool:
    """Whether inputs of one type are refused at an operator that the model hasn't, but ONNX's function for it has."""
    one = len({i.type.tensor_type.elem_type for i in model.graph.input}) == 1
    named = re.search(r"Type parameter \(\w+\) of Optype \((\w+)\) bound to different types", refused)
    return one and named is not None and named[1] not in {node.op_type for node in model.graph.node}


def _refusal(error: Exception) -> Run:
    said = " ".join(str(error).split())
    return Run(refused=said.removeprefix("[ONNXRuntimeError] : "), open=any(sign in said for sign in OPEN))


def _feeds(given: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield given
    if any(isinstance(v, list) or v.dtype.kind not in "fiub" for v in given.values()):
        return
    yield {name: np.zeros_like(v) for name, v in given.items()}
    yield {name: np.ones_like(v) for name, v in given.items()}
    yield {name: varied(name, v.dtype, v.shape) for name, v in given.items()}


def _judged(model: onnx.ModelProto, feeds: dict[str, Any], made: dict[str, Any]) -> Run:
    """What was made, unless ONNX forbids it or says something else."""
    values = {**feeds, **{t.name: numpy_helper.to_array(t) for t in model.graph.initializer}, **made}
    version = next((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), 99)
    for node in model.graph.node:
        if all(n in values for n in node.input if n):
            if lenient(node, values, version):
                return Run(refused="ONNX forbids it")
            if odd(node, values):
                return Run(refused="ONNX says something else", open=True)
    shown = {name: np.asarray(v) for name, v in made.items() if v is not None and not isinstance(v, list)}
    return Run(tuple((name, _kind(v), v.shape) for name, v in shown.items()))


def _kind(array: Any) -> str:
    return "string" if array.dtype.kind in "OU" else str(array.dtype.name)


# shapesmt


def compare(call: Call, run: Run) -> str:
    """What is wrong with the verdict, the types and the shapes; "" where nothing is."""
    if run.open:
        return ""
    model = call.proto
    try:
        report = shapesmt.check(model, session="file")
    except shapesmt.ModelError as error:
        return "" if run.refused else f"{error}, and ONNX Runtime makes {run.made}"
    verdict, laws = report.verdict.name, ", ".join(f.law for f in report.findings)
    if run.refused:
        missing = verdict == "PROVED" and not call.assumed
        return f"PROVED, and ONNX Runtime refuses: {run.refused[:250]}" if missing else ""
    if verdict == "FAILS" and not runs_in_newer(report):
        return f"FAILS, and ONNX Runtime makes {run.made}: {laws}"
    if verdict == "UNKNOWN":
        left_open = call.changed or not run.made or _by_data(call, report)
        return "" if left_open else f"UNKNOWN, and ONNX Runtime makes {run.made}: {laws}"
    return _misshapen(shapesmt.bounds(model, session="file").tensors, run) if verdict == "PROVED" else ""


def runs_in_newer(report: shapesmt.Report) -> bool:
    """Whether every law that is broken is one that the installed version of ONNX Runtime no longer enforces."""
    return bool(report.findings) and all(relaxed(f.op_type, f.law) for f in report.findings)


def _by_data(call: Call, report: shapesmt.Report) -> bool:
    """Whether integers that the call is fed with, such as axes, are all that decides."""
    fed = any(not isinstance(v, list) and v.dtype.kind in "iu" for v in call.feeds.values())
    return fed and all(f.kind == "elements" for f in report.findings)


def _misshapen(tensors: Any, run: Run) -> str:
    for name, kind, shape in run.made:
        found = tensors.get(name)
        if found is None or found.shape is None:
            continue
        ends = [(d.min, d.max) for d in found.shape]
        fits = len(ends) == len(shape) and all(
            lo <= size and (hi is None or size <= hi) for (lo, hi), size in zip(ends, shape, strict=True)
        )
        if not fits:
            return f"{name} is {ends}, and ONNX Runtime makes {shape}"
        if found.dtype not in ("", kind) and prod(shape):
            return f"{name} is {found.dtype}, and ONNX Runtime makes {kind}"
    return ""
