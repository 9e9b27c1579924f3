"""Numbers that sizes decide are followed, or leave a node open; data is taken to be right."""

from __future__ import annotations

from math import prod

import numpy as np
import onnx.parser
import pytest
from onnx import TensorProto, helper, numpy_helper

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
    """At each size only one of the branches runs, so neither counts as failing."""
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
    """A rule may need a list of elements that are known only as a formula: if it may be long, the node is undecided."""
    report = checked(RANGE + "y = Reshape(x, r)", b="1..600")
    assert (str(report.verdict), {f.kind for f in report.findings}) == ("UNKNOWN", {"elements"})
    assert checked(RANGE + "y = Reshape(x, r)").precondition.text == ("b <= 2",)  # few lengths are few cases


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
    """Each iteration appends a longer slice to the list, so nothing is proved about the sizes of all slices."""
    report = checked(LOOP + body, "float[b, m] x", b="1..3", m="2..6")
    assert (str(report.verdict), report.findings[-1].kind) == ("UNKNOWN", "elements")


def test_zeros_that_a_loop_adds_to():
    """The elements of floats decide no size, even if they are computed from sizes alone."""
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
    """As for BERT's token types: the indices are cut from a buffer and repeated for the batch."""
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


# Constants that aren't read


CONSTANTS = [
    numpy_helper.from_array(np.array(3.0), "c"),
    numpy_helper.from_array(np.array(3, np.uint64), "c"),
    numpy_helper.from_array(np.array(3.0, np.float16), "c"),
    helper.make_tensor("c", TensorProto.BFLOAT16, [], [3.0]),
    helper.make_tensor("c", TensorProto.FLOAT8E5M2, [], [3.0]),
    helper.make_tensor("c", TensorProto.INT4, [], [3]),
    numpy_helper.from_array(np.full(17, 3.0, np.float32), "c"),
    numpy_helper.from_array(np.full(1025, 3), "c"),
    numpy_helper.from_array(np.full((5, 70000), 3), "c"),
    numpy_helper.from_array(np.full((5, 70000), 3, np.int8), "c"),
    numpy_helper.from_array(np.full((5, 210000), 3), "c"),
]
FORMS = [(c, form) for c in CONSTANTS for form in ("initializer", "node")]
FORMS += [(c, "sparse") for c in CONSTANTS if c.data_type == TensorProto.FLOAT]


@pytest.mark.parametrize(
    ("constant", "form"),
    FORMS,
    ids=lambda c: c if isinstance(c, str) else f"{TensorProto.DataType.Name(c.data_type)} {list(c.dims)}",
)
def test_a_constant_that_decides_a_size_is_read(constant, form):
    """Large constants are read when a node depends on them; above the limit, that node is undecided."""
    model = onnx.parser.parse_model(
        HEADER.replace("18", "21") + "g (float[a, b] x) => (y) { f = Cast<to=7>(c) m = Constant<value_ints=[-1]>()"
        "l = Reshape(f, m) zero = Constant<value_ints=[0]>() k = Gather(l, zero) y = Reshape(x, k) }"
    )
    if form == "node":
        model.graph.node.insert(0, helper.make_node("Constant", [], ["c"], value=constant))
    elif form == "sparse":
        indices = numpy_helper.from_array(np.arange(17))
        model.graph.sparse_initializer.append(helper.make_sparse_tensor(constant, indices, [17]))
    else:
        model.graph.initializer.append(constant)
    report = shapesmt.check(model)
    count = prod(constant.dims)
    if count > (1 << 20 if constant.data_type == TensorProto.INT64 else 1 << 18):
        assert str(report.verdict) == "UNKNOWN"
        assert f"depends on 'c', whose numbers aren't known ({count:,} elements)" in report.findings[0].law
    else:
        assert (report.precondition.text, report.precondition.exact) == (("a*b == 3",), True)


