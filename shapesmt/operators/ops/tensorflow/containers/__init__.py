"""Values other than dense tensors of numbers: lists, ragged and sparse tensors, tables, texts, encoded files."""
