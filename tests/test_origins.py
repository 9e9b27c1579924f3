"""Numbers that sizes decide are followed, or leave a node open; data is taken to be right."""

from __future__ import annotations

import pytest

import shapesmt

HEADER = '<ir_version: 8, opset_import: ["": 18, "f": 1]> '
SIZE = "s = Shape(x) zero = Constant<value_ints=[0]>() n = Gather(s, zero) f = Cast<to=1>(n) "
GROWN = SIZE + "e = Exp(f) t = Cast<to=7>(e) "
RANGE = "s = Shape(x) c0 = Constant<value_int=0>() c1 = Constant<value_int=1>() n = Gather(s, c0) r = Range(c0, n, c1) "


def checked(body, inputs="float[b] x", extra="", **dims):
    return shapesmt.check((f"{HEADER} g ({inputs}) => (y) {{ {body} }} {extra}").encode(), dims=dims or {"b": "1..6"})


@pytest.mark.parametrize(
    "body",
    [
        "y = Reshape(x, t)",
        "y = Expand(x, t)",
        "y = Gather(x, t)",
        "k = Tile(x, t) y = Add(k, x)",
        "k = ConstantOfShape(t) y = Add(k, x)",
        "k, i = TopK(x, t) y = Add(k, x)",
        "k = Unsqueeze(x, zero) y = ReverseSequence<batch_axis = 0, time_axis = 1>(k, t)",
        "k = Div(n, t) y = Identity(k)",
    ],
)
def test_a_node_is_left_open(body):
    report = checked(GROWN + body)
    assert str(report.verdict) == "UNKNOWN"
    assert {f.kind for f in report.findings} == {"elements"}
    assert "Exp" in report.findings[0].law
    assert not report.precondition.exact


@pytest.mark.parametrize(
    ("body", "inputs"),
    [
        ("t = Cast<to=7>(r) y = Reshape(x, t)", "float[b] x, float[1] r"),
        ("y = Gather(x, t)", "float[b] x, int64[k] t"),
        ("s = Shape(x) t = Cast<to=7>(r) u = Add(s, t) y = Reshape(x, u)", "float[b] x, float[1] r"),
        ("w = RandomUniform<shape=[1]>() t = Cast<to=7>(w) y = Gather(x, t)", "float[b] x"),
        ("w = NonZero(x) s = Shape(w) f = Cast<to=1>(s) y = Exp(f)", "float[b] x"),
    ],
)
def test_data_is_taken_to_be_right(body, inputs):
    assert str(checked(body, inputs).verdict) == "PROVED"


def test_inside_a_branch_and_a_function():
    grown = "y = If<then_branch = t () => (float[p] o) { o = Reshape(x, t) }, else_branch = e () => (float[q] o2) "
    outside = "float[b] x, bool k"
    assert str(checked(GROWN + grown + "{ o2 = Exp(x) }> (k)", outside).verdict) == "UNKNOWN"
    called = '<domain: "f", opset_import: ["": 18]> own (x, t) => (y) { y = Reshape(x, t) }'
    assert str(checked(GROWN + "y = f.own(x, t)", extra=called).verdict) == "UNKNOWN"
    whole = '<domain: "f", opset_import: ["": 18]> own (x) => (y) { ' + GROWN + "y = Reshape(x, t) }"
    assert str(checked("y = f.own(x)", extra=whole).verdict) == "UNKNOWN"
    given = checked("t = Cast<to=7>(r) y = f.own(x, t)", "float[b] x, float[1] r", extra=called)
    assert str(given.verdict) == "PROVED"


def test_a_condition_that_sizes_decide():
    """Only one of the branches is taken at each size, so that neither counts as failing."""
    body = "limit = Constant<value_floats=[20.0]>() long = Greater(e, limit) y = If<then_branch = t () => (float[p] o) "
    body += "{ o = Add(x, z) }, else_branch = e () => (float[q] o2) { o2 = Exp(x) }> (long)"
    report = checked(GROWN + body, "float[b] x, float[k] z", b="1..6", k="1..6")
    assert (str(report.verdict), {f.kind for f in report.findings}) == ("UNKNOWN", {"elements"})


def test_sizes_made_of_them_are_never_exact():
    found = shapesmt.bounds(f"{HEADER} g (float[b] x) => (y) {{ {GROWN} y = ConstantOfShape(t) }}".encode())
    assert [d.exact for d in found.tensors["y"].shape] == [False]


@pytest.mark.parametrize(
    ("body", "region"),
    [
        ("q = Mul(r, r) y = Gather(x, q)", ("b <= 2",)),
        ("c = Constant<value_int=3>() q = Mod(r, c) y = Gather(x, q)", ()),
        ("c = Constant<value_int=4>() d = Sub(c, r) y = Div(r, d)", ("b <= 4",)),
        ("c = Constant<value_int=1>() g = Greater(r, c) i = NonZero(g) w = Shape(i) y = Reshape(x, w)", ("False",)),
        (
            "q = Mul(r, r) m = ReduceMax<keepdims=0>(q) h = Constant<value_int=9>() k = Sub(h, m) y = Div(n, k)",
            ("b <= 3 or b >= 5",),
        ),
    ],
)
def test_every_position_is_looked_at(body, region):
    report = checked(RANGE + body)
    assert report.precondition.exact
    assert report.precondition.text == region


