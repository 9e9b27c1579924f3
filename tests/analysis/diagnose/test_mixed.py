"""Findings about samples that don't stay apart, in the answer of `check`."""

import pytest

import shapesmt
from shapesmt.base.errors import UsageError
from shapesmt.prover.algebra import Verdict
from tests.support.onnx_text import proto

HEAD = '<ir_version: 8, opset_import: ["" : 18]> g '
BAKED = """(float[batch, 8, 40] x) => (float[m, k] y, float[batch, 8, 40] z)
    <int64[2] sizes = {4, -1}> { a = Relu(x) [head] h = Reshape(a, sizes) y = Softmax<axis = 1>(h) z = Abs(a) }"""


def checked(code: str, **options: object) -> shapesmt.Report:
    return shapesmt.check(proto(code, HEAD), **options)


def test_a_node_that_mixes_samples_is_a_finding() -> None:
    report = checked(BAKED, samples="batch")
    (found,) = report.findings
    assert (report.verdict, report.exit_status) == (Verdict.DEPENDS, 1)
    assert (found.code, found.kind, found.node, found.op_type) == ("SM701", "samples", "head", "Reshape")
    assert found.holds_iff == "batch <= 2 or batch == 4"
    assert found.counterexample is not None
    assert found.counterexample.symbols == {"batch": 3}
    assert found.title == "with batch = 3, [3, 8, 40] is read as [4, 240]: several samples share an index of each axis"
    assert [(cause.tensor, cause.axis) for cause in found.because] == [("x", 0)]


def test_the_answer_lists_every_output() -> None:
    answer = checked(BAKED, samples="batch").to_dict()["samples"]
    y = {"verdict": "mixed", "axis": None, "outer": None, "inner": None, "holds_iff": "batch <= 2 or batch == 4"}
    z = {"verdict": "apart", "axis": 0, "outer": "1", "inner": "1", "holds_iff": "True", "node": ""}
    assert answer == {
        "symbol": "batch",
        "verdict": "DEPENDS",
        "outputs": {"y": {**y, "node": "head", "op_type": "Reshape"}, "z": z},
    }


def test_a_model_whose_samples_stay_apart_is_proved() -> None:
    report = checked("(float[batch, 4] x) => (float[batch, 4] y) { y = Exp(x) }", samples=["batch"])
    assert (report.verdict, report.exit_status, report.findings) == (Verdict.PROVED, 0, ())
    assert "samples of batch stay apart" in str(report)
    assert "samples of batch in y: axis 0" in str(report)


def test_a_range_without_a_single_sample_fails() -> None:
    code = "(float[batch, 4] x) => (float y) { y = ReduceSum<keepdims = 0>(x) }"
    report = checked(code, samples="batch", dims={"batch": "2..8"})
    assert (report.verdict, report.findings[0].verdict) == (Verdict.FAILS, Verdict.FAILS)
    assert "samples are mixed for every input" in str(report)


def test_an_operator_without_a_rule_leaves_samples_undecided() -> None:
    report = checked("(float[batch, 4] x) => (int64[2, k] y) { y = NonZero(x) }", samples="batch")
    assert (report.verdict, report.exit_status) == (Verdict.UNKNOWN, 3)
    assert report.findings[0].title == "it isn't known which samples y depends on"


def test_several_dimensions_at_once() -> None:
    code = "(float[batch, seq] x) => (float[batch, seq] y) { y = Softmax<axis = 1>(x) }"
    report = checked(code, samples=("batch", "seq"))
    assert report.samples is not None
    verdicts = [answer.verdict.value for answer in (report.samples, *report.further_samples)]
    assert verdicts == ["PROVED", "DEPENDS"]


def test_a_dimension_that_no_input_has_is_an_error() -> None:
    with pytest.raises(UsageError, match="did you mean 'batch'"):
        checked(BAKED, samples="bach")
    with pytest.raises(UsageError, match="samples lists names of dimensions; it isn't 3"):
        checked(BAKED, samples=3)


def test_a_reshape_that_mixes_is_a_warning_unless_samples_were_asked_for() -> None:
    (warning,) = checked(BAKED).warnings
    assert (warning.code, warning.node, checked(BAKED).verdict) == ("SM910", "head", Verdict.PROVED)
    assert warning.text == "[batch, 8, 40] is read as [4, 80*batch]: if batch counts samples, they are mixed in y"
    assert not checked(BAKED, samples="batch").warnings


