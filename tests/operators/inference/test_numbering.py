"""Sizes that data decides: equal where they are the same function of the same data, and judged like any other."""

from __future__ import annotations

import re

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


def test_a_number_that_may_wrap_is_another():
    wrapped = "i = Cast<to=6>(k) j = Cast<to=7>(i) a = ConstantOfShape(k) b = ConstantOfShape(j) z = Add(a, b)"
    inputs = "int64[q] l"
    report = checked(inputs, f"k = ReduceMax(l) {wrapped}", q="1..3")
    assert str(report.verdict) == "DEPENDS"


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
    body = f"{count} l = Add(k, c1) p = ConstantOfShape(k) q = ConstantOfShape(l) z = MatMul(p, q)"
    report = checked("bool[n] m", body, n="1..5")
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
    never = half.replace("0.5", "inf").replace("value_float=inf", "value=float {inf}")
    assert size("float[n] x", never, n="1..5")[2] is False
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

    def test_of_a_wider_mask_of_known_size(self):
        """The elements of a small mask are named symbols; indices found in it are data-dependent all the same."""
        assert str(checked("float[4] x, bool[6] m", self.MASKED).verdict) == "DEPENDS"
        assert str(checked("float[6] x, bool[6] m", self.MASKED).verdict) == "PROVED"

    def test_by_a_row(self):
        rows = "a = NonZero(m) i = Gather<axis=0>(a, {0}) z = Gather<axis=0>(x, i)"
        assert str(checked("float[n] x, bool[n, k] m", rows.format("c0")).verdict) == "PROVED"
        report = checked("float[n] x, bool[n, k] m", rows.format("c1"), n="1..3", k="1..3")
        assert (str(report.verdict), report.precondition.text) == ("DEPENDS", ("n >= k",))

    def test_written_back(self):
        put = "a = NonZero(m) t = Transpose(a) v = GatherND(x, t) w = Abs(v) z = ScatterND(x, t, w)"
        assert str(checked("float[n, k] x, bool[n, k] m", put).verdict) == "PROVED"

    def test_joined(self):
        twice = "a = NonZero(m) b = Squeeze(a, c0) i = Concat<axis=0>(b, b) z = Gather<axis=0>(x, i)"
        assert str(checked("float[n] x, bool[n] m", twice).verdict) == "PROVED"
        assert str(checked("float[n] x, bool[k] m", twice, n="1..3", k="1..3").verdict) == "DEPENDS"
        ahead = twice.replace("i = Concat<axis=0>(b, b)", "d = Add(b, c1) i = Concat<axis=0>(b, d)")
        assert str(checked("float[n] x, bool[n] m", ahead, n="1..3").verdict) == "DEPENDS"

    def test_of_two_trips(self):
        loop = """ones = Constant<value_ints=[2]>() count = Squeeze(ones, c0) k = Squeeze(c1, c0) go = Cast<to=9>(k)
        o, d = Loop<body = b (int64 i, bool c, int64[q] last, int64[q2] before) =>
        (bool e, int64[r] place, int64[s] by) {
        e = Identity(c) row = Gather<axis=0>(m, i) nz = NonZero(row) place = Squeeze(nz, c0) by = Sub(place, last)
        }> (count, go, start, start) z = Gather<axis=0>(w, d)"""
        report = checked("bool[2, n] m, float[1] w, int64[1] start", loop, n="3..4")
        assert "Gather" in [f.op_type for f in report.findings]

    def test_two_places_are_not_taken_for_one(self):
        """The difference of two unknown indices may be any number, so nothing is concluded from it."""
        far = "a = NonZero(m) i = Gather<axis=1>(a, c0) j = Gather<axis=1>(a, c1) d = Sub(i, j) s = Squeeze(d, c0) "
        report = checked("float[n] x, bool[n] m", far + "y = ConstantOfShape(s) z = Identity(y)", n="3..5")
        assert str(report.verdict) == "DEPENDS"  # of fewer than two there is no second


