"""Inputs: the elements of small integer and boolean inputs as symbols that a caller can name (`sr=16000`).

The element of a one-element input has the input's name; a longer input has the elements `steps[0]`, `steps[1]`, ... An
element of 32 or 64 bits without a range from the caller is of the kind `Kind.VALUE`: used as an index into a table,
it counts as data.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import inf, prod
from typing import NamedTuple

from shapesmt.base.errors import UsageError
from shapesmt.base.lazy import np
from shapesmt.network.declarations import (
    ACCEPTED_VALUE,
    LEAST_VALUE,
    Number,
    Range,
    ValueLike,
    misspelt,
    names_in,
    parse_dim,
    parse_value,
    quote,
    unknown_name,
)
from shapesmt.network.graph import Graph
from shapesmt.operators.inference import Inference
from shapesmt.operators.rules import FLOATS, Elements, elements
from shapesmt.prover.algebra import Atom, Dim, Formula, Kind, as_dim, symbol
from shapesmt.prover.algebra.numeric import literal
from shapesmt.reports.answers import SymbolRange, facts

MOST = 16  # maximum number of elements of a small input
DEFAULT = "input"  # the source of a range that only the element type gives
_INTEGER = re.compile(r"(u?)int(8|16|32|64)")


class Small(NamedTuple):
    """An input whose elements have names, in row-major order.

    Attributes:
        numbers: The floats that a caller gives as its elements; if there are any, `names` is empty.
    """

    dtype: str
    shape: tuple[int, ...]
    names: tuple[str, ...]
    numbers: tuple[float, ...] = ()

    def anything(self) -> dict[str, SymbolRange]:
        """Return the range of the element type, for each element by name."""
        return dict.fromkeys(self.names, any_value(self.dtype))

    def symbols(self, ranges: Mapping[str, SymbolRange]) -> dict[str, Dim]:
        """Return the symbol of each element by name; a number if its range has a single value."""
        return {name: element_symbol(name, ranges[name], self.dtype) for name in self.names}

    def value(self, dims: Mapping[str, Dim]) -> Elements | None:
        """Return the elements as expressions, given the expression of each name."""
        if self.numbers:
            return elements(self.shape, [literal(number, self.dtype) for number in self.numbers])
        return elements(self.shape, [dims[name] for name in self.names])

    def matters(self, symbols: Mapping[str, int]) -> bool:
        """Whether an example has to state these elements: they are the caller's floats, or one is among the symbols."""
        return bool(self.numbers) or not symbols.keys().isdisjoint(self.names)

    def at(self, symbols: Mapping[str, int]) -> tuple[int | float, ...]:
        """Return the elements at these values of the symbols; 0 for an element that isn't among them."""
        return self.numbers or tuple(symbols.get(name, 0) for name in self.names)


def type_ends(dtype: str) -> tuple[int, int] | None:
    """Return the minimum and maximum of an integer or boolean type; None for another type.

    >>> type_ends("bool"), type_ends("uint8"), type_ends("float32")
    ((0, 1), (0, 255), None)
    """
    match = _INTEGER.fullmatch(dtype)
    if match is None:
        return (0, 1) if dtype == "bool" else None
    bits = int(match[2])
    return (0, (1 << bits) - 1) if match[1] else (-(1 << bits - 1), (1 << bits - 1) - 1)


