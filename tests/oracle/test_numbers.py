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
LIST = "one = Constant<value_ints=[1]>() l = Reshape(k, one) "
BODIES = {
    "a root": ROOT + "p = Pow(f, h) k = Cast<to=7>(p)" + LIST + "y = Expand(x, l)",
    "a root rounded": ROOT + "p = Pow(f, h) q = Ceil(p) k = Cast<to=7>(q)" + LIST + "y = Expand(x, l)",
    "a root of an integer": ROOT + "k = Pow(n, h) " + LIST + "y = Expand(x, l)",
    "a power of two": SIZE
    + "two = Constant<value_int=2>() p = Pow(two, n) c7 = Constant<value_int=7>() k = Mod(p, c7)"
    + LIST
    + "y = Expand(x, l)",
}


@pytest.mark.parametrize("name", BODIES)
def test_they_are_followed(name: str) -> None:
    text = f'<ir_version: 8, opset_import: ["": 18]> g (float[b] x) => (float[q] y) {{ {BODIES[name]} }}'
    execution = Execution(onnx.parser.parse_model(text))
    runs = [(sizes, execution.run(sizes)) for sizes in assignments({"b": range(1, 31)})]
    counts: Counter[str] = Counter()
    assert disagreements(Truth(execution.model, runs), counts, {"b": (1, 30)}) == []
    assert not counts["UNKNOWN"]


def test_a_root_whose_last_bit_may_differ_is_left_open() -> None:
    body = ROOT + "p = Pow(f, h) q = Mul(p, p) k = Cast<to=7>(q)" + LIST + "y = Expand(x, l)"
    text = f'<ir_version: 8, opset_import: ["": 18]> g (float[b] x) => (float[q] y) {{ {body} }}'
    assert str(shapesmt.check(onnx.parser.parse_model(text)).verdict) == "UNKNOWN"
