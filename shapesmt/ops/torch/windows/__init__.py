"""Windows that slide over an image, and images that are resized or sampled."""

from shapesmt.ops.torch.windows import adaptive, columns, convolution, grids, pooling, resizing

__all__ = ["adaptive", "columns", "convolution", "grids", "pooling", "resizing"]
