"""Steps: the operations on floats, an object for each; the result of each is rounded to its type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

Ends = tuple[float, float]
AnyBuild = TypeVar("AnyBuild", bound=Callable[..., Any])


class Step:
    """One operation on floats.

    Attributes:
        name: What it is called.
        apply: Computes it, as numpy does.
        whole: Whether its results are integers.
        ends: The interval of its results, where they don't keep the order of the arguments.
        build: Applies it to arguments, exactly where that is possible; None where no fraction stays exact.
    """

    __slots__ = ("apply", "build", "ends", "name", "whole")

    build: Callable[..., Any] | None

    def __init__(
        self, name: str, apply: Callable[..., Any], *, whole: bool = False, ends: Callable[..., Ends] | None = None
    ) -> None:
        self.name = name
        self.apply = apply
        self.whole = whole
        self.ends = ends
        self.build = None
        STEPS.append(self)

    def defines(self, build: AnyBuild) -> AnyBuild:
        """Mark the function that applies it: `@CHOOSE.defines`."""
        self.build = build
        return build

    def __repr__(self) -> str:
        return f"Step({self.name!r})"


STEPS: list[Step] = []


def _itself(x: Any) -> Any:
    return x


FRACTION = Step("fraction", np.divide)
"""An exact fraction of integers."""
FROM_DIM = Step("from_dim", _itself)
"""An integer, rounded."""
LITERAL = Step("literal", _itself)
"""Infinity, or no number."""
CAST = Step("cast", _itself)
ADD = Step("add", np.add)
SUB = Step("sub", np.subtract)
MUL = Step("mul", np.multiply)
DIV = Step("div", np.divide)
FLOOR = Step("floor", np.floor, whole=True)
CEIL = Step("ceil", np.ceil, whole=True)
TRUNC = Step("trunc", np.trunc, whole=True)
ROUND = Step("round", np.rint, whole=True)
SQRT = Step("sqrt", np.sqrt)
ROOT = Step("root", np.sqrt)
"""A square root whose last bit differs between runtimes."""
LOG = Step("log", np.log)
EXP2 = Step("exp2", lambda exponent: np.ldexp(1.0, np.asarray(exponent).astype(np.int64)), whole=True)
"""A power of two, of a whole number that isn't negative."""
LEAST = Step("min", np.minimum)
GREATEST = Step("max", np.maximum)
SIGN = Step("sign", np.sign, whole=True)
CHOOSE = Step("choose", np.where, ends=lambda _, a, b: (min(a.lo, b.lo), max(a.hi, b.hi)))
"""`CHOOSE(c, a, b)` is a where the condition c holds, else b."""
ABS = Step("abs", np.abs, ends=lambda x: (max(0.0, x.lo, -x.hi), max(-x.lo, x.hi)))
EQUAL = Step("equal", lambda a, b: np.asarray(a == b), whole=True, ends=lambda *_: (0.0, 1.0))
AT_LEAST = Step("at_least", lambda a, b: np.asarray(a >= b), whole=True, ends=lambda *_: (0.0, 1.0))
