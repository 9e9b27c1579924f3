"""Layers of networks: activations, normalization, attention, recurrent layers and losses."""

from shapesmt.ops.torch.layers import activations, attention, losses, normalization, recurrent

__all__ = ["activations", "attention", "losses", "normalization", "recurrent"]
