"""TopK and Unique of known elements, against execution at every value."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.dying import deaths
from tests.support.harness import agree, node

ITEMS = {"x64": ["n", "m", 3, "n + m"]}
RANGES = {"n": (-2, 4), "m": (0, 4)}


def cast(dtype):
    number = {"int64": 7, "int32": 6, "float32": 1}[dtype]
    return node("Cast", ["x64"], ["x"], to=number)


@pytest.mark.parametrize("dtype", ["int64", "int32", "float32"])
@pytest.mark.parametrize(("k", "largest"), [(1, 1), (1, 0), (2, 1), (3, 0), (4, 1), (0, 1)])
def test_the_best_of_sizes(k, largest, dtype):
    top = node("TopK", ["x", "k"], ["out", "places"], largest=largest)
    found = agree([cast(dtype), top], {}, RANGES, items=ITEMS, constants={"k": [k]}, outputs=["out", "places"])
    assert all(found.tensors[name].value is not None for name in ("out", "places"))


def test_the_best_of_each_column():
    shape = node("Reshape", ["x", "pairs"], ["table"])
    for axis in (0, 1):
        top = node("TopK", ["table", "one"], ["out", "places"], axis=axis)
        constants = {"one": [1], "pairs": [2, 2]}
        found = agree(
            [cast("int64"), shape, top], {}, RANGES, items=ITEMS, constants=constants, outputs=["out", "places"]
        )
        assert found.tensors["places"].value is not None


def test_the_best_of_elements_that_are_partly_known():
    top = node("TopK", ["x", "k"], ["out", "places"])
    found = agree(top, {}, RANGES, items={"x": ["n", None]}, constants={"k": [1]})
    assert found.tensors["out"].value is None


@pytest.mark.parametrize("dtype", ["int64", "float32"])
@pytest.mark.parametrize("axis", [None, 0])
def test_the_number_of_different_sizes(axis, dtype):
    unique = node("Unique", ["x"], ["u", "first", "inverse", "counts"], axis=axis)
    found = agree([cast(dtype), unique, node("Shape", ["u"])], {}, RANGES, items=ITEMS, outputs=["out"])
    assert not found.inference.applications[1].fresh_symbols


@pytest.mark.parametrize("listed", [[], [5], [3, 1, 3, 2], [*range(20), 7, 7], [0.5, 0.25, 0.5]])
def test_the_number_of_different_constants(listed):
    dtype = np.float32 if 0.5 in listed else np.int64
    nodes = [node("Identity", ["k"], ["x"]), node("Unique", ["x"], ["out"])]
    found = agree(nodes, {}, constants={"k": np.array(listed, dtype)}, outputs=["out"])
    assert found.tensors["out"][0].constant == len({*listed})


@pytest.mark.parametrize("axis", [-1, 0, 1, 2])
def test_slices_without_elements_are_not_compared(axis):
    text = f"(float[a, b, c] x) => (float[p, q, r] y) {{ y = Unique <axis = {axis}> (x) }}"
    assert deaths(text, dict.fromkeys("abc", range(3))) == {0: 10, 1: 4}.get(axis, 0)
