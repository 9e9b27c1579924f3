"""The same SMT-LIB text, put to Z3 and to cvc5."""

from __future__ import annotations

import pytest

from shapesmt.base.deadline import Deadline
from shapesmt.prover.smt.process import Query, ask


def z3_verdict(text: str, seconds: float = 120) -> str:
    return ask(Query(text), Deadline(seconds)).verdict


def cvc5_verdict(text: str, seconds: float = 120) -> str:
    """What cvc5 says to the first `check-sat` of the text."""
    cvc5 = pytest.importorskip("cvc5", reason="cvc5 (extra `peers`) isn't installed")
    solver = cvc5.Solver()
    solver.setOption("tlimit-per", str(int(seconds * 1000)))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "system")
    symbols = parser.getSymbolManager()
    while not (command := parser.nextCommand()).isNull():
        said = str(command.invoke(solver, symbols)).strip()
        if said:
            verdict = said.split()[0]  # "unknown (TIMEOUT)"
            assert verdict in ("sat", "unsat", "unknown"), said
            return verdict
    raise AssertionError("no check-sat in the text")
