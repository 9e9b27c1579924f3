"""Tensors of a program in memory; the elements of small ones are read when something depends on them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from shapesmt.frontends.torch.constants import has_few
from shapesmt.graph import Literal

_KINDS = ("bool", "int", "uint", "float")


@dataclass(frozen=True, eq=False)
class Held:
    """The parameters, buffers and constants of a `torch.export.ExportedProgram`."""

    program: Any

    def literal(self, name: str, dtype: str, shape: tuple[int, ...]) -> Literal:
        """Return a tensor of the program by its path in the module."""
        if not has_few(dtype, shape) or not dtype.startswith(_KINDS):
            return Literal(dtype, shape, missing=Literal.ELSEWHERE)
        return Literal(dtype, shape, None, partial(self.elements, name, shape), Literal.ELSEWHERE)

    def elements(self, name: str, shape: tuple[int, ...]) -> tuple[int | float, ...] | None:
        """Return the elements of a constant; None if the program doesn't have them."""
        tensor = self.program.constants.get(name)
        tensor = self.program.state_dict.get(name) if tensor is None else tensor
        if tensor is None or tuple(tensor.shape) != shape:
            return None
        return tuple(tensor.detach().cpu().flatten().tolist())
