"""Element types of results where tensors meet tensors of rank 0 and numbers, constant or computed from sizes."""

from __future__ import annotations

from random import Random

import pytest

pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")

from shapesmt.operators.ops.torch.elementwise.pairs import ARITHMETIC, COMPARISONS, DIVISIONS, FLOATING, LOGIC
from shapesmt.operators.ops.torch.schemas import overloads, schema
from tests.oracle.torch.calls import Call, Fed, Size64, real, truth

TABLES = (ARITHMETIC, DIVISIONS, COMPARISONS, FLOATING, LOGIC)
OTHERS = ("div", "float_power", "clamp", "clamp_min", "clamp_max", "where", "masked_fill", "fill", "addcmul", "lerp")
TYPES = ("bool", "uint8", "int32", "int64", "float16", "float32", "float64", "complex64")
TENSORS = [Fed(dtype, shape) for dtype in TYPES for shape in ((2,), ())]
NUMBERS = (True, 3, 1.5, Size64("n"), real("n"), truth("n"))
DRAWN = 500
X, HALF, WHOLE = Fed("float32", (3,)), real("n"), Size64("m")
BOUNDED = [
    Call(f"aten.{name}", {"self": X, **given}, ranges={"n": (0, 5), "m": (0, 5)})
    for name, given in (
        ("histc.default", {"bins": 4, "min": HALF, "max": WHOLE}),
        ("histc.default", {"bins": 4, "min": WHOLE, "max": 2.5}),
        ("rrelu.default", {"lower": HALF, "upper": WHOLE, "training": True}),
        ("huber_loss.default", {"target": X, "delta": HALF}),
        ("bernoulli.p", {"p": HALF}),
        ("geometric.default", {"p": HALF}),
        ("uniform.default", {"from": HALF, "to": WHOLE}),
        ("exponential.default", {"lambd": HALF}),
        ("log_normal.default", {"std": HALF}),
        ("mvlgamma.default", {"p": WHOLE}),
        ("quantile.scalar", {"q": HALF}),
        ("renorm.default", {"self": Fed("float32", (3, 2)), "p": WHOLE, "dim": 0, "maxnorm": HALF}),
    )
]
"""Calls with numbers computed from sizes, which are in order for some sizes only."""


def calls(random):
    """Yield every overload of each operator, with operands drawn for each type of the first one."""
    for name in overloads(*(name for table in TABLES for name in table), *OTHERS):
        arguments = schema(f"aten.{name}").arguments.values()
        if any(a.type.endswith("[]") or (a.default is None and a.type == "str") for a in arguments):
            continue
        tensors = [a.name for a in arguments if a.type.startswith("Tensor")]
        scalars = [a.name for a in arguments if a.type.startswith("Scalar") and a.name not in ("alpha", "value")]
        for first in TENSORS:
            given = {each: random.choice(NUMBERS if each in scalars else TENSORS) for each in (*tensors, *scalars)}
            given |= dict.fromkeys(tensors[:1], first)
            if not scalars and len(tensors) > 1 and random.random() < 0.6:
                given[tensors[-1]] = random.choice(NUMBERS)
            given |= {each: Fed("bool", (2,)) for each in ("mask", "condition") if each in given}
            yield Call(f"aten.{name}", given, ranges={"n": (1, 4)})


def test_types_of_results_of_numbers_and_tensors(full, pytestconfig):
    from tests.oracle.torch.judge import RIGHT, WRONG, judge, run

    random = Random(pytestconfig.getoption("--seed"))
    drawn = [*calls(random)]
    ran = [call for call in (drawn if full else random.sample(drawn, DRAWN)) if not run(call, {"n": 3}).refused]
    outcomes = [judge(call) for call in ran]
    assert [o.text for o in outcomes if o.kind == WRONG] == []
    assert sum(o.kind == RIGHT for o in outcomes) > 0.99 * len(outcomes) > 100


@pytest.mark.parametrize("call", BOUNDED, ids=lambda call: call.op)
def test_numbers_computed_from_sizes_have_to_be_in_order(call):
    from tests.oracle.torch.judge import RIGHT, judge

    outcome = judge(call)
    assert outcome.kind == RIGHT, outcome.text
