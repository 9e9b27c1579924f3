"""Indices that are counted grow with the sequence: they aren't taken to fit what they index, as other data are."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import onnx.parser
import onnxruntime as ort
import pytest

import shapesmt
from shapesmt.operators.rules import RuleContext
from shapesmt.prover.algebra.interning import forget

HEADER = '<ir_version: 8, opset_import: ["": 18]> '
ONE = "one = Constant<value_int=1>() two = Constant<value_int=2>() "
COUNTED = ONE + "c = CumSum(mask, one) "
FLAT = "all = Constant<value_ints=[-1]>() "

PADDED = "what isn't padding"  # each word is or isn't, so that how many are not is between none and all
POSITIONS = {  # each with the longest sequence whose positions fit the table of 16 rows
    "OPT": (COUNTED + "m = Mul(c, mask) p = Sub(m, one) i = Add(p, two) y = Gather(table, i)", 14),
    "counted twice": (COUNTED + "m = Add(c, c) i = Sub(m, one) y = Gather(table, i)", 8),
    "flattened": (COUNTED + FLAT + "i = Reshape(c, all) y = Gather(table, i)", 15),
    "joined and cast": (
        COUNTED + "a = Mul(mask, two) j = Concat<axis=1>(a, c) i = Cast<to=6>(j) y = Gather(table, i)",
        15,
    ),
    PADDED: (
        ONE + "e = Equal(mask, one) n = Not(e) t = Cast<to=6>(n) c = CumSum(t, one) m = Mul(c, t) "
        "w = Cast<to=7>(m) i = Add(w, one) y = Gather(table, i)",
        14,
    ),
    "padding at 1": (
        COUNTED + "p = Sub(c, one) z = Sub(one, one) e = Equal(mask, z) i = Where(e, one, p) y = Gather(table, i)",
        16,
    ),
}


def model(body):
    return f"{HEADER} g (float[16,4] table, int64[b,s] mask) => (y) {{ {body} }}".encode()


@pytest.mark.parametrize("name", POSITIONS)
def test_the_longest_sequence_runs(name):
    body, longest = POSITIONS[name]
    session = ort.InferenceSession(onnx.parser.parse_model(model(body).decode()).SerializeToString())
    for length, runs in ((longest, True), (longest + 1, False)):
        ones = np.full((2, length), 1 + (name == PADDED))
        feed = {"table": np.zeros((16, 4), np.float32), "mask": ones}
        with nullcontext() if runs else pytest.raises(Exception, match="indices element out of data bounds"):
            session.run(None, feed)


@pytest.mark.parametrize("name", POSITIONS)
def test_positions_in_a_table(name):
    body, longest = POSITIONS[name]
    dims = {"b": "1..4", "s": f"1..{longest}"}
    assert str(shapesmt.check(model(body), dims=dims).verdict) == "PROVED"
    report = shapesmt.check(model(body), dims={"b": "1..4", "s": f"1..{longest + 1}"})
    assert not report.precondition.exact
    if name == PADDED:
        assert (str(report.verdict), report.findings[0].kind) == ("DEPENDS", "data")
        assert report.precondition.text == (f"s <= {longest}",)
        assert report.findings[0].counterexample.symbols["s"] == longest + 1
    else:
        assert str(report.verdict) == "UNKNOWN"
        assert report.findings[0].law.startswith("indices are inside the axis: counted by a mask of ones, 'i' holds ")
        assert (report.findings[0].code, report.remedy.dims) == ("SM607", {"s": f"1..{longest}"})
    related = shapesmt.check(model(body), dims={"b": "1..4", "s": "1..40"}, assume=[f"s + b <= {longest + 1}"])
    assert str(related.verdict) == "PROVED"


@pytest.mark.parametrize(("longest", "certified"), [(14, "PROVED"), (15, "REFUTED")])
def test_the_complete_system_has_the_counted_places(longest, certified):
    report = shapesmt.check(model(POSITIONS[PADDED][0]), dims={"s": f"1..{longest}"}, certify=True)
    assert report.certificate == certified


def test_what_is_looked_up_at_counted_places_isnt_counted():
    body = POSITIONS[PADDED][0].replace(
        "y = Gather(table, i)", "k = GatherElements<axis=1>(types, i) y = Gather(pair, k)"
    )
    text = f"{HEADER} g (float[1,4] pair, int64[b,64] types, int64[b,s] mask) => (y) {{ {body} }}"
    assert str(shapesmt.check(text.encode(), dims={"b": "1..4", "s": "1..40"}).verdict) == "PROVED"


def test_counts_that_are_greatest_between_none_and_all():
    body = ONE + "e = Equal(mask, one) t = Cast<to=7>(e) c = CumSum(t, one) s = Shape<start=1>(mask) "
    between = "d = Sub(s, c) i = Mul(c, d) y = Gather(table, i)"  # up to 4 * 4 of 8 words, 0 of none and of all
    assert str(shapesmt.check(model(body + between), dims={"s": 8}).verdict) == "UNKNOWN"


def test_inside_a_branch():
    body = COUNTED + "y = If<then_branch = t () => (float[p] o) { o = Gather(x, c) }, "
    body += "else_branch = e () => (float[q] o2) { d = Sub(c, one) o2 = Gather(table, d) }> (flag)"
    text = f"{HEADER} g (float[16,4] table, float[9] x, bool flag, int64[b,s] mask) => (y) {{ {body} }}"
    for longest, lookups in ((8, 0), (9, 1), (17, 2)):
        report = shapesmt.check(text.encode(), dims={"b": "1..4", "s": f"1..{longest}"})
        assert str(report.verdict) == ("UNKNOWN" if lookups else "PROVED")
        assert len(report.findings) == lookups


LOOKED_UP = """<ir_version: 10, opset_import: ["": 18, "local": 1]>
g (int64[1, s] mask, float[32, 4] table, bool again) => (float[1, s, 4] y) <int64 axis = {{1}}, int64 n = {{3}}> {{
  {body}
}}
<domain: "local", opset_import: ["": 18]>
look (t, i) => (o) {{ o = Gather (t, i) }}
<domain: "local", opset_import: ["": 18]>
positions (m) => (o) {{ axis = Constant <value = int64 {{1}}> () o = CumSum (m, axis) }}"""
LOOP = """z = Gather (table, mask)
  q, y = Loop (n, again, p, z) <body = b (int64 i, bool k, int64[1, s] a, float[1, s, 4] w) =>
    (bool k2, int64[1, s] a2, float[1, s, 4] w2) {{ k2 = Identity (k) a2 = Identity (a) w2 = Gather (table, a) }}>"""


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("p = CumSum (mask, axis) y = local.look (table, p)", "UNKNOWN"),
        ("y = local.look (table, mask)", "PROVED"),
        ("w = local.look (table, mask) p = CumSum (mask, axis) y = local.look (table, p)", "UNKNOWN"),
        ("p = local.positions (mask) y = Gather (table, p)", "UNKNOWN"),
        ("p = local.positions (mask) y = local.look (table, p)", "UNKNOWN"),
        ("p = CumSum (mask, axis) " + LOOP.format(), "UNKNOWN"),
        ("p = Identity (mask) " + LOOP.format(), "PROVED"),
    ],
)
def test_positions_go_into_functions_and_loops(body, verdict):
    assert str(shapesmt.check(onnx.parser.parse_model(LOOKED_UP.format(body=body))).verdict) == verdict


def test_a_rule_is_applied_to_a_mask_of_ones_once(monkeypatch):
    applied: list[str] = []
    apply = RuleContext.apply
    monkeypatch.setattr(RuleContext, "apply", lambda ctx, rule: applied.append(ctx.node.op) or apply(ctx, rule))
    forget()
    shapesmt.check(model(POSITIONS["OPT"][0]), dims={"b": "1..4", "s": "1..14"})
    once = len(applied)
    shapesmt.check(model(POSITIONS["OPT"][0]), dims={"b": "1..4", "s": "1..14"})
    assert applied[once:] == ["CumSum"]  # which asks where its input comes from
