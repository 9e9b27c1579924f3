"""Derivation: findings that explain others come first."""

from __future__ import annotations

import shapesmt
from shapesmt.reports.answers import Report
from shapesmt.reports.render.text.findings import finding_lines
from tests.analysis.diagnose.test_explanation import model

EXCHANGED = """(float[n, 4] x) => (z) <float[4, 2] w = {0, 0, 0, 0, 0, 0, 0, 0}, float[2] b = {0, 0}> {
    [product] p = MatMul (w, x)
    [bias] z = Add (p, b)
}"""


def checked(text: str, **dims: str) -> Report:
    return shapesmt.check(model(text), dims=dims)


def test_a_node_that_runs_for_few_sizes_comes_before_what_it_explains() -> None:
    product, bias = checked(EXCHANGED, n="1..9").findings
    assert (product.node, product.verdict.value, product.explains) == ("product", "DEPENDS", ("bias",))
    assert (bias.node, bias.verdict.value, bias.explains) == ("bias", "FAILS", ())
    assert bias.to_dict()["unreached"] is True
    assert "  then bias fails for every input that gets there" in map(str, finding_lines(product))
    assert "  fails for every input that reaches it, as at n=2 (x 2x4)" in map(str, finding_lines(bias))


def test_a_condition_on_sizes_without_bounds_explains_if_it_is_an_equation() -> None:
    assert [f.node for f in checked(EXCHANGED).findings] == ["product", "bias"]


def test_a_node_that_runs_for_most_sizes_explains_nothing() -> None:
    report = checked(
        """(float[1, 2, n] x, float[1, 3, 1] y) => (z) <float[2, 2, 2] w = {0, 0, 0, 0, 0, 0, 0, 0}> {
            [conv] c = Conv (x, w)
            [join] z = Add (c, y)
        }""",
        n="1..9",
    )
    join, conv = report.findings
    assert (join.node, conv.node, conv.explains) == ("join", "conv", ())
    assert any(c.node == "conv" for c in join.because)
    assert join.unreached


def test_a_node_whose_sizes_another_never_reads_comes_after_a_graver_one() -> None:
    report = checked(
        """(float[n] x, float[5] v, float[n, 2] y, float[3] u) => (a, b) {
            [early] a = Add (x, v)
            [late] b = Add (y, u)
        }""",
        n="2..9",
    )
    assert [f.node for f in report.findings] == ["late", "early"]
    assert not report.findings[0].unreached
    assert any(str(row).startswith("  fails for every input, as") for row in finding_lines(report.findings[0]))
