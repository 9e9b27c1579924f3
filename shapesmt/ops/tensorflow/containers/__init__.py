"""Values other than dense tensors of numbers: lists, ragged and sparse tensors, tables, texts, encoded files."""

from shapesmt.ops.tensorflow.containers import decoding, lists, ragged, sparse, tables, texts

__all__ = ["decoding", "lists", "ragged", "sparse", "tables", "texts"]
