"""Convert PyTorch's texts of sizes to the package's expressions: Sympy's `srepr`, and the Python text of guards.

Both are parsed by Python's grammar and never evaluated; a text without a counterpart is None.

    >>> parse("Add(Mul(Integer(2), Symbol('s59', positive=True, integer=True)), Integer(-1))", {"s59": "n"})
    '2 * n + -1'
    >>> parse("FloorDiv(Symbol('s59', integer=True), Integer(2))", {"s59": "n"})
    'n // 2'
    >>> parse("IntTrueDiv(Symbol('s59'), Integer(2))", {"s59": "n"}) is None
    True

Guards have floats too, as in `math.trunc(0.5 * torch.sym_float(n))`: `plain` keeps them, and `whole` refuses them.
"""

from __future__ import annotations

import ast
import keyword
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    Build: TypeAlias = Callable[[list[ast.expr]], ast.expr]

_MOST_TEXT = 20_000
_MOST_DEPTH = 60
_MOST_POWER = 8

_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.Div)
_COMPARISONS = (ast.Eq, ast.NotEq, ast.GtE, ast.LtE, ast.Gt, ast.Lt)


class Unfollowed(Exception):  # noqa: N818 - it is no error
    """The text has no counterpart among the package's expressions."""


def parse(text: str, names: Mapping[str, str]) -> str | None:
    """Return Sympy's `srepr` as an expression in which `names` replace its symbols; None if it has no counterpart."""
    try:
        return as_text(whole(plain(tree_of(text), lambda node: _symbol(node, names))))
    except Unfollowed:
        return None


class Affine(NamedTuple):
    """A size that is a multiple of one symbol plus a number: `2*s59 - 1`."""

    symbol: str
    factor: int
    offset: int


def affine(text: str) -> Affine | None:
    """Parse Sympy's `srepr`, or text like "2*s59", as a multiple of one symbol plus a number; None for other sizes.

    >>> affine("Add(Mul(Integer(2), Symbol('s59', integer=True)), Integer(-1))"), affine("2*s59 - 1")
    (Affine(symbol='s59', factor=2, offset=-1), Affine(symbol='s59', factor=2, offset=-1))
    >>> affine("s1*s2") is None
    True
    """
    try:
        factors = _linear(whole(plain(tree_of(text), _own_name)))
    except Unfollowed:
        return None
    offset = factors.pop("", 0)
    return Affine(*next(iter(factors.items())), offset) if len(factors) == 1 else None


def _own_name(node: ast.expr) -> ast.expr | None:
    name = _symbol_name(node)
    return None if name is None else ast.Name(name)


def _linear(node: ast.expr) -> dict[str, int]:
    """Return the factor of each symbol in a sum, and the constant under ""."""
    if isinstance(node, ast.Name):
        return {node.id: 1}
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return {"": node.value}
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return {name: -factor for name, factor in _linear(node.operand).items()}
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)):
        raise Unfollowed
    left, right = _linear(node.left), _linear(node.right)
    if isinstance(node.op, ast.Mult):
        number, other = (left, right) if left.keys() <= {""} else (right, left)
        if not number.keys() <= {""}:
            raise Unfollowed
        return {name: factor * number.get("", 0) for name, factor in other.items()}
    sign = 1 if isinstance(node.op, ast.Add) else -1
    return {name: left.get(name, 0) + sign * right.get(name, 0) for name in {**left, **right}}


def factors(text: str) -> tuple[int, list[str]]:
    """Return the number and the other factors, sorted, whose product is the size.

    >>> factors("Mul(Integer(6), Symbol('s1'), Pow(Symbol('s0'), Integer(2)))")
    (6, ['s0', 's0', 's1'])
    """
    number, others = 1, []
    try:
        parts = [whole(plain(tree_of(text), _own_name))]
    except Unfollowed:
        return 1, [text]
    while parts:
        part = parts.pop()
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mult):
            parts += [part.left, part.right]
        elif isinstance(part, ast.BinOp) and isinstance(part.op, ast.Pow):
            parts += [part.left] * part.right.value  # type: ignore[attr-defined]  # `plain` leaves only small numbers
        elif isinstance(part, ast.Constant):
            number *= part.value  # type: ignore[operator,assignment]  # `plain` leaves only integers
        else:
            others.append(as_text(part))
    return number, sorted(others)


def symbols_in(text: str) -> frozenset[str]:
    """Return the symbols in Sympy's text; none if it can't be read."""
    try:
        parts = [node for node in ast.walk(tree_of(text)) if isinstance(node, ast.Call | ast.Name)]
    except Unfollowed:
        return frozenset()
    called = {id(part.func) for part in parts if isinstance(part, ast.Call)}
    return frozenset(name for part in parts if id(part) not in called and (name := _symbol_name(part)) is not None)


