"""Forms: the ways in which runtimes want sizes written that aren't numbers."""

from __future__ import annotations

from typing import NamedTuple


class Form(NamedTuple):
    """The form in which sizes are written into the operands of nodes.

    Attributes:
        zeros: Whether 0 in the target of a Reshape stands for the input's size.
        last: The number that ends a slice at the end of its axis.
    """

    zeros: bool = True
    last: int = (1 << 63) - 1


PLAIN = Form()
FORMS = {"iree": Form(zeros=False), "tensorrt": Form(last=(1 << 31) - 1)}
"""IREE takes 0 for a size. TensorRT counts in 32 bits, and warns that it truncates larger numbers."""
