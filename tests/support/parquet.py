"""Results as rows of a Parquet file, and the mark of tests that need pyarrow."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pyarrow import BufferReader

NEEDED = pytest.mark.skipif(find_spec("pyarrow") is None, reason="pyarrow (extra `parquet`) isn't installed")
OUTPUTS = ("out.jsonl", pytest.param("out.parquet", marks=NEEDED))


def rows(file: str | BufferReader) -> list[dict[str, Any]]:
    """Return the rows of a file."""
    from pyarrow import parquet

    return parquet.read_table(file).to_pylist()
