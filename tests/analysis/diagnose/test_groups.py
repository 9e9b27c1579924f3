"""Findings with one cause are one group, with the condition that covers it and the nodes behind it."""

from __future__ import annotations

import shapesmt

HEAD = '<ir_version: 8, opset_import: ["": 18, "com.example": 1]>\n'
PYRAMID = (
    HEAD
    + """g (float[1, 1, h, 8] x) => (float[a, b, c, d] y) {
    one = MaxPool <kernel_shape = [2, 1], strides = [2, 1]> (x)
    two = MaxPool <kernel_shape = [2, 1], strides = [2, 1]> (one)
    scales = Constant <value_floats = [1.0, 1.0, 2.0, 1.0]> ()
    up1 = Resize (two, , scales)
    joined1 = Concat <axis = 1> (one, up1)
    up2 = Resize (one, , scales)
    y = Concat <axis = 1> (x, up2)
}"""
)
UNKNOWN = (
    HEAD
    + """g (float[n] x, float[m] w, float[k] v) => (float[a] y, float[b] z) {
    u = com.example.Odd (x)
    t = Add (u, w)
    y = Mul (t, t)
    s = com.example.Odd (w)
    z = Add (v, w)
}"""
)


def test_the_same_law_on_the_same_dimensions_is_one_group_with_one_condition():
    report = shapesmt.check(PYRAMID.encode(), dims={"h": "4..64"})
    joins = [f for f in report.findings if f.code == "SM103"]
    assert [f.group for f in joins] == [0, 0]
    assert joins[0].holds_iff != joins[1].holds_iff
    assert report.groups[0].size == 2
    assert report.groups[0].holds_iff == "h % 4 == 0"
    assert shapesmt.check(PYRAMID.encode(), dims={"h": "4..64:4"}).verdict is shapesmt.Verdict.PROVED


def test_the_gravest_come_first_and_what_follows_from_others_is_counted_with_them():
    report = shapesmt.check(UNKNOWN.encode())
    assert [f.verdict.value for f in report.findings] == ["DEPENDS", *["UNKNOWN"] * (len(report.findings) - 1)]
    odd = next(f.group for f in report.findings if f.op_type == "com.example.Odd")
    assert report.groups[odd].size == 2
    behind = [f.node for f in report.findings if f.kind == "rank"]
    assert behind
    assert report.groups[odd].behind == len(behind)


def test_titles_name_both_sides():
    report = shapesmt.check(PYRAMID.encode(), dims={"h": "4..64"})
    assert report.findings[0].title == "one[2] is 3, up1[2] is 2"
    window = HEAD + "g (float[1, 1, w] x) => (float[a, b, c] y) { y = MaxPool <kernel_shape = [5]> (x) }"
    (finding,) = shapesmt.check(window.encode(), dims={"w": "1..9"}).findings
    assert finding.title == "the window needs 4, the padded input has 1"


def test_the_condition_of_a_group_is_over_the_inputs_that_other_nodes_before_it_take():
    """The first Reshape needs an even n; only for even n is the flattened tensor as long as x."""
    model = (
        HEAD
        + """g (float[n] x, float[m] w) => (float[a] y, float[b] z) {
        pair = Constant <value_ints = [-1, 2]> ()
        p = Reshape (x, pair)
        flat = Constant <value_ints = [-1]> ()
        f = Reshape (p, flat)
        y = Add (f, w)
        z = Mul (f, w)
        zero = Constant <value_ints = [0]> ()
    }"""
    )
    report = shapesmt.check(model.encode(), dims={"n": "2..9", "m": "2..9"})
    for group in report.groups:
        members = [f for f in report.findings if f.group == report.groups.index(group)]
        for n, m in ((n, m) for n in range(2, 10) for m in range(2, 10) if n % 2 == 0 and group.holds_iff):
            runs = shapesmt.check(model.encode(), dims={"n": n, "m": m})
            broken = {f.node for f in runs.findings}
            assert bool(eval(group.holds_iff, {}, {"n": n, "m": m})) == broken.isdisjoint(f.node for f in members)
