"""Tensors that belong to a program in memory; the elements of small ones are read when something depends on them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

from shapesmt.graph import Literal

__all__ = ["Held"]

_MOST_FLOATS = 16
_KINDS = ("bool", "int", "uint", "float")


@dataclass(frozen=True, eq=False)
class Held:
    """The parameters, buffers and constants of a `torch.export.ExportedProgram`."""

    program: Any

    def literal(self, name: str, dtype: str, shape: tuple[int, ...]) -> Literal:
        """One of them by its path in the module."""
        few = prod(shape) <= (_MOST_FLOATS if "float" in dtype else Literal.MOST)
        if not few or not dtype.startswith(_KINDS):
            return Literal(dtype, shape, missing=Literal.ELSEWHERE)
        return Literal(dtype, shape, None, partial(self.elements, name, shape), Literal.ELSEWHERE)

    def elements(self, name: str, shape: tuple[int, ...]) -> tuple[int | float, ...] | None:
        """The elements of a constant; None where the program doesn't have them."""
        tensor = self.program.constants.get(name)
        tensor = self.program.state_dict.get(name) if tensor is None else tensor
        if tensor is None or tuple(tensor.shape) != shape:
            return None
        return tuple(tensor.detach().cpu().flatten().tolist())
