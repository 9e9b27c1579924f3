"""Rules stay short: the law in a few lines, and what several need in one place."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from statistics import mean, median
from types import CodeType, FunctionType, ModuleType

from shapesmt.operators.rules import resolve, rules

SHORT, SHARE_SHORT = 8, 0.80
LONG, SHARE_NOT_LONG = 15, 0.99
READ = 30
"""Lines that one reads, for half the rules, to know one: its own, those of helpers in ops/, and of rules it borrows."""
BORROWING = {"delegate", "result", "results", "careless"}


@cache
def definitions(path: str) -> dict[int, ast.FunctionDef]:
    """The functions that a file defines, by their first lines."""
    functions = [node for node in ast.walk(ast.parse(Path(path).read_text())) if isinstance(node, ast.FunctionDef)]
    return {min([node.lineno, *(d.lineno for d in node.decorator_list)]): node for node in functions}


@cache
def lines(function: FunctionType) -> int:
    """The lines of a function's body, without its docstring, comments and blank lines."""
    code = function.__code__
    node = definitions(code.co_filename).get(code.co_firstlineno)
    if node is None:  # a lambda
        return 1
    first = node.body[1 if ast.get_docstring(node) is not None else 0]
    rest = Path(code.co_filename).read_text().splitlines()[first.lineno - 1 : node.end_lineno]
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in rest)


def nested(code: CodeType) -> Iterator[CodeType]:
    """The code of a function and of those inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from nested(constant)


def helpers(value: object, depth: int = 3) -> Iterator[FunctionType]:
    """The functions of ops/ that a global stands for: itself, a class's methods, or what a table holds."""
    value = inspect.unwrap(value) if callable(value) else value
    if isinstance(value, FunctionType):
        if (
            "shapesmt/operators/ops" in Path(value.__code__.co_filename).as_posix()
        ):  # not one that a dataclass generates
            yield value
    elif isinstance(value, type) and value.__module__.startswith("shapesmt.operators.ops"):
        members = (getattr(m, "fget", None) or getattr(m, "__func__", m) for m in vars(value).values())
        for member in members:
            yield from helpers(member, 0) if isinstance(member, FunctionType) else ()
    elif isinstance(value, (dict, list, tuple, set, frozenset)) and depth:
        for item in value.values() if isinstance(value, dict) else value:
            yield from helpers(item, depth - 1)


def borrowed(codes: Iterable[CodeType]) -> Iterator[FunctionType]:
    """The rules of ai.onnx's operators that a function names where it hands a node to one."""
    codes = list(codes)
    if BORROWING & {name for code in codes for name in code.co_names}:
        for text in (c for code in codes for c in code.co_consts if isinstance(c, str) and c.isidentifier()):
            found = resolve("", text, 22)
            yield from helpers(found.apply) if found else ()


@cache
def uses(function: FunctionType) -> frozenset[FunctionType]:
    """The functions of ops/ that a function uses directly."""
    codes = list(nested(function.__code__))
    names = {name for code in codes for name in (*code.co_names, *code.co_freevars)}
    values = [function.__globals__.get(name) for name in names]
    modules = [v for v in values if isinstance(v, ModuleType) and v.__name__.startswith("shapesmt.operators.ops")]
    values += [getattr(module, name, None) for module in modules for name in names]
    values += [cell.cell_contents for cell in function.__closure__ or ()]
    return frozenset([h for value in values for h in helpers(value)] + list(borrowed(codes)))


def read(function: FunctionType) -> int:
    """The lines that one reads to know a rule."""
    seen, rest = {function}, [function]
    while rest:
        new = uses(rest.pop()) - seen
        seen |= new
        rest += new
    return sum(map(lines, seen))


RULES: dict[str, FunctionType] = {
    f"{r.apply.__module__}.{r.apply.__qualname__}": inspect.unwrap(r.apply)  # type: ignore[misc]  # a function
    for r in rules()
}


def share(most: int) -> float:
    """The part of the rules that have at most so many lines."""
    return sum(lines(rule) <= most for rule in RULES.values()) / len(RULES)


def test_most_rules_are_short() -> None:
    assert share(SHORT) >= SHARE_SHORT


def test_hardly_a_rule_is_long() -> None:
    assert share(LONG) >= SHARE_NOT_LONG


def test_a_rule_is_known_after_few_lines() -> None:
    amounts = [read(rule) for rule in RULES.values()]
    assert median(amounts) <= READ
    assert mean(amounts) <= 2 * READ


def test_lines_are_counted() -> None:
    def example(ctx: object) -> tuple[object, object]:
        """Two lines."""
        x = ctx

        # not this one
        return x, x

    assert lines(example) == 2  # type: ignore[arg-type]  # a function


def test_helpers_are_counted() -> None:
    conv: Callable[..., object] = RULES["shapesmt.operators.ops.windows.spatial.conv"]
    group = RULES["shapesmt.operators.ops.openvino.spatial.group_convolution"]
    assert lines(conv) < 5 < read(conv) < read(group)
