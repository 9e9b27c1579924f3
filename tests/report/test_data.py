"""Data: what appears in the dictionaries of its JSON, and which of them are shared."""

from __future__ import annotations

import dataclasses

from shapesmt.report.finding import Cause, Clash, Side
from shapesmt.report.report import (
    Bounds,
    Counts,
    DimBounds,
    TensorBounds,
)
from tests.report.test_report import CONCAT


def test_what_may_be_absent_appears_only_when_present():
    clash = Clash(Side("height", 65), Side("64", 64))
    rich = dataclasses.replace(CONCAT, clash=clash, note="inside If_0/then").to_dict()
    plain = CONCAT.to_dict()
    assert set(rich) - set(plain) == {"clash", "note"}
    assert rich["clash"] == {"left": {"expr": "height", "value": 65}, "right": {"expr": "64", "value": 64}}
    assert dataclasses.replace(CONCAT, counterexample=None).to_dict()["counterexample"] is None
    assert "value" not in Cause("n", "t", 0, "h").to_dict()
    assert Cause("n", "t", 0, "h", 0).to_dict()["value"] == 0
    assert Counts(1, 1, proved_by={"z3": 1}).to_dict()["proved_by"] == {"z3": 1}


def test_fifty_thousand_tensors_share_the_dictionaries_of_their_shapes():
    shapes = [TensorBounds("float32", (DimBounds(1, 32, f"b{i}"), DimBounds(1, 1, "1"))) for i in range(20)]
    bounds = Bounds("m", {}, {f"t{i}": shapes[i % 20] for i in range(50_000)})
    data = bounds.to_dict()
    assert bounds.exit_status == 0
    assert len(data["tensors"]) == 50_000
    assert len({id(tensor) for tensor in data["tensors"].values()}) == len(shapes)
    assert data["tensors"]["t20"] == data["tensors"]["t0"] != data["tensors"]["t1"]