@pytest.mark.parametrize(
    "code",
    [
        "(float[batch, 6, 4] x) => (float[n, 4] y) <int64[2] s = {-1, 4}> { y = Reshape(x, s) }",
        "(float[batch, 6, 4] x) => (float[n, 24] y) <int64[2] s = {0, -1}> { y = Reshape(x, s) }",
        "(float[4, n] x) => (float[2, m] y) <int64[2] s = {2, -1}> { y = Reshape(x, s) }",
        "(float[a, 4] x, float[b, 4] z) => (float[2, m] y) <int64[2] s = {2, -1}> { y = Reshape(x, s) }",
    ],
)
def test_reshapes_of_which_nobody_can_say_that_they_mix_are_no_warnings(code: str) -> None:
    assert not [w for w in checked(code).warnings if w.code == "SM910"]


GUIDE = """(float[batch, 6, 16] x) => (float[batch, 6, n] y)
    <int64[3] size = {1, 12, 16}, int64[2] rest = {-1, 16}> {
    words = ConstantOfShape (size) s = Shape <start = 0, end = 1> (x) t = Concat <axis = 0> (s, rest)
    [spread] w = Reshape (words, t) k = Transpose <perm = [0, 2, 1]> (w) y = MatMul (x, k) }"""
PAIR = GUIDE.replace("{1, 12, 16}", "{2, 12, 16}")
SHARED_OUT = (
    "the constant [1, 12, 16] is read as [batch, 12//batch, 16]: if batch counts samples, each gets a part of it, "
    "which fits batch == 1 alone"
)


@pytest.mark.parametrize("dims", [{}, {"batch": "1..12"}, {"batch": 2}])
@pytest.mark.parametrize("samples", [(), ("batch",)])
def test_a_constant_that_is_shared_out_among_samples(dims: dict[str, object], samples: tuple[str, ...]) -> None:
    report = checked(GUIDE, dims=dims, samples=samples)
    assert [(w.code, w.node, w.text) for w in report.warnings] == [("SM910", "spread", SHARED_OUT)]
    assert report.remedy is None or report.remedy.dims == {"batch": "1"}


def test_a_constant_of_which_each_sample_has_what_it_was_made_for() -> None:
    assert not checked(GUIDE, dims={"batch": 1}).warnings
    assert not checked(PAIR, dims={"batch": 2}).warnings
    (warning,) = checked(PAIR, dims={"batch": "1..8"}).warnings
    assert warning.text.endswith("which fits batch == 2 alone")


def test_what_an_input_decides_is_no_constant() -> None:
    code = GUIDE.replace("(float[batch, 6, 16] x)", "(float[batch, 6, 16] x, float[1, 12, 16] u)")
    assert not checked(code.replace("Reshape (words", "Reshape (u")).warnings
    assert not checked(GUIDE.replace("rest = {-1, 16}", "rest = {12, 16}"), dims={"batch": 1}).warnings


def test_a_remedy_keeps_the_samples_apart_that_a_reshape_mixes() -> None:
    four = "(float[batch, 1, h, w] x) => (float[4, m] y) <int64[2] t = {4, -1}, float[1024, 2] v> {"
    four = four.replace(", float[1024, 2] v", ", int64[2] s = {1024, 2}") + " v = ConstantOfShape (s)"
    report = checked(four + " y = Reshape (x, t) z = MatMul (y, v) }", samples=())
    assert report.remedy is not None
    assert report.remedy.dims == {"batch": "4", "h": "32", "w": "32"}
    one = four.replace("=> (float[4, m] y)", "=> (float[1, n, m] z)").replace("{4, -1}", "{1, -1, 1024}")
    one = one.replace("[2] t", "[3] t")
    report = checked(one + " y = Reshape (x, t) u = MatMul (y, v) z = Softmax <axis = 1> (u) }")
    assert report.remedy is not None
    assert report.remedy.dims["batch"] == "1"


BOTH = """<ir_version: 8, opset_import: ["":18]>
    g (float[batch, 8, 40] x, float[batch, h] u, float[batch, w] v) => (float[p, q, r] z, float[s, t] o)
    <int64[3] t3 = {4, -1, 80}> { [fold] y = Reshape (x, t3) z = Exp (y) [add] o = Add (u, v) }"""


def test_a_remedy_with_which_samples_are_mixed_is_none() -> None:
    model = BOTH.encode()
    for dims in ({}, {"batch": "1..2"}):
        remedy = shapesmt.check(model, samples="batch", dims=dims).remedy
        assert remedy is not None
        assert shapesmt.check(model, samples="batch", dims={**dims, **remedy.dims}, assume=remedy.assume).ok
    mean = model.replace(b"z = Exp (y)", b"z = Softmax <axis = 0> (x)")
    assert shapesmt.check(mean).remedy is not None
    assert shapesmt.check(mean, samples="batch").remedy is None
