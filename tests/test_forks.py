"""A process that is forked while another thread is in a call has answers, and disturbs none of the other's."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest

import shapesmt
from shapesmt.base import collector, lazy
from shapesmt.base.collector import gc_paused
from shapesmt.base.lazy import cached_property
from shapesmt.prover.algebra import interning, sizes
from shapesmt.prover.smt import process
from tests.support.hang import PATIENCE

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="forks"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning"),
]
HEAD = '<ir_version: 8, opset_import: ["":18]> '
ADD = (HEAD + "g (float[n, 3] x, float[m, 3] y) => (z) { z = Add (x, y) }").encode()
SOLVED = (HEAD + "g (float[n, m] x) => (y) <int64[2] t = {7, -1}> { y = Reshape (x, t) }").encode()


def in_fork(does: Callable[[], object]) -> int:
    """The exit status of a forked process that does something: 0 if that is true."""
    child = os.fork()
    if not child:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(PATIENCE)
        status = 1
        try:
            status = 0 if does() else 2
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@contextmanager
def elsewhere(*inside: Callable[[], object]) -> Iterator[None]:
    """Another thread that is inside contexts."""
    entered, leave = threading.Event(), threading.Event()

    def work() -> None:
        with ExitStack() as stack:
            for context in inside:
                stack.enter_context(context())  # type: ignore[arg-type]
            entered.set()
            leave.wait()

    thread = threading.Thread(target=work)
    thread.start()
    assert entered.wait(PATIENCE)
    try:
        yield
    finally:
        leave.set()
        thread.join()


def verdict(model: bytes) -> str:
    return shapesmt.check(model).verdict.value


def test_a_call_at_any_moment_of_another_one(full: bool) -> None:
    expected = verdict(ADD), verdict(SOLVED)
    ended = threading.Event()

    def work() -> None:
        while not ended.is_set():
            shapesmt.forget()
            assert (verdict(ADD), verdict(SOLVED)) == expected

    thread = threading.Thread(target=work)
    thread.start()
    for turn in range(100 if full else 8):
        time.sleep(0.003 * (turn % 10))
        assert in_fork(lambda: (verdict(ADD), verdict(SOLVED)) == expected) == 0
    ended.set()
    thread.join()


class Waits:
    """An object with a property that waits while it is computed, if an event is given."""

    def __init__(self, *events: threading.Event) -> None:
        self.events = events

    @cached_property
    def value(self) -> int:
        for entered, leave in zip(self.events[:1], self.events[1:], strict=True):
            entered.set()
            leave.wait()
        return 3


def test_a_property_that_another_thread_computes() -> None:
    entered, leave = threading.Event(), threading.Event()
    thread = threading.Thread(target=lambda: Waits(entered, leave).value)
    thread.start()
    try:
        assert entered.wait(PATIENCE)
        assert in_fork(lambda: Waits().value == 3) == 0
    finally:
        leave.set()
        thread.join()


def test_a_query_at_work_is_left_alone() -> None:
    with elsewhere(lambda: process._CHILD.lock):
        assert in_fork(lambda: verdict(SOLVED) == "DEPENDS") == 0


def test_what_is_half_written_to_the_solver_is_written_once(monkeypatch: pytest.MonkeyPatch) -> None:
    echo = [sys.executable, "-c", "print(input())"]
    with subprocess.Popen(echo, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as solver:
        assert solver.stdin is not None
        monkeypatch.setattr(process._CHILD, "_process", solver)
        solver.stdin.write(b"half")
        assert in_fork(lambda: solver.stdin.flush() is None) == 0  # type: ignore[union-attr]
        assert solver.communicate(b" and half") == (b"half and half\n", None)


def test_calls_of_other_threads_have_ended_there() -> None:
    before = gc.get_threshold()

    def forgets() -> bool:
        verdict(ADD)
        shapesmt.forget()
        return gc.get_threshold() == before and not interning._Calls.running and sum(sizes().values()) < some

    with elsewhere(interning.one_call, gc_paused):
        verdict(ADD)
        some = sum(sizes().values())
        assert in_fork(forgets) == 0
    assert gc.get_threshold() == before


def test_calls_there_wait_for_none_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interning, "PATIENCE", 2 * PATIENCE)
    with elsewhere(interning.one_call):
        shapesmt.forget()
        assert in_fork(lambda: verdict(ADD) == "DEPENDS") == 0


def test_the_call_that_forks_goes_on() -> None:
    def goes_on() -> bool:
        return [*interning._Calls.running.values()] == [1] and gc.get_threshold()[0] == 0

    with elsewhere(interning.one_call), interning.one_call():
        assert in_fork(goes_on) == 0
        assert sum(interning._Calls.running.values()) == 2


@pytest.mark.parametrize("lock", [interning.LOCK, collector.LOCK, lazy._ONE_AT_A_TIME])
def test_a_fork_waits_for_a_lock(lock: threading.RLock) -> None:  # type: ignore[valid-type]
    ended = threading.Event()

    def hold() -> None:
        with lock:  # type: ignore[attr-defined]
            held.set()
            time.sleep(0.1)
            ended.set()

    held = threading.Event()
    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(PATIENCE)
    assert in_fork(ended.is_set) == 0
    thread.join()
