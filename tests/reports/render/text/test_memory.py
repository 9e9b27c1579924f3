"""Memory as text: the worst case first, the table, what was asked for."""

from __future__ import annotations

import shapesmt
from shapesmt.reports.answers import SymbolRange
from shapesmt.reports.answers.memory import Budget, Greatest, HeldTensor, IndexLimit, Memory, Peak, PeakAt
from tests.support.reports import text

SYMBOLS = {"n": SymbolRange(1, 100, 1, "--dim")}
PEAK = Peak(8000, True, {"n": 100}, "mul", "Mul", "80*n")


def test_the_worst_case_the_tensors_and_what_was_asked_for():
    memory = Memory(
        "m.onnx",
        "alias",
        PEAK,
        400,
        1_500_000,
        (HeldTensor("a", 6000, "60*n"), HeldTensor("b\x1b", 2000, "20*n")),
        Budget(4000, ("n <= 50",), True),
        Greatest("n", 50, True, {"n": 50}),
        PeakAt({"n": 7}, Peak(560, False, {"n": 7}, "mul", "Mul", "80*n")),
        IndexLimit("c", None, "n*n", ("n <= 46340",), True),
        ("s",),
        symbols=SYMBOLS,
    )
    assert (
        text(memory)
        == """\
m.onnx: 8.0 kB of activations (views share a buffer) at most without those of unknown size; n in 1..100
  while mul (Mul) runs, at n=100
  80*n = 8,000 bytes
  beside them: inputs 400 bytes, weights 1.5 MB
  1 tensor of unknown size: s

largest tensors there
  a      6.0 kB  60*n
  b\\x1b  2.0 kB  20*n

at n=7: ~560 bytes of activations at most
  while mul (Mul) runs, at n=7
  80*n = 560 bytes
fits 4.0 kB exactly when n <= 50
greatest n that fits: 50

c can have any number of elements, more than a 32-bit index counts: n*n
no tensor has that many exactly when n <= 46340
"""
    )


def test_no_end_and_no_valid_input():
    endless = Peak(None, True, None, "loop", "Loop", "8*steps", ("steps", "n"))
    assert text(Memory("m", "live", endless)).startswith("m: activations have no end, as steps, n have none\n")
    unknown = Peak(None, False, None, "loop", "Loop", "8*steps")
    assert text(Memory("m", "live", unknown)).startswith("m: activations have no end that is known\n")
    assert text(Memory("m", "live", None)) == "FAILS m: no input is valid, so nothing is held\n"


def test_a_budget_that_every_input_fits_or_none():
    for budget, greatest, lines in [
        (Budget(9, (), True), Greatest("n", None, True, None, endless=True), ["every input", "n has no greatest"]),
        (Budget(9, ("False",), True), Greatest("n", None, True, None), ["no input fits", "no input fits"]),
        (
            Budget(9, ("n <= 4",), False),
            Greatest("n", 4, False, None),
            ["fits 9 bytes as far", "greatest n"],
        ),
        (Budget(9, ("n*n <= 4" * 9, "n*m <= 7" * 9), True), Greatest("n", 4, True, None), ["fits 9", "  n*n"]),
    ]:
        shown = text(Memory("m", "live", PEAK, budget=budget, max=greatest)).splitlines()
        assert all(any(row.startswith(line) for row in shown) for line in lines)


def test_a_report_is_at_most_40_lines_long():
    nodes = " ".join(f"y{i} = Exp(x)" for i in range(100))
    outputs = ", ".join(f"float[n, m] y{i}" for i in range(100))
    model = f'<ir_version: 8, opset_import: ["": 18]> g (float[n, m] x) => ({outputs}) {{ {nodes} }}'
    memory = shapesmt.memory(model.encode(), dims={"n": "1..9", "m": "1..9"}, budget=100, greatest="n", at={"m": 3})
    assert len(str(memory).splitlines()) <= 40
