"""Run a model and its simplified copy on ONNX Runtime at many sizes, where they must give the same bits."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING

from shapesmt.analysis.analysis import Analysis
from shapesmt.base.deadline import Deadline
from shapesmt.base.errors import InternalError, UsageError, printable
from shapesmt.prover.algebra import Assignment
from shapesmt.tasks.replay.cut import CutError
from shapesmt.tasks.replay.outputs import Drawn, Filled
from shapesmt.tasks.replay.run import UNABLE_TO, Runtime, require_runtime
from shapesmt.tasks.replay.sizes import assignments

if TYPE_CHECKING:
    import onnx


def exact(a: Analysis) -> bool:
    """Whether a simplified copy of the model must give the same bits: only if the model has no 16-bit floats.

    ONNX Runtime computes these in 32 bits and rounds them only between some nodes, which change if nodes are removed.
    """
    return not any(t.dtype in ("float16", "bfloat16") for t in a.examination.original.tensors.values())


def compare_runs(
    model: onnx.ModelProto, copy: onnx.ModelProto, a: Analysis, count: int, folder: str | None = None
) -> int:
    """Run both models at up to `count` sizes, corners of the ranges first; return the number run before the deadline.

    Raises:
        InternalError: They differ: in a bit of an output, or because only one of them fails.
        UsageError: ONNX Runtime isn't installed.
    """
    require_runtime("--check-runs")
    models, done = (model.SerializeToString(), copy.SerializeToString()), 0
    with Runtime(a.judge.deadline) as runtime:
        for values in islice(assignments(a), count):
            try:
                difference = runtime.differing(models, feeds_at(a, values, done), folder, exact=exact(a))
            except CutError:  # the time is over
                break
            if difference:
                sizes = ", ".join(f"{name}={n}" for name, n in a.problem.counterexample(values).symbols.items())
                raise InternalError(f"the simplified model isn't the same at {sizes}: {difference}")
            done += 1
    return done


def stopped(model: onnx.ModelProto, a: Analysis, count: int) -> str:
    """Return why a model stops at one of up to `count` sizes, the corners of the ranges first; "" if it runs.

    The result is also "" if ONNX Runtime isn't installed, or if weights are in other files.
    """
    from google.protobuf.message import EncodeError

    if any(tensor.external_data for tensor in model.graph.initializer):
        return ""
    with suppress(CutError, EncodeError, UsageError, ValueError):
        require_runtime("--check-runs")
        with Runtime(a.judge.deadline) as runtime:
            for values in islice(assignments(a), count):
                reason = runtime.error_message(model.SerializeToString(), feeds_at(a, values, 0))
                if reason and not UNABLE_TO.search(reason):
                    sizes = ", ".join(f"{name}={n}" for name, n in a.problem.counterexample(values).symbols.items())
                    return f"at {sizes or 'its only size'}: {printable(' '.join(reason.split()), 200)}"
    return ""


def loading_error(copy: onnx.ModelProto, original: onnx.ModelProto, folder: str | None, deadline: Deadline) -> str:
    """Return ONNX Runtime's error on loading `copy`, a rewritten model; "" if it loads it or refuses `original` too.

    External data is in `folder`. The result is also "" if ONNX Runtime isn't installed, or if loading takes longer than
    the deadline or a minute.
    """
    from google.protobuf.message import EncodeError

    with suppress(CutError, EncodeError, UsageError, ValueError):
        require_runtime("--check-runs")
        with Runtime(deadline) as runtime:
            reason = runtime.error_message(copy.SerializeToString(), original.SerializeToString(), folder)
            return f"ONNX Runtime refuses it: {reason}" if reason else ""
    return ""


def feeds_at(a: Analysis, values: Assignment, seed: int) -> dict[str, Filled]:
    """Return the model's inputs at these sizes; elements that `values` doesn't decide are random (`seed`)."""
    at = a.problem.counterexample(values)
    return {
        name: (t.dtype or "float32", at.inputs[name], at.values.get(name) or Drawn(seed))
        for name, t in a.problem.inputs.items()
        if name in at.inputs
    }
