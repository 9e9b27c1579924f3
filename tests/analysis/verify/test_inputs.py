"""Elements of small inputs: their names, what is said of them, and where they show."""

from __future__ import annotations

import json
import subprocess
import sys
from html import escape

import pytest

import shapesmt
from shapesmt.base.errors import UsageError
from shapesmt.entrypoints.cli import main
from shapesmt.reports.render.text.text import lines

HEADER = '<ir_version: 8, opset_import: ["": 18]> g '
BY_RATE = """(float[n] x, int64 sr) => (y) <int64 k = {16000}, int64[1] five = {5}, int64[1] three = {3}> {
    fast = Equal(sr, k)
    y = If(fast) <then_branch = a () => (y1) { y1 = Reshape(x, five) },
                  else_branch = b () => (y2) { y2 = Reshape(x, three) }> }"""
BY_DATA = """(float[n] x) => (y) <int64[1] five = {5}> {
    total = ReduceSum<keepdims=0>(x) zero = Constant<value_float=0.0>() c = Greater(total, zero)
    y = If(c) <then_branch = a () => (y1) { y1 = Reshape(x, five) }, else_branch = b () => (y2) { y2 = Abs(x) }> }"""


def model(text):
    return (HEADER + text).encode()


def checked(text, **declared):
    return shapesmt.check(model(text), **declared)


def text_of(report):
    return "\n".join(map(str, lines(report)))


def test_a_value_that_selects_a_branch():
    report = checked(BY_RATE, dims={"n": "1..8"})
    assert str(report.verdict) == "DEPENDS"
    found = report.findings[0]
    assert (found.when, found.counterexample.symbols) == ("sr != 16000", {"n": 1, "sr": 0})
    assert found.counterexample.values == {"sr": (0,)}
    assert "  when sr != 16000\n" in text_of(report)
    assert report.to_dict()["findings"][0]["when"] == "sr != 16000"
    assert report.to_dict()["symbols"]["sr"] == {"min": -(2**63), "max": 2**63 - 1, "step": 1, "from": "input"}
    assert "n in 1..8, sr in int64" in text_of(report)


@pytest.mark.parametrize(("sr", "region"), [(16000, "n == 5"), ("8000", "n == 3"), ((0, 15999), "n == 3")])
def test_a_value_that_is_pinned(sr, region):
    assert checked(BY_RATE, values={"sr": sr}).precondition.text == (region,)


def test_a_value_that_is_assumed():
    assert checked(BY_RATE, assume=["sr == 16000"]).precondition.text == ("n == 5",)


def test_a_condition_that_data_decides():
    report = checked(BY_DATA, dims={"n": "1..8"})
    found = report.findings[0]
    assert (str(found.verdict), found.kind, found.when) == ("DEPENDS", "data", "'c' is true")


def test_a_value_that_decides_a_rank():
    text = """(float[n, m] x, bool flat) => (y) <int64[1] one = {1}> { y = If(flat)
        <then_branch = a () => (p) { p = ReduceSum<keepdims=0>(x, one) }, else_branch = b () => (q) { q = Abs(x) }> }"""
    assert list(checked(text).symbols) == ["n", "m", "flat"]
    assert "flat" in text_of(shapesmt.bounds(model(text)))


def test_all_commands_take_values(tmp_path):
    values, source = {"sr": 16000}, model(BY_RATE)
    assert shapesmt.bounds(source, values=values).tensors["x"].shape[0].max == 5
    assert shapesmt.explain(source, values=values).findings[0].holds_iff == "n == 5"
    assert "n == 5" in shapesmt.page(source, values=values)
    assert "|sr|" not in shapesmt.encode(source, values=values)
    assert "|sr|" in shapesmt.encode(source)
    tight = shapesmt.tighten(source, values=values, valid_only=True, trust_ranges=True)
    assert [d.dim_value for d in tight.graph.output[0].type.tensor_type.shape.dim] == [5]
    shapesmt.assert_proved(source, values=values, dims={"n": 5})
    assert shapesmt.check(source, values=values, certify=True).certificate == "REFUTED"


