"""Operators that view a tensor's memory with other sizes or strides, or return a copy of such a view."""

from shapesmt.ops.torch.views import axes, parts, repeating, reshaping

__all__ = ["axes", "parts", "repeating", "reshaping"]
