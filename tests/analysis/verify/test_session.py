"""ONNX Runtime's default session runs, refuses and returns what the reports say of it."""

from __future__ import annotations

from itertools import product

import numpy as np
import onnx.parser
import pytest

import shapesmt
from shapesmt.base.deadline import look
from shapesmt.frontends import load
from shapesmt.operators.inference import session_graph
from tests.oracle.runner import value
from tests.support.sessions import HALF, LEVELS, ROWS, TABLE, half, outcome_at, parsed, sizes_at, started


def test_a_size_at_which_only_the_session_runs_is_a_warning_with_its_output():
    model = half("[4]")
    report = shapesmt.check(model, dims={"a": "1..8"})
    assert (report.verdict.value, report.precondition.text) == ("DEPENDS", ("a == 1",))
    (warning,) = report.warnings
    assert (warning.code, warning.kind.value, warning.node) == ("SM909", "session", "Reshape_9")
    assert warning.example.symbols == {"a": 2}
    assert warning.text == (
        "the file fails at a=2; ONNX Runtime's default session, where the only computed element of a target is "
        "inferred, would run there and give y 2x4"
    )
    assert outcome_at(model, {"a": 2}) == ([(2, 4)], None)


def test_the_file_alone_has_no_warning():
    report = shapesmt.check(half("[4]"), dims={"a": "1..8"}, session="file")
    assert report.precondition.text == ("a == 1",)
    assert report.warnings == ()


@pytest.mark.parametrize("work", ["session_graph", "examine"])
def test_a_session_that_time_ends_before_is_undecided(work, monkeypatch):
    model = parsed(f"g (float[n, 4] x) => (float[p, q] y) {{ {ROWS.format(start=-1)} y = Add (t, z) }}", **TABLE,
                   z=np.zeros((2, 4), np.float32))  # fmt: skip
    monkeypatch.setattr(f"shapesmt.analysis.verify.session.{work}", lambda *_, **__: look(hopeless=True))
    report = shapesmt.check(model, dims={"n": 1})
    assert (report.verdict.value, [finding.kind.value for finding in report.findings]) == ("UNKNOWN", ["timeout"])
    assert report.findings[0].law == "what the default session runs is looked at in the time given"


def test_a_node_that_only_the_session_refuses_is_a_finding():
    model = parsed(f"g (float[n, 4] x) => (float[p, q] y) {{ {ROWS.format(start=-1)} y = Add (t, z) }}", **TABLE,
                   z=np.zeros((2, 4), np.float32))  # fmt: skip
    assert shapesmt.check(model, dims={"n": 1}, session="file").ok
    report = shapesmt.check(model, dims={"n": "1"})
    (finding,) = report.findings
    assert (report.verdict.value, finding.kind.value, finding.node, finding.index) == ("FAILS", "session", "Add_7", 7)
    assert finding.note == "only in ONNX Runtime's default session, where a lookup of a range of rows is a slice"
    assert (finding.clash.left.value, finding.clash.right.value) == (0, 2)
    assert outcome_at(model, {"n": 1}) == (None, [(2, 4)])


def test_a_target_with_an_empty_axis_never_loads():
    model = parsed(
        """g (float[a, 5, 0] x) => (float[p, q, r] y) { s = Shape (x) zero = Constant <value_int = 0> ()
        one = Constant <value_int = 1> () n = Gather (s, zero) h = Add (n, one) first = Constant <value_ints = [0]> ()
        u = Unsqueeze (h, first) c = Constant <value_ints = [5, 0]> () t = Concat <axis = 0> (u, c)
        y = Reshape (x, t) }"""
    )
    report = shapesmt.check(model, dims={"a": "0..5"})
    assert shapesmt.check(model, dims={"a": "0..5"}, session="file").ok
    assert (report.verdict.value, report.findings[0].kind.value) == ("FAILS", "session")
    assert report.precondition.nowhere
    assert outcome_at(model, {"a": 2}) == (None, [(3, 5, 0)])


