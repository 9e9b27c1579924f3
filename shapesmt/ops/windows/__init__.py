"""Windows that slide over an image or a signal, and what samples one."""

from shapesmt.ops.windows import detection, resize, sampling, signal, spatial

__all__ = ["detection", "resize", "sampling", "signal", "spatial"]
