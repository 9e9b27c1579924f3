"""Replay: run each counterexample on ONNX Runtime, which has to fail at the node that the finding names.

The nodes before it run too, with it and without it, to make sure that it is the one that fails. They run in a
separate process: a kernel that crashes is a failure too.
"""

from __future__ import annotations

import importlib.util
import os
import pickle
import re
import subprocess
import sys
import threading
from collections.abc import Mapping
from enum import Enum, auto
from functools import partial
from math import prod
from random import Random
from typing import IO, TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from shapesmt.base.deadline import Deadline
from shapesmt.base.errors import UsageError, printable
from shapesmt.frontends import Format, ModelSource, load_protobuf
from shapesmt.network.graph import Graph
from shapesmt.operators.rules import Tensor
from shapesmt.reports.answers import Finding, FindingKind, Replay, altered
from shapesmt.tasks.replay.cut import UNABLE, Cut, CutError, Feed, at, bytes_of, cut_out, too_large
from shapesmt.tasks.replay.loads import DEFAULT, LOADS, replay_loading, short
from shapesmt.tasks.replay.outputs import NEAR, Filled

if TYPE_CHECKING:
    import onnx

Fill: TypeAlias = "Mapping[str, int] | Random"
"""The fill for inputs of unknown elements: a number for each kind of type, or a random generator."""

_ANY_OPSET = "ALLOW_RELEASED_ONNX_OPSET_ONLY"
SECONDS = 60.0  # limit of one run
# Drop the working directory from the path: its modules aren't ours.
_WORKER = "import sys; del sys.path[0]; from shapesmt.tasks.replay.{} import serve; serve()"
DRAWN = 16  # number of random fills if the elements of inputs decide whether the node fails
MOST_DRAWN = 4096  # elements; larger inputs aren't filled randomly
_FILLS = ({"f": 1, "b": 1, "i": 0}, {"f": 0, "b": 0, "i": 0}, {"f": 1, "b": 1, "i": 1})
_NAMED = re.compile(r"Name:'([^']*)'|Node \(([^)]*)\) Op \(")
UNABLE_TO = re.compile(
    "|".join(map(re.escape, UNABLE)) + "|not yet supported|not implemented"
    "|allocate memory|bad_alloc|MemoryError|Unable to allocate"
)
DIVIDES = "SM404"  # the code of the law against integer division by zero
_BY_CHANCE = re.compile(r"(?i)division by zero|divide by zero")


class End(Enum):
    """The outcome of running a part of a model."""

    LAST = auto()  # the last node fails
    BEFORE = auto()  # an earlier node fails
    DIVIDES = auto()  # the last node divides by zero, perhaps because inputs are filled with zeros
    DIVIDED = auto()  # an earlier node divides by zero
    RAN = auto()
    UNABLE = auto()  # the runtime has no kernel for it, or there is no time or memory


class Ended(NamedTuple):
    """The outcome of a run, with the runtime's message; `node` is the earlier node that failed, if it has a name."""

    where: End
    message: str = ""
    node: str = ""


def runnable(model: ModelSource) -> tuple[Any, Graph]:
    """Return the object to run, an `onnx.ModelProto` or a PyTorch program, and its graph.

    Raises:
        ModelError: The program can't be loaded.
        UsageError: The runtime isn't installed.
    """
    content = model.opened(weights=True)
    if content.format in (Format.TORCH, Format.PROGRAM):
        from shapesmt.tasks.replay.programs import program_of

        return program_of(content), model.graph()
    require_runtime("--replay")
    return load_protobuf(model)


def require_runtime(option: str) -> None:
    """Refuse an option if ONNX Runtime is missing.

    Raises:
        UsageError: It isn't installed.
    """
    if importlib.util.find_spec("onnxruntime") is None:
        raise UsageError(f"{option} needs onnxruntime, which is not installed: pip install 'shapesmt[replay]'")


def replay_findings(runs: Any, graph: Graph, findings: tuple[Finding, ...], deadline: Deadline) -> tuple[Finding, ...]:
    """Return the findings, each with the result of running its counterexample, if there is time for it."""
    if all(f.counterexample is None for f in findings):
        return findings
    if graph.is_program:
        from shapesmt.tasks.replay.programs import replayed_program

        return replayed_program(runs, graph, findings, deadline)
    stamped = []
    with Runtime(deadline) as runtime:
        for f in findings:
            late = Replay(runtime.name, None, f.node, "there was no time left for it")
            run = partial(_replay, runs, graph, f, runtime)
            stamped.append(f if f.counterexample is None else altered(f, replay=deadline.attempt(run, late)))
    return tuple(stamped)


