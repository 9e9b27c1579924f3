"""Layers of networks: normalization, attention, recurrent layers and losses."""

from shapesmt.ops.torch.layers import attention, losses, normalization, recurrent

__all__ = ["attention", "losses", "normalization", "recurrent"]
