"""Pieces: a large or remote file, read from its start to its end with parts left out, in few requests."""

from __future__ import annotations

from typing import IO

__all__ = ["Pieces"]

_FIRST, _MOST = 1 << 16, 1 << 22  # bytes that are asked for at once: few after a part left out, then more and more


class Pieces:
    """A binary file.

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
        """The next bytes, which remain to be read."""
        while len(self._held) < self._at + count:
            more = self._file.read(max(count, self._ahead))
            if not more:
                break
            self._held, self._at = self._held[self._at :] + more, 0
            self._ahead = min(2 * self._ahead, _MOST)
        return self._held[self._at : self._at + count]

    def held(self, most: int) -> bytes:
        """Those of the next bytes that are here without another request, which remain to be read."""
        return self._held[self._at : self._at + most]

    def read(self, count: int) -> bytes:
        """That many bytes, or fewer at the end."""
        content = self.peek(count)
        self._at += len(content)
        return content

    def skip(self, count: int) -> None:
        """Go on after that many bytes."""
        held = len(self._held) - self._at
        self._at += min(count, held)
        if count <= held:
            return
        self._ahead = _FIRST
        try:
            self._file.seek(count - held, 1)
        except (OSError, ValueError, NotImplementedError):  # a stream
            rest = count - held
            while rest > 0 and (read := self._file.read(min(rest, _MOST))):
                rest -= len(read)
