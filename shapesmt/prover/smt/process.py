"""Run Z3 in a child process, so that timeouts are kept.

Z3 checks its own limits rarely, so the only reliable timeout is to kill it; one of processor time kills it from inside.
One child is started when first needed, answers all queries, and is replaced after it was killed.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, field
from math import inf
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import IO, Any, cast

from shapesmt.base.deadline import Deadline, spend
from shapesmt.base.errors import pass_on
from shapesmt.base.frozen import frozen

WORKER = Path(__file__).with_name("worker.py")
LONGEST = 1e6  # seconds; limit of a single wait


@frozen()
class Query:
    """One question to Z3.

    Attributes:
        text: SMT-LIB 2 without `check-sat`.
        values: The names, without bars, of the constants whose values are returned.
        assume: Boolean constants assumed to be true; an unsatisfiable core is a subset of them.
        effort: Z3's resource limit, the same on every machine; 0 is no limit.
        seed: Seed of Z3's random choices.
        chain: Whether to simplify by tactics first.
    """

    text: str
    values: Sequence[str] = ()
    assume: Sequence[str] = ()
    effort: int = 0
    seed: int = 0
    chain: bool = False


@frozen()
class Reply:
    """Z3's answer: "sat" with values, "unsat" with a core of the assumptions, or "unknown"."""

    verdict: str
    values: dict[str, int] = field(default_factory=dict)
    core: tuple[str, ...] = ()
    error: str = ""


UNKNOWN = Reply("unknown")


def ask(query: Query, deadline: Deadline) -> Reply:
    """Return Z3's reply to a query; "unknown" if the deadline passes first."""
    if not _CHILD.lock.acquire(timeout=min(deadline.remaining, LONGEST)):  # another thread's query
        return UNKNOWN
    try:
        return _CHILD.ask(query, deadline)
    finally:
        _CHILD.lock.release()


class _Child:
    """Z3's process, and the thread that reads its answers so that waiting for one can time out."""

    def __init__(self) -> None:
        self.lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: SimpleQueue[bytes] = SimpleQueue()
        self._owner = 0
        self._left: list[subprocess.Popen[bytes]] = []

    def start(self) -> subprocess.Popen[bytes]:
        process = self._process
        if process is not None and process.poll() is None and self._owner == os.getpid():
            return process
        path = os.pathsep.join(p for p in sys.path if p)
        self._process = process = subprocess.Popen(  # noqa: S603 (this interpreter, our own file)
            [sys.executable, str(WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path},
        )
        self._owner = os.getpid()
        self._answers = SimpleQueue()
        Thread(target=_listen, args=(process.stdout, self._answers), daemon=True).start()
        return process

    def stop(self) -> None:
        process, self._process = self._process, None
        if process is not None and self._owner == os.getpid():
            process.kill()
            process.wait()
            with suppress(OSError):  # it may not have read all of the query
                cast("IO[bytes]", process.stdin).close()

    def leave(self) -> None:
        """Leave the child process to the parent after a fork, although a query may be half written."""
        self.lock = Lock()
        process, self._process = self._process, None
        if process is not None:
            self._left.append(process)  # pipes stay open: the parent's thread may be using them
            with suppress(OSError, ValueError), open(os.devnull, "wb") as nowhere:  # noqa: PTH123
                os.dup2(nowhere.fileno(), cast("IO[bytes]", process.stdin).fileno(), inheritable=False)

    def ask(self, query: Query, deadline: Deadline) -> Reply:
        if deadline.expired:
            return UNKNOWN
        line = b""
        try:
            process = self.start()
            _send(process, query, deadline.working)
            line = self._answers.get(timeout=min(deadline.remaining, LONGEST))
        except (OSError, Empty, RuntimeError) as error:  # it ended, is late, or couldn't be started
            pass_on(error)
        finally:
            if not line:  # late, dead, or interrupted: its answer must not be taken for one to the next query
                self.stop()
        if not line:
            spend(deadline.working if deadline.working < inf else 0.0)  # it ended itself after that
            return UNKNOWN
        answer = json.loads(line)
        spend(answer["seconds"])
        return _reply(answer)


def _listen(pipe: IO[bytes], answers: SimpleQueue[bytes]) -> None:
    with pipe:
        for line in pipe:
            answers.put(line)
    answers.put(b"")


def _send(process: subprocess.Popen[bytes], query: Query, seconds: float) -> None:
    """Write a query, with the seconds of processor time that it may take."""
    assert process.stdin is not None
    process.stdin.write(json.dumps({**asdict(query), "seconds": min(seconds, LONGEST)}).encode() + b"\n")
    process.stdin.flush()


def _reply(data: dict[str, Any]) -> Reply:
    values = {name: int(v) for name, v in data.get("values", {}).items()}
    return Reply(data["verdict"], values, tuple(data.get("core", ())), data.get("error", ""))


_CHILD = _Child()
atexit.register(_CHILD.stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_CHILD.leave)
