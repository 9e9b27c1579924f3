"""One rule per operator, one file per family; importing this package registers them all."""

from shapesmt.ops import blocks, control, elementwise, indexing, joining, linear, loss, normalization, quantization, random, recurrent, reduction, reshape, resize, sampling, scatter, sequences, shape, signal, slicing, spatial
from shapesmt.ops.registry import Rule, resolve, rule, rules

__all__ = ["Rule", "blocks", "control", "elementwise", "indexing", "joining", "linear", "loss", "normalization", "quantization", "random", "recurrent", "reduction", "reshape", "resize", "resolve", "rule", "rules", "sampling", "scatter", "sequences", "shape", "signal", "slicing", "spatial"]
