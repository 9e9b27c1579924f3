"""Sizes that data decides: equal where they are the same function of the same data, and judged like any other."""

from __future__ import annotations

import pytest

import shapesmt

HEADER = '<ir_version: 8, opset_import: ["": 18, "f": 1]> '
CONSTANTS = "c0 = Constant<value_ints=[0]>() c1 = Constant<value_ints=[1]>() "


def model(inputs, body, extra=""):
    return f"{HEADER} g ({inputs}) => (z) {{ {CONSTANTS}{body} }} {extra}".encode()


def checked(inputs, body, extra="", **dims):
    return shapesmt.check(model(inputs, body, extra), dims=dims)


def size(inputs, body, axis=0, **dims):
    found = shapesmt.bounds(model(inputs, body), dims=dims).tensors["z"].shape[axis]
    return found.min, found.max, found.exact


@pytest.mark.parametrize(
    ("inputs", "body"),
    [
        ("float[n] x, float[n] w", "a = NonZero(x) b = NonZero(w) z = Add(a, b)"),
        ("float[n] x, bool[n] m, bool[n] k", "a = Compress<axis=0>(x, m) b = Compress<axis=0>(x, k) z = Add(a, b)"),
        ("float[n] x, float[n] w", "a, i, j, k = Unique(x) b, l, m, o = Unique(w) z = Add(a, b)"),
        ("bool[n] m", "k = Not(m) a = NonZero(m) b = NonZero(k) z = Add(a, b)"),
        ("float[n] x, float[m] w", "a = NonZero(x) f = Cast<to=1>(a) z = Add(f, w)"),
        ("float[n] x", "r = RandomUniformLike(x) s = RandomUniformLike(x) a = NonZero(r) b = NonZero(s) z = Add(a, b)"),
    ],
)
def test_sizes_of_different_data_may_differ(inputs, body):
    report = checked(inputs, body, n="4..6")
    assert str(report.verdict) == "DEPENDS"
    assert [f.kind for f in report.findings] == ["data"]
    assert report.findings[0].counterexample.data


@pytest.mark.parametrize(
    "body",
    [
        "a = NonZero(m) b = NonZero(m) z = Add(a, b)",
        "i = Identity(m) a = NonZero(m) b = NonZero(i) z = Add(a, b)",
        "i = Cast<to=6>(m) a = NonZero(m) b = NonZero(i) z = Add(a, b)",
        "i = Unsqueeze(m, c0) j = Transpose(i) k = Squeeze(j, c1) a = NonZero(m) b = NonZero(k) z = Add(a, b)",
        "a = NonZero(m) i = Cast<to=7>(m) s = ReduceSum<keepdims=1>(i) b = ConstantOfShape(s) "
        "f = Cast<to=1>(a) z = Add(f, b)",
        "a = NonZero(m) i = Cast<to=1>(m) s = ReduceSum<keepdims=0>(i) t = Cast<to=7>(s) k = Constant<value_int=0>() "
        "l = Constant<value_int=1>() b = Range(k, t, l) z = Add(a, b)",
        "a = NonZero(m) b = Compress<axis=0>(x, m) f = Cast<to=1>(a) z = Add(f, b)",
        "k = Not(m) a = NonZero(m) b = NonZero(k) j = Concat<axis=1>(a, b) w = Cast<to=1>(j) z = Add(w, x)",
        "g1 = Greater(x, y) g2 = Greater(x, y) a = NonZero(g1) b = NonZero(g2) z = Add(a, b)",
        "a = f.where(m) b = f.where(m) z = Add(a, b)",
        "a = f.where(m) b = NonZero(m) z = Add(a, b)",
    ],
)
def test_sizes_of_the_same_data_agree(body):
    where = '<domain: "f", opset_import: ["": 18]> where (t) => (p) { q = Identity(t) p = NonZero(q) }'
    report = checked("bool[n] m, float[n] x, float[n] y", body, where, n="1..5")
    assert str(report.verdict) == "PROVED"


def test_a_function_that_is_called_twice_has_sizes_of_its_own_each_time():
    where = '<domain: "f", opset_import: ["": 18]> where (t) => (p) { p = NonZero(t) }'
    report = checked("bool[n] m, bool[n] k", "a = f.where(m) b = f.where(k) z = Add(a, b)", where, n="4..6")
    assert str(report.verdict) == "DEPENDS"


def test_inside_a_branch_a_size_of_what_is_captured_is_the_same():
    branch = "If<then_branch = t () => (int64[p, q] o) { b = NonZero(m) o = Add(a, b) }, "
    other = "else_branch = e () => (int64[r, s] u) { c = NonZero(k) u = Add(a, c) }> (t)"
    report = checked("bool[n] m, bool[n] k, bool t", f"a = NonZero(m) z = {branch}{other}", n="4..6")
    assert str(report.verdict) == "DEPENDS"
    assert "else_branch" in report.findings[0].note