def _replay(proto: onnx.ModelProto, graph: Graph, finding: Finding, runtime: Runtime) -> Replay:
    """Run a finding's counterexample: with all nodes before the failing one, else with that node alone."""
    assert finding.counterexample is not None
    if finding.code == LOADS:
        return replay_loading(proto, finding, runtime.name, runtime.refusal)
    known = at(graph, finding.counterexample)
    if finding.kind == FindingKind.SESSION:
        return _replay_session(proto, graph, finding, runtime, known)
    doubt = Ended(End.UNABLE)
    for whole in (True, False):
        try:
            part = cut_out(proto, graph, finding.index, finding.counterexample, known, whole=whole)
            _refuse_large(part, known)
            ended = runtime.run(part, data=finding.kind == FindingKind.DATA, zero=finding.code == DIVIDES)
        except CutError as error:
            ended = Ended(End.UNABLE, str(error))
        if ended.where is End.LAST:
            return Replay(runtime.name, True, finding.node, ended.message + ("" if whole else ", the node alone"))
        if ended.where is End.RAN and finding.kind == FindingKind.DATA:
            tried = "runs on zeros, on ones and on data drawn by chance; other data may break it"
            return Replay(runtime.name, None, finding.node, tried)
        if ended.where is End.RAN and part.settled:
            return Replay(runtime.name, False, finding.node, "the node runs there")
        doubt = ended if whole else doubt
    if doubt.where is End.BEFORE:
        where = f"node '{printable(doubt.node)}' before it fails" if doubt.node else "a node before it fails"
        return Replay(runtime.name, False, doubt.node, f"{where}: {doubt.message}")
    return Replay(runtime.name, None, finding.node, doubt.message)


def _replay_session(
    proto: onnx.ModelProto, graph: Graph, finding: Finding, runtime: Runtime, known: Mapping[str, Tensor]
) -> Replay:
    """Run the counterexample of a finding about the default session, which has to fail, and without optimizations."""
    assert finding.counterexample is not None
    try:
        part = cut_out(proto, graph, finding.index, finding.counterexample, known, whole=True)
        _refuse_large(part, known)
        said, alone = runtime.compare_sessions(part)
    except CutError as error:
        return Replay(runtime.name, None, finding.node, str(error))
    if UNABLE_TO.search(said) or UNABLE_TO.search(alone):
        return Replay(runtime.name, None, finding.node, short(said or alone))
    if said and not alone:
        return Replay(runtime.name, True, finding.node, f"the default session: {short(said)}; the file as written runs")
    return Replay(runtime.name, False, finding.node, short(alone) if alone else "the default session runs there")


def _refuse_large(part: Cut, known: Mapping[str, Tensor]) -> None:
    """Refuse a run that takes too much memory.

    Raises:
        CutError: It takes more than `MEMORY`.
    """
    computed = [known[name] for node in part.nodes[:-1] for name in node.output if name in known]
    reason = too_large(sum(feed.bytes for feed in part.feeds.values()) + sum(map(bytes_of, computed)))
    if reason:
        raise CutError(reason)


