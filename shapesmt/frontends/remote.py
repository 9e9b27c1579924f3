"""Read models by URL, through fsspec: `s3://`, `hf://`, `https://` and any other protocol that is installed for it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import has_magic
from math import ceil
from pathlib import PurePosixPath
from typing import Any

from shapesmt.base.deadline import look, remaining
from shapesmt.base.errors import ModelError, ShapesmtError, UsageError, pass_on, printable
from shapesmt.frontends.budget import DEPTH, REQUESTS, most_bytes, refuse, whole
from shapesmt.frontends.onnx.skeleton import read_skeleton
from shapesmt.frontends.recognize import SUFFIXES

LARGE = 1 << 20  # bytes; a larger file may be read in parts
PATIENCE = 30.0  # seconds; limit for a web server's silence
LONGEST = 600.0  # seconds; limit for a web server's whole answer


def fetch(url: str, *, weights: bool) -> bytes:
    """Return the content of a model's file; without `weights`, a large ONNX model's weights aren't transferred.

    Raises:
        ModelError: There is no such file, or it can't be read.
        UsageError: fsspec isn't installed.
    """
    with _reading(url) as (system, path):
        size = system.info(path).get("size")
        if not weights and size is not None and size > LARGE:
            # DamagedError, or a server that sends the whole file for a part of it
            with suppress(ValueError), system.open(path, "rb", block_size=LARGE, cache_type="none") as file:
                return read_skeleton(file, size, floats=False)
        whole_size = size if isinstance(size, int) else 0
        refuse(url, whole_size, most_bytes())
        # a server may send more than it declares: bytes are counted after decompression
        with system.open(path, "rb", **({"block_size": 0} if _webs(url) else {})) as file:
            return whole(file.read, url)


def list_urls(url: str) -> list[str] | None:
    """Return the URLs that match a pattern, or those of the models below a folder, sorted; None for a file's URL.

    Raises:
        ModelError: The location can't be read.
        UsageError: fsspec isn't installed.
    """
    with _reading(url) as (system, path):
        if has_magic(path):
            from fsspec.utils import glob_translate

            fixed = path[: next(i for i, c in enumerate(path) if c in "*?[")].rpartition("/")[0]
            pattern, deep = re.compile(glob_translate(path)), "**" in path
            below = _below(system, url, fixed, DEPTH if deep else path[len(fixed) :].count("/") - 1)
            return _urls(system, url, [file for file in below if pattern.match(file)])
        last = url.partition("::")[0].rpartition("/")[2]
        if "." in last or not system.isdir(path):
            return None
        files = [file for file in _below(system, url, path, DEPTH) if PurePosixPath(file).suffix in SUFFIXES]
        hidden = [file for file in files if any(part[:1] == "." for part in file[len(path) :].split("/"))]
        return _urls(system, url, [file for file in files if file not in hidden])


def _below(system: Any, url: str, folder: str, depth: int) -> list[str]:
    """Return the files in a folder and up to `depth` levels of folders inside it; `url` is for messages.

    Raises:
        ModelError: There are too many folders, or a name chains file systems.
    """
    files, seen, ahead = list[str](), set[str](), [(folder.rstrip("/"), 0)]
    for place, level in ahead:  # grows by inner folders
        look()
        if len(seen) == REQUESTS:
            raise ModelError(f"cannot read {printable(url, 400)}: more than {REQUESTS:,} folders; name fewer")
        seen.add(place)
        for entry in system.ls(f"{place}/" if _webs(url) else place, detail=True):
            name = str(entry["name"])
            if "::" in name:
                raise ModelError(f"cannot read {printable(url, 400)}: it lists {printable(name)}, and no name has `::`")
            inner = name.rstrip("/")
            if entry["type"] != "directory":
                files.append(name)
            elif level < depth and inner.startswith(f"{folder.rstrip('/')}/") and inner not in seen:
                ahead += [] if (inner, level + 1) in ahead else [(inner, level + 1)]
    return files


def _urls(system: Any, url: str, paths: list[str]) -> list[str]:
    """Return the URLs of paths, each inside the pattern's outer URL (`zip://*.onnx::all.zip`)."""
    _, chained, outer = url.partition("::")
    return sorted(f"{system.unstrip_protocol(path)}{chained}{outer}" for path in paths)


@contextmanager
def _reading(url: str) -> Iterator[tuple[Any, str]]:
    """Yield the file system of a URL, and the path in it; any exception inside the block becomes one `ModelError`."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise UsageError(f"{printable(url)} is a URL, which needs fsspec: pip install 'shapesmt[urls]'") from None
    try:
        yield url_to_fs(url, **_patient(url))
    except ShapesmtError:
        raise
    except Exception as error:  # each file system has its own exceptions
        pass_on(error)
        look()
        raise ModelError(f"cannot read {printable(url, 400)}: {printable(_reason(error), 300)}") from None


def _patient(url: str) -> dict[str, Any]:
    """Return settings for fsspec's web protocols in a URL, with timeouts for servers that don't answer."""
    webs = _webs(url)
    if not webs:
        return {}
    from aiohttp import ClientTimeout

    longest = min(LONGEST, ceil(remaining()) + 1.0) if remaining() < LONGEST else LONGEST
    limits = ClientTimeout(total=longest, sock_connect=min(PATIENCE, longest), sock_read=min(PATIENCE, longest))
    return {web: {"client_kwargs": {"timeout": limits}} for web in webs}


def _webs(url: str) -> list[str]:
    return [web for web in ("http", "https") if f"{web}://" in url]


def _reason(error: BaseException) -> str:
    if isinstance(error, FileNotFoundError):  # fsspec raises it for server errors too; `__cause__` tells them apart
        if error.__cause__ is None or getattr(error.__cause__, "status", 0) == 404:
            return "there is no such file"
        error = error.__cause__
    said = getattr(error, "message", True)  # a web server's message next to its status; none for cyclic redirects
    return (" ".join(str(error).split()) if said else "") or type(error).__name__
