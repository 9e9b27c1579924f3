"""Random graphs over every operator that a runtime can run, held against running them at every assignment.

Graphs are judged in processes of their own, so that a crash of the runtime costs one graph.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import NamedTuple

import onnx
import pytest

from tests.oracle.compare import Truth, disagreements
from tests.oracle.growing import grow
from tests.oracle.runner import Execution, NoBlame, Run, assignments, varied

DEFAULT, FULL = 400, 8000
WORKERS, SECONDS = 2, 30
OPERATORS, EXECUTIONS = 200, 100_000


class Judged(NamedTuple):
    """What came of some graphs: disagreements, in how many graphs each operator ran, and other counts."""

    wrong: list[str]
    ran: Counter[str]
    counts: Counter[str]


def judged(seed: int) -> Judged:
    """The graph of this seed at every assignment of its symbols."""
    case = grow(seed)
    execution = Execution(case.model, feed)
    ranges = {name: range(lo, hi + 1) for name, (lo, hi) in case.ranges.items()}
    try:
        runs = [(sizes, execution.run(sizes)) for sizes in assignments(ranges)]
    except NoBlame:
        return Judged([], Counter(), Counter({"graphs": 1, "no blame": 1}))
    counts = Counter(graphs=1, executions=len(runs), odd=sum(run.odd for _, run in runs))
    unchecked = execution.unchecked | {n.name for n in case.model.graph.node if n.op_type == "If"}  # one branch runs
    truth = Truth(execution.model, runs, case.granted, frozenset(unchecked))
    wrong = disagreements(truth, counts, case.ranges)
    return Judged([f"seed {seed}: {text}" for text in wrong], Counter(_ran(execution.model, runs)), counts)


def feed(info: onnx.ValueInfoProto, shape: tuple[int, ...]) -> object:
    """What an input holds, by its name and shape."""
    kind = onnx.helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type)
    return varied(info.name, kind, shape)


def _ran(model: onnx.ModelProto, runs: list[tuple[dict[str, int], Run]]) -> Iterator[str]:
    """The operator of every node that ran at some assignment."""
    for node in model.graph.node:
        if any(node.name not in (*run.failing, *run.missing) for _, run in runs):
            yield f"{node.domain}.{node.op_type}".lstrip(".")


def everything(seeds: range) -> Judged:
    """All of them, on two processes."""
    with ThreadPoolExecutor(WORKERS) as threads:
        parts = list(threads.map(watched, [seeds[i::WORKERS] for i in range(WORKERS)]))
    return reduce(joined, parts)


def watched(seeds: range) -> Judged:
    """These seeds in a process of its own; another one takes over behind a graph that crashes it."""
    found, context = Judged([], Counter(), Counter()), get_context("spawn")
    while seeds:
        receiver, sender = context.Pipe(duplex=False)
        worker = context.Process(target=work, args=(seeds, sender))
        worker.start()
        sender.close()
        try:
            while seeds:
                if not receiver.poll(SECONDS):
                    raise EOFError
                found, seeds = joined(found, receiver.recv()), seeds[1:]
        except EOFError:
            found, seeds = joined(found, Judged([], Counter(), Counter(crashes=1))), seeds[1:]
        worker.kill()
        worker.join()
    return found


def work(seeds: range, sender: Connection) -> None:
    """What a process does."""
    for seed in seeds:
        try:
            found = judged(seed)
        except Exception as error:
            found = Judged([f"seed {seed}: raised {error!r}"], Counter(), Counter())
        sender.send(found)


def joined(a: Judged, b: Judged) -> Judged:
    """Both together."""
    return Judged(a.wrong + b.wrong, a.ran + b.ran, a.counts + b.counts)


def test_every_operator(request: pytest.FixtureRequest, full: bool, capsys: pytest.CaptureFixture[str]) -> None:
    first = request.config.getoption("--seed")
    found = everything(range(first, first + (FULL if full else DEFAULT)))
    counts = found.counts
    with capsys.disabled():
        print(f"\n{len(found.ran)} operators, {counts['executions']} executions: {dict(counts)}")
    assert not found.wrong, "\n".join(found.wrong[:20])
    assert len(found.ran) >= OPERATORS
    assert counts["executions"] >= (EXECUTIONS if full else DEFAULT)
    assert counts["crashes"] + counts["no blame"] <= counts["graphs"] // 50, counts  # the runtime's own faults
    assert counts["UNKNOWN"] + counts["region inexact"] <= counts["graphs"] // 50, counts
