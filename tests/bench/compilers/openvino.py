"""OpenVINO: sizes without an end before and after `tighten --for openvino`, and what carrying the ends costs.

"open" counts the outputs of nodes, those in bodies too, that have a size without an upper end once the inputs are
bounded; "looser" the sizes whose end is above the proven one, of all sizes of tensors that are named. Outputs are
compared at f32 with those of the model as it is, at the corners of the ranges and sizes drawn by chance; "cost" is the
CPU time of a run on one thread as a part of that of the model as it is, the median of pairs of neighbouring runs, and
"noise" the same of two copies of the model as it is.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx

import shapesmt
from tests.bench.inputs import Sizes, corners, drawn, fed
from tests.bench.models import Subject, listed, subject

if TYPE_CHECKING:
    import openvino as ov

HEAD = "open before after  looser before after  equal    cost   noise  model"
LARGEST = 64  # of a size at which outputs are compared
TIMED = 2  # of the sizes
LEAST = 0.02  # seconds that are timed at once
TIMING = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1}
RUNNING = {**TIMING, "INFERENCE_NUM_THREADS": 2}  # on one thread a run that fails raises nothing


def row(subject: Subject, tried: int, blocks: int) -> str:
    """One model."""
    options: Any = {"dims": subject.dims, "assume": subject.assume}
    bounds = shapesmt.bounds(subject.model, **options)
    try:
        written = shapesmt.tighten(subject.model, target="openvino", valid_only=True, **options)
    except shapesmt.ModelError as error:
        return f"{'-':>11} {'-':>5}  {error}  {subject.name}"
    models = [bounded(proto, bounds) for proto in (subject.model, written)]
    if models[0] is None:
        return f"{'refused':>11} {'taken' if models[1] else 'refused':>5}  {subject.name}"
    counts = [len(open_outputs(model)) for model in models]
    loose = [looser(model, bounds) for model in models]
    equal, cost, noise = compared(subject, written, tried, blocks)
    looseness = f"{loose[0]:>13} {loose[1]:>6}"
    return f"{counts[0]:>11} {counts[1]:>5}  {looseness} {equal:>6} {cost:>7} {noise:>7}  {subject.name}"


def bounded(proto: onnx.ModelProto, bounds: shapesmt.Bounds) -> ov.Model | None:
    """The model with its inputs bounded; None where OpenVINO refuses."""
    import openvino as ov

    model = ov.Core().read_model(proto.SerializeToString(), b"")
    try:
        shapes = {i.any_name: bounds.tensors[i.any_name].partial_shape for i in model.inputs}
        model.reshape({name: ov.PartialShape(str(shape)) for name, shape in shapes.items()})
    except Exception:  # whatever OpenVINO raises
        return None
    return model


def every_op(model: ov.Model) -> Iterator[Any]:
    """The operators of a model, those in bodies too."""
    for op in model.get_ordered_ops():
        yield op
        for body in bodies(op):
            yield from every_op(body)


def bodies(op: Any) -> list[ov.Model]:
    """What is inside a loop or a branch."""
    if op.get_type_name() == "If":
        return [op.get_function(index) for index in range(2)]
    return [op.get_function()] if op.get_type_name() in ("Loop", "TensorIterator") else []


def open_outputs(model: ov.Model) -> list[Any]:
    """The outputs that have a size without an upper end."""
    return [o for op in every_op(model) for o in op.outputs() if _is_open(o.partial_shape)]


def _is_open(shape: ov.PartialShape) -> bool:
    return shape.rank.is_dynamic or any(d.is_dynamic and d.get_max_length() == -1 for d in shape)


def looser(model: ov.Model, bounds: shapesmt.Bounds) -> str:
    """How many sizes have a higher end than the proven one."""
    count = total = 0
    for output in (o for op in model.get_ordered_ops() for o in op.outputs()):
        name = next((n for n in output.names if n in bounds.tensors), None)
        shape = None if name is None else bounds.tensors[name].shape
        if not shape or output.partial_shape.rank.is_dynamic or len(shape) != len(output.partial_shape):
            continue
        ends = [d.get_max_length() if d.is_dynamic else d.get_length() for d in output.partial_shape]
        total += len(ends)
        count += sum(s.max is not None and (end == -1 or end > s.max) for s, end in zip(shape, ends, strict=True))
    return f"{100 * count / max(total, 1):.1f}%"


def compared(subject: Subject, written: onnx.ModelProto, tried: int, blocks: int) -> tuple[str, str, str]:
    """At how many sizes the outputs are equal, what a run costs, and how much that varies by itself."""
    import openvino as ov

    core, times = ov.Core(), []

    def request(proto: onnx.ModelProto, settings: dict[str, Any]) -> Any:
        model = core.read_model(proto.SerializeToString(), b"")
        return core.compile_model(model, "CPU", settings).create_infer_request()

    requests = [request(proto, RUNNING) for proto in (subject.model, written)]
    timed = [request(proto, TIMING) for proto in (subject.model, written, subject.model)]
    equal = ran = 0
    for sizes in islice(chain(corners(subject, LARGEST), small(subject)), tried):
        feeds = fed(subject.model.graph, sizes)
        results = [ran_on(each, feeds) for each in requests]
        if results[0] is None:
            continue
        ran += 1
        equal += results[1] is not None and all(map(close, results[0], results[1]))
        if ran <= TIMED:
            times.append(_cost(timed, feeds, blocks))
    costs = [f"{statistics.median(column):.3f}" for column in zip(*times, strict=True)] or ["-", "-"]
    return f"{equal}/{ran}", costs[0], costs[1]


def small(subject: Subject) -> Iterator[Sizes]:
    """Sizes drawn by chance, none of them large."""
    tied = {text.split("==")[0].strip() for text in subject.assume}
    most = {name: max(LARGEST, low + 1) for name, (low, _) in subject.dims.items() if name not in tied}
    return (sizes for sizes in drawn(subject) if all(sizes[name] <= end for name, end in most.items()))


def ran_on(request: ov.InferRequest, feeds: dict[str, Any]) -> list[np.ndarray[Any, Any]] | None:
    """The outputs; None where it refuses."""
    try:
        return [np.array(value) for value in request.infer(feeds).values()]
    except Exception:  # whatever OpenVINO raises
        return None


def close(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
    """Whether two results are equal at f32."""
    return one.shape == other.shape and bool(np.allclose(one, other, rtol=1e-4, atol=1e-4, equal_nan=True))


def _cost(requests: list[ov.InferRequest], feeds: dict[str, Any], blocks: int) -> tuple[float, ...]:
    """The CPU time of the other models as a part of that of the first: the medians over neighbouring runs."""
    each = max(1, int(LEAST / max(_seconds(requests[0], feeds, 3) / 3, 1e-6)))
    ratios = []
    for _ in range(blocks):
        first, *others, last = [_seconds(request, feeds, each) for request in (*requests, requests[0])]
        ratios.append([2 * seconds / (first + last) for seconds in others])
    return tuple(statistics.median(column) for column in zip(*ratios, strict=True))


def _seconds(request: ov.InferRequest, feeds: dict[str, Any], runs: int) -> float:
    """The CPU time of so many runs."""
    started = time.process_time()
    for _ in range(runs):
        request.infer(feeds)
    return time.process_time() - started


def add_options(parser: argparse._ArgumentGroup) -> None:
    """The options of this table."""
    parser.add_argument("--compared", type=int, default=10, metavar="N", help="sizes at which outputs are compared")
    parser.add_argument("--blocks", type=int, default=15, metavar="N", help="timed runs of each model")


def main(options: argparse.Namespace) -> None:
    """Print a row for each model."""
    print(HEAD)
    for path, entry in listed(options.folder, options.only):
        print(row(subject(path, entry), options.compared, options.blocks), flush=True)
