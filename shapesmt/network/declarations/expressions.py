"""Parse EXPR text to `Formula` and `Dim`: Python's grammar reads it, and Python never evaluates it.

It has comparisons joined by `and`, `or` and `not` over symbols with `+ - * // % min max`. Names that aren't identifiers
stand in backticks, with a backtick written twice. Every text that a `Formula` or `Dim` prints can be parsed again.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from shapesmt.base.errors import UsageError
from shapesmt.network.declarations.ranges import quote, unknown_name
from shapesmt.prover.algebra import (
    FALSE,
    TRUE,
    Dim,
    Formula,
    absolute,
    all_of,
    any_of,
    at_least,
    at_most,
    const,
    differs,
    equal,
    less,
    maximum,
    minimum,
    name_text,
    negate,
    select,
    text_name,
)

ACCEPTED = "use comparisons joined by and, or, not over symbols with + - * // % min max"

_MOST_TEXT = 10_000
_MOST_DEPTH = 100
_MOST_POWER = 8
_MOST_SIZE = 2**1024  # limit of intermediate numbers; larger ones are refused
_QUOTED = re.compile(r"`(?:[^`]|``)*`")
_FOREIGN = re.compile(r"[^\w\s+\-*/%()<>=!,{}\[\].]")
_MISFIT = re.compile(r"(?<![\w.])\d+[^\W\d]\w*")  # 2d, 0x10, 1e3
_NO_WORD = "neither a whole number nor a name; put odd names in backticks"
_REMEDIES = {"&": "; write and", "|": "; write or", "^": "; write ** for powers", "`": "; close the backtick"}

_COMPARE: dict[type[ast.cmpop], Callable[[Dim, Dim], Formula]] = {
    ast.Eq: equal,
    ast.NotEq: differs,
    ast.GtE: at_least,
    ast.LtE: at_most,
    ast.Lt: less,
    ast.Gt: lambda a, b: less(b, a),
}
_COMPUTE: dict[type[ast.operator], Callable[[Dim, Dim], Dim]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
}


def parse_formula(
    text: str, symbols: Mapping[str, Dim], most: int = _MOST_SIZE, parts: dict[str, Dim] | None = None
) -> Formula:
    """Parse the condition that `text` states over `symbols`; comparisons with integers above `most` are refused.

    `parts` caches the numbers in texts over the same symbols by their text; None if no other text is read.

    >>> from shapesmt.prover.algebra import symbol
    >>> names = {"height": symbol("height", 1, 512), "Batch Size": symbol("Batch Size", 1, 64)}
    >>> parse_formula("height % 16 == 0 and 2 <= `Batch Size` < 32", names)
    Formula('height % 16 == 0 and `Batch Size` >= 2 and `Batch Size` <= 31')
    >>> parse_formula("hieght >= 2", names)
    Traceback (most recent call last):
      ...
    shapesmt.base.errors.UnknownNameError: no symbol 'hieght' in 'hieght >= 2'; did you mean 'height'?

    Raises:
        UsageError: the text is no condition, is too large, or names no symbol.
    """
    reader = _Reader(text, symbols, most, parts)
    return reader.formula(reader.tree(), 0)


def names_in(text: str) -> frozenset[str]:
    """Return the names of the symbols in `text`, a condition or an arithmetic expression.

    >>> sorted(names_in("max(past, 1) + seq == `total length`"))
    ['past', 'seq', 'total length']

    Raises:
        UsageError: the text can't be read.
    """
    reader = _Reader(text, {})
    nodes = list(ast.walk(reader.tree()))
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    return frozenset(reader.name(node) for node in nodes if isinstance(node, ast.Name) and id(node) not in called)


def parse_dim(text: str, symbols: Mapping[str, Dim]) -> Dim:
    """Parse an arithmetic expression over `symbols`, such as `2*n + 1`.

    >>> from shapesmt.prover.algebra import symbol
    >>> parse_dim("2*((h + 1)//2)", {"h": symbol("h", 1, 64)})
    Dim('2*((h + 1)//2)')

    Raises:
        UsageError: the text is no number, is too large, or names no symbol.
    """
    reader = _Reader(text, symbols)
    return reader.dim(reader.tree(), 0)


@dataclass
class _Reader:
    """A text being parsed; Python's grammar parses `source`, in which the keys of `names` replace quoted names."""

    text: str
    symbols: Mapping[str, Dim]
    most: int = _MOST_SIZE
    parts: dict[str, Dim] | None = None
    names: dict[str, str] = field(default_factory=dict)
    source: str = ""

    def tree(self) -> ast.expr:
        """Return the syntax tree of the text."""
        if len(self.text) > _MOST_TEXT:
            raise self.refusal(f"is {len(self.text)} characters long; at most {_MOST_TEXT} are read")
        stand_in = "q"
        while stand_in in self.text:
            stand_in += "_"
        self.source = _QUOTED.sub(lambda match: self._keep(text_name(match[0]), stand_in), self.text)
        self.source = " ".join(self.source.split())
        foreign = _FOREIGN.search(self.source)
        if foreign:
            raise self.refusal(f"has {quote(foreign[0])}{_REMEDIES.get(foreign[0], '')}")
        misfit = _MISFIT.search(self.source)
        if misfit:
            raise self.refusal(f"has {quote(misfit[0])}, {_NO_WORD}")
        try:
            return ast.parse(self.source, mode="eval").body
        except SyntaxError as error:
            raise self._misreading(error) from None
        except (ValueError, RecursionError, MemoryError):
            raise self.refusal("is nested too deeply") from None

    def _keep(self, name: str, stand_in: str) -> str:
        key = f"{stand_in}{len(self.names)}_"
        self.names[key] = name
        return f" {key} "

    def _misreading(self, error: SyntaxError) -> UsageError:
        if re.search(r"(?<![<>=!])=(?!=)", self.source):
            return self.refusal("has '='; write == to compare")
        if re.search(r"!(?!=)", self.source):
            return self.refusal("has '!'; write not")
        if not self.source:
            return self.refusal("is empty")
        at = max((error.offset or 1) - 1, 0)
        where = f"at {quote(self._restore(self.source[at:]))}" if at < len(self.source) else "at its end"
        return self.refusal(f"cannot be read {where}")

    def formula(self, node: ast.expr, depth: int) -> Formula:
        """Return the condition that `node` states."""
        self._enter(depth)
        if isinstance(node, ast.BoolOp):
            join = all_of if isinstance(node.op, ast.And) else any_of
            return join(*(self.formula(part, depth + 1) for part in node.values))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return negate(self.formula(node.operand, depth + 1))
        if isinstance(node, ast.Compare):
            return self._chain(node, depth + 1)
        if isinstance(node, ast.Constant) and isinstance(node.value, bool):
            return TRUE if node.value else FALSE
        self.dim(node, depth)  # raises its own message if it isn't a number either
        raise self.refusal("is a number, not a condition; compare it, as in n >= 1", node)

    def _chain(self, node: ast.Compare, depth: int) -> Formula:
        """Read `a < b <= c` as `a < b and b <= c`."""
        links = []
        left = node.left
        for operator, right in zip(node.ops, node.comparators, strict=True):
            links.append(self._compare(left, operator, right, depth))
            left = right
        return all_of(*links)

    def _compare(self, left: ast.expr, operator: ast.cmpop, right: ast.expr, depth: int) -> Formula:
        if isinstance(operator, ast.In | ast.NotIn) and isinstance(right, ast.Set | ast.Tuple | ast.List):
            member = self.dim(left, depth)
            among = any_of(*(equal(member, self.dim(item, depth)) for item in right.elts))
            return among if isinstance(operator, ast.In) else negate(among)
        compare = _COMPARE.get(type(operator))
        if compare is None:
            raise self.refusal(f"is not a comparison of numbers; {ACCEPTED}", left, right)
        for side in (left, right):
            if isinstance(side, ast.Constant) and isinstance(side.value, int) and side.value > self.most:
                raise self.refusal(f"exceeds {self.most}, the largest size a tensor can have", side)
        return compare(self.dim(left, depth), self.dim(right, depth))

    def dim(self, node: ast.expr, depth: int) -> Dim:
        """Return the number that `node` computes."""
        self._enter(depth)
        shared = self.parts is not None and isinstance(node, ast.BinOp | ast.Call) and self.source.isascii()
        key = self.source[node.col_offset : node.end_col_offset] if shared and not self.names else ""
        known = self.parts.get(key) if self.parts else None
        if known is not None:
            return known
        result = self._number(node, depth + 1)
        for bound in (result.lo, result.hi):
            if isinstance(bound, int) and abs(bound) > _MOST_SIZE:
                raise self.refusal("is too large a number", node)
        if key and self.parts is not None:
            self.parts[key] = result
        return result

    def _number(self, node: ast.expr, depth: int) -> Dim:
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return const(node.value)
        if isinstance(node, ast.Name):
            return self._symbol(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            operand = self.dim(node.operand, depth)
            return -operand if isinstance(node.op, ast.USub) else operand
        if isinstance(node, ast.BinOp):
            return self._binary(node, depth)
        if isinstance(node, ast.Call):
            return self._call(node, depth)
        if isinstance(node, ast.IfExp):
            condition = self.formula(node.test, depth)
            if condition is TRUE or condition is FALSE:
                return self.dim(node.body if condition is TRUE else node.orelse, depth)
            return select(condition, self.dim(node.body, depth), self.dim(node.orelse, depth))
        if _is_condition(node):
            raise self.refusal("is a condition, not a number", node)
        if isinstance(node, ast.Constant | ast.Attribute):
            raise self.refusal(f"is {_NO_WORD}", node)
        raise self.refusal(f"is not accepted; {ACCEPTED}", node)

    def _symbol(self, node: ast.Name) -> Dim:
        name = self.name(node)
        known = self.symbols.get(name)
        if known is None:
            raise unknown_name("symbol", name, self.symbols, quote(self.text))
        return known

    def name(self, node: ast.Name) -> str:
        """Return the name as it was written."""
        return self.names.get(node.id, self._part(node))  # not node.id: Python normalises identifiers

    def _binary(self, node: ast.BinOp, depth: int) -> Dim:
        left = self.dim(node.left, depth)
        if isinstance(node.op, ast.Pow):
            return self._power(left, node)
        right = self.dim(node.right, depth)
        compute = _COMPUTE.get(type(node.op))
        if compute is None:
            hint = "has '/'; write // to divide whole numbers"
            raise self.refusal(hint if isinstance(node.op, ast.Div) else f"is not accepted; {ACCEPTED}", node)
        if right.constant == 0 and isinstance(node.op, ast.FloorDiv | ast.Mod):
            raise self.refusal("divides by 0", node)
        return compute(left, right)

    def _power(self, base: Dim, node: ast.BinOp) -> Dim:
        exponent = node.right.value if isinstance(node.right, ast.Constant) else None
        if type(exponent) is not int or not 0 <= exponent <= _MOST_POWER:
            raise self.refusal(f"has a power that is no number in 0..{_MOST_POWER}", node)
        result = const(1)
        for _ in range(exponent):
            result = result * base
        return result

    def _call(self, node: ast.Call, depth: int) -> Dim:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        least = {"min": 2, "max": 2, "abs": 1}.get(name)
        if least is None:
            raise self.refusal("calls another function than min, max or abs", node)
        if node.keywords or len(node.args) < least or (name == "abs" and len(node.args) != 1):
            raise self.refusal(f"calls {name} without {least} or more numbers" if least > 1 else "calls abs", node)
        numbers = [self.dim(argument, depth) for argument in node.args]
        if name == "abs":
            return absolute(numbers[0])
        return minimum(*numbers) if name == "min" else maximum(*numbers)

    def _enter(self, depth: int) -> None:
        if depth > _MOST_DEPTH:
            raise self.refusal(f"is nested too deeply; at most {_MOST_DEPTH} levels are read")

    def _part(self, first: ast.expr, last: ast.expr | None = None) -> str:
        """Return the text from the first node to the last, with quoted names in backticks again."""
        encoded = self.source.encode()
        part = encoded[first.col_offset : (last or first).end_col_offset].decode(errors="replace")
        return self._restore(part)

    def _restore(self, part: str) -> str:
        for key, name in self.names.items():
            written = name_text(name) if name else "``"
            part = part.replace(f" {key} ", written).replace(key, written)
        return part

    def refusal(self, reason: str, first: ast.expr | None = None, last: ast.expr | None = None) -> UsageError:
        """Return the error that shows the part at fault and the whole text."""
        part = self._part(first, last) if first is not None else self.text
        within = "" if part == self.text else f" (in {quote(self.text)})"
        return UsageError(f"expression {quote(part)} {reason}{within}")


def _is_condition(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not)
    return isinstance(node, ast.Compare | ast.BoolOp) or getattr(node, "value", None) in (True, False)
