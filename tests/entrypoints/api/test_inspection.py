"""What can be looked at besides answers: operators with a rule."""

from __future__ import annotations

from dataclasses import replace

import shapesmt
from shapesmt.frontends import load
from shapesmt.reports.answers import TensorFacts
from tests.entrypoints.api.test_api import model
from tests.test_slow_models import shape_chain


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
    how = "with --dim NAME=LO..HI for each dimension that is bounded: shapesmt help ranges"
    assert shown.endswith(f"next: shapesmt check '<bytes>'\n  {how}")
    assert facts.to_dict()["schema"] == "shapesmt/inspect/1"


def test_inspect_shows_operator_sets_only_of_files_that_name_them() -> None:
    model = b"""<ir_version: 8, opset_import: ["":18]> g (float[n] x) => (float[n] y) { y = Exp (x) }"""
    facts = shapesmt.inspect(model)
    assert (facts.opsets, str(facts).splitlines()[0]) == ({"": 18}, "<bytes>: 1 node, opset ai.onnx 18")
    program = replace(load(model), schemas=None, exporter="PyTorch 2.13.0")
    facts = shapesmt.inspect(program)
    assert (facts.opsets, str(facts).splitlines()[0]) == ({}, "<bytes>: 1 node, from PyTorch 2.13.0")


def test_inspect_leaves_out_what_takes_too_long() -> None:
    slow = shape_chain(2000, "Mul", "Div", "Max", "Sub", "Min", "Mod").SerializeToString()
    facts = shapesmt.inspect(slow, timeout=0.1)
    assert facts.nodes == 2004
    assert facts.dimensions.keys() == {"n", "m"}
    assert facts.outputs.get("y", TensorFacts("", None)).shape is None


def test_inspect_shows_the_first_of_many_dimensions() -> None:
    sizes = ", ".join(f"d{i}" for i in range(14))
    text = str(
        shapesmt.inspect(
            model(f'<ir_version: 8, opset_import: ["":18]> g (float[{sizes}] x) => (float[k] y) {{ y = Exp (x) }}')
        )
    )
    assert "  d9 " in text
    assert "  d10 " not in text
    assert "  and 4 more; --format json has all\n" in text
