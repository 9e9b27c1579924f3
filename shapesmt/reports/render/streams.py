"""Standard streams that may be closed, full, or unable to show a name."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from typing import TextIO, TypeGuard

from shapesmt.base.errors import UsageError, printable


def have_streams() -> None:
    """Replace standard input and error by empty ones if they are closed; refuse a closed standard output.

    Raises:
        UsageError: Standard output is closed.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115, PTH123 - as long as the process
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115, PTH123 - as long as the process
    if sys.stdout is None:
        raise UsageError("cannot write the answer: standard output is closed")


def tolerate_unprintable() -> None:
    """Escape characters that the terminal's encoding lacks, instead of ending the program."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # absent under capture


def discard_output(stream: TextIO | None = None) -> None:
    """Discard further output after its reader has closed it, to prevent a second error when the interpreter exits."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), (sys.stdout if stream is None else stream).fileno())


def discard_output_that_fails(stream: TextIO | None = None) -> None:
    """Discard output that can't be written, which would fail again when the interpreter exits."""
    stream = sys.stdout if stream is None else stream
    try:
        stream.flush()
    except (OSError, ValueError, AttributeError):
        discard_output(stream)


_NO_THREAD = "can't start new thread"  # the text of Python's `RuntimeError`


def is_refusal(error: Exception) -> TypeGuard[OSError | ImportError | RuntimeError]:
    """Whether the system refuses something, which isn't shapesmt's fault: a file, a thread, a library not its own."""
    own = str(getattr(error, "name", "")).startswith("shapesmt")
    return (isinstance(error, OSError | ImportError) and not own) or str(error) == _NO_THREAD


def refusal(error: OSError | ImportError | RuntimeError) -> str:
    """Return the message for a refusal by the system: of space for the output, a process, a thread, a library.

    >>> refusal(OSError(28, "No space left on device"))
    'cannot write the answer: No space left on device'
    """
    if isinstance(error, RuntimeError):
        return "the system has no room for another thread"
    if isinstance(error, ImportError):
        return printable(f"cannot load a library: {str(error).strip().partition(chr(10))[0]}", 300)
    where = "cannot start a process" if error.errno == errno.EAGAIN else "cannot write the answer"
    where = where if error.filename is None else f"cannot use {error.filename}"
    return printable(f"{where}: {error.strerror or error}", 300)
