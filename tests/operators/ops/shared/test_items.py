"""Known elements through arithmetic in each type, against execution at every value of a small range."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from tests.support.harness import agree, node


def items_of(found):
    """The texts of the output's elements; None for an unknown one, or for all."""
    value = found.tensors["out"].value
    return [None] if value is None else [None if i is None else str(i) for i in value.items]


SMALL = ("int8", "uint8", "int16", "uint16", "int32", "uint32")


def onnx_type(dtype):
    return onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))


def cast_numbers(*numbers):
    """Nodes that cast lists of int64, by name, to a type."""
    return [node("Cast", [f"{name}64"], [name], to=onnx_type(dtype)) for name, dtype in numbers]


@pytest.mark.parametrize("dtype", SMALL)
@pytest.mark.parametrize("op", ["Add", "Sub", "Mul", "Neg"])
def test_short_integers_keep_their_lowest_bits(op, dtype):
    ends = np.iinfo(dtype)
    names = "x" if op == "Neg" else "xy"
    items = {"x64": ["n", int(ends.max), int(ends.min), 100], "y64": [3, "m", "m", 100]}
    chain = [*cast_numbers(*((name, dtype) for name in names)), node(op, [*names])]
    given = {f"{name}64": items[f"{name}64"] for name in names}
    found = agree(chain, {}, {"n": (-2, 2), "m": (0, 3)}, items=given, outputs=["out"])
    assert found.failed or None not in items_of(found)


@pytest.mark.parametrize("dtype", ["int64", "int32", "int8", "uint8"])
@pytest.mark.parametrize("op", ["BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot"])
def test_bits_of_sizes(op, dtype):
    names = "x" if op == "BitwiseNot" else "xy"
    items = {"x64": ["n"] * 9, "y64": ["m", 0, 1, 4, 7, 12, -1, -8, -6]}
    chain = [*cast_numbers(*((name, dtype) for name in names)), node(op, [*names])]
    given = {f"{name}64": items[f"{name}64"] for name in names}
    found = agree(chain, {}, {"n": (-9, 9), "m": (-3, 3)}, items=given, outputs=["out"])
    assert dtype == "uint8" or None not in items_of(found)


@pytest.mark.parametrize("direction", ["LEFT", "RIGHT"])
@pytest.mark.parametrize("dtype", ["uint8", "uint32", "uint64"])
def test_sizes_shifted_by_sizes(dtype, direction):
    items = {"x64": ["n", 77, "n"], "y64": [3, "m", "m"]}
    chain = [*cast_numbers(("x", dtype), ("y", dtype)), node("BitShift", ["x", "y"], direction=direction)]
    found = agree(chain, {}, {"n": (0, 9), "m": (0, 7)}, items=items, outputs=["out"])
    assert None not in items_of(found)
    agree(
        chain, {}, {"n": (0, 1), "m": (20, 70)}, items=items, outputs=["out"]
    )  # from some number on they aren't known


@pytest.mark.parametrize("dtype", ["int64", "int32", "float32", "float64"])
def test_powers_of_sizes(dtype):
    items = {"x64": ["n", "n", "n", 2, 3, 7, "n"], "y64": [2, 3, 5, "m", "m", "m", "m"]}
    chain = [*cast_numbers(("x", dtype), ("y", dtype)), node("Pow", ["x", "y"])]
    found = agree(chain, {}, {"n": (-4, 9), "m": (0, 7)}, items=items, outputs=["out"])
    assert None not in items_of(found)
    agree(chain, {}, {"n": (900, 909), "m": (10, 24)}, items=items, outputs=["out"])


@pytest.mark.parametrize("to", [*SMALL, "int64", "bool"])
@pytest.mark.parametrize("factor", [0.5, 40.0, 9000.3, 1e8, 1e18])
def test_floats_beyond_the_ends_of_an_integer_type(factor, to):
    chain = [
        *cast_numbers(("x", "float32")),
        node("Mul", ["x", "factor"], ["scaled"]),
        node("Cast", ["scaled"], ["cast"], to=onnx_type(to)),
        node("Cast", ["cast"], to=onnx_type("int64")),
    ]
    constants = {"factor": np.float32(factor)}
    found = agree(chain, {}, {"n": (-9, 30)}, items={"x64": ["n"]}, constants=constants, outputs=["out"])
    assert to in ("uint32", "bool") or None not in items_of(found)


@pytest.mark.parametrize("to", [*SMALL, "int64"])
def test_what_is_no_number_as_an_integer(to):
    casts = [node("Cast", ["q"], ["cast"], to=onnx_type(to)), node("Cast", ["cast"], to=onnx_type("int64"))]
    chain = [*cast_numbers(("x", "float32"), ("y", "float32")), node("Div", ["x", "y"], ["q"]), *casts]
    agree(chain, {}, {"n": (-2, 2), "m": (-2, 2)}, items={"x64": ["n"], "y64": ["m"]}, outputs=["out"])


@pytest.mark.parametrize("settings", [{}, {"detect_negative": 0}, {"detect_positive": 0}])
def test_quotients_that_are_infinite_or_no_numbers(settings):
    division = [*cast_numbers(("x", "float32"), ("y", "float32")), node("Div", ["x", "y"], ["q"])]
    for op in [node("IsInf", ["q"], **settings), node("IsNaN", ["q"])]:
        found = agree(
            [*division, op], {}, {"n": (-2, 2), "m": (-2, 2)}, items={"x64": ["n"], "y64": ["m"]}, outputs=["out"]
        )
        assert None not in items_of(found)


@pytest.mark.parametrize("factor", [1.0, 0.7, 2.5])
def test_remainders_of_floats(factor):
    chain = [
        *cast_numbers(("x", "float32"), ("y", "float32")),
        node("Mul", ["x", "factor"], ["scaled"]),
        node("Mod", ["scaled", "y"], fmod=1),
    ]
    items, ranges = {"x64": ["n", "n", "n"], "y64": ["m", 3, -2]}, {"n": (-20, 20), "m": (-3, 3)}
    found = agree(chain, {}, ranges, items=items, constants={"factor": np.float32(factor)}, outputs=["out"])
    assert None not in items_of(found)[1:]
