"""PyTorch's requirements on a program's inputs before it runs: guards, ranges, sizes that are equal or constant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from shapesmt.frontends.torch.fields import MisfitError, entries, integer, optional, record, text, variant
from shapesmt.frontends.torch.paths import Path
from shapesmt.frontends.torch.sizes import Size, alone, shape_of
from shapesmt.frontends.torch.symbols import (
    Affine,
    Unfollowed,
    affine,
    as_text,
    factors,
    parse,
    plain,
    symbols_in,
    tree_of,
)
from shapesmt.network.graph import GUARDS, Attributes, Declared, Node, Place

_UNENFORCED = 2  # lower bounds up to this aren't checked before a run: the trace leaves out 0 and 1
_MOST = 2000  # guards; a program with more is refused (about a hundred are common)
_ENDLESS = 1 << 62
LARGEST_SIZE = (1 << 63) - 1
_FIXED = re.compile(r"i(\d+)_(\d+) == \d+|\d+ == i(\d+)_(\d+)").fullmatch


def read_guards(
    document: Mapping[str, Any], inputs: Mapping[str, Declared], paths: Mapping[Path, str]
) -> dict[str, str | None]:
    """Return each guard that the program stores, with its condition over sizes and elements of inputs.

    The condition is the same for all of PyTorch's spellings; it is None if the guard can't be read. `paths` has the
    inputs' names by path (`placeholders`).
    """
    listed, places = entries(optional(document, "guards_code", [])), {name: i for i, name in enumerate(inputs)}
    if len(listed) > _MOST:
        raise MisfitError(f"it has {len(listed):,} guards")
    return {guard: _guard(guard, places, paths) for guard in map(text, listed)}


def guards_node(
    document: Mapping[str, Any],
    inputs: Mapping[str, Declared],
    graph: Mapping[str, Any],
    guards: Mapping[str, str | None],
) -> list[Node]:
    """Return the program's last node, which states the guards, as a list; [] if there are no guards.

    `graph` is the program's graph in JSON.
    """
    metas, numbers = (record(optional(graph, key, {})) for key in ("tensor_values", "sym_int_values"))
    places = {name: i for i, name in enumerate(inputs)}
    shapes = {name: shape_of(record(metas[name])) for name in inputs if name in metas}
    axes = [(f"i{places[name]}_{axis}", size) for name, shape in shapes.items() for axis, size in enumerate(shape)]
    axes += [(f"i{i}", _number(numbers[name])) for name, i in places.items() if name in numbers and name not in metas]
    stated: dict[str, str] = {}  # in the order in which PyTorch checks them
    for guard, condition in guards.items():
        if condition is not None:
            stated.setdefault(condition, guard)
    for condition in _of_sizes(axes, document):
        stated.setdefault(condition, condition)
    unread = [guard for guard, condition in guards.items() if condition is None]
    if not stated and not unread:
        return []
    attributes = Attributes({"guards": tuple(stated), "written": tuple(stated.values()), "unread": tuple(unread)})
    return [Node(GUARDS, "torch", GUARDS, [*inputs], [], attributes)]


def fixed_axes(guards: Mapping[str, str | None], inputs: Iterable[str]) -> dict[Place, bool]:
    """Return the input sizes that PyTorch's guards fix to a number; only sizes that were to vary have such guards."""
    names = [*inputs]
    fixed = (match for condition in guards.values() if (match := _FIXED(condition or "")))
    return {(names[int(m[1] or m[3])], int(m[2] or m[4])): True for m in fixed}


def _number(value: object) -> Size:
    """Return an integer input as stored in the archive."""
    kind, content = variant(value)
    return integer(content) if kind == "as_int" else text(record(content).get("expr_str"))


def _of_sizes(axes: Sequence[tuple[str, Size]], document: Mapping[str, Any]) -> Iterator[str]:
    """Yield conditions implied by the stored sizes of inputs: constants, equal sizes, ranges."""
    ranges = {_normal(key): ends for key, ends in record(optional(document, "range_constraints", {})).items()}
    known = {symbol: here for here, size in reversed(axes) if (symbol := alone(size))}
    hidden: dict[str, tuple[str, Affine]] = {}
    for here, size in axes:
        if isinstance(size, int):
            yield f"{here} == {size}"
            continue
        if symbols_in(size) <= known.keys():
            expression = parse(size, known)
            yield from [] if expression in (None, here) else [f"{here} == {expression}"]
        elif (form := affine(size)) is not None:
            there, other = hidden.setdefault(form.symbol, (here, form))
            if there != here:
                yield f"{other.factor}*({here} - {form.offset}) == {form.factor}*({there} - {other.offset})"
        yield from _range(here, ranges.get(_normal(size)))


def _normal(size: str) -> object:
    """Return a normal form of a size that is the same for Sympy's text and its `srepr`.

    >>> _normal("Mul(Symbol('s1'), Symbol('s0'))") == _normal("s0*s1")
    True
    """
    if (form := affine(size)) is not None:
        return form
    number, others = factors(size)
    return (number, *others)


