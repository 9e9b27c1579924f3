"""Findings: one per root cause, where, when and why."""

from __future__ import annotations

from itertools import product

import onnx
import pytest

import shapesmt
from shapesmt.prover.algebra import Formula, Verdict
from shapesmt.prover.presolve import Domain
from shapesmt.reports.answers import Report
from shapesmt.reports.answers.finding import Finding

HEAD = '<ir_version: 8, opset_import: ["":18]> g '


def checked(text: str, **options: object) -> Report:
    return shapesmt.check(onnx.parser.parse_model(HEAD + text), **options)  # type: ignore[arg-type]


def only(report: Report) -> Finding:
    (finding,) = report.findings
    return finding


def test_a_condition_is_reported_once_and_then_assumed() -> None:
    report = checked(
        """(float[n, 3] x, float[m, 3] y) => (c) {
            [first] a = Add (x, y)
            [second] b = Mul (x, y)
            [third] c = Sub (a, b)
        }""",
        dims={"n": "2..8", "m": "2..8"},
    )
    assert only(report).node == "first"
    assert report.precondition is not None
    assert (report.precondition.text, report.precondition.exact) == (("m == n",), True)


def test_what_fails_everywhere_is_left_out() -> None:
    report = checked(
        """(float[n, 3] x, float[n, 4] y) => (a, d) <int64[2] t = {-1, 8}> {
            [impossible] a = Add (x, y)
            [fine] b = Relu (y)
            [sometimes] d = Reshape (b, t)
        }""",
        dims={"n": "1..9"},
    )
    assert [(f.node, f.verdict) for f in report.findings] == [
        ("impossible", Verdict.FAILS),
        ("sometimes", Verdict.DEPENDS),
    ]
    assert report.verdict is Verdict.FAILS
    assert report.precondition is not None
    assert report.precondition.text == ("False",)
    assert report.findings[1].holds_iff == "n % 2 == 0"


def test_the_smallest_counterexample() -> None:
    finding = only(
        checked("(float[b, h] x) => (y) <int64[2] t = {-1, 7}> { y = Reshape (x, t) }", dims={"b": "1..9", "h": "4..9"})
    )
    assert finding.counterexample is not None
    assert finding.counterexample.symbols == {"b": 1, "h": 4}
    assert finding.counterexample.inputs == {"x": (1, 4)}


def test_a_counterexample_keeps_to_the_assumptions() -> None:
    finding = only(
        checked(
            "(float[n] x, float[m] y) => (z) { z = Add (x, y) }",
            dims={"n": "2..9", "m": "2..9"},
            assume=["n >= m + 3"],
        )
    )
    assert finding.verdict is Verdict.FAILS
    assert finding.counterexample is not None
    assert finding.counterexample.symbols == {"n": 5, "m": 2}


def test_a_clash_shows_both_sides_and_their_values() -> None:
    finding = only(
        checked(
            """(float[1, 4, h, w] x, float[4, 4, 3, 3] k) => (z) <float[4] s = {1, 1, 2, 2}> {
                [down] d = Conv <strides = [2, 2], pads = [1, 1, 1, 1]> (x, k)
                [up] u = Resize <mode = "nearest"> (d, , s)
                [join] z = Concat <axis = 1> (u, x)
            }""",
            dims={"h": "8..64", "w": 16},
        )
    )
    assert (finding.node, finding.op_type, finding.index) == ("join", "Concat", 2)
    assert finding.holds_iff == "h % 2 == 0"
    assert finding.counterexample is not None
    assert finding.counterexample.symbols["h"] == 9
    assert finding.clash is not None
    assert {finding.clash.left.value, finding.clash.right.value} == {9, 10}
    assert "down" in {cause.node for cause in finding.because}


def test_holds_iff_is_the_nodes_own_condition() -> None:
    """The conditions of nodes on other branches aren't part of it, though they are assumed when it is proved."""
    report = checked(
        """(float[n, k] x, float[7, 2] w) => (a, b) <int64[2] t = {-1, 14}> {
            [one] a = MatMul (x, w)
            [two] b = Reshape (x, t)
        }""",
        dims={"n": "1..9", "k": "1..9"},
    )
    one, two = report.findings
    assert one.holds_iff == "k == 7"
    assert two.holds_iff is not None
    for n, k in product(range(1, 10), repeat=2):
        assert eval(two.holds_iff, {}, {"n": n, "k": k}) == (n * k % 14 == 0), two.holds_iff
    assert report.precondition is not None
    assert set(report.precondition.text) == {"k == 7", "n % 2 == 0"}


