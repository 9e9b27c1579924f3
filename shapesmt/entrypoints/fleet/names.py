"""Names: the models that paths, folders, patterns and URLs stand for, and the declarations that apply to each."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from glob import glob, has_magic
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from shapesmt.base.deadline import Deadline, look, seconds
from shapesmt.base.errors import ShapesmtError, UsageError, printable
from shapesmt.frontends import SUFFIXES, is_folder, is_url, list_models, load
from shapesmt.network.declarations import Origin, names_in, parse_range, parse_shape, parse_value, unknown_name

Options: TypeAlias = dict[str, Any]
Found = TypeVar("Found")


def is_several(path: str, timeout: float) -> bool:
    """Whether a name stands for any number of models: a folder, or a pattern.

    Raises:
        OutOfTimeError: A remote folder isn't listed within `timeout` seconds.

    >>> [is_several(name, 60) for name in ("unet.onnx", "models/**/*.onnx", "s3://bucket/*.onnx")]
    [False, True, True]
    """
    if is_url(path):
        return has_magic(path) or _in_time(lambda: list_models(path), timeout) is not None
    return is_folder(path) or _is_pattern(path)


def _is_pattern(path: str) -> bool:
    return has_magic(path) and not os.path.lexists(path)


def _in_time(work: Callable[[], Found], timeout: float) -> Found:
    return Deadline(seconds(timeout)).require(work, "the models aren't found")


def models_in(paths: Iterable[str], timeout: float) -> list[str]:
    """Return the models that paths stand for, each once: files, matches of patterns, `*.onnx` and `*.pt2` in folders.

    Folders are searched to any depth, without hidden files and linked folders. The models found there are sorted.

    Raises:
        OutOfTimeError: The models aren't listed within `timeout` seconds.
        UsageError: A folder has no such file, nothing matches, or standard input is among several models.
    """
    return _in_time(lambda: _models_in(paths), timeout)


def _models_in(paths: Iterable[str]) -> list[str]:
    models: list[str] = []
    for path in paths:
        if path == "-":
            raise UsageError("- (standard input) can't be checked beside other models; give it alone")
        named = _matching_paths(path)
        if not named:
            where = printable(path)
            if has_magic(path):
                raise UsageError(f"no file matches {where}")
            raise UsageError(f"no *.onnx or *.pt2 file in the folder {where}; name files, or a folder that has some")
        models += named
    return list(dict.fromkeys(models))


def _matching_paths(path: str) -> list[str]:
    if is_url(path):
        below = list_models(path)
        return [path] if below is None else below
    if is_folder(path):
        return sorted(_below(path))
    return sorted(glob(path, recursive=True)) if _is_pattern(path) else [path]  # noqa: PTH207 - keeps `./` and `..`


def _below(folder: str) -> Iterator[str]:
    """Yield the models below a folder, and the folders that can't be read, as they may have models."""
    closed: list[OSError] = []
    for place, folders, files in os.walk(folder, onerror=closed.append):
        look()
        folders[:] = [name for name in folders if not name.startswith(".")]
        start = str(Path(place, "_"))[:-1]
        paths = [start + name for name in files if name.endswith(SUFFIXES) and not name.startswith(".")]
        yield from (path for path in paths if _is_readable(path))
    yield from (str(error.filename) for error in closed)


def _is_readable(path: str) -> bool:
    """Whether `path` is a regular file, or can't be examined; reading a pipe would block."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116 - `pathlib` takes twice as long
    except OSError:
        return True


def options_for_all(paths: Sequence[str], options: Options) -> Options:
    """Return the options for several models: a declaration applies to each model that has its name.

    Raises:
        UsageError: No readable model has the name, or the declaration is malformed.
    """
    dims = {
        name: replace(parse_range(spec, name), origin=Origin("--dim", needed=False))
        for name, spec in (options.get("dims") or {}).items()
    }
    values = {
        name: replace(parse_value(spec, name), origin=Origin("--value", needed=False))
        for name, spec in (options.get("values") or {}).items()
    }
    shapes: Mapping[str, Any] = options.get("shapes") or {}
    assume = dict.fromkeys(options.get("assume") or (), Origin("--assume", needed=False))
    for name, shape in shapes.items():
        parse_shape(shape, name)
    names = {("input dimension", name) for name in dims} | {("input", name) for name in shapes}
    names |= {("small input", name) for name in values}
    names |= {("symbol", name) for text in assume for name in names_in(text)}
    _require(names, paths)
    return {**options, "dims": dims, "values": values, "assume": assume}


def _require(names: set[tuple[str, str]], paths: Sequence[str]) -> None:
    """Read models until each name has occurred; raise UsageError for a name that no model has."""
    if not names:
        return
    from shapesmt.analysis.verify import names_of  # takes long to import

    known: dict[str, dict[str, None]] = {"input dimension": {}, "input": {}, "small input": {}, "symbol": {}}
    for path in paths:
        with suppress(ShapesmtError):
            graph = load(path)
            dims, elements = names_of(graph)
            known["input dimension"].update(dict.fromkeys(sorted(dims)))
            known["input"].update(dict.fromkeys(graph.inputs))
            known["small input"].update(dict.fromkeys(sorted({*elements, *graph.inputs})))
            known["symbol"].update(dict.fromkeys(sorted(dims | elements)))
        names = {(what, name) for what, name in names if name not in known[what]}
        if not names:
            return
    for what, name in sorted(names) if any(known.values()) else ():
        raise unknown_name(what, name, known[what], f"any of {len(paths)} models")