def external(content: bytes | None, folder, dtype: int = TensorProto.DOUBLE, **where: str):
    """A model with a constant of one element in a file of its own, which decides a size."""
    model = onnx.parser.parse_model(HEADER + "g (float[a, b] x) => (y) { k = Cast<to=7>(c) y = Reshape(x, k) }")
    tensor = TensorProto(name="c", data_type=dtype, dims=[1], data_location=TensorProto.EXTERNAL)
    for key, value in {"location": "c.bin", **where}.items():
        tensor.external_data.add(key=key, value=value)
    model.graph.initializer.append(tensor)
    if content is not None:
        (folder / "c.bin").write_bytes(content)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    return shapesmt.check(folder / "model.onnx")


def test_constants_in_files_of_their_own(tmp_path):
    report = external(np.array([3.0]).tobytes(), tmp_path)
    assert report.precondition.text == ("a*b == 3",)


@pytest.mark.parametrize("where", [{}, {"location": "../c.bin"}, {"length": "4"}])
def test_constants_whose_file_is_missing_or_refused(tmp_path, where):
    content = np.array([3.0]).tobytes() if where else None
    report = external(content, tmp_path, **where)
    assert (str(report.verdict), report.precondition.exact) == ("UNKNOWN", False)
    assert [f.rests_on for f in report.findings] == [where.get("location", "c.bin")]
    assert report.absent[0].reason == ("short" if "length" in where else "missing")


ABSENT = TensorProto(name="c", data_type=TensorProto.INT32, dims=[1], data_location=TensorProto.EXTERNAL)


def test_data_beside_a_constant_that_is_not_read():
    """Concatenated elements are judged separately; a product of an unread constant and data is data."""
    unread = "k = Cast<to=7>(c) n = Cast<to=7>(f) "
    model = onnx.parser.parse_model(
        f"{HEADER} g (float[a, b] x, float[1] f) => (y) {{ {unread} t = Concat<axis=0>(n, k) y = Reshape(x, t) }}"
    )
    model.graph.initializer.append(ABSENT)
    assert str(shapesmt.check(model).verdict) == "UNKNOWN"
    for number, op in enumerate(("Mul", "Add")):
        model.graph.node[2].op_type = op
        del model.graph.node[2].attribute[:]
        assert str(shapesmt.check(model).verdict) == "PROVED", number


def test_parts_of_a_list_are_told_apart():
    """In the list [data, unread, a], the element that the node uses decides the verdict."""
    verdicts = {}
    for place in range(3):
        model = onnx.parser.parse_model(
            f"{HEADER} g (float[a, b] x, float[1] w) => (y) {{ n = Cast<to=7>(w) k = Cast<to=7>(c) s = Shape<end=1>(x)"
            f"t = Concat<axis=0>(n, k, s) i = Constant<value_ints=[{place}]>() d = Gather(t, i)"
            "e = Add(d, i) f = Sub(e, i) y = Reshape(x, f) }"
        )
        model.graph.initializer.append(ABSENT)
        verdicts[place] = str(shapesmt.check(model).verdict)
    assert verdicts == {0: "PROVED", 1: "UNKNOWN", 2: "DEPENDS"}


# Functions, branches and loops


FUNCTION = '<domain: "f", opset_import: ["": 18]> own (x) => (t) { '


@pytest.mark.parametrize(
    "body",
    [
        "e = Exp(f)",
        "w = Exp(f) e = Log(w)",
        "w = Exp(f) v = MatMul(w, w) m = Constant<value_ints=[-1]>() e = Reshape(v, m)",
        "w = Exp(f) e = ReduceMean<keepdims=1>(w)",
        "w = Exp(f) e = Softmax(w)",
        'w = Exp(f) e = Einsum<equation="i->i">(w)',
        "one = Constant<value_float=1.0>() w = Exp(f) q = QuantizeLinear(w, one) e = Cast<to=1>(q)",
    ],
)
def test_numbers_that_a_function_makes(body):
    steps = f"{SIZE} {body} t = Cast<to=7>(e) "
    report = checked("t = f.own(x) y = Reshape(x, t)", extra=FUNCTION + steps + "}")
    assert (str(report.verdict), {f.kind for f in report.findings}) == ("UNKNOWN", {"elements"})
    twice = '<domain: "f", opset_import: ["": 18, "f": 1]> outer (x) => (t) { t = f.own(x) } ' + FUNCTION + steps + "}"
    assert str(checked("t = f.outer(x) y = Reshape(x, t)", extra=twice).verdict) == "UNKNOWN"
    assert str(checked(steps + "y = Reshape(x, t)").verdict) == "UNKNOWN"


