"""A model in a named pipe, at which the process that reads it waits."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

from tests.support.hang import PATIENCE

HELD = "held.onnx"


def reader() -> int:
    """The end of the pipe to write the model into, as soon as a process waits for it.

    The next process finds a new pipe: it waits as well, though the end of this one is still open.
    """
    end = time.monotonic() + PATIENCE
    while True:
        with suppress(OSError):  # nobody reads it
            pipe = os.open(HELD, os.O_WRONLY | os.O_NONBLOCK)
            os.mkfifo(f"{HELD}.next")
            Path(f"{HELD}.next").replace(HELD)
            return pipe
        assert time.monotonic() < end
        time.sleep(0.02)
