"""The operators of the random graphs, a line or two each.

To add one, write a line in the file of its family, as `tests/oracle/recipes.py` says; a new file is listed below. Every
rule of an operator that ONNX Runtime runs on a CPU has a line, or stands in `UNDRAWN` with the reason.
"""

from __future__ import annotations

from tests.oracle.catalogue import (
    alone,
    contrib,
    elementwise,
    flow,
    images,
    items,
    lists,
    ml,
    numbers,
    products,
    shapes,
)

RECIPES = tuple(
    recipe
    for family in (elementwise, shapes, items, lists, products, images, numbers, flow, ml, contrib)
    for recipe in family.RECIPES
)
ALONE = tuple(alone.RECIPES)
"""Lines of operators that are tried by themselves only."""
UNDRAWN = {
    "takes or makes a map, which isn't a tensor": {"CastMap", "DictVectorizer", "ZipMap"},
    "stands only in graphs that ONNX Runtime has optimized": {"MemcpyFromHost", "MemcpyToHost"},
    "runs graphs of whole language models": {"BeamSearch", "GreedySearch", "Sampling", "WhisperBeamSearch"},
    "is left undecided by its rule": {"GatedDeltaNet"},
    "takes a sparse tensor": {"SparseToDenseMatMul"},
    "needs caches that share their memory with its outputs": {"SparseAttention"},
    "is drawn from ONNX's own cases, as its operator set is another": {"TreeEnsemble"},
}
"""The operators that no line is about, by the reason."""