def tree_of(text: str) -> ast.expr:
    """Return the syntax tree of a text.

    Raises:
        Unfollowed: The text is no expression, or too large.
    """
    if len(text) > _MOST_TEXT:
        raise Unfollowed
    try:
        return ast.parse(" ".join(text.split()), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Unfollowed from None


def as_text(tree: ast.expr) -> str:
    """Return the text of a tree that `plain` returned."""
    return ast.unparse(tree)


def plain(node: ast.expr, leaf: Callable[[ast.expr], ast.expr | None], depth: int = 0) -> ast.expr:
    """Return the tree with Python's operators for Sympy's functions; a node for which `leaf` returns one becomes it.

    Raises:
        Unfollowed: It has an unsupported part, or is too deep.
    """
    if depth > _MOST_DEPTH:
        raise Unfollowed
    found = leaf(node)
    if found is not None:
        return found
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, bool, float)):
        return node
    if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)) and not node.keywords:
        name = _base_name(ast.unparse(node.func))
        if name == "Piecewise":
            return _piecewise(node.args, leaf, depth + 1)
        listed = len(node.args) == 1 and isinstance(node.args[0], (ast.List, ast.Tuple))
        parts = node.args[0].elts if listed else node.args  # type: ignore[attr-defined]  # `listed` says so
        return _call(name, [plain(part, leaf, depth + 1) for part in parts])
    parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
    return _combine(node, [plain(part, leaf, depth + 1) for part in parts])


def whole(tree: ast.expr) -> ast.expr:
    """Return the tree unchanged.

    Raises:
        Unfollowed: It computes with floats.
    """
    if any(map(_of_floats, ast.walk(tree))):
        raise Unfollowed
    return tree


def _of_floats(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, float)
    return isinstance(node, ast.Div) or (isinstance(node, ast.Name) and node.id in _OF_FLOATS)


def _combine(node: ast.expr, parts: list[ast.expr]) -> ast.expr:
    """Return a tree with one of Python's operators and these parts."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return _power(parts)
    if isinstance(node, ast.BinOp) and isinstance(node.op, _ARITHMETIC):
        return ast.BinOp(parts[0], node.op, parts[1])
    if isinstance(node, ast.Compare) and all(isinstance(op, _COMPARISONS) for op in node.ops):
        return ast.Compare(parts[0], node.ops, parts[1:])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd, ast.Not)):
        return ast.UnaryOp(node.op, parts[0])
    if isinstance(node, ast.BoolOp):
        return ast.BoolOp(node.op, parts)
    if isinstance(node, ast.IfExp):
        return ast.IfExp(*parts)
    raise Unfollowed


def _base_name(name: str) -> str:
    """Return the function's name in the table: `torch.sym_max`, `sympy.Max` and `max` are the same.

    >>> _base_name("torch.sym_max"), _base_name("torch.utils._sympy.functions.FloorDiv"), _base_name("torch.sym_float")
    ('max', 'FloorDiv', 'torch.sym_float')
    """
    if name in _CALLS:
        return name
    last = name.rpartition(".")[2].lstrip("_").removeprefix("sym_")
    return _ALIASES.get(last, last)


def _call(name: str, parts: list[ast.expr]) -> ast.expr:
    """Return a call of a function of Sympy or PyTorch in Python's notation."""
    least, most, build = _CALLS.get(name, (1, 0, None))
    if build is None or not least <= len(parts) <= most:
        raise Unfollowed
    return build(parts)


def _piecewise(pairs: Sequence[ast.expr], leaf: Callable[[ast.expr], ast.expr | None], depth: int) -> ast.expr:
    """Return `Piecewise(ExprCondPair(a, c), ..., ExprCondPair(z, true))` as `a if c else ... z`."""
    parts = [pair.args if isinstance(pair, ast.Call) else getattr(pair, "elts", []) for pair in pairs]
    if not parts or any(len(part) != 2 for part in parts) or len(parts) > _MOST_DEPTH:
        raise Unfollowed
    last, always = parts[-1]
    if not (isinstance(always, ast.Name) and always.id == "true"):
        raise Unfollowed
    result = plain(last, leaf, depth)
    for value, condition in reversed(parts[:-1]):
        result = ast.IfExp(plain(condition, leaf, depth), plain(value, leaf, depth), result)
    return result


def _power(parts: list[ast.expr]) -> ast.expr:
    exponent = parts[1].value if isinstance(parts[1], ast.Constant) else None
    if not isinstance(exponent, (int, float)) or not 0 <= exponent <= _MOST_POWER:
        raise Unfollowed
    return ast.BinOp(parts[0], ast.Pow(), parts[1])


def _chain_builder(operator: ast.operator) -> Build:
    return lambda parts: reduce(lambda a, b: ast.BinOp(a, operator, b), parts)


def _comparison_builder(operator: ast.cmpop) -> Build:
    return lambda parts: ast.Compare(parts[0], [operator], [parts[1]])


