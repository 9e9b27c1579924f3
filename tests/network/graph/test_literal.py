"""Literals: equal content is one object, which is forgotten when nobody holds it."""

from __future__ import annotations

import gc
import pickle

import pytest

from shapesmt.network.graph.literal import Literal


class TestLiteral:
    def test_equal_content_is_one_object(self):
        assert Literal("int64", [2], [1, 2]) is Literal("int64", (2,), (1, 2))
        assert pickle.loads(pickle.dumps(Literal("int64", [2], [1, 2]))) is Literal("int64", [2], [1, 2])

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (("int64", (), (1,)), ("int32", (), (1,))),
            (("int64", (1,), (1,)), ("int64", (), (1,))),
            (("float32", (), (0.0,)), ("float32", (), (-0.0,))),
            (("bool", (), (True,)), ("bool", (), (1,))),
            (("float32", (1,), (1.0,)), ("float32", (1,), None)),
        ],
    )
    def test_different_content_is_not(self, one, other):
        assert Literal(*one) is not Literal(*other)

    def test_not_a_number_is_itself(self):
        assert Literal("float32", (), (float("nan"),)) is Literal("float32", (), (float("nan"),))

    def test_unused_ones_are_forgotten(self):
        Literal("int64", (3,), (987, 654, 321))
        gc.collect()
        assert not any(literal.values == (987, 654, 321) for literal in list(Literal._interned.values()))