def test_places_are_data_that_others_are_computed_from():
    where = '<domain: "f", opset_import: ["": 18]> where (t) => (p) { q = NonZero(t) p = Cast<to=1>(q) }'
    body = "a = f.where(m) b = f.where(k) c = f.where(b) d = f.where(a) e = NonZero(c) g = NonZero(d) z = Add(e, g)"
    assert str(checked("bool[n] m, bool[n] k", body, where, n="3..4").verdict) == "DEPENDS"
    same = "a = f.where(m) b = f.where(m) c = f.where(b) d = f.where(a) z = Add(c, d)"
    assert (
        str(
            checked(
                "bool[n] m",
                same.replace("z = Add(c, d)", "e = Transpose(c) g = Transpose(d) z = Add(e, g)"),
                where,
                n="3..4",
            ).verdict
        )
        == "PROVED"
    )


@pytest.mark.parametrize(
    "count",
    ["i = Cast<to=1>(m) c = ReduceSum<keepdims=1>(i)", "w = NonZero(m) s = Shape<start=1>(w) c = Cast<to=1>(s)"],
)
def test_what_is_computed_of_a_count_is_data(count):
    """The result of an operator without computed elements is assumed to be valid for the node that reads it."""
    report = checked("bool[n] m", f"{count} e = Exp(c) k = Cast<to=7>(e) z = ConstantOfShape(k)")
    assert str(report.verdict) == "PROVED"


def test_the_first_of_none():
    """Whether there is a first nonzero element depends on data, at any size."""
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