def test_numbers_that_a_function_makes_of_data():
    own = '<domain: "f", opset_import: ["": 18]> own (x, k) => (t) { e = Exp(k) t = Cast<to=7>(e) }'
    assert str(checked("t = f.own(x, k) y = Reshape(x, t)", "float[b] x, float[1] k", own).verdict) == "PROVED"
    assert str(checked(SIZE + "t = f.own(x, f) y = Reshape(x, t)", extra=own).verdict) == "UNKNOWN"


def test_numbers_that_branches_and_loops_make():
    branch = "t = If<then_branch = a () => (int64[1] p) { e = Exp(f) p = Cast<to=7>(e) }, "
    branch += "else_branch = c () => (int64[1] q) { q = Identity(n) }> (k) y = Reshape(x, t)"
    assert str(checked(SIZE + branch, "float[b] x, bool k").verdict) == "UNKNOWN"
    loop = """c3 = Constant<value_int=3>() start = Identity(n)
        t = Loop(c3, , start) <body = l (int64 i, bool c, int64[1] old) => (bool d, int64[1] new) {
            d = Identity(c) g = Cast<to=1>(old) e = Exp(g) new = Cast<to=7>(e) }> y = Reshape(x, t)"""
    assert str(checked(SIZE + loop).verdict) == "UNKNOWN"
    data = loop.replace("Identity(n)", "Cast<to=7>(k)")
    assert str(checked(data, "float[b] x, float[1] k").verdict) == "PROVED"
    assert str(checked(loop.replace("Identity(n)", "Identity(k)"), "float[b] x, int64[1] k").verdict) == "UNKNOWN"


@pytest.mark.parametrize(
    "node",
    [
        "RandomNormalLike(x)",
        "RandomUniformLike(x)",
        "Bernoulli(x)",
        "RandomNormal<shape=[4]>()",
        "RandomUniform<shape=[4]>()",
    ],
)
def test_random_numbers_are_data(node):
    body = f"r = {node} t = Cast<to=7>(r) y = Gather(table, t)"
    assert str(checked(body, "float[b] x, float[9] table").verdict) == "PROVED"


@pytest.mark.parametrize(("later", "verdict"), [("w", "DEPENDS"), ("u", "PROVED")])
def test_the_first_trip_of_a_loop_is_judged_by_itself(later, verdict):
    """The first iteration looks up row 7 of a table, later ones row `w` (an input) or `u` (cast from a float input)."""
    body = f"""s = Shape(x) n = Squeeze(s) start = Constant<value_ints=[7]>() u = Cast<to=7>(f)
        last, y = Loop(n, , start) <body = l (int64 i, bool c, int64[1] old) => (bool d, int64[1] new, float[1] row) {{
            d = Identity(c) new = Identity({later}) row = Gather(table, old) }}>"""
    inputs = "float[b] x, int64[1] w, float[1] f, float[{}] table"
    assert str(checked(body, inputs.format(5)).verdict) != "PROVED"
    assert str(checked(body, inputs.format(9)).verdict) == verdict


@pytest.mark.parametrize("size", [1, 2, 3])
def test_what_a_failing_node_leaves_has_no_elements(size):
    body = "c = Conv(x, w) d = Add(c, v) k = Cast<to=7>(d) y = Gather(x, k)"
    model = onnx.parser.parse_model(f"{HEADER} g (float[1, 1, b] x) => (y) {{ {body} }}")
    weights = {"w": np.ones((500, 1, 4)), "v": np.ones((1, 500, 1))}
    model.graph.initializer.extend(numpy_helper.from_array(np.float32(a), name) for name, a in weights.items())
    report = shapesmt.check(model, dims={"b": size})
    assert (str(report.verdict), report.findings[0].law) == ("FAILS", "the window fits the padded input")
