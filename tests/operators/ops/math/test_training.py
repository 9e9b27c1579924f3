"""Steps of training against execution."""

from __future__ import annotations

from functools import partial

import pytest

from tests.support.harness import agree, node as plain

node = partial(plain, domain="ai.onnx.preview.training")


@pytest.mark.parametrize(("op", "states"), [("Adagrad", 1), ("Momentum", 1), ("Adam", 2)])
@pytest.mark.parametrize("count", [1, 2])
def test_optimizers(op, states, count):
    names = [f"{kind}{i}" for kind in ["x", "g", "s", "t"][: 2 + states] for i in range(count)]
    made = [f"new_{n}" for n in names if not n.startswith("g")]
    attributes = {"norm_coefficient": 0.1}
    attributes |= {"alpha": 0.5, "beta": 0.5, "mode": "standard"} if op == "Momentum" else {}
    attributes |= {"alpha": 0.5, "beta": 0.5} if op == "Adam" else {}
    shapes = {"r": [], "k": [], **{n: ["n", 2] for n in names}}
    found = agree(node(op, ["r", "k", *names], made, **attributes), shapes, {"n": (1, 3)}, dtypes={"k": "int64"})
    assert found.ran == 3
