"""Causes: sizes traced to the inputs, and those among elements."""

from __future__ import annotations

from tests.diagnose.test_explanation import explained, only


def test_sizes_from_several_inputs_are_all_traced() -> None:
    found = explained(
        """(float[1, past, 4] old, float[1, seq, 4] new) => (y) {
            [cache] all = Concat <axis = 1> (old, new)
            [twice] y = Concat <axis = 1> (all, all)
        }""",
        "y",
    )
    assert [(c.node, c.expr) for c in found.because] == [
        ("", "past"),
        ("", "seq"),
        ("cache", "seq + past"),
        ("twice", "2*seq + 2*past"),
    ]


def test_sizes_among_elements_are_traced() -> None:
    finding = only(
        """(float[n, 6] x) => (y) <int64[1] zero = {0}, int64[1] one = {1}, int64[1] five = {5}> {
            [shape] s = Shape (x)
            [rows] r = Gather <axis = 0> (s, zero)
            [more] m = Add (r, one)
            [both] t = Concat <axis = 0> (m, five)
            [fold] y = Reshape (x, t)
        }"""
    )
    assert finding.node == "fold"
    assert ("more", None, "n + 1", "Add") in [(c.node, c.axis, c.expr, c.op_type) for c in finding.because]
