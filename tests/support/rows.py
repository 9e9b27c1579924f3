"""Mark the checklist's rows that a test covers: `@row("D32")` above it, `case("A31", ...)` in a table of cases."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

Test = TypeVar("Test", bound=Callable[..., Any])


def row(*names: str) -> Callable[[Test], Test]:
    """Mark a test as covering these rows (`"A17"`, `"B16a"`)."""
    assert names
    return lambda test: test


def case(name: str, *values: Any) -> Any:
    """Return one case of a parametrized test, with the name of the row that it covers."""
    return pytest.param(*values, id=name)


def covered(folder: Path = Path(__file__).parents[1]) -> dict[str, list[str]]:
    """Return, for each row, the test files that name it, as their sources show."""
    found: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("row", "case"):
                named = node.args if node.func.id == "row" else node.args[:1]
                for argument in named:
                    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                        found.setdefault(argument.value, []).append(str(path.relative_to(folder)))
    return found
