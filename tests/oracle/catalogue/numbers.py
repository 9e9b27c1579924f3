"""Signals, windows and training."""

from __future__ import annotations

import numpy as np

from tests.oracle.recipes import FLAG, op

RATE, STEP = np.float32(0.1), np.int64(1)

RECIPES = [
    *(op(name, ". n", periodic=FLAG) for name in ("HannWindow", "HammingWindow", "BlackmanWindow")),
    op("DFT", "f b n 1", onesided=FLAG, since=17, until=19),
    op("DFT", "f b n 1", "?. 4", ". 1", onesided=FLAG, since=20),
    op("DFT", "f b n m 2", "", ". 2", inverse=FLAG, since=20),
    op("STFT", "f b n 1", ". 2", "f 4", since=17, onesided=FLAG),
    op("STFT", "f b n 1", ". 1", "", ". 3", since=17),
    op("MelWeightMatrix", ". n", ". 8", ". 16", np.float32(1), np.float32(4)),
    *(
        op(name, RATE, STEP, "f *", "f *", *("f *" for _ in range(states)), outputs=1 + states, **attributes,
           domain="ai.onnx.preview.training")
        for name, states, attributes in (
            ("Adagrad", 1, {}),
            ("Adam", 2, {}),
            ("Momentum", 1, {"alpha": 0.9, "beta": 1.0, "norm_coefficient": 0.0, "mode": "standard"}),
        )
    ),
]  # fmt: skip