def test_a_failure_is_shown_with_its_value(tmp_path):
    report = checked(BY_RATE, values={"sr": "16000"}, replay=True)
    assert report.findings[0].replay.confirmed
    assert checked(BY_RATE, replay=True).findings[0].replay.confirmed
    script = tmp_path / "repro.py"
    script.write_text(shapesmt.repro(model(BY_RATE), values={"sr": 16000}))
    assert "[16000]" in script.read_text()
    assert subprocess.run([sys.executable, script], capture_output=True).returncode == 0


def test_elements_have_names():
    text = "(float[n] x, int64[2] steps, bool[1] twice) => (y) { y = Expand(x, steps) z = Not(twice) }"
    report = checked(text, values={"steps": "1..4", "steps[1]": 2})
    assert list(report.symbols) == ["n", "steps[0]", "steps[1]"]
    assert report.precondition.text == ("n <= 2",)
    assert report.symbols["steps[1]"].to_dict() == {"min": 2, "max": 2, "step": 1, "from": "--value"}
    assert str(checked(text, assume=["`steps[0]` >= 1 and `steps[1]` == n"]).verdict) == "PROVED"


def test_an_input_that_has_the_name_of_a_dimension():
    report = checked("(float[k] x, int64[1] k) => (y) { y = Expand(x, k) }", dims={"k": 4}, values={"k": "1..4"})
    assert report.precondition.text == ("`k[0]` == 1 or `k[0]` == 4",)


@pytest.mark.parametrize(
    ("values", "symbols", "verdict"),
    [({}, ["n"], "PROVED"), ({"at": "0..3"}, ["n", "at"], "DEPENDS"), ({"at": 0}, ["n", "at"], "PROVED")],
)
def test_an_index_is_data_unless_something_is_said_of_it(values, symbols, verdict):
    report = checked("(float[n] x, int64 at) => (y) { y = Gather(x, at) }", values=values, dims={"n": "1..9"})
    assert (str(report.verdict), list(report.symbols)) == (verdict, symbols)
    assert not report.warnings


SIZES = "s = Shape(x) double = Add(s, s) zero = Constant<value_int=0>() one = Constant<value_int=1>() "
TABLE = "float[4] table"


@pytest.mark.parametrize(
    ("text", "region"),
    [
        (
            "k = Where(c, double, s) end = Squeeze(k) i = Range(zero, end, one) y = Gather(table, i)",
            "n <= 2 or (3 <= n <= 4 and c == 0)",
        ),
        (
            """flag = Squeeze(c)
            z = If(flag) <then_branch = a () => (float[p] za) { za = Concat<axis=0>(x, x) },
                          else_branch = b () => (float[q] zb) { zb = Identity(x) }>
            k = Shape(z) last = Sub(k, one) y = Gather(table, last)""",
            "n <= 2 or (3 <= n <= 4 and c == 0)",
        ),
        ("f = Cast<to=7>(c) k = Mul(f, s) y = Slice(x, k, double) u = Gather(table, k)", "c*n <= 3"),
        ("f = Cast<to=7>(c) k = Sub(s, f) i = Unsqueeze(k, one) y = GatherND(table, k)", "n <= c + 3"),
    ],
)
def test_an_index_that_an_element_chooses_among_sizes_is_judged(text, region):
    inputs = f"(float[n] x, bool[1] c, {TABLE}) => (y)"
    free, named = (checked(f"{inputs} {{ {SIZES} {text} }}", values=values) for values in ({}, {"c": "0..1"}))
    assert free.precondition.text == named.precondition.text == (region,)
    assert free.precondition.exact
    assert not free.assumed


@pytest.mark.parametrize(
    ("text", "region"),
    [
        ("end = Squeeze(k) i = Range(zero, end, one) y = Gather(table, i)", "k <= 4"),
        ("at = Add(k, one) y = Gather(table, at)", "-5 <= k <= 2"),
        ("at = Max(k, s) y = GatherElements(table, at)", "n <= 3 and k <= 3"),
        ("t = Tile(x, k) at = Max(k, b0) y = Gather(table, at)", "0 <= k <= 3"),
        ("at = Where(c, k, s) y = ScatterElements(table, at, x)", "n == 1 and (c == 0 or -4 <= k <= 3)"),
    ],
)
def test_what_is_computed_from_an_element_is_no_data(text, region):
    inputs = f"(float[n] x, int64[1] k, bool[1] c, {TABLE}) => (y) <int64[1] b0 = {{0}}>"
    every = "-9223372036854775808..9223372036854775807"
    free, named = (checked(f"{inputs} {{ {SIZES} {text} }}", values=values) for values in ({}, {"k": every}))
    assert free.precondition.whole == named.precondition.whole == region
    assert not free.assumed


