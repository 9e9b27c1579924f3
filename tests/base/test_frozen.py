"""`frozen` makes the classes that `dataclass(frozen=True)` makes."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from typing import Any

import pytest

from shapesmt.base.frozen import frozen


def body() -> Any:
    """A new class without methods for its fields."""

    class Made:
        a: int
        b: tuple[int, ...] = field(default_factory=tuple)
        c: int = field(default=3, compare=False)
        d: str = field(default="d", repr=False, kw_only=True)
        e: int = field(default=0, metadata={"key": "f"})

        def __post_init__(self) -> None:
            if self.a < 0:
                raise ValueError("a is negative")

    return Made


Ours, Theirs, Apart = frozen()(body()), dataclass(frozen=True)(body()), frozen(eq=False)(body())
Ours.__qualname__ = "Ours"  # by which pickles find it
CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((1,), {}), ((1, (2,)), {}), ((1, (2,), 4, 5), {}), ((), {"a": 1, "e": 2}), ((1,), {"d": "x"}), ((), {}),
    ((1,), {"a": 1}), ((1, (), 3, 0, "d"), {}), ((1,), {"unknown": 1}), ((), {"unknown": 1}), ((-1,), {}),
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_a_call_makes_the_same_or_fails_alike(call: tuple[tuple[Any, ...], dict[str, Any]]) -> None:
    args, values = call
    try:
        theirs = Theirs(*args, **values)
    except (TypeError, ValueError) as error:
        with pytest.raises(type(error)):
            Ours(*args, **values)
    else:
        ours = Ours(*args, **values)
        assert asdict(ours) == asdict(theirs)
        assert hash(ours) == hash(theirs)
        assert repr(ours).partition("(")[2] == repr(theirs).partition("(")[2]


def test_a_wrong_call_is_explained() -> None:
    with pytest.raises(TypeError, match=r"^Made: missing a required argument: 'a'$"):
        Ours()


def test_the_class_is_described_alike() -> None:
    ours, theirs = inspect.signature(Ours).parameters, inspect.signature(Theirs).parameters
    assert [(p.name, p.kind, p.annotation) for p in ours.values()] == [
        (p.name, p.kind, p.annotation) for p in theirs.values()
    ]
    assert [p.default for p in ours.values() if p.name != "b"] == [p.default for p in theirs.values() if p.name != "b"]
    assert [item.name for item in fields(Ours)] == [item.name for item in fields(Theirs)]
    assert Ours.__match_args__ == Theirs.__match_args__


def test_objects_of_a_class_with_equal_fields_are_equal() -> None:
    one = Ours(1, c=4)
    assert one == Ours(1, c=5)
    assert one not in (Ours(2), Theirs(1), Apart(1))
    assert {one, Ours(1), Ours(2)} == {one, Ours(2)}


def test_without_equality_an_object_equals_only_itself() -> None:
    one = Apart(1)
    assert one == one
    assert one != Apart(1)
    assert len({one, Apart(1)}) == 2


def test_nothing_can_be_changed() -> None:
    one = Ours(1)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'a'"):
        one.a = 2
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'a'"):
        del one.a
    assert replace(one, a=2) == Ours(2)


def test_copies_and_pickles_are_equal() -> None:
    one = Ours(1, (2, 3), d="x")
    assert copy.copy(one) == copy.deepcopy(one) == pickle.loads(pickle.dumps(one)) == one
