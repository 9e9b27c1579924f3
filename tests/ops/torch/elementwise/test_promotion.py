"""Element types of results, as `torch.result_type` and `torch.promote_types` say, for every combination."""

from __future__ import annotations

import itertools

import pytest

from shapesmt.ops.torch.elementwise.promotion import number_tensor, promote, result_type
from shapesmt.rules import tensor

TYPES = (
    *("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"),
    *("complex32", "complex64", "complex128"),
)
NUMBERS = (True, 1, 1.5)


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")


def named(dtype):
    return str(dtype).removeprefix("torch.")


def test_two_types(torch):
    for a, b in itertools.product(TYPES, repeat=2):
        assert promote(a, b) == named(torch.promote_types(getattr(torch, a), getattr(torch, b))), (a, b)


def test_tensors_with_and_without_axes(torch):
    for a, b, p, q in itertools.product(TYPES, TYPES, ((), (2,)), ((), (2,))):
        expected = torch.result_type(torch.empty(p, dtype=getattr(torch, a)), torch.empty(q, dtype=getattr(torch, b)))
        assert result_type([(tensor(a, p), False), (tensor(b, q), False)]) == named(expected), (a, b, p, q)


def test_tensors_and_numbers(torch):
    for a, number, p in itertools.product(TYPES, NUMBERS, ((), (2,))):
        expected = torch.result_type(torch.empty(p, dtype=getattr(torch, a)), number)
        assert result_type([(tensor(a, p), False), (number_tensor(number), True)]) == named(expected), (a, number, p)


def test_an_unknown_type_makes_the_result_unknown():
    assert result_type([(tensor("", (2,)), False), (tensor("float32", (2,)), False)]) == ""
