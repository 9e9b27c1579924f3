"""HTML pages as files: one for a model, a folder of them with an index, or an index alone."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from shapesmt.base.errors import UsageError, printable
from shapesmt.reports.answers import BatchReport, PageData, Report
from shapesmt.reports.export import write_whole
from shapesmt.reports.render import html_page, index_page

INDEX = "index.html"


def write_page(path: str, data: PageData, *, own: bool = False) -> Report:
    """Write a model's HTML page to `path` and return the model's report.

    With `own`, shapesmt chose the file name (see `page_paths`): a link of that name is replaced, not followed.
    """
    write_whole(path, html_page(data).encode(), own=own)
    return data.report


def page_paths(folder: str, models: Sequence[str]) -> list[str]:
    """Create a folder, and return the path of each model's page in it: the model's path without what all paths share.

    Raises:
        UsageError: The folder can't be created.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [Path(path).name for path in page_paths(folder, ["m/a/x.onnx", "m/b/x.onnx", "m/b x.onnx", "m/index.onnx"])]
    ['a_x.onnx.html', 'b_x.onnx.html', 'b_x.onnx-2.html', 'index.onnx.html']
    """
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot make the folder {printable(folder)}: {reason}") from None
    whole = [os.path.abspath(model) for model in models]  # noqa: PTH100 - links stay as they are
    shared = os.path.commonpath([str(Path(path).parent) for path in whole])
    names: dict[str, int] = {}
    paths = []
    for path in whole:
        name = re.sub(r"[^\w.-]+", "_", os.path.relpath(path, shared))[-150:]
        names[name] = number = names.get(name, 0) + 1
        paths.append(str(Path(folder) / f"{name}{f'-{number}' if number > 1 else ''}.html"))
    return paths


def write_index(folder: str, batch: BatchReport, pages: Mapping[str, str]) -> None:
    """Write `index.html` into a folder of pages; `pages` has the page of each model that could be checked."""
    path = str(Path(folder) / INDEX)
    write_whole(path, index_page(batch, _links(path, pages)).encode(), own=True)


def _links(index: str, pages: Mapping[str, str]) -> dict[str, str]:
    """Return the links from an index to the pages, by model: relative to the folder of the index.

    >>> _links("out/all.html", {"a.onnx": "out/pages/a b.html"})
    {'a.onnx': 'pages/a%20b.html'}
    """
    folder = Path(index).parent
    return {printable(model, 1000): quote(os.fsencode(os.path.relpath(page, folder))) for model, page in pages.items()}


def summary_path(path: str) -> str:
    """Return the path of an index without pages, after checking that it can be written.

    Raises:
        UsageError: No file can be written at the path.
    """
    if Path(path).is_dir():
        raise UsageError(f"cannot write {printable(path)}: it is a folder")
    if not Path(path).exists() and not os.access(Path(path).parent, os.W_OK):
        raise UsageError(f"cannot write {printable(path)}: there is no such folder, or it may not be written")
    return path


def write_summary(path: str, batch: BatchReport, pages: Mapping[str, str]) -> None:
    """Write an index to `path`; `pages` has the page of each model, and is empty if none was written."""
    write_whole(path, index_page(batch, _links(path, pages)).encode())
