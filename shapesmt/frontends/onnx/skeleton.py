"""Read a binary ONNX file without the elements of its weights, which no answer depends on.

Protobuf messages are copied field by field. The elements of a large tensor are skipped, and the tensor is marked as
having its elements in another file, which doesn't exist.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import IO

from shapesmt.frontends.recognize import is_binary
from shapesmt.network.graph import DTYPES, Literal

_BEGINNING = 1 << 16  # bytes at the beginning that tell the format
_SMALL = 1 << 12  # bytes; smaller messages are copied whole: they have at most `Literal.LIMIT` elements of 4 bytes
_RUN = 1 << 16  # bytes that are searched at once for fields to copy whole
_VARINT, _LENGTH = 0, 2
_FIXED = {1: 8, 5: 4}
"""The number of bytes of a field, by its wire type."""
_INSIDE: Mapping[str, Mapping[int, str]] = {
    "model": {7: "graph", 25: "function"},
    "graph": {1: "node", 5: "tensor"},
    "function": {7: "node", 11: "attribute"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph"},
    "tensor": {},
}
"""For each message, the fields that can contain weights."""
_DIMS, _DTYPE = 1, 2
_ELSEWHERE = b"\x70\x01"
"""The encoded field of a tensor which says that its elements are in another file."""
_WEIGHTS = {dtype for dtype in DTYPES.values() if dtype.lstrip("bu").startswith(("float", "int8", "int4", "int2"))}
_ELEMENTS = {4, 5, 7, 9, 10, 11}
"""The fields of a tensor that list its elements."""


class DamagedError(ValueError):
    """The bytes are not a protobuf message."""


class OtherFormatError(DamagedError):
    """The file has another format, which another reader accepts."""


def read_skeleton(file: IO[bytes], size: int, *, floats: bool = True) -> bytes:
    """Read a model of `size` bytes, and return it without the elements of tensors that shapesmt never reads.

    Without `floats`, the elements of other weights are skipped too; requirements that depend on these, which are
    rare, stay undecided.

    Raises:
        OtherFormatError: The file begins like another format.
        DamagedError: The file is no binary ONNX model, or ends early.

    >>> from io import BytesIO
    >>> from onnx import ModelProto, helper
    >>> weights = helper.make_tensor("w", 1, [1 << 20], bytes(1 << 22), raw=True)
    >>> model = ModelProto(ir_version=8, graph=helper.make_graph([], "g", [], [], [weights]))
    >>> file = BytesIO(model.SerializeToString())
    >>> len(read_skeleton(file, len(file.getvalue()))) < 100
    True
    """
    pieces = Pieces(file)
    start = pieces.peek(_BEGINNING)
    if not is_binary(start):
        raise OtherFormatError("it isn't a binary ONNX model")
    if start.isspace():
        raise DamagedError("it holds spaces only")
    return _Copier(pieces, floats).message("model", size)


class _Copier:
    def __init__(self, file: Pieces, floats: bool) -> None:
        self.file = file
        self.floats = floats

    def message(self, kind: str, size: int) -> bytes:
        """Return the content of a message of `size` bytes, without weights."""
        parts: list[bytes] = []
        tensor = _Tensor()
        while size > 0:
            if kind != "tensor" and (run := _run(self.file.held(min(size, _RUN)))):
                parts.append(self.exactly(run))
                size -= run
                continue
            number, wire, value, key, head = self.field()
            size -= len(key) + len(head) + (value if wire != _VARINT else 0)
            if size < 0:
                raise DamagedError("a field is longer than its message")
            if wire == _VARINT:
                tensor.note(number, [value])
                parts += key, head
            elif kind == "tensor" and number in _ELEMENTS and tensor.weights(value, self.floats):
                self.file.skip(value)
                tensor.skipped = _ELSEWHERE
            elif number in _INSIDE[kind] and value > _SMALL:
                inner = self.message(_INSIDE[kind][number], value)
                parts += key, _varint(len(inner)), inner
            else:
                parts += key, head, self.exactly(value)
                if kind == "tensor" and number == _DIMS:
                    tensor.note(number, _numbers(parts[-1]))
        return b"".join(parts) + tensor.skipped

    def field(self) -> tuple[int, int, int, bytes, bytes]:
        """Return a field's number, wire type, value or length, and the bytes of its key and of its value or length."""
        kind, key = self.varint()
        number, wire = kind >> 3, kind & 7
        if not number:
            raise DamagedError("a field has no number")
        if wire in _FIXED:
            return number, wire, _FIXED[wire], key, b""
        if wire not in (_VARINT, _LENGTH):
            raise DamagedError("a field has no known type")
        value, head = self.varint()
        return number, wire, value, key, head

    def exactly(self, length: int) -> bytes:
        """Read exactly `length` bytes; raise DamagedError if the file ends first."""
        content = self.file.read(length)
        if len(content) != length:
            raise DamagedError("the file ends early")
        return content

    def varint(self) -> tuple[int, bytes]:
        """Return the next number, and its bytes."""
        taken = b""
        while len(taken) < 10:
            taken += self.exactly(1)
            if taken[-1] < 0x80:
                return _numbers(taken)[0], taken
        raise DamagedError("a number has no end")


class _Tensor:
    """The facts about a tensor that are known before its elements are read."""

    def __init__(self) -> None:
        self.dims: list[int] = []
        self.dtype = ""
        self.skipped = b""

    def note(self, number: int, values: list[int]) -> None:
        if number == _DIMS:
            self.dims += values
        elif number == _DTYPE:
            self.dtype = DTYPES.get(values[0], "")

    def weights(self, length: int, floats: bool) -> bool:
        """Whether to skip the elements, which take `length` bytes; without `floats`, also those of all weights."""
        count = prod(self.dims)
        small = length <= _SMALL or count <= Literal.LIMIT
        return not small and (Literal.too_many(self.dtype, count) or not (floats or self.dtype not in _WEIGHTS))


def _run(content: bytes) -> int:
    """Return the length of the small, complete fields at the beginning of `content`, as most nodes and names are.

    Only texts and messages with a field number below 16 and a length of one or two bytes count.
    """
    at, end = 0, len(content) - 2
    while at < end and content[at] & 0x87 == _LENGTH:
        length, after = content[at + 1], at + 2
        if length > 0x7F:
            length, after = length & 0x7F | content[after] << 7, after + 1
        if length >= _SMALL or after + length > len(content):
            break
        at = after + length
    return at


def _numbers(content: bytes) -> list[int]:
    numbers, number, place = [], 0, 0
    for byte in content:
        number |= (byte & 0x7F) << place
        place += 7
        if byte < 0x80:
            numbers.append(number)
            number = place = 0
    return numbers


def _varint(number: int) -> bytes:
    taken = bytearray()
    while number > 0x7F:
        taken.append(0x80 | (number & 0x7F))
        number >>= 7
    taken.append(number)
    return bytes(taken)


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
        """Return the next `count` bytes, or fewer at the end, without consuming them."""
        while len(self._held) < self._at + count:
            more = self._file.read(max(count, self._ahead))
            if not more:
                break
            self._held, self._at = self._held[self._at :] + more, 0
            self._ahead = min(2 * self._ahead, _MOST)
        return self._held[self._at : self._at + count]

    def held(self, most: int) -> bytes:
        """Return up to `most` of the next bytes, as far as they are in memory already, without consuming them."""
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