def _range(here: str, ends: object) -> Iterator[str]:
    if not isinstance(ends, dict):
        return
    lo, hi = ends.get("min_val"), ends.get("max_val")
    if isinstance(lo, int) and lo > _UNENFORCED:
        yield f"{here} >= {lo}"
    if isinstance(hi, int) and hi < _ENDLESS:
        yield f"{here} <= {hi}"


def _guard(guard: str, places: Mapping[str, int], paths: Mapping[Path, str]) -> str | None:
    """Return a guard as a condition over the sizes and elements of inputs; None if it isn't supported.

    >>> _guard("L['x'].size()[2] // 5 != 1", {"x": 0}, {("x",): "x"})
    'i0_2 // 5 != 1'
    >>> _guard("torch.sym_size(L['x'], 2) == L['x'].size(0)", {"x": 0}, {("x",): "x"})
    'i0_2 == i0_0'
    """

    def leaf(node: ast.expr) -> ast.expr | None:
        """Return the symbol for `L['x'].size()[2]`, or for `L['n']`, which is a number; None for most other nodes."""
        if isinstance(node, ast.Constant):
            return _in_parts(node)
        size = _size(node)
        if size is not None:
            name = _input_at(_path(size[0]), paths)
            if name in places:
                return ast.Name(f"i{places[name]}_{size[1]}")
            raise Unfollowed
        if not isinstance(node, (ast.Subscript, ast.Attribute, ast.Name)):
            return None
        name = _input_at(_path(node), paths)
        if name not in places:
            raise Unfollowed
        return ast.Name(f"i{places[name]}")

    try:
        return as_text(_Divided().visit(plain(tree_of(guard), leaf)))
    except Unfollowed:
        return None


class _Divided(ast.NodeTransformer):
    """Add to each comparison that its divisors aren't 0, for which Python raises an error.

    >>> as_text(_Divided().visit(ast.parse("a % (b - 1) == 0 or a // 2 == b", mode="eval").body))
    'b - 1 != 0 and a % (b - 1) == 0 or a // 2 == b'
    """

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """Return the comparison, preceded by conditions on its divisors."""
        divisions = (part for part in ast.walk(node) if isinstance(part, ast.BinOp))
        divisors = [part.right for part in divisions if isinstance(part.op, (ast.FloorDiv, ast.Mod, ast.Div))]
        unsafe = [divisor for divisor in divisors if not isinstance(divisor, ast.Constant) or not divisor.value]
        nonzero: list[ast.expr] = [ast.Compare(divisor, [ast.NotEq()], [ast.Constant(0)]) for divisor in unsafe]
        return ast.BoolOp(ast.And(), [*nonzero, node]) if nonzero else node


def _in_parts(node: ast.Constant) -> ast.expr | None:
    """Return a number beyond the largest size, which the language can't express, as a sum; None for other constants.

    >>> as_text(_in_parts(ast.Constant(9223372036854775808)))
    '9223372036854775807 + 1'
    """
    if type(node.value) is not int or not LARGEST_SIZE < node.value <= 2 * LARGEST_SIZE:
        return None
    return ast.BinOp(ast.Constant(LARGEST_SIZE), ast.Add(), ast.Constant(node.value - LARGEST_SIZE))


def _size(node: ast.expr) -> tuple[ast.expr, int] | None:
    """Return the tensor and the axis in `x.size()[2]`, `x.shape[2]`, `x.size(2)` or `sym_size(x, 2)`; else None."""
    holder, index = (node.value, [node.slice]) if isinstance(node, ast.Subscript) else (node, [])
    called, arguments = (holder.func, holder.args) if isinstance(holder, ast.Call) else (holder, [])
    if not isinstance(called, ast.Attribute):
        return None
    if called.attr == ("size" if called is not holder else "shape"):
        parts = [called.value, *arguments, *index]
    elif arguments and "sym_size" in ast.unparse(called):
        parts = [*arguments]
    else:
        return None
    axis = parts[1].value if len(parts) == 2 and isinstance(parts[1], ast.Constant) else None
    if isinstance(axis, int):
        return parts[0], axis
    raise Unfollowed


def _input_at(path: Path, paths: Mapping[Path, str]) -> str:
    """Return the input at a path or, inside named tuples, the one with the name that PyTorch derives from the path."""
    return paths.get(path) or paths.get(("", "_".join(map(str, path)).lower()), "")


def _path(node: ast.expr) -> Path:
    """Return `L['d']['a'][0].b` as ("d", "a", 0, "b")."""
    path: list[str | int] = []
    while isinstance(node, (ast.Subscript, ast.Attribute)) and len(path) < 100:
        index = node.slice if isinstance(node, ast.Subscript) else ast.Constant(node.attr)
        key = index.value if isinstance(index, ast.Constant) else None
        if not isinstance(key, (str, int)):
            raise Unfollowed
        path.append(key)
        node = node.value
    if not isinstance(node, ast.Name) or node.id != "L":
        raise Unfollowed
    return tuple(reversed(path))