def relative_positions(buckets):
    """T5's buckets: distances up to 8 have their own, longer ones share by their logarithm."""
    return f"""{HEADER} g (int64[b, n] ids, float[{buckets}, 8] table) => (y) {{
        s = Shape(ids) c0 = Constant<value_int=0>() c1 = Constant<value_int=1>() n = Gather(s, c1) r = Range(c0, n, c1)
        a0 = Constant<value_ints=[0]>() a1 = Constant<value_ints=[1]>() q = Unsqueeze(r, a1) k = Unsqueeze(r, a0)
        d = Sub(k, q) after = Greater(d, c0) right = Cast<to=7>(after)
        c16 = Constant<value_int=16>() half = Mul(right, c16)
        a = Abs(d) c8 = Constant<value_int=8>() near = Less(a, c8) f = Cast<to=1>(a) f8 = Constant<value_float=8.0>()
        g = Div(f, f8) l = Log(g) w = Constant<value_float=2.7725887>() m = Div(l, w) h = Mul(m, f8) t = Cast<to=7>(h)
        far = Add(t, c8) c15 = Constant<value_int=15>() cut = Min(far, c15) one = Where(near, a, cut)
        place = Add(half, one) y = Gather(table, place) }}""".encode()


def test_relative_positions_are_proved_for_any_length():
    assert str(shapesmt.check(relative_positions(32)).verdict) == "PROVED"
    report = shapesmt.check(relative_positions(20), dims={"n": "1..128"})
    assert (report.precondition.text, report.precondition.exact) == (("n <= 4",), True)


def test_lists_of_any_length_are_no_excuse():
    """Elements known by a formula over positions, where a rule wants a list, leave a node open."""
    report = checked(RANGE + "y = Reshape(x, r)")
    assert (str(report.verdict), {f.kind for f in report.findings}) == ("UNKNOWN", {"elements"})


LOOP = """s = Shape(x) c1 = Constant<value_int=1>() n = Gather(s, c1) z0 = Constant<value_ints=[0]>()
    a1 = Constant<value_ints=[1]>() start = SequenceEmpty<dtype=1>()
    rows = Loop(n, , start) <body = b (int64 t, bool c, seq(float[p,q]) old) => (bool c2, seq(float[p,q]) new) {
        c2 = Identity(c) u = Unsqueeze(t, z0) e = Add(u, a1) part = Slice(x, z0, e, a1)
        new = SequenceInsert(old, part) }>
    """


@pytest.mark.parametrize(
    "body",
    [
        "w = ConcatFromSequence<axis=1>(rows) k = Constant<value_ints=[-1, 3]>() y = Reshape(w, k)",
        "y = ConcatFromSequence<axis=0>(rows)",
        "y = ConcatFromSequence<axis=0, new_axis=1>(rows)",
        "c0 = Constant<value_int=0>() a = SequenceAt(rows, c0) z = SequenceAt(rows, c1) y = Add(a, z)",
    ],
)
def test_sizes_that_differ_from_trip_to_trip(body):
    """Each trip puts a longer slice into the list: nothing is proved of what all of them have in common."""
    report = checked(LOOP + body, "float[b, m] x", b="1..3", m="2..6")
    assert (str(report.verdict), report.findings[-1].kind) == ("UNKNOWN", "elements")


def test_zeros_that_a_loop_adds_to():
    """What floats hold decides no size, even where it comes from sizes alone."""
    body = """s = Shape(x) i = Constant<value_int=0>() n = Gather(s, i) zeros = ConstantOfShape(s)
        y = Loop(n, , zeros) <body = b (int64 t, bool c, float[p] old) => (bool c2, float[p] new) {
            c2 = Identity(c) new = Add(old, x) }>"""
    assert str(checked(body).verdict) == "PROVED"


def test_a_slice_of_unknown_length_can_not_fail():
    report = checked(GROWN + "y = Slice(x, zero, t)")
    assert str(report.verdict) == "PROVED"
    assert (
        not shapesmt.bounds(f"{HEADER} g (float[b] x) => (y) {{ {GROWN} y = Slice(x, zero, t) }}".encode())
        .tensors["y"]
        .shape[0]
        .exact
    )


def test_a_buffer_that_is_cut_and_stretched():
    """BERT's token types: their places are cut from a buffer and repeated for the batch."""
    body = """s = Shape(x) one = Constant<value_ints=[1]>() zero = Constant<value_ints=[0]>()
        n = Slice(s, one, two, zero)
        cut = Slice(buffer, zero, n, one) rows = Expand(cut, s) y = Gather(table, rows)"""
    model = f"{HEADER} g (int64[b, n0] x, float[2, 4] table) => (y) <int64[1, 16] buffer = {{{', '.join('0' * 16)}}}, "
    model += f"int64[1] two = {{2}}> {{ {body} }}"
    report = shapesmt.check(model.encode())
    assert (report.precondition.text, report.precondition.exact) == (("n0 <= 16",), True)


def test_what_a_function_needs_is_kept_beside_a_size_that_is_lost():
    own = '<domain: "f", opset_import: ["": 18]> own (s) => (y, u) { u = Unique(s) z = ConstantOfShape(s) '
    own += "k = Constant<value_floats=[1.0, 2.0, 3.0]>() y = Add(z, k) }"
    report = checked("s = Shape(x) y, u = f.own(s)", "float[b, c] x", own, c="1..6")
    assert (str(report.verdict), report.precondition.text) == ("DEPENDS", ("c == 1 or c == 3",))
