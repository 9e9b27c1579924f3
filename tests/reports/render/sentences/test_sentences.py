"""Sentences: a question answers with facts, which are worded when somebody reads the answer."""

from __future__ import annotations

import pytest

import shapesmt
from shapesmt.reports.answers import data

MODELS = {
    "title": (b"g (float[n, 3] x, float[m, 3] y) => (float[k, 3] z) { z = Add (x, y) }", {}),
    "stretched": (b"g (float[n, 4] x, float[m, 4] y) => (z) { z = Add (x, y) }", {"dims": {"n": "1..8", "m": "1..8"}}),
    "contradicted": (b"g (float[n] x) => (float[4] y) { y = Concat <axis = 0> (x, x) }", {}),
    "one value": (b"g (float[n] x) => (y) { y = Exp (x) }", {"dims": {"n": "1..64"}, "assume": ["n % 64 == 0"]}),
    "large": (b"g (float[n, m] x) => (y) { y = Exp (x) }", {"dims": {"n": "1..65536", "m": "1..65536"}}),
    "unread": (b"g (float[n] x, float[m] z) => (y) { y = Exp (x) }", {}),
    "unnamed": (b"g (float[None, None] x) => (y) { y = Exp (x) }", {}),
    "hints": (b"g (float[b, past] past_key, float[b, s] x) => (y) { y = Concat <axis = 1> (past_key, x) }", {}),
    "note": (b"g (float[n, m] x) => (y) <int64[2] t = {-1, 7}> { y = Reshape (x, t) }", {}),
    "case": (
        b"g (float[n] x, bool c) => (y) { y = If (c) <then_branch = t () => (a) { k = Constant <value_ints = [2]> ()"
        b" a = Reshape (x, k) }, else_branch = e () => (b) { b = Exp (x) }> }",
        {},
    ),
    "rank": (b"g (float[] x, float[3] y) => (float[] z) { z = Add (x, y) }", {}),
}


@pytest.mark.parametrize("name", MODELS)
def test_nothing_is_worded_before_it_is_read(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model, options = MODELS[name]
    model = b'<ir_version: 8, opset_import: ["":18]> ' + model
    told = shapesmt.check(model, **options).to_dict()
    with monkeypatch.context() as silence:
        silence.setattr(data, "words", lambda told: pytest.fail(f"{told} is worded before the answer is there"))
        report = shapesmt.check(model, **options)
    assert {**report.to_dict(), "seconds": told["seconds"]} == told
