"""Limits for reading one model: bytes, and requests and depth of a listing. The deadline limits the time."""

from __future__ import annotations

import os
from collections.abc import Callable

from shapesmt.base.deadline import look
from shapesmt.base.errors import ModelError, UsageError, printable

REQUESTS = 500
"""Folders of a web server, or another remote location, that are listed to find models."""
DEPTH = 32
"""The depth of nested folders that are listed there."""
_BYTES = 1 << 29
_OPTION = "SHAPESMT_MAX_BYTES"
_PIECE = 1 << 24


def most_bytes() -> int:
    """Return the maximum size in bytes of a file that is read whole: SHAPESMT_MAX_BYTES, by default 512 MiB.

    Binary ONNX files on this machine may be larger, as their weights are skipped.

    Raises:
        UsageError: The environment variable isn't a number.

    >>> most_bytes() >> 20
    512
    """
    said = os.environ.get(_OPTION, "")
    if said and not (said.isascii() and said.isdigit() and len(said) < 20):
        raise UsageError(f"{_OPTION} is a number of bytes, not {printable(said, 40)}")
    return int(said) if said else _BYTES


def refuse(place: str, size: int, most: int) -> None:
    """Raise an error if a file has more than `most` bytes; `place` is its path in the message.

    Raises:
        ModelError: The file has more than `most` bytes.

    >>> refuse("model.xml", 600 << 20, 512 << 20)
    Traceback (most recent call last):
    shapesmt.base.errors.ModelError: cannot read model.xml: more than 512 MiB (SHAPESMT_MAX_BYTES=536870912)
    """
    if size > most:
        said = f"{most >> 20:,} MiB" if most >> 20 else f"{most:,} bytes"
        raise ModelError(f"cannot read {printable(place, 400)}: more than {said} ({_OPTION}={most})")


def whole(read: Callable[[int], bytes], place: str) -> bytes:
    """Call `read` for up to 16 MiB at a time until it returns b"", and return all bytes; `place` is the file's path.

    Raises:
        ModelError: There are more than `most_bytes()`.
        TimeUp: The deadline has passed.

    >>> from io import BytesIO
    >>> whole(BytesIO(b"model").read, "model.json")
    b'model'
    """
    most, content = most_bytes(), bytearray()
    while piece := read(_PIECE):
        look()
        content += piece
        refuse(place, len(content), most)
    return bytes(content)
