"""What isn't a dense tensor of numbers: lists, ragged rows, sparse tensors, tables, texts, encoded files."""

from shapesmt.ops.tensorflow.containers import decoding, lists, ragged, sparse, tables, texts

__all__ = ["decoding", "lists", "ragged", "sparse", "tables", "texts"]
