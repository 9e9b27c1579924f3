"""Nodes that the reader of programs adds: guards, memory layouts of inputs, and autocasts."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import reduce
from math import inf

from shapesmt.base.errors import UsageError
from shapesmt.network import laws
from shapesmt.network.declarations import parse_dim, parse_formula
from shapesmt.network.graph import GUARDS
from shapesmt.operators.ops.torch.layout import OPEN, dense, lay_out
from shapesmt.operators.ops.torch.schemas import DOMAIN
from shapesmt.operators.ops.torch.sizes import ARITHMETIC, COMPARISONS, DIVISIONS, REAL, WHOLES, Number, apply_function
from shapesmt.operators.rules import RuleContext, Tensor, rule, tensor
from shapesmt.prover.algebra import Dim, Formula, Substitution, as_dim, memo, symbol
from shapesmt.prover.algebra.numeric import Float, literal


@rule(GUARDS, domain=DOMAIN, any_rank=True)
def guards(ctx: RuleContext) -> list[Tensor]:
    """Require the guards, such as `i0_2 >= 4`: `i0_2` is axis 2 of the first input, `i1` the number in the second."""
    known = dict(_sizes(ctx))
    read = _formulas_of(ctx.texts("guards"), known)
    written = dict(zip(read, ctx.texts("written"), strict=False))
    for formula in read.values():
        if formula is not None:
            ctx.limit(formula, laws.GUARD_HOLDS)
    if ctx.attribute("lenient"):  # second run, without the guards that can't be read
        return []
    unread = [written.get(text, text) for text, formula in read.items() if formula is None]
    for text in (*ctx.texts("unread"), *unread):
        ctx.leave("elements", f"PyTorch's guards can be read: shapesmt can't read the guard {text}", rests_on=text)
    return []


@rule("cast", domain=DOMAIN, any_rank=True, total=True)
def cast(ctx: RuleContext) -> Tensor:
    """Return the input; forget type and elements of a float of at most 32 bits, since autocast may convert it."""
    x = ctx.input(0)
    if x.dtype not in ("", "float16", "bfloat16", "float32"):
        return x
    return tensor("", x.shape, ndim=x.ndim if x.shape is None else None, layout=x.layout)


@rule("strided", domain=DOMAIN, any_rank=True, total=True)
def strided(ctx: RuleContext) -> Tensor:
    """Return an input or constant in the layout that the program states: `order` (outermost axis first) or `strides`.

    The layout is unknown if they don't have one entry per axis.
    """
    x, order, strides = ctx.input(0), ctx.integers("order", ()), ctx.integers("strides", ())
    if x.shape is None or x.rank != max(len(order), len(strides)):
        return tensor(x.dtype, x.shape, x.value, x.ndim if x.shape is None else None, layout=OPEN)
    return dense(x, order) if order else lay_out(x, [as_dim(step) for step in strides])


def _sizes(ctx: RuleContext) -> Iterator[tuple[str, Dim]]:
    for index, t in enumerate(ctx.inputs):
        if t is not None and t.shape is not None:
            yield from ((f"i{index}_{axis}", size) for axis, size in enumerate(t.dims))
            items = ctx.items(index) if not t.dims else None
            if items and items[0] is not None:
                yield f"i{index}", items[0]


# Guards with floats, such as `math.trunc(0.6 * torch.sym_float(i0_2)) >= 2`, computed by the rules of nodes


_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.Pow: "pow",
    ast.USub: "neg",
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
}
_FUNCTIONS = {"max": "torch.sym_max", "min": "torch.sym_min", "round": "_operator.round", "abs": "_operator.abs"}
_PARSED: dict[Hashable, tuple[dict[str, Formula | None], dict[str, Dim]]] = memo("parsed guards", {})
_NUMBERS = {**ARITHMETIC, "_operator.truediv": DIVISIONS["_operator.truediv"]}


def _formulas_of(guards: Sequence[str], known: Mapping[str, Dim]) -> dict[str, Formula | None]:
    """Return each guard as a formula over the sizes in `known`; None if it can't be computed.

    Guards are parsed once, over symbols of any size: for narrower sizes, only what these stand for is replaced.
    """
    key = tuple(guards), tuple(known)
    if key not in _PARSED:
        names, parts = {name: symbol(name, 0 if "_" in name else -inf) for name in known}, dict[str, Dim]()
        _PARSED[key] = {guard: _parsed(guard, names, parts) for guard in guards}, names
    parsed, names = _PARSED[key]
    put = Substitution({atom: known[name] for name, size in names.items() if (atom := size.as_symbol()) is not None})
    return {g: put.apply(f) if f is not None else formula_of(g, known) for g, f in parsed.items()}


def _parsed(guard: str, names: Mapping[str, Dim], parts: dict[str, Dim]) -> Formula | None:
    """Return a guard without floats as a formula over symbols; None for others."""
    try:
        return parse_formula(guard, names, parts=parts)
    except UsageError:
        return None


def formula_of(guard: str, known: Mapping[str, Dim]) -> Formula | None:
    """Return a guard's text as a formula; `known` maps the names in it to sizes. None if it can't be computed.

    >>> from shapesmt.prover.algebra import symbol
    >>> formula_of("math.trunc(0.5 * torch.sym_float(n)) // 3 >= 2", {"n": symbol("n", 1)})
    Formula('n//6 >= 2')
    """
    try:
        return parse_formula(guard, known)
    except UsageError:
        return _round_guard(guard, known)


def _round_guard(guard: str, known: Mapping[str, Dim]) -> Formula | None:
    integers = _Integers(known)
    try:
        tree = integers.visit(ast.parse(guard, mode="eval").body)
        return parse_formula(ast.unparse(tree), integers.known)
    except UsageError:
        return None


class _Integers(ast.NodeTransformer):
    """Replaces float expressions in a guard by new names, and adds these with their integer values to `known`.

    `math.trunc(n / 2) >= 2` becomes `r1 >= 2`, and `n / 2 >= 2` becomes `r1 == 1`.
    """

    def __init__(self, known: Mapping[str, Dim]) -> None:
        self.known = dict(known)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Replace a call that rounds to an integer, such as `math.trunc(n / 2)`, by a new name."""
        self.generic_visit(node)
        return self._name_number(self._number(node)) if _function(node) in WHOLES else node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """Replace a comparison of floats by `name == 1`; `name` is 1 if it holds, else 0. Keep other comparisons."""
        self.generic_visit(node)
        numbers = [self._number(part) for part in (node.left, *node.comparators)]
        if not any(isinstance(number, Float) for number in numbers):
            return node
        if len(node.ops) != 1:
            raise UsageError("more than two floats are compared")
        truth = apply_function(COMPARISONS[f"_operator.{_OPERATORS[type(node.ops[0])]}"], numbers)
        return ast.Compare(self._name_number(truth), [ast.Eq()], [ast.Constant(1)])

    def _name_number(self, number: Number) -> ast.expr:
        if not isinstance(number, Dim):
            raise UsageError("a float isn't followed")
        name = f"r{len(self.known)}"
        self.known[name] = number
        return ast.Name(name)

    def _number(self, node: ast.expr) -> Number:
        """Return the value of an expression: a `Float` if an operand is a float, else an integer; None if unknown."""
        if isinstance(node, ast.Constant) and isinstance(node.value, float):
            return literal(node.value, REAL)
        function = _NUMBERS.get(_function(node))
        if function is None:
            return parse_dim(ast.unparse(node), self.known)
        parts = node.args if isinstance(node, ast.Call) else ast.iter_child_nodes(node)
        numbers = [self._number(part) for part in parts if isinstance(part, ast.expr)]
        return (
            reduce(lambda a, b: apply_function(function, (a, b)), numbers)
            if len(numbers) > 1
            else apply_function(function, numbers)
        )


def _function(node: ast.expr) -> str:
    """Return the operator of an expression, such as "_operator.add" for `a + b`; "" if there is none."""
    if isinstance(node, ast.Call):
        name = ast.unparse(node.func)
        return _FUNCTIONS.get(name, name)
    operator = _OPERATORS.get(type(node.op)) if isinstance(node, (ast.BinOp, ast.UnaryOp)) else None
    return f"_operator.{operator}" if operator else ""
