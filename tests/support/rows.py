"""The checklist of what partial shapes and shape functions have to do: each row's sentence stands above a test of it.

    @row("D11", D10="`[2,2]` and `[1,2]` don't merge")

states row D10, and covers D11 too, whose sentence stands elsewhere; `case("D11", ...)` does so in a table of cases.
`python -m tests.support.rows` prints all rows.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

Test = TypeVar("Test", bound=Callable[..., Any])
TESTS = Path(__file__).parents[1]


def row(*others: str, **sentences: str) -> Callable[[Test], Test]:
    """Mark a test as covering rows: those with their sentences, and others, whose sentences stand elsewhere."""
    assert others or sentences
    return lambda test: test


def case(name: str, *values: Any) -> Any:
    """Return one case of a parametrized test, with the name of the row that it covers."""
    return pytest.param(*values, id=name)


def _calls() -> Iterator[tuple[str, ast.Call]]:
    for path in sorted(TESTS.rglob("test_*.py")):
        text = path.read_text()
        for node in ast.walk(ast.parse(text)) if "tests.support.rows" in text else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("row", "case"):
                yield node.func.id, node


def stated() -> list[tuple[str, str]]:
    """Return each row and its sentence, as often as it is written."""
    return sorted((k.arg or "", ast.literal_eval(k.value)) for _, call in _calls() for k in call.keywords)


def named() -> set[str]:
    """Return the rows that tests name without a sentence."""
    return {ast.literal_eval(a) for kind, call in _calls() for a in (call.args if kind == "row" else call.args[:1])}


if __name__ == "__main__":
    print(*(f"{name:4} {sentence}" for name, sentence in stated()), sep="\n")