class Runtime:
    """ONNX Runtime in a separate process, started when needed and again after a crash.

    Args:
        deadline: When to give up.
        worker: The module of this package whose `serve` the process runs.
    """

    def __init__(self, deadline: Deadline, worker: str = "serving") -> None:
        self.deadline = deadline
        self.name = "onnxruntime"
        self._worker = _WORKER.format(worker)
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Runtime:
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def run(self, part: Cut, *, data: bool, zero: bool) -> Ended:
        """Run a part of a model with several fills of its inputs.

        It fails if every fill fails, or with `data` (the elements decide) if one does. A division by zero counts only
        with `zero` (the finding is about one): otherwise the zeros that fill inputs may cause it.
        """
        first, either = (End.LAST, End.RAN) if data else (End.RAN, End.LAST)
        endings: dict[End, Ended] = {}
        varied = data or any("int" in f.dtype and f.values is None for f in part.feeds.values())
        drawn: list[Fill] = [Random(seed) for seed in range(DRAWN)] if data else []  # noqa: S311 - repeatable
        for fill in [*_FILLS, *drawn] if varied else _FILLS[:1]:
            ended = self._run_filled(part, fill)
            endings.setdefault(ended.where, ended)
            if ended.where in (first, End.UNABLE):
                return ended
        ended = endings.get(either) or next(iter(endings.values()))
        if ended.where not in (End.DIVIDES, End.DIVIDED):
            return ended
        return ended._replace(where=End.LAST if zero and ended.where is End.DIVIDES else End.UNABLE)

    def compare_sessions(self, part: Cut) -> tuple[str, str]:
        """Return the error of the default session and that of one without optimizations; "" for one that runs."""
        feeds = {name: _fill_feed(feed, _FILLS[0]) for name, feed in part.feeds.items()}
        model = part.model(fixed=False)
        return self.error_message(model, feeds, None, DEFAULT), self.error_message(model, feeds)

    def refusal(self, model: bytes) -> str:
        """Return why the runtime doesn't load a model; "" if it does."""
        return self.error_message(model, None)

    def _run_filled(self, part: Cut, fill: Fill) -> Ended:
        """Run the part with the shapes that the file declares and, if it runs, with the actual shapes declared."""
        feeds = {name: _fill_feed(feed, fill) for name, feed in part.feeds.items()}
        ended = self._once(part, feeds, fixed=False)
        return self._once(part, feeds, fixed=True) if ended.where is End.RAN else ended

    def _once(self, part: Cut, feeds: Mapping[str, Filled], fixed: bool) -> Ended:
        model = part.model(fixed=fixed)
        error = self.error_message(model, feeds)
        if not error:
            return Ended(End.RAN)
        if UNABLE_TO.search(error):
            return Ended(End.UNABLE, short(error))
        earlier = self.error_message(part.model(last=False, fixed=fixed), feeds) if part.inner else ""
        if not earlier:
            rewritten = not self.error_message(model, feeds, None, DEFAULT)
            said = f"as written: {short(error)}; the default session runs" if rewritten else short(error)
            return Ended(End.DIVIDES if _BY_CHANCE.search(error) else End.LAST, said)
        if UNABLE_TO.search(earlier):
            return Ended(End.UNABLE, short(earlier))
        if _BY_CHANCE.search(earlier):
            return Ended(End.DIVIDED, short(earlier))
        named = _NAMED.search(earlier)
        return Ended(End.BEFORE, short(earlier), (named.group(1) or named.group(2) or "") if named else "")

    def differing(
        self, models: tuple[bytes, bytes], feeds: Mapping[str, Filled], folder: str | None, *, exact: bool
    ) -> str:
        """Return how two models differ on the same inputs; "" if both give the same bits (or nearly), or both fail."""
        return self.error_message(*models, feeds, folder, 0.0 if exact else NEAR)

    def error_message(self, *task: object) -> str:
        """Return ONNX Runtime's error message for a model and inputs (or how two models differ); "" if it runs."""
        try:
            return str(self.ask(*task))
        except ChildProcessError as ended:
            return str(ended)

    def ask(self, *task: object) -> Any:
        """Return the process's answer to a task.

        Raises:
            CutError: It takes too long.
            ChildProcessError: The process ends.
        """
        process = self._process or self._start()
        late = threading.Event()

        def end() -> None:
            late.set()
            process.kill()

        seconds = min(SECONDS, self.deadline.remaining)
        timer = threading.Timer(seconds, end)
        timer.start()
        try:
            pickle.dump(task, cast("IO[bytes]", process.stdin))
            cast("IO[bytes]", process.stdin).flush()
            return pickle.load(cast("IO[bytes]", process.stdout))  # noqa: S301 - our own process
        except (OSError, EOFError, pickle.UnpicklingError):
            self._stop()
            if late.is_set():
                raise CutError(f"running it takes longer than {seconds:.0f} s") from None
            raise ChildProcessError(f"the runtime itself ends, with status {process.returncode}") from None
        finally:
            timer.cancel()

    def _start(self) -> subprocess.Popen[bytes]:
        process = self._process = subprocess.Popen(  # noqa: S603 (this interpreter, our own code)
            [sys.executable, "-c", self._worker],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), _ANY_OPSET: "0"},
        )
        try:
            self.name = pickle.load(cast("IO[bytes]", process.stdout))  # noqa: S301 - our own process
        except (OSError, EOFError, pickle.UnpicklingError):
            raise UsageError("--replay: onnxruntime is installed and can't be imported; install it anew") from None
        return process

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


def _fill_feed(feed: Feed, fill: Fill) -> Filled:
    kind = "b" if feed.dtype == "bool" else "i" if "int" in feed.dtype else "f"
    if isinstance(fill, Random):
        if feed.values is None and prod(feed.shape) <= MOST_DRAWN:
            some = (0, 0, 1, 2) if kind == "f" else (0, 1)
            return feed.dtype, feed.shape, tuple(fill.choices(some, k=prod(feed.shape)))
        fill = _FILLS[0]
    return feed.dtype, feed.shape, fill[kind] if feed.values is None else feed.values