def test_an_output_that_has_another_shape_in_the_session_is_a_warning():
    model = parsed(f"g (float[n, 4] x) => (float[p, q] t) {{ {ROWS.format(start=-1)} }}", **TABLE)
    report = shapesmt.check(model, dims={"n": "1..6"})
    assert report.ok
    assert [w.text for w in report.warnings] == [
        "ONNX Runtime's default session would give 't' the shape 0x4 at n=1, the file 2x4"
    ]
    assert outcome_at(model, {"n": 1}) == ([(0, 4)], [(2, 4)])


@pytest.mark.parametrize("start", [0, -1, -2, 3])
@pytest.mark.parametrize("last", ["y = Identity (t)", "c = Concat <axis = 0> (x, z) y = Add (t, c)"])
def test_the_precondition_of_a_lookup_is_that_of_both(start: int, last: str):
    text = f"g (float[n, 4] x) => (float[p, q] y) {{ {ROWS.format(start=start)} {last} }}"
    model = parsed(text, **TABLE, z=np.zeros((1, 4), np.float32))
    report = shapesmt.check(model, dims={"n": "0..9"})
    runs = {n: outcome_at(model, {"n": n}) for n in range(10)}
    assert sizes_at(report, range(10)) == {n for n, (default, file) in runs.items() if default and file}
    further = {n for n, (default, file) in runs.items() if default and not file}
    assert {w.example.symbols["n"] for w in report.warnings if "the file fails" in w.text} == set(sorted(further)[:1])


@pytest.mark.parametrize(
    ("target", "sizes"),
    [("[8]", "[a, 4]"), ("[4, 0]", "[a, 4, 0]"), ("[0, 0]", "[a, 3, 0]"), ("[3, 0]", "[a, 5, 0]"), ("[-1]", "[a, 4]")],
)
@pytest.mark.parametrize("reshape", ["Reshape", "Reshape <allowzero = 1>"])
def test_the_precondition_of_a_reshape_is_that_of_both(target: str, sizes: str, reshape: str):
    model = half(target, sizes, reshape)
    report = shapesmt.check(model, dims={"a": "0..9"})
    runs = {a: outcome_at(model, {"a": a}) for a in range(10)}
    assert sizes_at(report, range(10), "a") == {a for a, (default, file) in runs.items() if default and file}


def test_reshapes_in_a_row_run_where_only_the_last_fits():
    model = parsed(
        """g (float[a, 4] x) => (float[p] y) { c = Constant <value_ints = [3, -1]> () r = Reshape (x, c)
        d = Constant <value_ints = [8]> () y = Reshape (r, d) }"""
    )
    report = shapesmt.check(model, dims={"a": "1..9"})
    assert report.precondition.nowhere
    assert report.warnings[0].example.symbols == {"a": 2}
    assert outcome_at(model, {"a": 2}) == ([(8,)], None)


def test_a_node_that_is_read_for_its_static_shape_only_is_not_run():
    model = parsed(
        """g (float[a, 4] x) => (int64[p] y) { c = Constant <value_ints = [12]> () r = Reshape (x, c)
        s = Shape (r) y = Neg (s) }"""
    )
    report = shapesmt.check(model, dims={"a": "1..9"})
    assert report.precondition.text == ("a == 3",)
    assert report.warnings[0].example.symbols == {"a": 1}
    assert outcome_at(model, {"a": 1}) == ([(1,)], None)


def test_an_allowed_zero_beside_minus_1_is_refused_once_it_is_a_constant():
    model = parsed(
        """g (float[a, 4] x) => (float[p, q] y) { c = Constant <value_ints = [-1]> ()
        d = Constant <value_ints = [0]> () t = Concat <axis = 0> (c, d) y = Reshape <allowzero = 1> (x, t) }"""
    )
    report = shapesmt.check(model, dims={"a": "0"})
    assert shapesmt.check(model, dims={"a": "0"}, session="file").ok
    assert (report.verdict.value, report.findings[0].kind.value) == ("FAILS", "session")
    default, file = outcome_at(model, {"a": 0})
    assert default is None
    assert file is not None


