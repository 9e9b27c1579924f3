"""Reads files. Of the files that a model refers to, only those inside the model's folder are read."""

from __future__ import annotations

import os
import re
import stat
import sys
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from shapesmt.errors import ModelError, UsageError, printable
from shapesmt.frontends.foreign import how_to_export, refuse_suffix

__all__ = [
    "ModelFile",
    "content_inside",
    "is_folder",
    "is_xml",
    "is_zip",
    "model_file",
    "nesting",
    "tensorflow_format",
    "text_format",
]

_TEXT = re.compile(rb"(?:\s|#[^\n]*\n)*(?:(?P<onnxtxt><)|(?P<json>\{)|(?P<textproto>[a-z_]+\s*[:{]))")
_NUMBER = rb"[\x80-\xff]{0,9}[\x00-\x7f]"
_TENSORFLOW = re.compile(  # a graph's first node begins with its name, a saved model's first graph with a message
    rb"(?P<graph>\n" + _NUMBER + rb"\n" + _NUMBER + rb"[A-Za-z0-9._>])"
    rb"|(?P<saved_model>\x08\x01\x12" + _NUMBER + rb"[\n\x12])"
    rb"|(?:\s|\#[^\n]*\n)*(?:(?P<graph_text>(?:node|library|versions)\s*:?\s*\{)"
    rb"|(?P<saved_model_text>saved_model_schema_version\s*:|meta_graphs\s*:?\s*\{))"
)
_SAVED = ("saved_model.pb", "saved_model.pbtxt")
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:\?xml|!|net[\s>/])")
_BEGINNING = 1024  # bytes that tell a zip file's kind
_BRACKETS = re.compile(rb'"(?:[^"\\]|\\.)*"|=>|(?P<opened>[(\[{<])|(?P<closed>[)\]}>])')


class ModelFile(NamedTuple):
    """A file that was read."""

    content: bytes
    source: str
    """Its name in messages."""
    folder: str | None
    """The folder of the file, where its external data may be; None for standard input and bytes."""
    name: str = ""
    """Its name in that folder."""
    signature: str = ""
    """What to read of it: the signature of a TensorFlow saved model (`score` of `saved#score`), or one of the programs
    of a PyTorch archive; "" if the path names none."""
    path: str = ""
    """The path of a zip file, of which `content` has the beginning only; "" of other files."""

    def beside(self, suffix: str) -> str:
        """The same file name with another suffix (`model.bin` beside `model.xml`), "" without a file name."""
        return Path(self.name).with_suffix(suffix).name if self.name else ""


def model_file(model: object) -> ModelFile:
    """The content of a model's file, from its path, from standard input ("-"), or from bytes.

    The path of a TensorFlow saved model may end in a signature, `saved#score`, that of a PyTorch archive in a program's
    name, `model.pt2#encoder`.

    Raises:
        ModelError: There is no such file, it is a folder or a device, or it may not be read.
        UsageError: The argument is neither a path nor bytes.
    """
    if isinstance(model, (bytes, bytearray, memoryview)):
        return ModelFile(bytes(model), "<bytes>", None)
    if not isinstance(model, (str, os.PathLike)):
        kind = type(model).__name__
        accepted = f"a model is a path, bytes, an onnx.ModelProto or a Graph, not {kind}"
        raise UsageError(how_to_export(model) or accepted)
    path = os.fsdecode(model)
    if path == "-":
        return ModelFile(sys.stdin.buffer.read(), "<stdin>", None)
    root, signature = _named(path)
    saved = _saved(root)
    if saved:
        content = _content(os.path.join(root, saved))  # noqa: PTH118 - as below
        return ModelFile(content, printable(Path(path).name or path), root, saved, signature)
    folder, name = os.path.split(root)
    refuse_suffix(root)
    content, shown = _content(root), printable(Path(path).name or path)
    return ModelFile(content, shown, folder or ".", name, signature, root if is_zip(content) else "")


def _named(path: str) -> tuple[str, str]:
    """The path without the signature of a saved model, and that signature: `saved#score` is ("saved", "score")."""
    root, _, signature = path.rpartition("#")
    has_signature = root and not os.path.lexists(path) and (_saved(root) or root.endswith((*_SAVED, ".pt2")))
    return (root, signature) if has_signature else (path, "")


def _content(path: str) -> bytes:
    try:
        mode = Path(path).stat().st_mode
        if stat.S_ISREG(mode) or stat.S_ISFIFO(mode):
            with Path(path).open("rb") as file:
                content = file.read(_BEGINNING)
                return content if stat.S_ISREG(mode) and is_zip(content) else content + file.read()
    except (OSError, ValueError, MemoryError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or str(error) or "out of memory"
        raise ModelError(f"cannot read {printable(path)}: {reason}") from None
    kind = "a folder" if stat.S_ISDIR(mode) else "a device"
    raise ModelError(f"cannot read {printable(path)}: it is {kind}, not a file")


def content_inside(folder: str, location: str, offset: int, size: int) -> bytes | None:
    """Some bytes of a file in a folder; None if the file is outside the folder (by links too) or too short."""
    if not location or Path(location).is_absolute() or ".." in re.split(r"[\\/]", location):
        return None
    try:
        path = Path(folder, location).resolve(strict=True)
        if not path.is_relative_to(Path(folder).resolve()) or not path.is_file():
            return None
        with path.open("rb") as file:
            file.seek(offset)
            content = file.read(size)
    except (OSError, ValueError, RuntimeError, OverflowError):  # RuntimeError: links in a circle
        return None
    return content if len(content) == size else None


def text_format(content: bytes) -> str | None:
    r"""ONNX's name of a text format, recognised by the first character after spaces and comments; None for binary.

    Example:
        >>> [text_format(start) for start in (b"# a model\n<ir_version: 8", b"{", b"graph {", bytes([8, 10]))]
        ['onnxtxt', 'json', 'textproto', None]
    """
    match = _TEXT.match(content, 0, 1 << 16)
    return match.lastgroup if match else None


def is_zip(content: bytes) -> bool:
    """Whether the content starts as a zip file does, which PyTorch's archives are."""
    return content[:4] == b"PK\x03\x04"


def is_xml(content: bytes) -> bool:
    """Whether the content starts as XML does, which OpenVINO's files are."""
    return _XML.match(content) is not None


def tensorflow_format(content: bytes) -> str:
    r"""TensorFlow's format by the first bytes: "graph" or "saved_model", followed by ".text" for text; "" for neither.

    Example:
        >>> [tensorflow_format(start) for start in (b"\n\x05\n\x01x", b"# text\nnode {", b"\x08\x01\x12\x09\n", b"{")]
        ['graph', 'graph.text', 'saved_model', '']
    """
    match = _TENSORFLOW.match(content)
    return "" if match is None else (match.lastgroup or "").replace("_text", ".text")


def is_folder(path: str) -> bool:
    """Whether a path is a folder that is not itself a model, as a TensorFlow saved model is."""
    return os.path.isdir(path) and not _saved(path)  # noqa: PTH112 - an unreadable path counts as a file


def _saved(folder: str) -> str:
    """The name of the saved model's file in a folder (`saved_model.pb`); "" if there is none."""
    return next((name for name in _SAVED if os.path.isfile(os.path.join(folder, name))), "")  # noqa: PTH113, PTH118 - an unreadable file counts as missing


def nesting(text: bytes) -> int:
    """How deep the brackets of a text are nested, not counting those in quotes."""
    step = {"opened": 1, "closed": -1, None: 0}
    return max(accumulate(step[match.lastgroup] for match in _BRACKETS.finditer(text)), default=0)
