"""PyTorch's operators run by PyTorch, eager on CPU, at every size of a small range, and the rules compared with that.

`python -m tests.oracle.torch` judges all of them and prints which are right, unknown and wrong; with `--exported` it
judges programs that PyTorch exports of each.
"""

from __future__ import annotations

from random import Random

import pytest

pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")
pytest.importorskip("expecttest", reason="PyTorch's own tests, from which the calls are, need it")

ENTRIES, SAMPLES, PROGRAMS = 12, 2, 3


def test_no_call_is_judged_wrong(full, pytestconfig):
    from tests.oracle.torch.isolated import entries, judgements
    from tests.oracle.torch.judge import WRONG

    names = [f"={name}" for name in Random(pytestconfig.getoption("--seed")).sample(entries(["*"]), ENTRIES)]
    outcomes = [outcome for _, outcome in judgements([] if full else ["=", *names], 1000 if full else SAMPLES)]
    assert len(outcomes) > ENTRIES
    assert [o.text for o in outcomes if o.kind == WRONG] == []


def test_no_exported_program_is_judged_wrong(full, pytestconfig):
    from tests.oracle.torch.isolated import entries, exported_judgements
    from tests.oracle.torch.judge import RIGHT, WRONG

    chosen = Random(pytestconfig.getoption("--seed")).sample(entries(["*"]), PROGRAMS)
    programs = [*exported_judgements([] if full else [f"={name}" for name in ("add", *chosen)], 1)]
    assert any(program.outcome.kind == RIGHT for program in programs)
    assert [f"{p.name}: {p.outcome.text}" for p in programs if p.outcome.kind == WRONG] == []
