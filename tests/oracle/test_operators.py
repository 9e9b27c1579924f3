"""Random graphs over every operator that a runtime can run, held against running them at every assignment.

Each graph is also judged with every dimension pinned to one of these assignments: then all sizes are numbers, and the
elements of more inputs have names.

Graphs are judged in processes of their own, so that a crash of the runtime costs one graph; a crash of shapesmt, or
an answer that takes it long, is a disagreement.

To add an operator, add a line to `tests/oracle/catalogue/`: `tests/oracle/recipes.py` says how it is written. Run

    python -m pytest tests/oracle/test_operators.py --full -s

and where it disagrees, change the rule: execution is the judge. Only what the operator's own documentation rules out
is put down as a fault of the runtime, in `tests/oracle/faults.py`.
"""

from __future__ import annotations

import resource
import signal
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache, reduce
from multiprocessing import get_context
from multiprocessing.connection import Connection
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import onnx
import onnx.parser
import pytest

import shapesmt
from shapesmt.analysis.verify.inputs import MOST
from tests.oracle.compare import Truth, disagreements
from tests.oracle.edges import boxed, boxes
from tests.oracle.growing import grow
from tests.oracle.onnx_peer import MEMORY, Call, compare, outcomes
from tests.oracle.runner import Execution, NoBlame, Run, assignments, element_names, input_shape, varied
from tests.oracle.singles import drawn, families
from tests.support.hang import PATIENCE
from tests.support.versions import require_runtime

DEFAULT, FULL = 240, 6000
SINGLES, BOXES, BASES = 400, 40, 60  # single operators at drawn sizes and at all sizes; calls that they are made from
EDGES = 5  # rounds through all lines and attributes at all sizes with --full: each has so many edges
WORKERS = 2
STARTED, ANSWERED = (
    60,
    20,
)  # seconds of processor time that a runtime (with what it reads) and shapesmt have for a graph
OPERATORS, EXECUTIONS = 200, 100_000
MOST_TRIED = 2  # conditions of one input that are tried both ways
NONE: Mapping[str, int] = MappingProxyType({})
PINNED = 1  # assignments to which the dimensions of a graph are pinned


class Judged(NamedTuple):
    """What came of some graphs: disagreements, in how many graphs each operator ran, and other counts."""

    wrong: list[str]
    ran: Counter[str]
    counts: Counter[str]


def judged(seed: int) -> Iterator[Judged | None]:
    """The graph of this seed at every assignment of its symbols; None before each answer, then what came of it.

    A negative seed is that of a single operator.
    """
    case = grow(seed) if seed >= 0 else boxed(-seed)
    execution, of_ones = Execution(case.model, feed), Execution(case.model, ones)
    free, pinned = elements(execution)
    ranges = {name: range(lo, hi + 1) for name, (lo, hi) in case.ranges.items()}
    try:
        runs = [(sizes, execution.run(sizes)) for sizes in assignments({**ranges, **free})]
        if seed < 0:  # a factor that isn't positive is a fault of the data
            runs = [(sizes, of_ones.run(sizes) if run.failing else run) for sizes, run in runs]
    except NoBlame:
        yield from (None, Judged([], Counter(), Counter({"graphs": 1, "no blame": 1})))
        return
    yield None
    counts = Counter(graphs=1, executions=len(runs), odd=sum(run.odd for _, run in runs))
    model, unchecked = execution.model, frozenset(execution.unchecked)
    truth = Truth(model, runs, case.assumed, unchecked, values=pinned)
    wrong = disagreements(truth, counts, case.ranges)
    for sizes, run in Random(seed).sample(runs, min(PINNED, len(runs))):
        yield None
        given = {**elements(execution, sizes, tried=0)[1], **{name: sizes[name] for name in free}}
        one = Truth(model, [({**sizes, **given}, run)], case.assumed, unchecked, values=given)
        wrong += disagreements(one, Counter(), {name: sizes[name] for name in case.ranges})
    yield Judged([f"seed {seed}: {text}" for text in wrong], Counter(_ran(model, runs)), counts)


@cache
def _families() -> list[list[Call]]:
    return families(range(BASES))


def feed(info: onnx.ValueInfoProto, shape: tuple[int, ...]) -> Any:
    """What an input holds, by its name and shape."""
    kind = onnx.helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type)
    return varied(info.name, kind, shape)


def ones(info: onnx.ValueInfoProto, shape: tuple[int, ...]) -> Any:
    """The same, but for numbers that aren't whole: all are 1."""
    given = feed(info, shape)
    return np.ones_like(given) if given.dtype.kind == "f" else given


