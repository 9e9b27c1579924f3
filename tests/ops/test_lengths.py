"""Rules stay short: the law in a few lines, and what several need in one place."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from shapesmt.rules import rules

AVERAGE, MOST = 9, 15
LONGER: dict[str, str] = {}  # rules that may exceed it, each with the reason


@cache
def definitions(path: str) -> dict[str, ast.FunctionDef]:
    """The functions that a file defines, by name."""
    found = ast.walk(ast.parse(Path(path).read_text()))
    return {node.name: node for node in found if isinstance(node, ast.FunctionDef)}


def lines(function) -> int:
    """The lines of a function's body, without its docstring, comments and blank lines."""
    code = function.__code__
    node = definitions(code.co_filename)[code.co_name]
    first = node.body[1 if ast.get_docstring(node) is not None else 0]
    rest = Path(code.co_filename).read_text().splitlines()[first.lineno - 1 : node.end_lineno]
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in rest)


RULES = {f"{r.apply.__module__}.{r.apply.__qualname__}": r.apply for r in rules()}
LENGTHS = {name: lines(apply) for name, apply in RULES.items()}


def test_rules_are_short_on_average():
    assert sum(LENGTHS.values()) / len(LENGTHS) < AVERAGE


def test_no_rule_is_long_without_a_reason():
    assert {name for name, length in LENGTHS.items() if length > MOST} == LONGER.keys()


def test_lines_are_counted():
    def example(ctx):
        """Two lines."""
        x = ctx.input(0)

        # not this one
        return x, x

    assert lines(example) == 2