@pytest.mark.parametrize(
    "count",
    [
        "a = NonZero(m) s = Shape(a) k = Gather(s, c1)",
        "i = Cast<to=7>(m) k = ReduceSum<keepdims=1>(i)",
    ],
)
def test_a_number_and_its_successor_never_agree(count):
    body = f"{count} l = Add(k, c1) p = ConstantOfShape(k) q = ConstantOfShape(l) r = Unsqueeze(p, c0) "
    report = checked("bool[n] m", body + "s1 = Unsqueeze(q, c0) z = Concat<axis=0>(r, s1)", n="1..5")
    assert str(report.verdict) == "FAILS"


def test_a_count_is_seen_through_what_is_computed_of_it():
    count = "i = Cast<to=7>(m) k = ReduceSum<keepdims=1>(i) "
    assert size("bool[n] m", count + "z = ConstantOfShape(k)", n="1..5") == (0, 5, True)
    assert size("bool[n] m", count + "l = Max(k, c1) z = ConstantOfShape(l)", n="1..5") == (1, 5, True)
    assert size("bool[n] m", count + "l = Min(k, c1) z = ConstantOfShape(l)", n="1..5") == (0, 1, True)
    assert size("bool[n] m", "i = Not(m) a = NonZero(i) z = Transpose(a)", n="1..5") == (0, 5, True)


def test_an_end_that_no_data_may_reach_is_not_called_exact():
    assert size("float[n] x", "a = Exp(x) b = NonZero(a) z = Transpose(b)", n="1..5") == (0, 5, False)
    half = "c = Constant<value_float=0.5>() a = Greater(x, c) b = NonZero(a) z = Transpose(b)"
    assert size("float[n] x", half, n="1..5") == (0, 5, True)
    both = "a = Greater(x, y) b = Less(x, y) c = NonZero(a) d = NonZero(b) j = Concat<axis=1>(c, d) z = Transpose(j)"
    assert size("float[n] x, float[n] y", both, n="1..5") == (0, 10, False)


class TestPlaces:
    """What `NonZero` finds lies inside the tensor that it looked at."""

    MASKED = "a = NonZero(m) t = Transpose(a) z = GatherND(x, t)"

    def test_of_the_same_tensor(self):
        assert str(checked("float[n, k] x, bool[n, k] m", self.MASKED).verdict) == "PROVED"
        assert str(checked("float[n, k, 3] x, bool[n, k] m", self.MASKED).verdict) == "PROVED"

    def test_of_a_wider_mask(self):
        report = checked("float[n] x, bool[k] m", self.MASKED, n="1..4", k="1..6")
        assert str(report.verdict) == "DEPENDS"
        assert report.findings[0].kind == "data"
        assert report.precondition.data
        assert (report.precondition.text, report.precondition.exact) == (("n >= k",), False)
        assert (report.findings[0].holds_iff, report.findings[0].safe_iff) == (None, "n >= k")

    def test_by_a_row(self):
        rows = "a = NonZero(m) i = Gather<axis=0>(a, {0}) z = Gather<axis=0>(x, i)"
        assert str(checked("float[n] x, bool[n, k] m", rows.format("c0")).verdict) == "PROVED"
        report = checked("float[n] x, bool[n, k] m", rows.format("c1"), n="1..3", k="1..3")
        assert (str(report.verdict), report.precondition.text) == ("DEPENDS", ("n >= k",))

    def test_written_back(self):
        put = "a = NonZero(m) t = Transpose(a) v = GatherND(x, t) w = Abs(v) z = ScatterND(x, t, w)"
        assert str(checked("float[n, k] x, bool[n, k] m", put).verdict) == "PROVED"

    def test_two_places_are_not_taken_for_one(self):
        """Their difference may be anything: nothing is concluded from it."""
        far = "a = NonZero(m) i = Gather<axis=1>(a, c0) j = Gather<axis=1>(a, c1) d = Sub(i, j) s = Squeeze(d, c0) "
        report = checked("float[n] x, bool[n] m", far + "y = ConstantOfShape(s) z = Identity(y)", n="3..5")
        assert str(report.verdict) == "DEPENDS"  # of fewer than two there is no second


def test_the_first_of_none():
    """Whether there is one hinges on data, at any size."""
    text = model("float[n] x", "a = NonZero(x) z = Gather<axis=1>(a, c0)")
    report = shapesmt.check(text, dims={"n": "1..4"})
    assert str(report.verdict) == "DEPENDS"
    assert (report.precondition.text, report.precondition.exact, report.precondition.data) == (("False",), False, True)
    assert report.findings[0].counterexample.data == {"a.count": 0}
    found = shapesmt.bounds(text, dims={"n": "1..4"})
    assert found.valid
    assert [(d.min, d.max) for d in found.tensors["a"].shape] == [(1, 1), (1, 4)]


def test_what_holds_for_no_data_fails():
    body = "a = NonZero(x) i = Constant<value_ints=[7]>() z = Gather<axis=1>(a, i)"
    report = checked("float[n] x", body, n="1..4")
    assert str(report.verdict) == "FAILS"