def test_an_operator_without_a_rule_is_a_finding() -> None:
    report = shapesmt.check(
        onnx.parser.parse_model(
            '<ir_version: 8, opset_import: ["":18, "my.own":1]> g (float[n] x) => (y) { [odd] y = my.own.Strange (x) }'
        )
    )
    finding = only(report)
    assert (finding.verdict, finding.kind, finding.node, finding.op_type) == (
        Verdict.UNKNOWN,
        "unsupported",
        "odd",
        "my.own.Strange",
    )
    assert report.verdict is Verdict.UNKNOWN
    assert report.precondition is not None
    assert not report.precondition.exact


@pytest.mark.parametrize(
    ("declared", "verdict"),
    [
        ("float[n, 4]", None),
        ("float[k, 4]", None),
        ("float[n, 5]", Verdict.FAILS),
        ("float[3, 4]", Verdict.DEPENDS),
        ("float[n]", Verdict.FAILS),
    ],
)
def test_declared_shapes_are_claims(declared: str, verdict: Verdict | None) -> None:
    model = onnx.parser.parse_model(f"{HEAD} (float[n, 4] x) => ({declared} y) {{ [copy] y = Relu (x) }}")
    found = [f.verdict for f in shapesmt.check(model).findings if f.kind == "declaration"]
    assert found == ([] if verdict is None else [verdict])
    assert not shapesmt.check(model, declared="ignore").findings


def test_a_model_that_data_can_make_fail_says_what_running_needs() -> None:
    """ONNX Runtime fails inside the condition on sizes if the data leave fewer than three elements."""
    model = """(float[n] x, float[m] z) => (v, i, s) <int64[1] k = {3}>
    { there = NonZero(x) row = Cast<to=1>(there) s = Add(x, z) v, i = TopK<axis=1>(row, k) }"""
    report = checked(model, dims={"n": "3..9", "m": "3..9"})
    region = report.precondition
    assert region is not None
    assert region.needs == ("m == n",)
    assert [(need.node, need.condition) for need in region.data_needs] == [("TopK_3", "`there.count` >= 3")]
    headline = str(report).splitlines()[-2]
    assert headline.endswith("needs m == n, and data for which `there.count` >= 3 at TopK_3")


def test_requirements_are_counted_for_every_node() -> None:
    counts = checked(
        "(float[n, 4] x, float[4, n] y) => (c) { a = MatMul (x, y) b = MatMul (x, y) c = MatMul (a, b) }"
    ).requirements
    assert counts.total == counts.proved == sum(counts.proved_by.values()) > 0
    failing = checked("(float[n, 4] x, float[m, 4] y) => (a) { a = Add (x, y) }").requirements
    assert (failing.depends, failing.fails, failing.unknown) == (1, 0, 0)
    assert failing.total == failing.proved + 1


def test_what_is_known_of_equal_findings_is_not_worked_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    applied: list[Formula] = []
    assume = Domain._assume
    monkeypatch.setattr(Domain, "_assume", lambda domain, fact: applied.append(fact) or assume(domain, fact))
    text = "(float[n, 3] x, float[m, 3] y, float[4, k] z) => (c, d) { a = Add (x, y) c = Tanh (a) d = Concat<axis=1> "
    text += "(z, a) }"
    dims = {"n": "2..800", "m": "2..800", "k": "1..9"}
    first = checked(text, dims=dims)
    assert len(first.findings) == 2
    assert first.remedy is not None
    applied.clear()
    again = checked(text.replace("c =", "[other] c ="), dims=dims)
    assert applied == []
    assert (again.findings, again.remedy) == (first.findings, first.remedy)
    shapesmt.bounds(onnx.parser.parse_model(HEAD + text), dims=dims)
    applied.clear()
    shapesmt.bounds(onnx.parser.parse_model(HEAD + text), dims=dims)
    assert applied == []


def test_what_a_node_rests_on_counts_as_it_is_for_all_inputs() -> None:
    """The second node was checked only for inputs for which the first runs; the third doesn't depend on the first."""
    report = checked(
        """(int64[2] p, float[b, 1] x, float[b] y) => (a, b1, d) <int64[1] i = {0}, int64[1] j = {1}> {
            one = Gather (p, i)
            two = Gather (p, j)
            most = Max (one, two)
            both = Concat <axis = 0> (most, most)
            [first] a, b1 = Split <axis = 0> (x, both)
            [second] c = Reshape (y, two)
            [third] d = Reshape <allowzero = 1> (c, most)
        }""",
        dims={"b": "1..4"},
        values={"p[0]": "-1..1", "p[1]": "0..2"},
    )
    third = next(f for f in report.findings if f.node == "third")
    assert third.holds_iff is not None
    for b, one, two in product(range(1, 5), range(-1, 2), range(3)):
        if two in (0, b):  # the second runs
            text = third.holds_iff.replace("`p[0]`", str(one)).replace("`p[1]`", str(two))
            assert eval(text, {"b": b, "max": max}) == ((two or b) == max(one, two)), (b, one, two)
