"""Guards of PyTorch that compute with floats, held against Python at every size of a small range."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest

import shapesmt
from shapesmt.frontends import load
from tests.oracle.runner import value
from tests.support.torch_programs import archive, as_tensor, program

SIZE = "L['x'].size()[0]"
FLOAT = f"torch.sym_float({SIZE})"
SYMBOLIC = {"sym_float": float, "_sym_sqrt": math.sqrt, "sym_max": max, "sym_min": min, "sym_not": lambda a: not a}
PYTHON = {"math": math, "torch": SimpleNamespace(**SYMBOLIC, sym_ite=lambda c, a, b: a if c else b)}


def checked(guard: str, **asked: Any) -> shapesmt.Report:
    """The report of a program whose guard is all that can refuse an input."""
    document = program(guards_code=[guard], range_constraints={})
    graph = document["graph_module"]["graph"]
    graph["nodes"], graph["outputs"] = [], [as_tensor("x")]
    return shapesmt.check(archive(model=document), **asked)


def holds(guard: str, size: int) -> bool:
    """What Python makes of a guard."""
    inputs = {"x": SimpleNamespace(size=lambda: (size, 3))}
    try:
        return bool(eval(guard, PYTHON, {"L": inputs}))
    except ZeroDivisionError:
        return False


@pytest.mark.parametrize("dims", [{}, {"x_dim0": "1..40"}])
@pytest.mark.parametrize(
    "guard",
    [
        f"math.trunc(0.5*{FLOAT}) >= 2",
        f"math.trunc(0.6*{FLOAT}) != 1",
        f"math.trunc({FLOAT}*0.7) == 7",
        f"3*{SIZE} == math.trunc(3.0*{FLOAT})",
        f"math.trunc(1.5*{FLOAT}) // 2 != 1",
        f"max(1, (math.trunc(0.6*{FLOAT})) // 2) == (math.trunc(0.6*{FLOAT})) // 2",
        f"(2*math.ceil((1 + (((-1) + {SIZE}) // 8)) / 2)) == 4",
        f"math.floor({SIZE} / 3) >= 2 and round({SIZE} / 2) % 2 == 0",
        f"{SIZE} / 4 > 2.5",
        f"0.5*{FLOAT} != 3 or 0.5*{FLOAT} != 4",
        f"max(1, 0.5*{FLOAT}) >= 3",
        f"torch.sym_max(1, 0.5*{FLOAT}) >= 3",
        f"torch.sym_max(4, {SIZE}) != 4",
        f"torch.sym_not(torch.sym_min(9, {SIZE}) == 9)",
        f"torch.sym_ite({SIZE} % 2 == 0, {SIZE} // 2, 3 * {SIZE}) <= 9",
    ],
)
def test_floats_are_rounded_as_python_rounds_them(guard: str, dims: dict[str, str]) -> None:
    report = checked(guard, dims=dims)
    region = report.precondition
    assert report.verdict != "UNKNOWN"
    assert region is not None
    assert region.exact
    for size in range(1, 41):
        assert all(value(text, {"x_dim0": size}) for text in region.text) is holds(guard, size), size


@pytest.mark.parametrize(
    "guard",
    [
        f"math.trunc({FLOAT} ** 0.5) == 4",
        f"math.trunc(torch._sym_sqrt({FLOAT})) == 4",
        f"math.trunc({SIZE} / ({SIZE} + 3)) == 0",
    ],
)
def test_floats_are_rounded_as_python_rounds_them_up_to_a_largest_size(guard: str) -> None:
    region = checked(guard, dims={"x_dim0": "1..40"}).precondition
    assert region is not None
    assert region.exact
    for size in range(1, 41):
        assert all(value(text, {"x_dim0": size}) for text in region.text) is holds(guard, size), size


@pytest.mark.parametrize(
    "guard",
    [
        f"math.trunc(2*{FLOAT} ** 0.5) >= 3",  # the last bit of a root matters
        f"{FLOAT} // 0.5 >= 3",
        f"int(0.5*{FLOAT}) >= 3",
        f"round(0.5*{FLOAT}, 1) >= 3",
        f"math.sin({FLOAT}) >= 3",
        f"2 <= 0.5*{FLOAT} <= 3",
        f"{SIZE} / 0 >= 3",
        f"{FLOAT} / 0.0 >= 3",
    ],
)
def test_what_is_not_followed_is_unknown(guard: str) -> None:
    report = checked(guard)
    assert report.verdict == "UNKNOWN"
    assert [finding.title for finding in report.findings] == [f"shapesmt can't read the guard {guard}"]


def test_a_divisor_that_is_zero_for_one_size_refuses_it() -> None:
    region = checked(f"math.trunc({SIZE} / ({SIZE} - 3)) != 1", dims={"x_dim0": "1..40"}).precondition
    assert region is not None
    assert "x_dim0 != 3" in region.text


def test_a_guard_that_cannot_be_read_hides_nothing_that_the_nodes_say() -> None:
    document = program(guards_code=["math.sin(L['x'].size()[0]) != 3", f"{SIZE} <= 6"], range_constraints={})
    report = shapesmt.check(archive(model=document))
    assert report.guarded is not None
    assert report.guarded.nodes == ()
    assert report.guarded.refused == "x_dim0 >= 7"
    assert report.guarded.unread == ("math.sin(L['x'].size()[0]) != 3",)
    assert "every node runs for every input" in str(report)
    assert "--guards ignore" in str(report)
    proposal = shapesmt.dynamic_shapes(archive(model=document))
    assert (proposal.verdict, proposal.exit_status) == ("UNKNOWN", 3)
    assert "can't read may refuse some of these sizes: math.sin(L['x'].size()[0]) != 3" in proposal.content
    assert "max=6" in proposal.content


@pytest.mark.parametrize(
    "size",
    ["L['x'].size()[0]", "L['x'].size(0)", "L['x'].shape[0]", "torch.sym_size(L['x'], 0)", "((L['x'].size()[0]))"],
)
@pytest.mark.parametrize(
    "guard", ["{} <= 8", "8 >= {}", "Le({}, 8)", "not ({} > 8)", "torch.sym_not(operator.gt({}, 8))"]
)
def test_every_spelling_of_a_guard_is_read(guard: str, size: str) -> None:
    region = checked(guard.format(size)).precondition
    assert region is not None
    assert region.text == ("x_dim0 <= 8",)


@pytest.mark.parametrize("guard", ["L['x'].size()[1] == 3", "3 == L['x'].shape[1]", "Eq(L['x'].size(1), 3)"])
def test_a_guard_that_fixes_a_size_says_that_it_was_to_vary(guard: str) -> None:
    document = program(guards_code=[guard])
    assert load(archive(model=document)).asked == {("x", 1): True}


def test_a_guard_that_cannot_be_read_hides_nothing_of_the_nodes() -> None:
    document = program(guards_code=["L['x'].weird()", f"{SIZE} <= 8"])
    report = shapesmt.check(archive(model=document))
    assert report.guarded is not None
    assert (report.guarded.nodes, report.guarded.unread) == ((), ("L['x'].weird()",))
    assert "every node runs for every input" in str(report)
