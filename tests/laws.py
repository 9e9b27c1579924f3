"""Every law that the sources state, read off their syntax: what `ctx.require(..., law)` and the like are given."""

from __future__ import annotations

import ast
import importlib
import inspect
import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import shapesmt
from shapesmt.rules import InferenceContext

PACKAGE = Path(shapesmt.__file__).parent
STATED = ("rules/context.py", "rules/require.py", "inference/infer.py", "ops")  # where laws are stated
FILLED = "7"  # stands for what a law is formatted with


class Law(NamedTuple):
    """A law's text, with `7` for whatever is formatted into it, and where it stands."""

    text: str
    where: str


def laws() -> Iterator[Law]:
    """Every law in the sources, once for each place."""
    for place in STATED:
        path = PACKAGE / place
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            yield from _stated_in(file)


def _stated_in(file: Path) -> Iterator[Law]:
    dotted = ".".join(("shapesmt", *file.relative_to(PACKAGE).with_suffix("").parts))
    names = vars(importlib.import_module(dotted.removesuffix(".__init__")))
    tree, within = ast.parse(file.read_text()), {}
    for function in ast.walk(tree):  # outer functions come first, so that the inner one stays
        if isinstance(function, ast.FunctionDef):
            within.update((id(node), function) for node in ast.walk(function))
            stated = names.get(function.name, getattr(InferenceContext, function.name, None))
            yield from (Law(text, f"{file.name}:{function.lineno}") for text in _default(stated))
    for call in ast.walk(tree):
        law = _law(call, names) if isinstance(call, ast.Call) else None
        if law is not None:
            where = f"{file.relative_to(PACKAGE)}:{law.lineno}"
            yield from (Law(text, where) for text in _texts(law, within.get(id(call)), names, where))


def _default(function: object) -> list[str]:
    """The law that a function states where its caller gives none."""
    law = inspect.signature(function).parameters.get("law") if isinstance(function, FunctionType) else None
    return [] if law is None or law.default is inspect.Parameter.empty else [law.default]


def _law(call: ast.Call, names: Mapping[str, Any]) -> ast.expr | None:
    """The argument of a call that is its law."""
    named = [keyword.value for keyword in call.keywords if keyword.arg == "law"]
    if named:
        return named[0]
    if isinstance(call.func, ast.Attribute):
        called, bound = getattr(InferenceContext, call.func.attr, None), 1
    else:
        called, bound = names.get(getattr(call.func, "id", "")), 0
    if not isinstance(called, FunctionType):
        return None
    parameters = inspect.signature(called).parameters
    kinds = [p.kind for p in parameters.values()]
    position = list(parameters).index("law") - bound if "law" in parameters else len(call.args)
    return call.args[position] if position < len(call.args) and inspect.Parameter.VAR_POSITIONAL not in kinds else None


def _texts(law: ast.expr, function: ast.FunctionDef | None, names: Mapping[str, Any], where: str) -> list[str]:
    """The texts that an expression can be; none where it is handed on, since whoever calls states it."""
    if isinstance(law, ast.Constant):
        return [law.value]
    if isinstance(law, ast.IfExp):
        return [text for branch in (law.body, law.orelse) for text in _texts(branch, function, names, where)]
    if isinstance(law, ast.JoinedStr):
        parts = [_filled(p.value) if isinstance(p, ast.FormattedValue) else [p.value] for p in law.values]
        return ["".join(choice) for choice in itertools.product(*parts)]
    if not isinstance(law, ast.Name):
        chosen = _laws_in(law)
        assert chosen, f"{where}: the law {ast.unparse(law)} can't be read off the sources"
        return [text for choice in chosen for text in _texts(choice, function, names, where)]
    inside = list(ast.walk(function)) if function is not None else []
    if any(isinstance(node, ast.arg) and node.arg == law.id for node in inside):
        return []
    texts = [text for value in _bound(law.id, inside) for text in _texts(value, function, names, where)]
    return texts or [names[law.id]]


def _bound(name: str, inside: list[ast.AST]) -> list[ast.expr]:
    """What is assigned to a name, and the laws of the table whose rows a loop assigns to it."""
    found: list[ast.expr] = []
    for node in inside:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.For) else []
        for target in targets:
            value = node.value if isinstance(node, ast.Assign) else node.iter
            if isinstance(target, ast.Name) and target.id == name:
                found.append(value)
            elif name in {part.id for part in ast.walk(target) if isinstance(part, ast.Name)}:
                found += _laws_in(value)
    return found


def _laws_in(value: ast.AST) -> list[ast.expr]:
    """The sentences somewhere inside an expression."""
    if isinstance(value, ast.JoinedStr) or (isinstance(value, ast.Constant) and " " in str(value.value)):
        return [value]
    return [text for part in ast.iter_child_nodes(value) for text in _laws_in(part)]


def _filled(value: ast.expr) -> list[str]:
    """What stands for a formatted part: both of its texts where it chooses between two, else a number."""
    if isinstance(value, ast.IfExp) and isinstance(value.body, ast.Constant) and isinstance(value.orelse, ast.Constant):
        return [str(value.body.value), str(value.orelse.value)]
    return [FILLED]
