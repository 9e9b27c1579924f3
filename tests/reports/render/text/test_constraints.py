"""What a node contributes to the solver's system, in words."""

from __future__ import annotations

import shapesmt
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Condition, NodeConstraints, Variable
from shapesmt.reports.render.text.constraints import constraint_lines

JOIN = b"""<ir_version: 8, opset_import: ["":18]> g (float[n, 3, h] x) => (y) {
    [half] a = MaxPool <kernel_shape = [2], strides = [2]> (x)
    [parts] b = Concat <axis = 2> (a, a)
    [join] y = Add (b, x)
}"""
EVIL = "\x1b[2J\u202e\n"


def section(node: str, **dims: str) -> list[str]:
    rows = str(shapesmt.explain(JOIN, node, dims=dims, constraints=True)).splitlines()
    return rows[next(i for i, row in enumerate(rows) if row.startswith("constraints of")) :]


def test_the_section():
    assert section("parts", h="2..64") == [
        "constraints of parts (Concat, node 1), in integers",
        "  free variables",
        "    n in 1..",
        "    h in 2..64",
        "  it reads",
        "    a[0] in 1..   = n",
        "    a[2] in 1..32 = h//2",
        "  it requires nothing",
        "  it defines",
        "    b[0] in 1..   = `a[0]`",
        "    b[2] in 2..64 = 2*`a[2]`",
        "  as SMT-LIB 2 (with all on which it rests: shapesmt encode MODEL NODE)",
        "    ; node parts",
        "    (define-fun |b[0]| () Int |a[0]|)",
        "    (define-fun |b[2]| () Int (* 2 |a[2]|))",
    ]


def test_a_law_that_holds_whatever_the_input():
    assert "    the window fits the padded input  PROVED (normal form)" in section("half", h="2..64")


def test_each_requirement_with_its_certificate():
    rows = section("join", h="2..64")
    first, second = rows[rows.index("    broadcast sizes are equal or 1") + 1 :][:2]
    assert first.endswith("  PROVED (normal form)")
    assert second in ("      h == `b[2]`  DEPENDS (enumeration)", "      `b[2]` == h  DEPENDS (enumeration)")


def test_a_node_without_requirements():
    system = NodeConstraints("a", "Relu", 0, (), (), (), (), "; node a")
    assert [str(row) for row in constraint_lines(system)][1:] == [
        "constraints of a (Relu, node 0), in integers",
        "  it requires nothing",
        "  as SMT-LIB 2 (with all on which it rests: shapesmt encode MODEL NODE)",
        "    ; node a",
    ]


def test_many_are_counted():
    many = tuple(Variable(f"x{{{i}}}", None, 7 if i else None) for i in range(30))
    needs = (Condition("law", "x == 1", Verdict.UNKNOWN, "timeout"),) * 30
    rows = [str(row) for row in constraint_lines(NodeConstraints("a", "Op", 0, many, (), needs, (), "line\n" * 30))]
    assert "    x{0}  in .." in rows
    assert "    x{1}  in ..7" in rows
    for what in ("variables", "requirements", "lines"):
        assert f"    ... 6 more {what}; --format json has all" in rows


def test_hostile_names_are_escaped():
    variables = (Variable(EVIL, 1, None, expr=EVIL),)
    needs = (Condition(EVIL, EVIL),)
    system = NodeConstraints(EVIL, EVIL, 0, variables, variables, needs, variables, f"; {EVIL}")
    assert all(str(row).isprintable() for row in constraint_lines(system))
