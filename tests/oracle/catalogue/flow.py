"""Sequences, optional values, branches and loops."""

from __future__ import annotations

from tests.oracle.recipes import text

JOINED = "y = ConcatFromSequence<axis = {}>(s)"
BRANCH = """y = If (c) <then_branch = t () => (float[?,?] a) {{ {} }}, else_branch = e () => (float[?,?] b) {{ {} }}>"""
LOOP = """y, s = Loop (m, "", x) <body = b (int64 i, bool ci, float[a,d] a_in) =>
    (bool co, float[p,q] a_out, float[r,t] so) {{ co = Identity(ci) {} }}>"""
SCAN = """y, s = Scan <num_scan_inputs = 1, body = b (float[p] state, float[q] row) => (float[r] out, float[t] kept) {{
    out = {}(state, row) kept = Identity(row) }}> (x, z)"""
X, Z = "f n m", "f k m"

RECIPES = [
    text("s = SequenceConstruct(x, z) y = SequenceAt(s, p)", x=X, z=Z, p=". 1"),
    text("s = SequenceConstruct(x, z) y = SequenceAt(s, p)", x=X, z=Z, p=". n"),
    text("s = SequenceConstruct(x, z, x) l = SequenceLength(s) " + JOINED.format(0), x=X, z=Z),
    text("s = SequenceConstruct(x, z) " + JOINED.format(1), x=X, z="f n k"),
    text("s = SequenceConstruct(x, z) " + JOINED.format("-1, new_axis = 1"), x=X, z="f n m"),
    text("e = SequenceEmpty() s = SequenceInsert(e, x) t = SequenceInsert(s, z) y = SequenceAt(t, p)",
         x=X, z=Z, p=". -1"),
    text("s = SequenceConstruct(x, z) t = SequenceErase(s, p) q = SequenceLength(t)", x=X, z=Z, p=". 0"),
    text("s = SplitToSequence<axis = 0>(x, c) y = SequenceAt(s, p)", x="f n m", c=". 2", p=". 0"),
    text("s = SplitToSequence<axis = 1>(x, c) y = SequenceAt(s, p)", x="f n k+2", c="= k 2", p=". 1"),
    text("s = SplitToSequence<axis = 1, keepdims = 0>(x) l = SequenceLength(s)", x=X),
    text("o = Optional(x) y = OptionalGetElement(o) h = OptionalHasElement(o)", x=X),
    text("""s = SequenceConstruct(x, z) t = SequenceMap(s) <body = b (float[a,b2] e) => (float[d,e2] o)
        { o = Transpose(e) }> """ + JOINED.format(1).replace("(s)", "(t)"), x=X, z=Z),
    text(BRANCH.format("a = Add(x, z)", "b = Concat<axis=0>(x, z)"), x=X, z=Z, c="b"),
    text(BRANCH.format("a = Relu(x)", "b = Neg(x)"), x=X, c="b"),
    text(BRANCH.format("a = Identity(x)", "b = MatMul(x, z)"), x=X, z="f m k", c="b 1"),
    *(
        text(LOOP.format(body), x=X, m=trips)
        for trips in (". 3", ". n", ". 1")
        for body in (
            "a_out = Neg(a_in) so = Identity(x)",
            "a_out = Concat<axis=0>(a_in, x) so = Identity(x)",
            "a_out = Concat<axis=0>(x, x) so = Identity(x)",
        )
    ),
    text(SCAN.format("Add"), x="f m", z=Z),
    text(SCAN.format("Add"), x="f m", z="f k l"),
]  # fmt: skip