def elements(
    execution: Execution, sizes: Mapping[str, int] = NONE, tried: int = MOST_TRIED
) -> tuple[dict[str, range], dict[str, int]]:
    """The elements of inputs that are small at these sizes: conditions are tried both ways, what else is given."""
    free: dict[str, range] = {}
    pinned: dict[str, int] = {}
    for info in execution.inputs:
        try:
            array = feed(info, input_shape(info, sizes))
        except NameError:  # a size that nothing says
            continue
        if array.dtype.kind in "iub" and 0 < array.size <= MOST:
            names = element_names(info.name, array.shape)
            if array.dtype == bool and array.size <= tried:
                free.update(dict.fromkeys(names, range(2)))
            else:
                pinned.update(zip(names, array.ravel().astype(int).tolist(), strict=True))
    return free, pinned


def _ran(model: onnx.ModelProto, runs: list[tuple[dict[str, int], Run]]) -> Iterator[str]:
    """The operator of every node that ran at some assignment."""
    for node in model.graph.node:
        if any(node.name not in (*run.failing, *run.missing) for _, run in runs):
            yield f"{node.domain}.{node.op_type}".lstrip(".")


def everything(seeds: range) -> Judged:
    """All of them, on two processes."""
    require_runtime()
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
        ran = False
        try:
            while seeds:
                message = received(receiver)
                ran = message is None
                if message is not None:
                    found, seeds = joined(found, message), seeds[1:]
        except EOFError:
            worker.join(1)
            how = "hangs" if worker.exitcode in (None, -signal.SIGPROF) else "crashes"
            late = [f"seed {seeds[0]}: shapesmt {how}"] if ran else []
            found, seeds = joined(found, Judged(late, Counter(), Counter({how: 1}))), seeds[1:]
        worker.kill()
        worker.join()
    return found


def received(receiver: Connection) -> Judged | None:
    """The worker's next message; EOFError where there is none in time, or the worker is gone."""
    if not receiver.poll(PATIENCE):
        raise EOFError
    message: Judged | None = receiver.recv()
    return message


def work(seeds: range, sender: Connection) -> None:
    """What a process does, which ends if it works on something for too long or takes too much memory."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for seed in seeds:
        signal.setitimer(signal.ITIMER_PROF, STARTED)
        for message in told(seed):
            sender.send(message)
            signal.setitimer(signal.ITIMER_PROF, ANSWERED)


def told(seed: int) -> Iterator[Judged | None]:
    """What came of this seed, whatever is raised."""
    try:
        yield from judged(seed)
    except Exception as error:
        yield Judged([f"seed {seed}: raised {error!r}"], Counter(), Counter())


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
    assert counts["crashes"] + counts["hangs"] + counts["no blame"] <= counts["graphs"] // 50, counts  # the runtime's
    assert counts["UNKNOWN"] + counts["region inexact"] <= counts["graphs"] // 50, counts


def test_every_operator_alone_at_all_sizes(seeds: range, full: bool) -> None:
    """Some lines of the catalogue; with --full all, and each attribute of each operator at its edges."""
    first, count = seeds[0] * len(boxes()) + 1, len(boxes()) * EDGES if full else BOXES
    found = everything(range(-first, -first - count, -1))
    assert not found.wrong, "\n".join(found.wrong[:20])
    assert found.counts["executions"] > count


def test_every_operator_alone_at_drawn_sizes(seeds: range, full: bool) -> None:
    calls = [drawn(_families(), seed) for seed in range(seeds[0], seeds[0] + SINGLES * (20 if full else 1))]
    runs = list(outcomes(calls, ANSWERED))
    found = [(call, compare(call, run)) for call, run in zip(calls, runs, strict=True)]
    assert [f"{call}: {text}" for call, text in found if text] == []
    assert sum(not run.refused for run in runs) > len(calls) // 3


NAMESAKES = ("Identity", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Transpose", "Expand")
BODIES = {"v = Not (u)": True, "v = Identity (u)": False}  # and whether the sum of places fails


@pytest.mark.parametrize("name", NAMESAKES)
@pytest.mark.parametrize("body", BODIES)
def test_a_function_with_the_name_of_an_operator_is_what_its_body_is(name: str, body: str) -> None:
    text = f"""<ir_version: 8, opset_import: ["": 18, "local": 1]>
        g (bool[n] x) => (int64[a, b] z) {{ y = local.{name} (x) p = NonZero (x) q = NonZero (y) z = Add (p, q) }}
        <domain: "local", opset_import: ["": 18]> {name} (u) => (v) {{ {body} }}"""
    model = onnx.parser.parse_model(text)
    verdict = shapesmt.check(model, dims={"n": "20..40"}).verdict.name
    [run] = outcomes([Call(model.SerializeToString(), {"x": np.arange(25) % 3 > 0})])
    assert bool(run.refused) == BODIES[body]
    assert verdict != ("PROVED" if run.refused else "FAILS")
