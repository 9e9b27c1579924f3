"""Both files run on ONNX Runtime at many sizes: how often the simplified one gives the same bits, or doesn't run.

Without ONNX Runtime's optimizer the bits are compared, with it the numbers ("apart" is the greatest difference). The
corners of the ranges come first, with ends that are at most --reach above the beginnings, or further away where no
input so small is valid.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort

import shapesmt
from shapesmt.analysis.analysis import analyse
from shapesmt.analysis.verify import Question
from shapesmt.base.errors import UsageError
from shapesmt.tasks.replay.both import assignments
from tests.bench.models import Subject, listed, subject

COLUMNS = ("sizes", "equal", "refused", "only before", "only after", "apart")
LEVELS = ort.GraphOptimizationLevel


def session(model: onnx.ModelProto, level: Any) -> ort.InferenceSession:
    """A model on one thread of ONNX Runtime."""
    options = ort.SessionOptions()
    options.graph_optimization_level, options.intra_op_num_threads, options.log_severity_level = level, 1, 4
    return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def fed(runtime: ort.InferenceSession, sizes: Mapping[str, int], seed: int) -> dict[str, Any]:
    """Inputs of these sizes, drawn by chance: whole numbers are 0 or 1, as in masks, which any table has."""
    random = np.random.default_rng(seed)
    made = {}
    for i in runtime.get_inputs():
        shape = [d if isinstance(d, int) else sizes[d] for d in i.shape]
        whole = "int" in i.type or "bool" in i.type
        drawn = random.integers(0, 2, shape) if whole else random.standard_normal(shape)
        made[i.name] = np.asarray(drawn).astype({"tensor(int64)": "i8", "tensor(bool)": "?"}.get(i.type, "f4"))
    return made


def outputs(runtime: ort.InferenceSession, inputs: Mapping[str, Any]) -> list[Any] | None:
    """What a model gives; None where it refuses."""
    try:
        return list(runtime.run(None, dict(inputs)))
    except Exception:  # whatever ONNX Runtime says of inputs that it doesn't take
        return None


def points(one: Subject, reach: int, count: int) -> Iterator[dict[str, int]]:
    """Admissible sizes, corners first: in turn any of them, and one at which the model is proven to run."""
    condition = shapesmt.check(one.model, dims=one.dims, assume=one.assume).precondition
    valid = [*one.assume, *(condition.text if condition is not None else ())]
    turns = [_assigned(one, one.assume, reach), _assigned(one, valid, reach)]
    yield from islice((sizes for pair in zip(*turns, strict=False) for sizes in pair), count)


def _assigned(one: Subject, assume: list[str], reach: int) -> Iterator[dict[str, int]]:
    """Sizes with these relations, within the least reach that has any."""
    dims = {n: (lo, lo + reach if hi is None else min(hi, lo + reach)) for n, (lo, hi) in one.dims.items()}
    try:
        a = analyse(one.model, Question(dims, assume=assume))
    except UsageError:  # no admissible input
        yield from _assigned(one, assume, 4 * reach)
    else:
        yield from (a.problem.counterexample(values).symbols for values in assignments(a))


def row(one: Subject, options: argparse.Namespace) -> dict[str, Any]:
    """How both files ran."""
    copy = shapesmt.simplify(one.model, dims=one.dims, assume=one.assume, valid_only=True)
    counts: Counter[str] = Counter()
    apart = 0.0
    exact, free = (
        [session(m, level) for m in (one.model, copy)] for level in (LEVELS.ORT_DISABLE_ALL, LEVELS.ORT_ENABLE_ALL)
    )
    for seed, sizes in enumerate(points(one, options.reach, options.runs)):
        inputs = fed(exact[0], sizes, seed)
        before, after = (outputs(runtime, inputs) for runtime in exact)
        counts["sizes"] += 1
        counts["refused"] += before is None and after is None
        counts["only before"] += before is not None and after is None
        counts["only after"] += before is None and after is not None
        if before is not None and after is not None:
            same = all(
                a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
                for a, b in zip(before, after, strict=True)
            )
            counts["equal"] += same
            theirs, ours = (outputs(runtime, inputs) or [] for runtime in free)
            apart = max(apart, *(_apart(a, b) for a, b in zip(theirs, ours, strict=True)))
    return {name: counts[name] for name in COLUMNS[:-1]} | {"apart": f"{apart:.0e}"}


def _apart(a: Any, b: Any) -> float:
    """The greatest difference of two outputs, absolute below 1 and relative above."""
    if a.shape != b.shape:
        return float("inf")
    if not a.size or np.array_equal(a, b, equal_nan=a.dtype.kind == "f"):
        return 0.0
    a, b = a.astype("f8"), b.astype("f8")
    return float(np.nanmax(np.abs(a - b) / np.maximum(1, np.abs(a))))


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this table."""
    parser.add_argument("--runs", type=int, default=40, metavar="N", help="sizes of each model")
    parser.add_argument("--reach", type=int, default=63, metavar="N", help="how far above its least a size is tried")


def main(options: argparse.Namespace) -> None:
    """Print a row for each model, and the sums."""
    print(*(f"{name:>12}" for name in COLUMNS), " model")
    total: Counter[str] = Counter()
    for path, entry in listed(options.folder, options.only):
        found = row(subject(path, entry), options)
        total.update({name: found[name] for name in COLUMNS[:-1]})
        print(*(f"{found[name]:>12}" for name in COLUMNS), "", path.name, flush=True)
    print(*(f"{total[name]:>12}" for name in COLUMNS[:-1]))