@pytest.mark.parametrize("size", ["n", ""])
@pytest.mark.parametrize("names", [{}, {"a": "m", "b": "m"}, {"a": "n"}, {"a": "m"}, {"b": "m"}, {"b": "n"}])
@pytest.mark.parametrize("make", ["a = Relu (x)", "a = Add (x, z)"])
def test_sizes_are_equal_by_the_names_that_the_file_gives_them(size, names, make, tmp_path):
    sizes = f"[{size or '?'}, 4]"
    values = ", ".join(f"float[{n}, 4] {name}" for name, n in names.items())
    model = parsed(
        f"""g (float{sizes} x, float[k, 4] z) => (float[p, q] y) <{values}> {{ {make} b = Sigmoid (x) s = Shape (a)
        zero = Constant <value_int = 0> () n = Gather (s, zero) first = Constant <value_ints = [0]> ()
        u = Unsqueeze (n, first) c = Constant <value_ints = [-1]> () t = Concat <axis = 0> (u, c) y = Reshape (b, t)
        }}"""
    )
    path = tmp_path / "optimized.onnx"
    started(model, LEVELS.ORT_ENABLE_ALL, path)
    run = session_graph(load(model))
    assert (run is None) == ("Shape" in {node.op_type for node in onnx.load(path).graph.node})


def test_equal_targets_are_computed_once_and_stay():
    model = parsed(
        f"""g (float[a, 4] x) => (float[p, q] y, float[p, q] z) {{ {HALF} c = Constant <value_ints = [4]> ()
        t = Concat <axis = 0> (u, c) y = Reshape (x, t) s2 = Shape (x) n2 = Gather (s2, zero) h2 = Div (n2, two)
        u2 = Unsqueeze (h2, first) t2 = Concat <axis = 0> (u2, c) x2 = Abs (x) z = Reshape (x2, t2) }}"""
    )
    assert shapesmt.check(model, dims={"a": "1..8"}).warnings == ()
    assert outcome_at(model, {"a": 2}) == (None, None)


def test_a_constant_of_another_input_is_no_constant_to_the_session():
    model = parsed(
        """g (float[a, 4] x, float[b, 8] w) => (float[p, q] y) { s = Shape (w) one = Constant <value_int = 1> ()
        n = Gather (s, one) first = Constant <value_ints = [0]> () u = Unsqueeze (n, first)
        c = Constant <value_ints = [2]> () t = Concat <axis = 0> (u, c) y = Reshape (x, t) }"""
    )
    report = shapesmt.check(model, dims={"a": "1..8", "b": 1})
    assert report.precondition.text == ("a == 4",)
    assert report.warnings[0].example.symbols["a"] == 1
    assert outcome_at(model, {"a": 1, "b": 1}) == ([(2, 2)], None)


def test_a_range_that_is_a_constant_in_the_end_is_no_slice():
    model = parsed(
        """g (float[a, 4] x) => (float[p, q] y) { s = Shape (x) last = Constant <value_int = -1> ()
        n = Gather (s, last) first = Constant <value_ints = [0]> () u = Unsqueeze (n, first)
        c = Constant <value_ints = [4]> () t = Concat <axis = 0> (c, u) q = Squeeze (x, first) r = Reshape (q, t)
        v = Shape (r) zero = Constant <value_int = 0> () m = Gather (v, zero)
        one = Constant <value_int = 1> () rows = Range (zero, m, one) y = Gather (x, rows) }"""
    )
    report = shapesmt.check(model, dims={"a": "0..9"})
    assert report.precondition.nowhere
    assert report.warnings[0].example.symbols == {"a": 4}
    assert [outcome_at(model, {"a": a}) for a in (3, 4)] == [(None, None), ([(4, 4)], None)]


def test_a_file_that_its_constants_contradict_is_refused():
    model = parsed(
        """g (float[a, 4] x) => (float[p, q] y) { c = Constant <value_ints = [-1]> () d = Constant <value_ints = [1]> ()
        t = Concat <axis = 0> (c, d) r = Reshape (x, t) w = Constant <value_ints = [1, 2]> () v = Tile (r, w)
        y = Concat <axis = 0> (v, r) }"""
    )
    report = shapesmt.check(model, dims={"a": "0..4"})
    assert shapesmt.check(model, dims={"a": "0..4"}, session="file").precondition.text == ("a == 0",)
    assert report.precondition.nowhere
    assert [(f.node, f.kind.value) for f in report.findings] == [("Concat_6", "session"), ("Concat_6", "requirement")]
    assert outcome_at(model, {"a": 0}) == (None, [(0, 2)])


