"""Slice, by ends that are constants, symbols or unknown."""

from __future__ import annotations

import pytest

from tests.support.harness import agree
from tests.support.indices import NM, node


@pytest.mark.parametrize("step", [1, 2, -1, -2, 3, -3, "t", 0])
def test_slice(step):
    ranges = {"n": (0, 4), "s": (-6, 6), "e": (-6, 6)} | ({"t": (-3, 3)} if step == "t" else {})
    items = {"s": ["s"], "e": ["e"], "t": [step]}
    agree(node("Slice", ["x", "s", "e", "a", "t"]), {"x": ["n", 2]}, ranges, items=items, constants={"a": [0]})


@pytest.mark.parametrize(
    "ends",
    [(0, 2**63 - 1, 1), (-1, -(2**63), -1), (2**31 - 1, -(2**31), -1), (0, 2**31 - 1, 2), (1, -1, 1), (3, 0, -1)],
    ids=str,
)
def test_slice_with_constant_ends(ends):
    start, end, step = ([e] for e in ends)
    constants = {"s": start, "e": end, "t": step, "a": [0]}
    agree(node("Slice", ["x", "s", "e", "a", "t"]), {"x": ["n", 2]}, {"n": (0, 5)}, constants=constants)
    items = {"x": ["n", 2, "n + 1", 4]}
    agree(node("Slice", ["x", "s", "e", "a", "t"]), {}, {"n": (0, 5)}, constants=constants, items=items)
    if step == [1]:
        agree(node("Slice", ["x"], starts=start, ends=end, axes=[0]), {"x": ["n", 2]}, {"n": (0, 5)}, opset=9)


@pytest.mark.parametrize(
    "lists", [([0, 1], [2, -1], [0, -3]), ([0, 1], [2, -1], [0, 3]), ([0, 1], [2], [0, 1]), ([0, 1], [2, 1], [0])]
)
def test_slice_refuses(lists):
    constants = dict(zip("sea", lists, strict=True))
    agree(node("Slice", ["x", "s", "e", "a"]), {"x": ["n", "m", 2]}, NM, constants=constants, known=False)


@pytest.mark.parametrize("steps", [[1, 1], [], [1, 1, 1]])
def test_slice_refuses_more_or_fewer_steps_than_axes(steps):
    constants = {"s": [0], "e": [1], "a": [0], "t": steps}
    agree(node("Slice", ["x", *constants]), {"x": ["n", "m", 2]}, NM, constants=constants, known=False)


@pytest.mark.parametrize("step", [1, -1, 3, -3])
@pytest.mark.parametrize("end", [2**31 - 1, 2**31, -(2**31), -(2**31) - 1, -(2**63), -(2**63) + 1, 2**63 - 1])
def test_slice_of_long_axes(step, end):
    for start in (0, -1, 2**31 - 1, 2**31, 2**63 - 1):
        given = {"starts": [start], "ends": [end], "axes": [0], "steps": [step]}
        sizes = {"n": (2**31 - 2, 2**31 + 2)}
        agree(node("Slice", ["x", *given]), {"x": ["n", 0]}, sizes, constants=given)


def test_slice_with_unknown_ends():
    ranges = {"n": (0, 4), "e": (-3, 3)}
    agree(
        node("Slice", ["x", "s", "e", "a"]),
        {"x": ["n", 2]},
        ranges,
        items={"s": [None], "e": ["e"]},
        constants={"a": [0]},
    )
    agree(
        node("Slice", ["x", "s", "e", "a"]),
        {"x": ["n", 2], "a": [1]},
        ranges,
        items={"s": [0], "e": ["e"]},
        dtypes={"a": "int64"},
    )
