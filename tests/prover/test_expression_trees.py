"""Trees: what a plain interpreter makes of their entries is what the expressions are worth."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from shapesmt.prover.algebra import define_symbol, evaluate, maximum, minimum, select, symbol, total
from shapesmt.prover.algebra.dim import Kind
from shapesmt.prover.algebra.formula import TRUE, all_of, any_of, at_least
from shapesmt.prover.algebra.numeric.floats import from_dim, literal
from shapesmt.prover.expression_trees import Trees
from tests.prover.presolve.sets import ATOMS, FREE, H, W, condition, everything, expression

OPERATIONS: dict[str, Any] = {
    "div": lambda a, b: a // b if b else 0,
    "mul": lambda a, b: a * b,
    "min": min,
    "max": max,
    "if": lambda c, a, b: a if c else b,
    "eq": lambda a: a == 0,
    "ne": lambda a: a != 0,
    "ge": lambda a: a >= 0,
    "and": lambda *args: all(args),
    "or": lambda *args: any(args),
    "int": int,
}
FLOATS: dict[str, Any] = {"cast": lambda x: x, "mul": lambda x, y: x * y, "div": lambda x, y: x / y, "floor": np.floor}


def worth(trees: Trees, place: int, sizes: list[int]) -> Any:
    values: list[Any] = []
    for entry in trees.entries:
        if not isinstance(entry, list):
            values.append(int(entry))
        elif entry[0] == "at":
            values.append(sizes[entry[1]])
        elif entry[0] == "sum":
            values.append(sum(c * int(np.prod([values[p] for p in factors], dtype=object)) for c, *factors in entry[1]))
        elif entry[0] == "float":
            bits, name, *places = entry[1:]
            kind = np.float32 if bits == 24 else np.float64
            values.append(kind(FLOATS[name](*(kind(values[p]) for p in places))))
        else:
            values.append(OPERATIONS[entry[0]](*(values[p] for p in entry[1:])))
    return values[place]


def test_random_expressions_and_conditions_keep_their_values(seeds: range) -> None:
    for seed in seeds:
        r = Random(f"trees {seed}")
        size = select(
            condition(r), maximum(expression(r), 3), minimum(expression(r), define_symbol(expression(r) + H * W))
        )
        holds, trees = condition(r), Trees(ATOMS[:2])
        places = trees.dim(size), trees.formula(holds)
        for values in everything():
            sizes = [values[a] for a in ATOMS[:2]]
            assert [worth(trees, p, sizes) for p in places] == [evaluate(size, values), evaluate(holds, values)], seed


@pytest.mark.parametrize("factor", [0.7, 1.3, 1 / 3])
def test_floats_are_rounded_as_they_are_there(factor: float) -> None:
    scaled = (from_dim(FREE, "float32") * literal(factor, "float32")).floor().to_int()
    trees = Trees(ATOMS)
    place = trees.dim(scaled)
    assert any(entry[0] == "float" for entry in trees.entries if isinstance(entry, list))
    for size in (1, 10, 30, 12345, (1 << 24) + 1):
        assert worth(trees, place, [0, 0, size]) == evaluate(scaled, {ATOMS[2]: size})


def test_shared_parts_are_written_once_and_each_entry_refers_to_earlier_ones() -> None:
    trees = Trees(ATOMS)
    long = total((H * i + W) // (i + 2) for i in range(20))
    count = len(trees.entries), trees.dim(long), len(trees.entries)
    assert trees.dim(long + 0) == count[1]
    assert len(trees.entries) == count[2]
    for place, entry in enumerate(trees.entries):
        if isinstance(entry, list) and entry[0] != "at":
            inner = [p for _, *factors in entry[1] for p in factors] if entry[0] == "sum" else entry[1:]
            assert all(p < place for p in inner)


def test_long_chains_of_definitions_need_no_recursion() -> None:
    size = H
    for _ in range(5000):
        size = define_symbol(size + 1) // 2
    trees = Trees(ATOMS)
    assert worth(trees, trees.dim(size), [5, 0, 1]) == 1


def test_what_isnt_listed_is_unknown() -> None:
    trees = Trees(ATOMS)
    count = symbol("count", kind=Kind.DATA)
    assert ["?"] in [
        trees.entries[p] for entry in [trees.entries[trees.dim(count + H)]] for _, *f in entry[1] for p in f
    ]


def test_numbers_that_floats_dont_hold_are_text() -> None:
    trees = Trees([])
    assert trees.entries[trees.dim(H * 0 + (1 << 60))] == str(1 << 60)
    assert trees.entries[trees.formula(TRUE)] == ["and"]
    assert trees.entries[trees.formula(any_of())] == ["or"]
    assert all_of(at_least(H, 2)).op == "ge"
