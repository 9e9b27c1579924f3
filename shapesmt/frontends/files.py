"""Read files. Of the files to which a model refers, only those in the model's folder are read."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import NamedTuple

from shapesmt.base.errors import ModelError, UsageError, pass_on, printable
from shapesmt.frontends.budget import most_bytes, refuse, whole
from shapesmt.frontends.foreign import how_to_export, refuse_content, refuse_suffix
from shapesmt.frontends.recognize import is_binary, is_zip

_SAVED = ("saved_model.pb", "saved_model.pbtxt")
LARGE = 1 << 24  # bytes; a larger file is read without its weights if these don't matter
MOST_COMPARED = 1 << 30  # bytes; a larger zip file has no digest
_AT_ONCE = 1 << 20  # bytes of a zip file per read


class ModelFile(NamedTuple):
    """A file that was read."""

    content: bytes
    source: str
    """The file's name in messages."""
    folder: str | None
    """The folder of the file, where its external data may be; None for standard input and bytes."""
    name: str = ""
    """The file's name in that folder."""
    signature: str = ""
    """The part to read: the signature of a TensorFlow saved model (`score` of `saved#score`), or a program in a PyTorch
    archive; "" if the path names none.
    """
    path: str = ""
    """The path of a zip file, as `content` has only its beginning; "" for other files."""

    def beside(self, suffix: str) -> str:
        """Return the same file name with another suffix (`model.bin` for `model.xml`); "" without a file name."""
        return Path(self.name).with_suffix(suffix).name if self.name else ""


def model_file(model: object, *, weights: bool = True) -> ModelFile:
    """Return the content of a model's file, from its path or URL, from standard input ("-"), or from bytes.

    The path of a TensorFlow saved model may end in a signature, `saved#score`, the path of a PyTorch archive in a
    program's name, `model.pt2#encoder`. Without `weights`, large ONNX files are read without large tensors' elements.

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
        return ModelFile(whole(sys.stdin.buffer.read, "<stdin>"), "<stdin>", None)
    if is_url(path):
        from shapesmt.frontends.remote import fetch

        return ModelFile(fetch(path, weights=weights), printable(path.rpartition("/")[2] or path), None)
    root, signature = _split_signature(path)
    saved = _saved_model_file(root)
    if saved:
        content = _content(os.path.join(root, saved))  # noqa: PTH118 - as below
        return ModelFile(content, printable(Path(path).name or path), root, saved, signature)
    folder, name = os.path.split(root)
    refuse_suffix(root)
    content, shown = _content(root, weights=weights), printable(os.path.basename(path) or path)  # noqa: PTH119 - faster
    return ModelFile(content, shown, folder or ".", name, signature, root if is_zip(content) else "")


def content_digest(file: ModelFile) -> str:
    """Return a digest of a file's content and name; "" for a zip file that is too large, or gone.

    A zip file is read without unpacking: checksums in it can be forged, and its content may be huge.

    >>> content_digest(ModelFile(b"a", "m.onnx", None)) == content_digest(ModelFile(b"b", "m.onnx", None))
    False
    """
    from hashlib import sha256

    digest = sha256("\0".join((file.source, file.name, file.signature, "")).encode(errors="surrogatepass"))
    if not file.path:
        digest.update(file.content)
        return digest.hexdigest()
    read = 0
    try:
        with Path(file.path).open("rb", buffering=0) as whole:
            while some := whole.read(_AT_ONCE):
                read += len(some)
                if read > MOST_COMPARED:
                    return ""
                digest.update(some)
    except OSError:
        return ""
    return digest.hexdigest()


def is_url(path: str) -> bool:
    """Whether the path is a URL."""
    return "://" in path


def list_models(url: str) -> list[str] | None:
    """Return the URLs that match a pattern, or those of the models below a folder, sorted; None for a file's URL.

    Raises:
        ModelError: The location can't be read.
        UsageError: fsspec isn't installed.
    """
    from shapesmt.frontends import remote

    return remote.list_urls(url)


def _split_signature(path: str) -> tuple[str, str]:
    """Return the path without a signature, and the signature: `saved#score` gives ("saved", "score")."""
    root, _, signature = path.rpartition("#")
    has_signature = root and not os.path.lexists(path) and (_saved_model_file(root) or root.endswith((*_SAVED, ".pt2")))
    return (root, signature) if has_signature else (path, "")


def _content(path: str, *, weights: bool = True) -> bytes:
    try:
        status = os.stat(path)  # noqa: PTH116 - `pathlib` takes longer
        mode = status.st_mode
        if stat.S_ISREG(mode) and not path.endswith(".onnx") and is_zip(beginning := _beginning(path)):
            return beginning
        if stat.S_ISREG(mode) and status.st_size > LARGE and not weights:
            return _without_weights(path, status.st_size)
        if stat.S_ISFIFO(mode):
            with open(path, "rb") as file:  # noqa: PTH123 - as above
                return whole(file.read, path)
        if stat.S_ISREG(mode):
            if status.st_size > LARGE and not is_binary(_beginning(path)):
                refuse(path, status.st_size, most_bytes())
            with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - as above
                return file.readall()
    except (OSError, ValueError, MemoryError) as error:  # ValueError: a NUL in the path
        pass_on(error)
        reason = getattr(error, "strerror", None) or str(error) or "out of memory"
        raise ModelError(f"cannot read {printable(path)}: {reason}") from None
    kind = "a folder" if stat.S_ISDIR(mode) else "a device"
    raise ModelError(f"cannot read {printable(path)}: it is {kind}, not a file")


def _beginning(path: str) -> bytes:
    """Return the first bytes of a file, enough to recognise a zip file."""
    with Path(path).open("rb") as file:
        return file.read(1024)


def _without_weights(path: str, size: int) -> bytes:
    """Return the content of a large file, without its weights if it is a binary ONNX model."""
    from shapesmt.frontends.onnx.skeleton import DamagedError, OtherFormatError, read_skeleton

    with Path(path).open("rb") as file:
        try:
            return read_skeleton(file, size)
        except OtherFormatError:
            refuse(path, size, most_bytes())
            file.seek(0)
            return file.read()
        except DamagedError as error:
            file.seek(0)
            name = printable(Path(path).name)
            refuse_content(file.read(1024), name)
            raise ModelError(f"{name}: not an ONNX model, or a damaged one ({error})") from None


def is_folder(path: str) -> bool:
    """Whether a path is a folder that is not itself a model, as a TensorFlow saved model is."""
    return os.path.isdir(path) and not _saved_model_file(path)  # noqa: PTH112 - an unreadable path counts as a file


def _saved_model_file(folder: str) -> str:
    """Return the name of the saved model's file in a folder (`saved_model.pb`); "" if there is none."""
    names = _SAVED if os.path.isdir(folder) else ()  # noqa: PTH112 - an unreadable file counts as missing
    return next((name for name in names if os.path.isfile(os.path.join(folder, name))), "")  # noqa: PTH113, PTH118 - as above