def test_a_number_that_cannot_be_inferred_is_refused_before_reshapes_are_one():
    model = parsed(
        """g (float[a, 2, b] x) => (float[p] y) { c = Constant <value_ints = [2, 4]> () r = Reshape (x, c) s = Shape (x)
        two = Constant <value_int = 2> () n = Gather (s, two) first = Constant <value_ints = [0]> ()
        u = Unsqueeze (n, first) d = Constant <value_ints = [3]> () t = Concat <axis = 0> (d, u) q = Reshape (r, t)
        e = Constant <value_ints = [12]> () y = Reshape (q, e) }"""
    )
    report = shapesmt.check(model, dims={"a": "0..4", "b": "0..4"})
    assert (report.verdict.value, report.warnings) == ("FAILS", ())
    assert outcome_at(model, {"a": 2, "b": 3}) == (None, None)


def test_of_equal_nodes_the_first_in_the_session_s_order_is_retained():
    model = parsed(
        """g (float[a, 4] x) => (float[p] y, float[q] z) { s = Shape (x) zero = Constant <value_int = 0> ()
        n = Gather (s, zero) three = Constant <value_int = 3> () m = Add (n, three)
        first = Constant <value_ints = [0]> () u = Unsqueeze (m, first) t = Concat <axis = 0> (u) r = Reshape (x, t)
        y = Abs (r) t2 = Concat <axis = 0> (u) z = Reshape (x, t2) }"""
    )
    report = shapesmt.check(model, dims={"a": "0..4"})
    assert report.precondition.text == ("a == 1",)
    assert report.warnings[0].example.symbols == {"a": 0}
    assert outcome_at(model, {"a": 0}) == ([(0,), (0,)], None)


def test_a_shape_of_numbers_reads_nothing():
    model = parsed(
        """g (float[b, 2] x) => (float[p, q] y) { c = Constant <value_ints = [2, 4]> () r = Reshape (x, c)
        s = Shape (r) one = Constant <value_int = 1> () n = Gather (s, one) first = Constant <value_ints = [0]> ()
        u = Unsqueeze (n, first) d = Constant <value_ints = [1]> () t = Concat <axis = 0> (d, u) y = Reshape (r, t) }"""
    )
    report = shapesmt.check(model, dims={"b": "0..4"})
    assert report.precondition.nowhere
    assert report.warnings[0].example.symbols == {"b": 2}
    assert outcome_at(model, {"b": 2}) == ([(1, 4)], None)


def test_an_expansion_of_a_computed_tensor_to_0_is_removed():
    expanded = "g (float[a, 4] x) => (float[p, q] y) {{ w = Abs (x) z = Expand ({}, c) y = Neg (z) }}"
    model, of_input = (parsed(expanded.format(x), c=np.array([0, 4])) for x in "wx")
    report = shapesmt.check(model, dims={"a": "0..4"})
    assert report.precondition.text == ("a <= 1",)
    assert [w.text for w in report.warnings] == [
        "the file fails at a=2; ONNX Runtime's default session, where an expansion to numbers of at most 1, or to the "
        "same sizes, is removed, would run there and give y 2x4",
        "ONNX Runtime's default session would give 'y' the shape 1x4 at a=1, the file 0x4",
    ]
    assert [outcome_at(model, {"a": a}) for a in (1, 2)] == [([(1, 4)], [(0, 4)]), ([(2, 4)], None)]
    assert shapesmt.check(of_input, dims={"a": "0..4"}).warnings == ()
    assert [outcome_at(of_input, {"a": a}) for a in (1, 2)] == [([(0, 4)], [(0, 4)]), (None, None)]