def test_what_data_are_assumed_to_satisfy_is_named():
    body = """{ at = Identity(k) y = Gather(table, at) j = Cast<to=7>(x) z = Gather(table, j)
        o = If(c) <then_branch = a () => (float[p] za) { inner: za = Gather(table, k) },
                  else_branch = b () => (float[q] zb) { zb = Identity(x) }> }"""
    named = body.replace("y = Gather", "[first] y = Gather").replace("z = Gather", "[second] z = Gather")
    named = named.replace("o = If", "[chosen] o = If").replace("inner: za", "[inner] za")
    report = checked(f"(float[n] x, int64[1] k, bool c, {TABLE}) => (y, z, o) {named}")
    law = "indices are inside the axis"
    found = [(a.node, a.op_type, a.tensor, a.law) for a in report.assumed]
    assert found == [
        ("first", "Gather", "at", law),
        ("second", "Gather", "j", law),
        ("chosen/then_branch/inner", "Gather", "", law),
    ]
    assert str(report.verdict) == "PROVED"
    shown = f"assumed of data: {law} ('at' at first, 'j' at second, at chosen/then_branch/inner)"
    assert shown in text_of(report)
    assert escape(shown) in report.page()
    assert report.to_dict()["assumed"][0] == {
        "node": "first", "op_type": "Gather", "index": 1, "tensor": "at", "law": law,
    }  # fmt: skip


def test_data_that_cant_make_a_node_fail_are_no_assumption():
    text = """big = Greater(x, x) s0 = Constant<value_ints=[0]>() e = Gather(big, s0) c = Squeeze(e)
        y = If(c) <then_branch = a () => (float[p] za) { za = Identity(x) },
                   else_branch = b () => (float[q] zb) { zb = Neg(x) }>
        i = Concat<axis=0>(ids, s) z = Gather(table, i)"""
    report = checked(f"(float[n] x, int64[m] ids, {TABLE}) => (y, z) {{ {SIZES} {text} }}")
    assert [(a.op_type, a.tensor) for a in report.assumed] == [("Gather", "i")]


def test_a_remedy_says_nothing_that_has_no_text():
    """A condition on a rounded float of two sizes can't be declared, so the remedy assumes nothing."""
    text = """c = Concat<axis=0>(s, k) d = Gather(c, s) f = Cast<to=1>(d) half = Constant<value_float=0.5>()
        h = Mul(f, half) r = Round(h) t = Cast<to=7>(r) pair = SequenceConstruct(x, table) y = SequenceAt(pair, t)"""
    report = checked(f"(float[n] x, int64[1] k, {TABLE}) => (y) {{ {SIZES} {text} }}", dims={"n": "0..4"})
    assert report.remedy is not None
    assert not report.remedy.assume
    assert report.precondition.partial


