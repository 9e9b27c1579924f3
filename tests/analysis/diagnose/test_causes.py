"""Causes: sizes traced to the inputs, and those among elements."""

from __future__ import annotations

import copy
import pickle

from shapesmt.reports.render.text.findings import finding_lines
from tests.analysis.diagnose.test_explanation import explained, only


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
    assert ("more", None, 0, "n + 1") in [(c.node, c.axis, c.element, c.expr) for c in finding.because]


def test_an_element_is_shown_with_its_index() -> None:
    finding = only(
        """(float[4, 3] x, float[3, columns] w) => (y) <int64[1] one = {1}> {
            [shape] s = Shape (w)
            [grown] t = Add (s, one)
            [repeat] y = Expand (x, t)
        }""",
        dims={"columns": "3..9"},
    )
    text = "\n".join(map(str, finding_lines(finding)))
    assert finding.title == "x[1] is 3, element 1 of t is 4"
    assert "    x[1]           = 3\n    element 1 of t = columns + 1 = 4\n" in text
    assert "    element 1 of t = columns + 1 = 4  grown (Add)\n" in text
    assert finding.clash is not None
    assert finding.clash.right.to_dict() == {"expr": "columns + 1", "value": 4, "tensor": "t", "element": 1}
    assert [(c.tensor, c.axis, c.element) for c in finding.because] == [("w", 1, None), ("t", None, 1)]
    assert finding.because[1].to_dict()["element"] == 1


def test_settings_stand_with_each_cause() -> None:
    finding = only(
        """(float[1, 3, h, w] x) => (z) {
            [first] y = MaxPool <kernel_shape = [3, 3], strides = [2, 2]> (x)
            [second] z = MaxPool <kernel_shape = [9, 9]> (y)
        }""",
        dims={"h": "9..40", "w": "40..50"},
    )
    assert [c.attributes for c in finding.because] == ["", "kernel 3, stride 2"]
    sent = pickle.loads(pickle.dumps(finding))
    assert sent == copy.deepcopy(finding) == finding
    assert sent.because[1].to_dict()["attributes"] == "kernel 3, stride 2"
