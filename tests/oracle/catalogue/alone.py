"""Operators that hardly meet others in a graph, or only in operator sets that the random graphs don't have."""

from __future__ import annotations

from functools import partial

import numpy as np

from tests.oracle.recipes import FLAG, MICROSOFT, any_of, op

ms = partial(op, domain=MICROSOFT)
BYTES = [np.ones(shape, np.uint8) for shape in ((5, 4), (6, 4), (2, 4), 4, 4)]
SCALES, ZEROS = [np.float32(1)] * 5, [np.uint8(0)] * 5
HASHES = {"max_ngram_size": 3, "n_head_per_ngram": 2, "pad_id": 0}
TABLES = np.array([1, 3, 5]), np.array([7, 11, 13, 17])

RECIPES = [
    op("BitCast", "f *", to=any_of(6, 12), since=26),
    op("CumProd", "f n m", any_of(np.int64(0), np.int64(-1)), exclusive=FLAG, reverse=FLAG, since=26),
    ms("Inverse", "f * n n"),
    ms("ScaledSiLU", "f *"),
    ms("MatMulInteger16", "e n k", "e k m"),
    ms("MatMulFpQ4", "f n 40", np.ones(168, np.uint8), np.array([40, 4])),
    ms("AttnLSTM", "f s b 4", "f 1 8 11", "f 1 8 2", "?f 1 16", "", "?f 1 b 2", "?f 1 b 2", "", "f 1 2 3", "f 1 7 3",
       "f 1 3", "f b m 7", outputs=3, hidden_size=2),
    ms("EngramGate", "f b s m h", "f b s m h", "f b s h", "f m h", "f m h", "f m h", outputs=2),
    ms("MRotaryEmbedding", "f b s 8", "I 3 b s", "f m 2", "f m 2", mrope_section=[1, 1, 0], num_heads=2, assumed=True),
    ms("QEmbedLayerNormalization", "J b s", "J b s", *BYTES, "", *SCALES, *ZEROS, outputs=2),
    ms("NGramHashMapping", "i b s", *TABLES, "i b 2", np.zeros(4, np.int64), outputs=2, **HASHES),
    ms("VarlenNGramHashMapping", "i t+2", *TABLES, ":j = 0 2 t+2", "i 2 2", np.zeros(4, np.int64), outputs=2, **HASHES),
    ms("VarlenCausalConvWithState", "f t+2 c", "f c 1 3", ":j = 0 2 t+2", "?f c", "f 2 c 2", outputs=2),
]  # fmt: skip
