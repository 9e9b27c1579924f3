"""Forms: what runtimes want in the place of a size that isn't a number."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["FORMS", "PLAIN", "Form"]


class Form(NamedTuple):
    """How sizes are written into the operands of nodes.

    Attributes:
        zeros: Whether 0 in the target of a Reshape stands for the input's size.
        last: The end of a slice that goes to the end.
    """

    zeros: bool = True
    last: int = (1 << 63) - 1


PLAIN = Form()
FORMS = {"iree": Form(zeros=False), "tensorrt": Form(last=(1 << 31) - 1)}
"""IREE takes 0 for a size. TensorRT counts in 32 bits, and says of each larger number that it cuts it."""
