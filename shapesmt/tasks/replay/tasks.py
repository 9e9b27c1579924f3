"""Tasks of a separate process, which read from standard input and are answered on standard output."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from contextlib import suppress


def answer_tasks(name: str, answer: Callable[..., object]) -> None:
    """Write `name` to standard output, then the answer to each task from standard input."""
    answers, sys.stdout = sys.stdout.buffer, sys.stderr
    pickle.dump(name, answers)
    answers.flush()
    with suppress(EOFError):
        while True:
            task = pickle.load(sys.stdin.buffer)  # noqa: S301 - our own parent's
            pickle.dump(answer(*task), answers)
            answers.flush()
