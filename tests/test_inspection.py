"""What can be looked at besides answers: operators with a rule."""

from __future__ import annotations

import shapesmt
from tests.test_api import model


def test_operators() -> None:
    known = {o.qualified: o.since for o in shapesmt.supported_ops().operators}
    assert known["Add"] is not None
    text = (
        '<ir_version: 8, opset_import: ["":18, "my.own":1]> g (float[n] x) => (z) { y = my.own.Odd (x) z = Add (x, y) }'
    )
    used = shapesmt.supported_ops(model(text)).operators
    assert [(o.qualified, o.since is None, o.nodes) for o in used] == [("Add", False, 1), ("my.own.Odd", True, 1)]
