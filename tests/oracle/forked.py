"""A function called on many items in processes of their own: one that dies or takes too long costs its item only."""

from __future__ import annotations

import importlib
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.support.hang import PATIENCE

SECONDS = 60  # of processor time: an item that takes longer dies


def results(function: Callable[[Any], Any], items: Sequence[Any], seconds: int = SECONDS) -> Iterator[Any]:
    """What a function of a module makes of each item; None where the process died, or worked for more than `seconds`.

    The calls come from a server that has no threads yet: only such a process can be forked.
    """
    where = (function.__module__, function.__name__)
    command = [sys.executable, "-c", f"from {__name__} import serve; serve(*{where}, {seconds})"]
    streams: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, cwd=Path(__file__).parents[2], **streams) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(pickle.dumps(list(items)))
        server.stdin.close()
        for _ in items:
            yield pickle.load(server.stdout)


def serve(module: str, name: str, seconds: int) -> None:
    """Call the function on the items that standard input holds, and write what comes of them to standard output."""
    function = getattr(importlib.import_module(module), name)
    items = pickle.load(sys.stdin.buffer)
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        for result in _forked(function, items, seconds):
            pickle.dump(result, out)
            out.flush()


def _forked(function: Callable[[Any], Any], items: Sequence[Any], seconds: int) -> Iterator[Any]:
    """What comes of each item; a child process does them, and another goes on where one dies or takes too long."""
    done = 0
    while done < len(items):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            with os.fdopen(writer, "wb") as out:
                for item in items[done:]:
                    signal.setitimer(signal.ITIMER_PROF, seconds)
                    signal.alarm(PATIENCE)
                    pickle.dump(function(item), out)
                    out.flush()
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader, "rb") as made:
            try:
                while done < len(items):
                    yield pickle.load(made)
                    done += 1
            except EOFError:
                done += 1
                yield None
        os.waitpid(child, 0)
