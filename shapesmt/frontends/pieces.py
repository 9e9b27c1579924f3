"""Pieces: read a large or remote file from start to end in few requests, skipping parts."""

from __future__ import annotations

from typing import IO

_FIRST, _MOST = 1 << 16, 1 << 22  # bytes per read: 64 KiB at first and after a skip, doubling up to 4 MiB


class Pieces:
    """A binary file, read in pieces.

    >>> from io import BytesIO
    >>> pieces = Pieces(BytesIO(b"abcdefgh"))
    >>> pieces.held(1), pieces.peek(1), pieces.held(1), pieces.read(2), pieces.skip(3), pieces.read(9)
    (b'', b'a', b'a', b'ab', None, b'fgh')
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._ahead = _FIRST
        self._held = b""
        self._at = 0

    def peek(self, count: int) -> bytes:
        """Return the next bytes without consuming them."""
        while len(self._held) < self._at + count:
            more = self._file.read(max(count, self._ahead))
            if not more:
                break
            self._held, self._at = self._held[self._at :] + more, 0
            self._ahead = min(2 * self._ahead, _MOST)
        return self._held[self._at : self._at + count]

    def held(self, most: int) -> bytes:
        """Return those of the next bytes that are in memory already, without consuming them."""
        return self._held[self._at : self._at + most]

    def read(self, count: int) -> bytes:
        """Read exactly `count` bytes, or fewer at the end."""
        content = self.peek(count)
        self._at += len(content)
        return content

    def skip(self, count: int) -> None:
        """Skip the next `count` bytes."""
        held = len(self._held) - self._at
        self._at += min(count, held)
        if count <= held:
            return
        self._ahead = _FIRST
        try:
            self._file.seek(count - held, 1)
        except (OSError, ValueError, NotImplementedError):  # a stream can't seek
            rest = count - held
            while rest > 0 and (read := self._file.read(min(rest, _MOST))):
                rest -= len(read)
