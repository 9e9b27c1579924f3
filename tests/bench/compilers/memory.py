"""Memory: what `memory` proves, beside what ONNX Runtime has on its heap.

A row has the worst case, what ONNX Runtime takes at its witness, the greatest of 1,000 sizes drawn by chance as a part
of the worst case, and of 200 sizes each how many within a quarter of it fit, and how many outside don't. "workspace" is
an operator whose kernel takes more than tensors do, where ONNX Runtime takes more than 5 % beyond what is proven.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import islice

import shapesmt
from tests.bench.heap import Heap, measurable
from tests.bench.inputs import Sizes, drawn
from tests.bench.models import Subject, listed, subject
from tests.oracle.runner import value

HEAD = "       worst exact      inplace         heap  heap/worst  random  inside outside seconds  workspace  model"
WORKSPACES = ("Conv", "ConvTranspose", "LSTM", "GRU", "RNN")
"""The operators whose kernels take memory that isn't a tensor's, and can be more than any."""
TRIED = 20_000
MORE, OWN = 1.05, 1 << 15  # what kernels may take besides, and the bytes of what no tensor has


def row(subject: Subject, most: int, each: int) -> str:
    """One model."""
    started = time.process_time()
    worst = _asked(subject).worst
    seconds = time.process_time() - started
    if worst is None or worst.bytes is None or worst.witness is None:
        missing = "" if worst is None else ", ".join(worst.endless)
        return f"{'-':>12} {'yes' if worst and worst.exact else 'no':>5}  no end: {missing}  {subject.name}"
    least = _asked(subject, mode="inplace", at=worst.witness).at
    known = f"{worst.bytes:>12} {'yes' if worst.exact else 'no':>5} {least.worst.bytes if least else 0:>12}"
    if not measurable():
        return f"{known} {'-':>12} {seconds:>6.1f}  {subject.name}"
    with Heap(subject.model) as heap:
        at = heap.most(worst.witness) or 0
        some = _measured(subject, lambda _: True, heap, most)
        inside, outside = _both_sides(subject, worst.bytes // 4, heap, each)
    highest, ratio = max(some, default=0) / worst.bytes, at / worst.bytes
    beyond = ratio > MORE or len(set(inside.split("/"))) > 1
    workspace = next((n.op_type for n in subject.model.graph.node if n.op_type in WORKSPACES and beyond), "")
    return (
        f"{known} {at:>12} {ratio:>11.3f} {highest:>7.3f} {inside:>7} {outside:>7} {seconds:>7.1f}  {workspace:>9}  "
        f"{subject.name}"
    )


def _both_sides(subject: Subject, budget: int, heap: Heap, each: int) -> tuple[str, str]:
    """How many sizes within a budget fit it, and how many beyond it, with results over operands, don't."""
    fits = _within(subject, budget, "live"), _within(subject, budget, "inplace")
    inside = _measured(subject, fits[0], heap, each)
    outside = _measured(subject, lambda sizes: not fits[1](sizes), heap, each)
    return (
        f"{sum(n <= budget * MORE + OWN for n in inside)}/{len(inside)}",
        f"{sum(n > budget for n in outside)}/{len(outside)}",
    )


def _within(subject: Subject, budget: int, mode: str) -> Callable[[Sizes], bool]:
    fit = _asked(subject, mode=mode, budget=budget).budget
    texts = fit.text if fit is not None else ()
    return lambda sizes: all(value(text, sizes) for text in texts)


def _measured(subject: Subject, wanted: Callable[[Sizes], bool], heap: Heap, each: int) -> list[int]:
    """The bytes at sizes that are wanted and run."""
    found = (heap.most(sizes) for sizes in islice(drawn(subject, 1), TRIED) if wanted(sizes))
    return list(islice(filter(None, found), each))


def _asked(subject: Subject, **options: object) -> shapesmt.Memory:
    return shapesmt.memory(subject.model, dims=subject.dims, assume=subject.assume, **options)


def add_options(parser: argparse._ArgumentGroup) -> None:
    """The options of this table."""
    parser.add_argument("--random", type=int, default=1000, metavar="N", help="sizes drawn by chance")
    parser.add_argument("--each", type=int, default=200, metavar="N", help="sizes within a budget, and outside")


def main(options: argparse.Namespace) -> None:
    """Print a row for each model."""
    print(HEAD)
    for path, entry in listed(options.folder, options.only):
        print(row(subject(path, entry), options.random, options.each), flush=True)