@pytest.mark.parametrize("flag", [0, 1, -1, 2])
def test_channels_are_last_in_the_session_only_for_a_flag_of_1(flag):
    model = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["": 18, "com.microsoft": 1]>
    g (uint8[1, b, 2, c] x, uint8[2, 3, 2, 2] w) => (uint8[p, q, r, t] y) <float s = {{1}}, uint8 z = {{0}}>
    {{ y = com.microsoft.QLinearConv <channels_last = {flag}> (x, s, z, w, s, z, s, z) }}""")
    report = shapesmt.check(model, dims={"b": "2..4", "c": "2..4"})
    for sizes in ({"b": b, "c": c} for b in (2, 3, 4) for c in (2, 3, 4)):
        default, file = outcome_at(model, sizes)
        assert all(value(text, sizes) for text in report.precondition.text) is (None not in (default, file))
    assert [w.example.symbols for w in report.warnings] == ([] if flag in (0, 1) else [{"b": 3, "c": 2}])


def test_bounds_are_of_both():
    model = parsed(f"g (float[n, 4] x) => (float[p, q] t) {{ {ROWS.format(start=-1)} }}", **TABLE)
    bounds = shapesmt.bounds(model, dims={"n": "1..6"})
    rows = bounds.tensors["t"].shape[0]
    seen = {shapes[0][0] for n in range(1, 7) for shapes in outcome_at(model, {"n": n}) if shapes}
    assert (rows.min, rows.max) == (min(seen), max(seen))
    assert shapesmt.bounds(model, dims={"n": "1..6"}, session="file").tensors["t"].shape[0].min == 2


NORMALIZED = [  # a summand beside `x` of [b, n, 4], how the sum is normalized, with what parameters
    ("[b, n, 4]", "", "float[4] w, float[m] v"),
    ("[b, n, 4]", "", "float[m] w"),
    ("[b, n, 4]", "<axis = 1>", "float[n, 4] w"),
    ("[b, n, 4]", "<axis = 1>", "float[4] w"),
    ("[b, n, 4]", "", "float[1, m] w"),
    ("[b, m, 4]", "", "float[1] w"),
    ("[1, n, 4]", "", "float[m] w"),
    ("[n, 4]", "", "float[m] w"),
]


@pytest.mark.parametrize("case", NORMALIZED, ids=str)
@pytest.mark.parametrize("also", [False, True])
def test_the_precondition_of_a_normalized_sum_is_that_of_both(case, also):
    skip, attributes, parameters = case
    named = ", ".join(each.split("] ")[1] for each in parameters.split(", float"))
    model = parsed(
        f"""g (float[b, n, 4] x, float{skip} s, {parameters})
            => (float[p, q, r] y{", float[i, j, k] a" if also else ""})
        {{ a = Add (x, s) y = LayerNormalization {attributes} (a, {named}) }}"""
    )
    used = {d.dim_param for i in model.graph.input for d in i.type.tensor_type.shape.dim} - {""}
    report = shapesmt.check(model, dims=dict.fromkeys(used, "1..5"))
    for numbers in product((1, 2, 4, 5), repeat=len(used)):
        sizes = dict(zip(sorted(used), numbers, strict=True))
        default, file = outcome_at(model, sizes)
        assert all(value(text, sizes) for text in report.precondition.text) == bool(default and file)


RECIPROCALS = (  # what `x` of [n, 4] and `z` of one number are made to; `r` is 1 / x, `s` is 1 / z, with a 1 of [1]
    "y = Mul (s, z)",
    "y = Mul (z, s)",
    "t = Mul (s, z) y = Concat <axis = 0> (t, t)",
    "t = Mul (s, z) y = Concat <axis = 0> (t, s)",
    "y = Mul (r, z)",
    "y = Mul (s, s)",
    "l = Shape (x) g = Gather (l, first) q = Div (unit, g) p = Mul (q, twelve) y = ConstantOfShape (p)",
    "l = Shape (x) g = Gather (l, first) q = Div (unit, g) p = Mul (q, twelve) y = Reshape (x, p)",
)


@pytest.mark.parametrize("body", RECIPROCALS)
def test_the_precondition_of_a_product_with_a_reciprocal_is_that_of_both(body):
    numbers = {"first": np.array(0), "unit": np.array(1), "twelve": np.array([12]), "one": np.ones(1, np.float32)}
    model = parsed(f"g (float[n, 4] x, float z) => (float y) {{ r = Div (one, x) s = Div (one, z) {body} }}", **numbers)
    model.graph.output[0].type.tensor_type.ClearField("shape")
    report = shapesmt.check(model, dims={"n": "1..4"})
    for n in range(1, 5):
        default, file = outcome_at(model, {"n": n})
        assert all(value(text, {"n": n}) for text in report.precondition.text) == bool(default and file)
        assert default == file or file is None or default is None or report.warnings
