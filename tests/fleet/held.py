"""A model in a named pipe, at which the process that reads it waits."""

from __future__ import annotations

import os
import time
from contextlib import suppress

PATIENCE = 60.0  # seconds
HELD = "held.onnx"


def reader() -> int:
    """The end of the pipe to write the model into, as soon as a process waits for it."""
    end = time.monotonic() + PATIENCE
    while True:
        with suppress(OSError):  # nobody reads it
            return os.open(HELD, os.O_WRONLY | os.O_NONBLOCK)
        assert time.monotonic() < end
        time.sleep(0.02)
