"""Elementwise operators."""

from shapesmt.ops.torch.elementwise import choices, pairs, promotion, single

__all__ = ["choices", "pairs", "promotion", "single"]
