"""Deadlines: a computation ends where its time is up, and what stands around it goes on."""

from __future__ import annotations

import pytest

from shapesmt.deadline import Deadline, TimeUp, limit, look


def test_a_limit_inside_a_limit_ends_for_itself() -> None:
    def inner() -> str:
        return Deadline(0).attempt(lambda: "done", "late")

    assert Deadline(None).attempt(inner, "never") == "late"
    with pytest.raises(TimeUp), limit(Deadline(0)):
        look()
    look()
