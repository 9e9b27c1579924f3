"""Operators that see a tensor's memory with other sizes, or copy it to such."""

from shapesmt.ops.torch.views import axes, parts, repeating, reshaping

__all__ = ["axes", "parts", "repeating", "reshaping"]