SHAPES = "sx = Shape(x) minus = Constant<value_ints=[-1]>() "
EXPORTED = {
    "boxes that are selected, as torchvision does": (
        "float[1, n, 4] boxes, float[1, k, n] scores, float[n, 7] x",
        """most = Constant<value_ints=[50]>() iou = Constant<value_floats=[0.5]>()
        s = NonMaxSuppression(boxes, scores, most, iou) i2 = Constant<value_ints=[2]>() w = Gather<axis=1>(s, i2)
        v = Squeeze(w, c1) all = Squeeze(boxes, c0) b = Gather<axis=0>(all, v) f = Gather<axis=0>(x, v)
        u = Gather<axis=1>(s, c1) label = Cast<to=1>(u) z = Concat<axis=1>(b, f, label)""",
    ),
    "rows above a threshold": (
        "float[n, 85] x, float[n, 4] boxes",
        """i4 = Constant<value_int=4>() conf = Gather<axis=1>(x, i4) half = Constant<value_float=0.5>()
        m = Greater(conf, half) j = NonZero(m) i = Squeeze(j, c0) a = Gather<axis=0>(x, i) b = Gather<axis=0>(boxes, i)
        z = Concat<axis=1>(a, b)""",
    ),
    "x[mask] of PyTorch": (
        "float[n, k, 8] x, bool[n, k] m",
        SHAPES + "two = Constant<value_ints=[2]>() s = Slice(sx, c0, two) e = Expand(m, s) j = NonZero(e) "
        "t = Transpose(j) z = GatherND(x, t)",
    ),
    "masked_scatter": (
        "float[n, k] x, bool[n, k] m, float[n, k] w",
        SHAPES + "e = Expand(m, sx) j = NonZero(e) t = Transpose(j) r = Reshape(w, minus) st = Shape(t) "
        "c = Gather(st, c0) v = Slice(r, c0, c) z = ScatterND(x, t, v)",
    ),
    "index_put": (
        "float[n, k] x, bool[n, k] m, float value",
        SHAPES + "e = Expand(m, sx) j = NonZero(e) t = Transpose(j) y = Reshape(m, minus) i = Cast<to=7>(y) "
        "c = ReduceSum<keepdims=1>(i) v = Expand(value, c) z = ScatterND(x, t, v)",
    ),
    "values of a mask and of its negation": (
        "float[n] x, bool[n] m",
        "k = Not(m) a = Compress<axis=0>(x, m) b = Compress<axis=0>(x, k) j = Concat<axis=0>(a, b) z = Add(j, x)",
    ),
    "repeat_interleave": (
        "float[n, 8] x, int64[n] r",
        """k = Constant<value_int=0>() one = Constant<value_int=1>() t = ReduceSum<keepdims=0>(r) p = Range(k, t, one)
        last = CumSum(r, k) a = Unsqueeze(p, c1) l = GreaterOrEqual(a, last) i = Cast<to=7>(l)
        at = ReduceSum<keepdims=0>(i, c1) y = Gather<axis=0>(x, at) f = Cast<to=1>(a) z = Add(y, f)""",
    ),
    "a mask from lengths": (
        "float[b, s, 8] x, int64[b] lengths",
        """k = Constant<value_int=0>() one = Constant<value_int=1>() t = ReduceMax<keepdims=0>(lengths)
        p = Range(k, t, one) q = Range(k, t, one) l = Unsqueeze(lengths, c1) m = Less(p, l) o = Less(q, l)
        a = And(m, o) z = Cast<to=1>(a)""",
    ),
    "the last step of each sequence": (
        "float[b, s, 8] x, int64[b] lengths",
        """i = Sub(lengths, c1) d = Constant<value_ints=[1, 1, 8]>() u = Unsqueeze(i, c1) v = Unsqueeze(u, c1)
        e = Expand(v, d) y = GatherElements<axis=1>(x, e) z = Squeeze(y, c1)""",
    ),
    "the place of the greatest": (
        "float[b, s, 8] x, int64[b, s] ids",
        "i = ArgMax<axis=1, keepdims=0>(ids) z = Gather<axis=1>(x, i)",
    ),
    "words looked up": ("int64[b, s] ids, float[100, 8] x", "z = Gather<axis=0>(x, ids)"),
    "the best of a number that data decides": (
        "float[n] x, bool[n] m",
        "i = Cast<to=7>(m) c = ReduceSum<keepdims=1>(i) a, p = TopK(x, c) b = Compress<axis=0>(x, m) z = Add(a, b)",
    ),
    "boxes of each class, kept apart": (
        "float[n, 4] boxes, float[n] x",
        """half = Constant<value_float=0.5>() m = Greater(x, half) j = NonZero(m) i = Squeeze(j, c0)
        b = Gather<axis=0>(boxes, i) s = Gather<axis=0>(x, i) b3 = Unsqueeze(b, c0) s2 = Unsqueeze(s, c0)
        s3 = Unsqueeze(s2, c0) most = Constant<value_ints=[9]>() o = NonMaxSuppression(b3, s3, most)
        i2 = Constant<value_ints=[2]>() w = Gather<axis=1>(o, i2) v = Squeeze(w, c1) kb = Gather<axis=0>(b, v)
        ks = Gather<axis=0>(s, v) ku = Unsqueeze(ks, c1) z = Concat<axis=1>(kb, ku)""",
    ),
}


@pytest.mark.parametrize("name", EXPORTED)
def test_what_exporters_write_is_proved(name):
    inputs, body = EXPORTED[name]
    report = checked(inputs, body)
    assert [(f.node, f.condition) for f in report.findings] == []
    assert str(report.verdict) == "PROVED"
    ranges = dict.fromkeys(set(re.findall(r"[\[ ]([nkbs])(?=[,\]])", inputs)), "1..4")
    assert str(checked(inputs, body, **ranges).verdict) == "PROVED"


@pytest.mark.parametrize("op", ["ReduceMax", "ReduceMin"])
def test_the_extreme_of_nothing(op):
    """ONNX Runtime returns the type's minimum for ReduceMax of no elements."""
    of_sizes = "s = Shape(x) q = Squeeze(s) o = Constant<value_int=0>() p = Constant<value_int=1>() r = Range(o, q, p) "
    report = checked("float[n] x", f"{of_sizes} k = {op}(r) z = ConstantOfShape(k)", n="0..4")
    assert report.precondition.text == (("n >= 1",) if op == "ReduceMax" else ())