def constant_shapes(
    declared: Mapping[str, tuple[str, Sequence[int | str | Range] | None]],
    expressions: Iterable[str],
    ranges: Mapping[str, SymbolRange],
) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the inputs whose sizes are all numbers; `expressions` are the formulas among their names."""
    sizes = {name: as_dim(r.min) for name, r in ranges.items() if r.min == r.max}
    sizes |= {text: parse_dim(text, sizes) for text in expressions if names_in(text) <= sizes.keys()}
    shapes = {}
    for name, (_, axes) in declared.items():
        known = [(sizes[a].constant if a in sizes else None) if isinstance(a, str) else a for a in axes or ()]
        shape = tuple(size for size in known if isinstance(size, int) and size >= 0)
        if axes is not None and len(shape) == len(axes):
            shapes[name] = shape
    return shapes


def small_inputs(
    graph: Graph, shapes: Mapping[str, tuple[int, ...]], taken: Iterable[str], values: Mapping[str, ValueLike]
) -> tuple[dict[str, Small], dict[str, SymbolRange]]:
    """Return the small inputs by name, and the range of each of their elements.

    Args:
        graph: The model.
        shapes: The inputs whose sizes are all numbers.
        taken: The names of dimensions.
        values: The caller's values and ranges, by element or by input (for all its elements).

    Raises:
        UsageError: A name that no small input or element has, or a value that is no range.
    """
    names = set(taken)
    small: dict[str, Small] = {}
    ranges: dict[str, SymbolRange] = {}
    for name, shape in shapes.items():
        dtype = graph.inputs[name].dtype
        if prod(shape) > MOST or not prod(shape):
            continue
        if dtype in FLOATS and name in values:
            small[name] = Small(dtype, shape, (), (_number(values[name], name),) * prod(shape))
        elif type_ends(dtype) is not None:
            one = Small(dtype, shape, _names(name, shape, names))
            if names.isdisjoint(one.names):
                small[name] = one
                names.update(one.names)
                given = {n: values.get(n, values.get(name)) for n in one.names}
                ranges.update({n: _range(v, n, dtype, graph.ranges.get(n)) for n, v in given.items()})
    _require(values, small, ranges, graph)
    return small, ranges


def _names(name: str, shape: tuple[int, ...], taken: set[str]) -> tuple[str, ...]:
    if prod(shape) == 1 and name not in taken:
        return (name,)
    return tuple(f"{name}[{','.join(map(str, at)) or 0}]" for at in np.ndindex(*shape))


def _require(
    values: Mapping[str, ValueLike], small: Mapping[str, Small], ranges: Mapping[str, SymbolRange], graph: Graph
) -> None:
    """Refuse values for names that no small input or element has."""
    for name, spec in values.items():
        origin = spec.origin if isinstance(spec, Range | Number) else None
        known = [*small, *ranges]
        if name in known:
            continue
        if origin is not None and not origin.needed and not misspelt(name, set(known) - values.keys()):
            continue
        if name in graph.inputs:
            what = f"of 1 to {MOST} integers, booleans or floats and of a known shape"
            raise UsageError(f"input {quote(name)} of {graph.source} is no tensor {what}")
        where = graph.source if origin is None else f"{graph.source}, named in {origin.source}"
        raise unknown_name("small input", name, known, where)


def any_value(dtype: str) -> SymbolRange:
    """Return the range with all numbers of an integer or boolean type."""
    return SymbolRange(*(type_ends(dtype) or (0, 0)), 1, DEFAULT)


def _range(spec: ValueLike | None, name: str, dtype: str, noted: ValueLike | None = None) -> SymbolRange:
    """Return the caller's range of an element, else that in the file's metadata (`noted`), else all of its type."""
    all_values = any_value(dtype)
    if spec is None:
        return all_values if noted is None else replace(_range(noted, name, dtype), source="metadata")
    least, most = all_values.min, all_values.max or 0
    r = parse_value(spec, name)
    if isinstance(r, Number):
        raise UsageError(f"{r.value:g} is no value of {quote(name)}, which is {dtype}; {ACCEPTED_VALUE}")
    lo, hi = max(r.lo, least) if r.lo == LEAST_VALUE else r.lo, most if r.hi is None else r.hi
    if not least <= lo <= hi <= most:
        raise UsageError(f"range '{r}' of {quote(name)} isn't inside {least}..{most}, the numbers of {dtype}")
    return SymbolRange(lo, hi, r.step, "--value" if r.origin is None else r.origin.source)


def element_symbol(name: str, r: SymbolRange, dtype: str) -> Dim:
    """Return the symbol of an element; a number if its range has a single value.

    A range up to the bound of a 32- or 64-bit type is unbounded there: overflow isn't modelled, as for sizes.

    >>> element_symbol("sr", SymbolRange(16000, 16000, 1, "--value"), "int64")
    Dim('16000')
    """
    least, most = type_ends(dtype) or (r.min, r.max)
    wide = dtype.endswith(("32", "64")) and r.step == 1
    lo = -inf if wide and r.min == least < 0 else r.min
    hi = inf if r.max is None or (wide and r.max == most) else r.max
    return symbol(name, lo, hi, step=r.step, kind=Kind.VALUE if wide and r.source == DEFAULT else Kind.INPUT)


def open_elements(dims: Mapping[str, Dim], ranges: Mapping[str, SymbolRange]) -> frozenset[Atom]:
    """Return the elements of small inputs that have no range from the caller."""
    free = (d.as_symbol() for name, d in dims.items() if name in ranges and ranges[name].source == DEFAULT)
    return frozenset(s for s in free if s is not None)


def idle_elements(elements: frozenset[Atom], inference: Inference, facts: Iterable[Formula]) -> frozenset[Atom]:
    """Return the elements on which no size, no requirement and no fact depends."""
    stated = [f for a in inference.applications for f in (*a.facts, *(r.formula for r in a.requirements))]
    cases = [case for t in inference.tensors.values() for case in t.cases]
    stated += [case.condition for case in cases]
    tensors = [*inference.tensors.values(), *(case.tensor for case in cases)]
    sizes = [d for t in tensors for d in (t.ndim, *(t.shape or ())) if d is not None]
    used = (term.symbols for terms in (facts, stated, sizes) for term in terms)
    return elements.difference(*used)


def _number(spec: ValueLike, name: str) -> float:
    """Return the float that the caller gives for the elements of a float input."""
    r = parse_value(spec, name)
    if isinstance(r, Number):
        return r.value
    if r.lo != r.hi:
        raise UsageError(f"input {quote(name)} holds floats, of which one value can be given, as in 2.0")
    return float(r.lo)


def when(condition: Formula) -> facts.When:
    """Return a condition in parts, without those about single loop iterations or positions in tensors."""
    parts = [f for f in condition.conjuncts if all(s.kind in (Kind.INPUT, Kind.VALUE, Kind.DATA) for s in f.symbols)]
    return facts.When(tuple(map(_choice, parts)))


def _choice(f: Formula) -> facts.Choice | str:
    """Return a condition on a symbol that is 0 or 1 (`use_cache == 1`) as a `Choice`, any other condition as text."""
    s = next(iter(f.symbols)) if len(f.symbols) == 1 else None
    if s is None or f.op not in ("eq", "ne") or f.dim is None or len(f.dim.terms) > 1 or (s.lo, s.hi) != (0, 1):
        return str(f)
    from shapesmt.operators.ops import UNTIL_RUN

    _, by_data, tensor = s.name.rpartition(f".{UNTIL_RUN}")
    return facts.Choice(tensor if by_data else s.name, f.op == "ne", bool(by_data))
