"""Statements of laws: which of them a check reports as violated, and a check without one of them.

A statement is a line of a rule that names a law: `ops/math/linear.py:41 INNER_SIZES_EQUAL`. If a helper states the law
(`require_vector(ctx, 1, size, law)`), or the context does (`ctx.input(0, rank=2)`), it is the line of the rule with
that call. Laws about all operators of a format (types, numbers of inputs, attributes) have no line.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple
from unittest.mock import patch

import shapesmt
from shapesmt import Verdict
from shapesmt.base.errors import RejectedError
from shapesmt.network.laws import Law
from shapesmt.operators.rules.context import RuleContext
from shapesmt.reports.answers import Report
from tests.support import laws

PACKAGE = Path(shapesmt.__file__).parent
RULES = PACKAGE / "operators" / "ops"
CONTEXT = str(PACKAGE / "operators" / "rules" / "context.py")
FINDINGS = importlib.import_module("shapesmt.analysis.diagnose.findings")
WALK = importlib.import_module("shapesmt.operators.inference.walk")
APPLY = importlib.import_module("shapesmt.operators.inference.apply")
NAMES = {(law.code, law.sentence): name for name, law in laws.every_law().items()}
UNJUDGED = (
    "leave",
    "leave_open",
    "open_unless",
    "open_if_broken",
    "open_beside_cpu",
    "open_bias",
    "_on_some_processors",
    "Unjudged",
)
"""Functions that leave a node undecided if a law is violated: they don't state it, and neither does `str`."""


class Statement(NamedTuple):
    """A law, and the file (below the package), function and line that state it; "" and 0 if no line does."""

    file: str
    function: str
    line: int
    law: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.law}"


class PlacedLaw(Law):
    """A law with the line that stated it."""

    place: Statement


def name_of(law: Law) -> str | None:
    """Return the name of the constant that a law is, or whose fields it fills; None for a law of a plugin."""
    return NAMES.get((law.code, law.template or law.sentence))


@contextmanager
def recorded() -> Iterator[list[Statement]]:
    """Yield a list to which the statements that are reported as violated inside the block are added, in order."""
    reported: list[Statement] = []

    def require(ctx: RuleContext, formula: Any, law: Law | str, *sides: Any, **named: Any) -> None:
        place = _place(law)
        if place is not None and isinstance(law, Law):
            law = PlacedLaw(*law)
            law.place = place
        stating(ctx, formula, law, *sides, **named)

    def first_broken(*arguments: Any) -> Any:
        broken = choosing(*arguments)
        name = name_of(broken.law)
        reported.append(broken.law.place if isinstance(broken.law, PlacedLaw) else Statement("", "", 0, name or ""))
        return broken

    stating, choosing = RuleContext.require, FINDINGS._first_broken
    with ExitStack() as stack:
        stack.enter_context(patch.object(WALK, "_REMEMBERED", {}))
        stack.enter_context(patch.object(RuleContext, "require", require))
        stack.enter_context(patch.object(FINDINGS, "_first_broken", first_broken))
        yield reported


@contextmanager
def left_out(statement: Statement) -> Iterator[None]:
    """Remove a statement from its rule inside the block; if the rule ends with it, it still ends."""
    patches = [_without(RuleContext, name, index, statement) for name, index in STATING.items()]
    if not statement.file:
        patches = [_unanswered(*told, statement.law) for told in OF_FORMATS]
    with ExitStack() as stack:
        stack.enter_context(patch.object(WALK, "_REMEMBERED", {}))
        for each in patches:
            stack.enter_context(each)
        yield


STATING = {"require": 1, "limit": 1, "check": 1, "reject": 0}
"""The context's methods that state laws, each with the index of the argument that is the law."""
OF_FORMATS = ((APPLY.Applier, "_misfit"), (APPLY.Applier, "_clash"), (APPLY, "broken_law"))


def _without(owner: Any, name: str, index: int, statement: Statement) -> Any:
    stating = getattr(owner, name)

    def state(ctx: RuleContext, *arguments: Any, **named: Any) -> Any:
        law = named["law"] if "law" in named else arguments[index]
        if not isinstance(law, Law) or name_of(law) != statement.law or _place(law) != statement:
            return stating(ctx, *arguments, **named)
        if name == "reject":
            raise RejectedError
        return None

    return patch.object(owner, name, state)


def _unanswered(owner: Any, name: str, law: str) -> Any:
    asked = getattr(owner, name)

    def answer(*arguments: Any) -> Law | None:
        found: Law | None = asked(*arguments)
        return None if found is not None and name_of(found) == law else found

    return patch.object(owner, name, answer)


def _place(law: Law | str) -> Statement | None:
    """Return the innermost line of a rule that names the law or, if none does, that calls what states the law."""
    name = name_of(law) if isinstance(law, Law) else None
    frame: FrameType | None = sys._getframe(2)
    inner: FrameType | None = None
    while name is not None and frame is not None:
        code = frame.f_code
        if code.co_filename.startswith(str(RULES)):
            inner = inner or frame
            if name in code.co_names:
                return _at(frame, name)
        elif code.co_filename == CONTEXT and code.co_name == "apply":
            break
        frame = frame.f_back
    return None if inner is None or name is None else _at(inner, name)


def _at(frame: FrameType, name: str) -> Statement:
    """Return the statement at this frame; a comprehension counts as part of the function around it."""
    code, line = frame.f_code, frame.f_lineno
    while frame.f_back is not None and frame.f_code.co_name.startswith("<"):
        frame = frame.f_back
    return Statement(str(Path(code.co_filename).relative_to(PACKAGE)), frame.f_code.co_name, line, name)


def named() -> dict[tuple[str, str, str], int]:
    """Return the line of each law that a rule names, by file, function ("" at the top of a file) and law."""
    found: dict[tuple[str, str, str], int] = {}

    def visit(node: ast.AST, function: str, file: str) -> None:
        called = node.func if isinstance(node, ast.Call) else None
        unjudged = getattr(called, "id", getattr(called, "attr", "")) in (*UNJUDGED, "str")
        quoted = isinstance(node, (ast.Compare, ast.JoinedStr)) or getattr(node, "attr", "") == "sentence"
        if unjudged or quoted:
            return
        own = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and laws.PLACES.get(node.id) == file
        shared = (
            isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "laws" and node.attr in laws.PLACES
        )
        if own or shared:
            found.setdefault((file, function, node.id if own else node.attr), node.lineno)
        for child in ast.iter_child_nodes(node):
            visit(child, node.name if isinstance(node, ast.FunctionDef) else function, file)

    for path in sorted(RULES.rglob("*.py")):
        visit(ast.parse(path.read_text()), "", str(path.relative_to(PACKAGE)))
    return found


def needed(law: Law, check: Callable[[], Report]) -> Statement:
    """Return the only statement that a check reports; assert that without it the check doesn't report that law."""
    with recorded() as reported:
        findings = check().findings
    assert [name_of(law)] == [statement.law for statement in reported], [f.law for f in findings]
    [statement] = reported
    with left_out(statement), suppress(shapesmt.InternalError):  # without it the rule may not come to an end
        broken = [f.law for f in check().findings if f.verdict is not Verdict.UNKNOWN]
        assert findings[0].law not in broken, f"{statement} isn't all that states it"
    return statement
