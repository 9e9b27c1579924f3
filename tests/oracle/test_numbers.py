"""Numbers computed from sizes, as exporters write them: followed to the end, and held against running them."""

from __future__ import annotations

from collections import Counter

import onnx.parser
import pytest

import shapesmt
from tests.oracle.compare import Truth, disagreements
from tests.oracle.runner import Execution, assignments

SIZE = "s = Shape(x) c0 = Constant<value_int=0>() c1 = Constant<value_int=1>() n = Gather(s, c0) f = Cast<to=1>(n) "
ROOT = SIZE + "h = Constant<value_float=0.5>() "
SHARE = SIZE + "c = Constant<value_float=0.3>() g = Mul(f, c) d = Sqrt(f) w = Sub(g, d) "  # w is below 0 up to 11
NUMBER = "k = Cast<to=7>(v) one = Constant<value_ints=[1]>() l = Reshape(k, one) y = Expand(x, l)"
BUCKETS = """c6 = Constant<value_int=6>() r = Range(c0, n, c1) d = Sub(r, c6) g = Cast<to=1>(d) e = Sign(g) a = Abs(g)
    c2 = Constant<value_float=2.5>() c4 = Constant<value_float=4.0>() near = LessOrEqual(a, c4) u = Div(a, c2)
    t = Log(u) m = Ceil(t) j = Add(m, c2) p = Mul(j, e) v = Where(near, g, p) i = Cast<to=7>(v) y = Gather(x, i)"""
SPREAD = """c2 = Constant<value_float=1.5>() o = Constant<value_ints=[1]>()
    r = Range(c0, n, c1) t = Cast<to=1>(r) z = Sqrt(t) """
BODIES = {
    "a root": ROOT + "v = Pow(f, h) " + NUMBER,
    "a root rounded": ROOT + "p = Pow(f, h) v = Ceil(p) " + NUMBER,
    "a root of an integer": ROOT + "v = Pow(n, h) " + NUMBER,
    "a power of two": SIZE + "two = Constant<value_int=2>() p = Pow(two, n) c7 = Constant<value_int=7>() "
    "v = Mod(p, c7) " + NUMBER,
    "the greater": SHARE + "v = Max(g, d) " + NUMBER,
    "the smaller": SHARE + "v = Min(g, d, f) " + NUMBER,
    "a magnitude": SHARE + "v = Abs(w) " + NUMBER,
    "a sign": SHARE + "p = Sign(w) t = Cast<to=7>(p) two = Constant<value_int=2>() v = Add(t, two) " + NUMBER,
    "a choice": SHARE + "p = Greater(g, d) v = Where(p, g, f) " + NUMBER,
    "a comparison": SHARE + "v = LessOrEqual(d, g) " + NUMBER,
    "an equality": SHARE + "p = Floor(d) v = Equal(p, d) " + NUMBER,
    "floats turned": SIZE
    + SPREAD
    + "a = Unsqueeze(z, o) e = Transpose(a) p = Add(a, e) i = Cast<to=7>(p) y = Gather(x, i)",
    "floats cut": SIZE + SPREAD + "p = Slice(z, o, s) q = Mul(p, c2) i = Cast<to=7>(q) y = Gather(x, i)",
    "floats joined": SIZE + SPREAD + "a = Mul(t, c2) p = Concat<axis=0>(z, a) i = Cast<to=7>(p) y = Gather(x, i)",
    "floats looked up": SIZE + SPREAD + "a = Constant<value_floats=[0.5, 2.5, 7.0]>() c3 = Constant<value_int=3>() "
    "b = Mod(r, c3) p = Gather(a, b) q = Mul(p, c2) i = Cast<to=7>(q) y = Gather(x, i)",
    "floats filled in": SIZE
    + SPREAD
    + "a = ConstantOfShape<value = float[1] {2.5}>(s) q = Mul(z, a) i = Cast<to=7>(q) "
    "y = Gather(x, i)",
    "a float against a number": SIZE + SPREAD + "u = Sub(r, n) g = Cast<to=1>(u) c3 = Constant<value_float=-9.0>() "
    "p = Greater(c3, g) i = Where(p, r, c0) y = Gather(x, i)",
    "buckets by logarithms": SIZE + BUCKETS,
    "8 bits": SIZE + "r = Range(c0, n, c1) e = Cast<to=3>(r) k = Constant<value=int8[1] {20}>() p = Mul(e, k) "
    "i = Cast<to=7>(p) h = Constant<value_ints=[128]>() t = ConstantOfShape(h) y = Gather(t, i)",
    "16 bits": SIZE + "e = Cast<to=5>(n) d0 = Cast<to=5>(c0) d1 = Cast<to=5>(c1) r = Range(d0, e, d1) "
    "k = Constant<value=int16[1] {1500}>() p = Mul(r, k) i = Cast<to=7>(p) h = Constant<value_ints=[32768]>() "
    "t = ConstantOfShape(h) y = Gather(t, i)",
}
NUMBERS = {
    **BODIES,
    **{
        f"padded by mode {mode}": SIZE + "r = Range(c0, n, c1) w = Constant<value_ints=[1, 2]>() "
        f'p = Pad<mode="{mode}">(r, w) o = Mul(p, p) y = Gather(x, o)'
        for mode in ("reflect", "edge", "wrap")
    },
}
"""Also some that are known only where sizes are numbers."""


@pytest.mark.parametrize("name", BODIES)
def test_they_are_followed(name: str) -> None:
    text = f'<ir_version: 8, opset_import: ["": 18]> g (float[b] x) => (y) {{ {BODIES[name]} }}'
    execution = Execution(onnx.parser.parse_model(text))
    runs = [(sizes, execution.run(sizes)) for sizes in assignments({"b": range(1, 31)})]
    counts: Counter[str] = Counter()
    assert disagreements(Truth(execution.model, runs), counts, {"b": (1, 30)}) == []
    assert not counts["UNKNOWN"]


def test_a_root_whose_last_bit_may_differ_is_left_open() -> None:
    body = ROOT + "p = Pow(f, h) v = Mul(p, p) " + NUMBER
    text = f'<ir_version: 8, opset_import: ["": 18]> g (float[b] x) => (y) {{ {body} }}'
    assert str(shapesmt.check(onnx.parser.parse_model(text)).verdict) == "UNKNOWN"


@pytest.mark.parametrize("name", [name for name in NUMBERS if name != "floats turned"])  # more floats than are listed
def test_they_are_known_at_fixed_sizes(name: str) -> None:
    text = f'<ir_version: 8, opset_import: ["": 18]> g (float[b] x) => (y) {{ {NUMBERS[name]} }}'
    execution = Execution(onnx.parser.parse_model(text))
    for size in range(1, 31):
        fails = bool(execution.run({"b": size}).failing)
        verdict = shapesmt.open(execution.model).where(b=size).verdict
        assert verdict.value == ("FAILS" if fails else "PROVED"), size