def _function(name: str) -> Build:
    return lambda parts: ast.Call(ast.Name(name), parts, [])


def _ceiling(parts: list[ast.expr]) -> ast.expr:
    return ast.UnaryOp(ast.USub(), ast.BinOp(ast.UnaryOp(ast.USub(), parts[0]), ast.FloorDiv(), parts[1]))


def _slice_of_index(parts: list[ast.expr]) -> ast.expr:
    return ast.BinOp(ast.BinOp(parts[0], ast.FloorDiv(), parts[1]), ast.Mod(), parts[2])


_ANY = 10_000
_ALIASES = {
    new: name
    for name, others in {
        "torch.sym_float": "float ToFloat", "torch._sym_sqrt": "sqrt", "abs": "Abs", "round": "RoundToInt",
        "math.trunc": "int TruncToInt", "math.ceil": "CeilToInt ceiling", "math.floor": "FloorToInt floor",
        "Not": "not not_", "And": "and and_", "Or": "or or_", "ite": "Where", "Pow": "PowByNatural", "Add": "add sum",
        "Mul": "mul", "FloorDiv": "floordiv", "Mod": "mod", "Eq": "eq", "Ne": "ne", "Ge": "ge", "Le": "le", "Gt": "gt",
        "Lt": "lt",
    }.items()
    for new in others.split()
}  # fmt: skip
"""Other names of functions, without `sym_` and the module, and their names in `_CALLS`."""
_OF_FLOATS = ("math.trunc", "math.ceil", "math.floor", "round", "torch.sym_float", "torch._sym_sqrt")
_CALLS: dict[str, tuple[int, int, Build]] = {
    "Add": (1, _ANY, _chain_builder(ast.Add())),
    "Mul": (1, _ANY, _chain_builder(ast.Mult())),
    "Pow": (2, 2, _power),
    "CeilDiv": (2, 2, _ceiling),
    "ModularIndexing": (3, 3, _slice_of_index),
    "Identity": (1, 1, lambda parts: parts[0]),
    "abs": (1, 1, lambda parts: ast.Call(ast.Name("abs"), parts, [])),
    "ite": (3, 3, lambda parts: ast.IfExp(*parts)),
    "sub": (2, 2, _chain_builder(ast.Sub())),
    "neg": (1, 1, lambda parts: ast.UnaryOp(ast.USub(), parts[0])),
    **{name: (2, 2, _chain_builder(ast.Div())) for name in ("IntTrueDiv", "FloatTrueDiv", "truediv")},
    "Not": (1, 1, lambda parts: ast.UnaryOp(ast.Not(), parts[0])),
    "And": (2, _ANY, lambda parts: ast.BoolOp(ast.And(), parts)),
    "Or": (2, _ANY, lambda parts: ast.BoolOp(ast.Or(), parts)),
    **{name: (1, 1, lambda parts: whole(parts[0])) for name in ("Integer", "int")},
    **{name: (1, 1, _function(name)) for name in _OF_FLOATS},
    **{name: (2, 2, _chain_builder(ast.FloorDiv())) for name in ("FloorDiv", "CleanDiv")},
    **{name: (2, 2, _chain_builder(ast.Mod())) for name in ("Mod", "PythonMod")},
    **{name: (1, _ANY, _function(name.lower())) for name in ("Max", "Min", "max", "min")},
    **{name: (2, 2, _comparison_builder(ast.Eq())) for name in ("Equality", "Eq")},
    **{name: (2, 2, _comparison_builder(ast.NotEq())) for name in ("Unequality", "Ne")},
    **{name: (2, 2, _comparison_builder(ast.GtE())) for name in ("GreaterThan", "Ge")},
    **{name: (2, 2, _comparison_builder(ast.LtE())) for name in ("LessThan", "Le")},
    **{name: (2, 2, _comparison_builder(ast.Gt())) for name in ("StrictGreaterThan", "Gt")},
    **{name: (2, 2, _comparison_builder(ast.Lt())) for name in ("StrictLessThan", "Lt")},
}
"""For each function, the minimum and maximum number of arguments, and the function that builds its tree."""


def _symbol_name(node: ast.expr) -> str | None:
    """Return the name in `Symbol('s0')` or in `s0`; None for other nodes."""
    if isinstance(node, ast.Name):
        return node.id
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "Symbol":
        return None
    name = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
    return name if isinstance(name, str) else None


def _symbol(node: ast.expr, names: Mapping[str, str]) -> ast.expr | None:
    name = _symbol_name(node)
    if name is None:
        return None
    if name not in names:
        raise Unfollowed
    return name_expression(names[name])


def name_expression(name: str) -> ast.expr:
    """Return a dimension's name in an expression, in backticks if it is no identifier."""
    return ast.Name(name if name.isidentifier() and not keyword.iskeyword(name) else f"`{name.replace('`', '``')}`")
