"""Elements picked, put and counted."""

from __future__ import annotations

import numpy as np

from tests.oracle.recipes import AXIS, FLAG, any_of, op

RECIPES = [
    op("Gather", "f *", "I k", axis=AXIS, assumed=True),
    op("Gather", "T n m", np.array([0, -1]), axis=any_of(None, 1), kinds="fi"),
    op("Gather", "f * m", ". 1", axis=-1),
    op("Gather", "i n", "= 0", axis=0),
    op("GatherElements", "f n m", "I k m", axis=any_of(0, 0, 1), assumed=True),
    op("GatherElements", "f n m", np.zeros((2, 1), np.int64), axis=any_of(0, 1)),
    op("GatherND", "f n m k", "I j 2", assumed=True),
    op("GatherND", "f n m *", "I n 1", batch_dims=1, assumed=True),
    op("GatherND", "f n m", np.array([[0, 1], [1, 0]])),
    op("ScatterElements", "f n m", "I k m", "f k m", assumed=True),
    op("ScatterElements", "f n m", np.array([[0], [1]]), "f 2 1", axis=any_of(0, 1)),
    op("Scatter", "f n m", "I k m", "f k m", assumed=True, since=9, until=10),
    op("ScatterND", "f n m", "I k 1", "f k m", assumed=True),
    op("ScatterND", "f n m", np.array([[1, 0]]), "f 1", reduction=any_of(None, "add"), since=16),
    op("TensorScatter", "f b m 3", "f b k 3", "I b", axis=1, since=24, assumed=True),
    op("OneHot", "I n m", ". 3", np.array([0, 1], np.float32), axis=AXIS),
    op("OneHot", "I n", ". k", np.array([0, 1], np.float32)),
    op("TopK", "f n m", "= 2", outputs=2, axis=any_of(None, 0)),
    op("TopK", "f * m", "= m", outputs=2, largest=FLAG),
    op("TopK", "f n *", "= k", outputs=2, axis=0),
    op("NonZero", "T *", kinds="fb"),
    op("Compress", "f n m", "b n", axis=any_of(0, 1)),
    op("Compress", "f n m", "b k"),
    op("Compress", "f n m", np.array([True, False, True]), axis=any_of(None, 0, 1)),
    op("Unique", "f n m", outputs=4, axis=any_of(None, 0)),
    op("NonMaxSuppression", "f b n 4", "f b c n", ". 2"),
    op("Multinomial", "f n m", sample_size=3),
    op("TfIdfVectorizer", "i n m", mode="TF", min_gram_length=1, max_gram_length=1, max_skip_count=0,
       ngram_counts=[0], ngram_indexes=[0, 1], pool_int64s=[1, 2]),
]  # fmt: skip
