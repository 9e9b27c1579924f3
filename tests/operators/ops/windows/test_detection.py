"""Detection against execution."""

from __future__ import annotations

import numpy as np
import pytest

import shapesmt
from tests.support.harness import agree, node


def far_apart(_, shape):
    """Boxes that don't overlap."""
    corners = np.arange(np.prod(shape[:-1])).reshape(*shape[:-1], 1) * 10.0
    return np.concatenate([corners, corners, corners + 1, corners + 1], -1)[..., : shape[-1]]


@pytest.mark.parametrize("most", [None, 0, 1, 2, 9, -3])
def test_non_max_suppression(most):
    shapes = {"x": ["b", "n", 4], "s": ["d", "c", "m"]}
    ranges = {"b": (1, 2), "d": (1, 2), "n": (0, 3), "m": (0, 3), "c": (0, 2)}
    inputs = ["x", "s"] + ([] if most is None else ["k"])
    constants = {} if most is None else {"k": np.array([most])}
    found = agree(
        node("NonMaxSuppression", inputs), shapes, ranges, constants=constants, data={"x": far_apart}, opset=11
    )
    assert found.ran


def test_its_limit_is_attained():
    shapes, ranges = {"x": [2, "n", 4], "s": [2, 3, "n"]}, {"n": (0, 4)}
    found = agree(
        node("NonMaxSuppression", ["x", "s", "k"]), shapes, ranges, items={"k": [2]}, data={"x": far_apart}, opset=11
    )
    made = found.inference.applications[-1]
    assert [str(f) for f in made.facts] == ["6*min(n, 2) >= `out.selected`"]


@pytest.mark.parametrize("counts", [[2, 1, 1], [1, 2, 3], ["k", "k", "k"]], ids=str)
def test_the_first_number_of_a_limit_counts(counts):
    shapes = {"x": [1, "n", 4], "s": [1, 2, "n"], **dict(zip("mtu", ([c] for c in counts), strict=True))}
    suppress, data = node("NonMaxSuppression", list(shapes)), {"x": far_apart, "m": lambda _, shape: np.ones(shape)}
    found = agree(suppress, shapes, {"n": (0, 3), "k": (1, 3)}, data=data, dtypes={"m": "int64"}, opset=11)
    assert found.ran
    constants = {"m": np.array([[2, 9]]), "t": np.array([1, 7], np.float32)}
    agree(node("NonMaxSuppression", ["x", "s", "m", "t"]), {"x": [1, "n", 4], "s": [1, 2, "n"]}, {"n": (0, 4)},
          constants=constants, data={"x": far_apart}, opset=11)  # fmt: skip


@pytest.mark.parametrize("limits", ["int64[k] m, float j, float t", "int64 m, float[k] j, float t",
                                    "int64 m, float j, float[k] t"])  # fmt: skip
def test_limits_of_no_number_or_of_several_are_left_open(limits):
    model = f"""<ir_version: 8, opset_import: ["": 18]>
    g (float[1, n, 4] x, float[1, 2, n] s, {limits}) => (y) {{ y = NonMaxSuppression(x, s, m, j, t) }}""".encode()
    verdicts = [shapesmt.check(model, dims={"k": k}).verdict.name for k in ("0..1", 0, 1, 2, "1..3")]
    assert verdicts == ["UNKNOWN", "UNKNOWN", "PROVED", "UNKNOWN", "UNKNOWN"]


@pytest.mark.parametrize("threshold", [-0.5, 0.0, 1.0, 1.5])
def test_thresholds(threshold):
    constants = {"k": np.array([2]), "t": np.array([threshold], np.float32)}
    suppress = node("NonMaxSuppression", ["x", "s", "k", "t"])
    agree(suppress, {"x": [1, "n", "f"], "s": [1, 1, "n"]}, {"n": (1, 2), "f": (3, 5)}, constants=constants, opset=11)
