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


def test_inspect_says_what_to_declare() -> None:
    model = b"""<ir_version: 8, opset_import: ["":18, "com.example": 1], producer_name: "maker", producer_version: "2">
    g (float[n, 4] x, float[n, m] w, bool cached) => (float[k, l] y) {
        z = Concat <axis=1> (x, w)
        y = com.example.Odd (z)
    }"""
    facts = shapesmt.inspect(model)
    assert (facts.exporter, facts.nodes, facts.missing) == ("maker 2", 2, {"com.example.Odd": 1})
    assert facts.dimensions["n"].axes == ("x[0]", "w[0]")
    assert facts.outputs["y"].shape is None
    assert facts.values == ("cached",)
    shown = str(facts)
    assert "  n  1..  x[0], w[0]\n" in shown
    assert "no rule for com.example.Odd (1 node)\n" in shown
    assert shown.endswith("--dim n=1.. --dim m=1..")
    assert facts.to_dict()["schema"] == "shapesmt/inspect/1"