def test_a_float_that_sizes_depend_on():
    text = '(float[1, n] x, float[2] scales) => (y) { y = Resize<mode="nearest">(x, , scales) }'
    found = shapesmt.bounds(model(text), values={"scales": 2.0}, dims={"n": "1..4"})
    assert [d.expr for d in found.tensors["y"].shape] == ["2", "2*n"]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"st": 1}, "no small input 'st' in <bytes>; it has sr, b"),
        ({"x": 1}, "input 'x' of <bytes> is no tensor of 1 to 16 integers, booleans or floats and of a known shape"),
        ({"sr": "a"}, "'a' is no value of 'sr'; write 16000, 1..32, 0.., ..8, -4..4:2, or true or false"),
        ({"sr": "3..1"}, "'3..1' is no value of 'sr'"),
        ({"sr": 0.5}, "0.5 is no value of 'sr', which is int64"),
        ({"b": 2}, "range '2' of 'b' isn't inside 0..1, the numbers of bool"),
        ({"b": "true..3"}, "'true..3' is no value of 'b'"),
        ({"sr": 2**70}, "isn't inside -9223372036854775808..9223372036854775807, the numbers of int64"),
    ],
)
def test_a_mistake_is_one_line(values, message):
    with pytest.raises(UsageError) as raised:
        checked("(float[n] x, int64 sr, bool b) => (y) { y = Identity(x) z = Not(b) w = Neg(sr) }", values=values)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_the_command_line_and_the_configuration(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (("rate.onnx", BY_RATE), ("other.onnx", "(float[n] x) => (y) { y = Abs(x) }")):
        import onnx

        (tmp_path / name).write_bytes(onnx.parser.parse_model(HEADER + text).SerializeToString())
    assert main(["check", "rate.onnx", "--value", "sr=16000", "--format", "json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["precondition"] == {"text": ["n == 5"], "exact": True}
    assert report["symbols"]["sr"] == {"min": 16000, "max": 16000, "step": 1, "from": "--value"}
    assert main(["check", ".", "--value", "sr=16000", "--dim", "n=5", "-q", "--jobs", "1"]) == 0
    assert main(["check", ".", "--value", "st=16000", "--jobs", "1"]) == 2
    assert "no small input 'st' in any of 2 models" in capsys.readouterr().err
    (tmp_path / "shapesmt.toml").write_text('[values]\nsr = 8000\n[models."rate*"]\ndims = {n = 3}')
    assert main(["check", "rate.onnx", "other.onnx", "-q", "--jobs", "1"]) == 0
    assert main(["check", "rate.onnx"]) == 0
    assert "from shapesmt.toml: n = 3, sr = 8000" in capsys.readouterr().out
    (tmp_path / "shapesmt.toml").write_text('[values]\nsr = "x"')
    assert main(["check", "rate.onnx"]) == 2
    assert "shapesmt.toml: values.sr: 'x' is no value; write 16000" in capsys.readouterr().err


def test_what_would_help_names_values():
    text = "(float[n] x, int64[1] k) => (y) { y = Expand(x, k) }"
    report = checked(text, dims={"n": 1})
    assert report.remedy.to_dict() == {"dims": {}, "assume": [], "values": {"k": "0.."}}
    assert "PROVED with --value k=0.." in text_of(report)
    assert str(checked(text, dims={"n": 1}, values={"k": "0.."}).verdict) == "PROVED"


@pytest.mark.parametrize("op", ["CumSum", "ReduceMax"])
def test_elements_of_an_input_whose_length_is_pinned(op):
    """Its elements get names, as do those of an input whose length the file declares."""
    made = {"CumSum": "axis = Constant<value_int=0>() s = CumSum(sizes, axis)", "ReduceMax": "s = ReduceMax(sizes)"}[op]
    text = f"(float[n] x, int64[m] sizes) => (y) {{ {made} y = Expand(x, s) }}"
    report = checked(text, dims={"m": 1, "n": "2..4"})
    assert (str(report.verdict), [*report.symbols][-1]) == ("DEPENDS", "sizes")
    assert "n == sizes or sizes == 1" in report.precondition.text
    assert report.remedy is not None


def test_elements_that_have_names_since_a_size_is_pinned_make_a_list_of_that_size():
    text = "(int64[n] x, float[n] y, float[m] z) => (a, b) { a = ArgMin<axis=0>(x) b = Add(y, z) }"
    report = checked(text, dims={"n": 6, "m": 4}, values={"x": 1})
    assert [(str(f.verdict), f.node) for f in report.findings] == [("FAILS", "Add_1")]


def test_an_input_is_small_where_an_expression_of_pinned_sizes_says_so():
    report = checked('(int64["m+1"] sizes, float[m] z) => (y) { y = Expand(z, sizes) }', dims={"m": 1})
    assert [*report.symbols] == ["m", "sizes[0]", "sizes[1]"]
    assert report.precondition.text == ("`sizes[0]` >= 0", "`sizes[1]` >= 0")
