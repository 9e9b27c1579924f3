"""Element types of results, as `torch.result_type` and `torch.promote_types` say, for every combination."""

from __future__ import annotations

import itertools

import pytest

from shapesmt.frontends.torch.program import release
from shapesmt.operators.ops.torch.elementwise.promotion import number_tensor, promote, result_type
from shapesmt.operators.rules import tensor

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
    old = release(torch.__version__) < 214
    for a, b, p, q in itertools.product(TYPES, TYPES, ((), (2,)), ((), (2,))):
        expected = torch.result_type(torch.empty(p, dtype=getattr(torch, a)), torch.empty(q, dtype=getattr(torch, b)))
        assert result_type([(tensor(a, p), False), (tensor(b, q), False)], old) == named(expected), (a, b, p, q)


def test_tensors_and_numbers(torch):
    for a, number, p in itertools.product(TYPES, NUMBERS, ((), (2,))):
        expected = torch.result_type(torch.empty(p, dtype=getattr(torch, a)), number)
        assert result_type([(tensor(a, p), False), (number_tensor(number), True)]) == named(expected), (a, number, p)


def test_a_complex_number_makes_bfloat16_complex_by_the_version_of_pytorch():
    given = [(tensor("bfloat16", (2,)), False), (tensor("complex64", ()), True)]
    assert [result_type(given, old) for old in (True, False, None)] == ["complex64", "bcomplex32", ""]
    assert promote("bfloat16", "complex32") == "complex64"
    assert promote("int64", "bcomplex32") == promote("bfloat16", "bcomplex32") == "bcomplex32"


def test_an_unknown_type_makes_the_result_unknown():
    assert result_type([(tensor("", (2,)), False), (tensor("float32", (2,)), False)]) == ""