def test_the_greater_of_a_number_and_one():
    numbers = "k = ReduceMax(l) m = Max(k, c1) z = ConstantOfShape(m)"
    assert size("int64[b] l", numbers, b="1..4") == (1, None, False)
    assert size("int64[1] k, float[n] x", "m = Max(k, c1) z = ConstantOfShape(m)")[0] == 1
    clipped = "k = ReduceMax<keepdims=0>(l) o = Constant<value_int=2>() m = Clip(k, o) n = Unsqueeze(m, c0) "
    assert size("int64[b] l", clipped + "z = ConstantOfShape(n)", b="1..4") == (2, None, False)


def test_conditions_of_one_number_agree():
    branch = "If<then_branch = t () => (float[p] o) {{ o = Concat<axis=0>(x, x) }}, else_branch = e () => (float[r] i) "
    branch += "{{ i = Identity(x) }}> ({0})"
    body = f"t = ReduceMax<keepdims=0>(l) u = Cast<to=9>(t) v = Cast<to=9>(t) a = {branch} b = {branch} z = Add(a, b)"
    same = body.replace("({0})", "(u)", 1).replace("({0})", "(v)").replace("{{", "{").replace("}}", "}")
    assert str(checked("float[n] x, int64[k] l", same, n="2..4").verdict) == "PROVED"
    other = same.replace("v = Cast<to=9>(t)", "w = ReduceMin<keepdims=0>(l) v = Cast<to=9>(w)")
    assert str(checked("float[n] x, int64[k] l", other, n="2..4").verdict) == "DEPENDS"


NAMES = ("Expand", "ExpandDims", "Flatten", "Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze")


@pytest.mark.parametrize("name", [*NAMES, "Not", "Cast", "Concat"])
def test_a_function_with_a_name_of_onnx_is_not_taken_for_onnx_own(name):
    function = f'<domain: "f", opset_import: ["": 18]> {name} (u) => (v) {{ v = Not (u) w = Identity (v) }}'
    body = f"y = f.{name}(x) p = NonZero(x) q = NonZero(y) z = Add(p, q)"
    assert checked("bool[n] x", body, function, n="20..24").verdict.name == "DEPENDS"


@pytest.mark.parametrize("name", NAMES)
def test_a_plugin_with_a_name_of_onnx_is_not_taken_for_onnx_own(name):
    @shapesmt.rule(name, domain="com.example.named", total=True)
    def same_shape(ctx):
        return ctx.tensor(ctx.input(0).dims)

    text = f"y = com.example.named.{name}(x) p = NonZero(x) q = NonZero(y) z = Add(p, q)"
    source = f'<ir_version: 8, opset_import: ["": 18, "com.example.named": 1]> g (bool[n] x) => (z) {{ {text} }}'
    assert shapesmt.check(source.encode(), dims={"n": "2..8"}).verdict.name == "DEPENDS"


def test_two_nodes_of_a_plugin_agree_only_if_it_states_that_it_repeats():
    def verdict(name, **stated):
        @shapesmt.rule(name, domain="com.example.repeated", total=True, **stated)
        def same_shape(ctx):
            return ctx.tensor(ctx.input(0).dims)

        text = f"y = com.example.repeated.{name}(x) w = com.example.repeated.{name}(x) p = NonZero(y) q = NonZero(w)"
        imports = 'opset_import: ["": 18, "com.example.repeated": 1]'
        source = f"<ir_version: 8, {imports}> g (bool[n] x) => (z) {{ {text} z = Add(p, q) }}"
        return shapesmt.check(source.encode(), dims={"n": "2..8"}).verdict.name

    assert (verdict("Silent"), verdict("Stated", traits=shapesmt.Traits())) == ("DEPENDS", "PROVED")
