"""The laws of TensorFlow's operators, one at a time: a call that runs, with one thing changed.

Where TensorFlow refuses, the verdict isn't PROVED; where it runs, it isn't FAILS, and the shapes are those made.
"""

from __future__ import annotations

from random import Random

import pytest

pytest.importorskip("tensorflow", reason="tensorflow (an extra) isn't installed")

from tests.oracle.tensorflow_calls import CALLS
from tests.oracle.tensorflow_peer import compare, outcomes, siblings

SAMPLED = 200  # siblings that are run without --full


def wrong(calls):
    """Each call whose verdict or shapes aren't TensorFlow's, and how."""
    found = [(call, compare(call, run)) for call, run in zip(calls, outcomes(calls), strict=True)]
    return [f"{call}: {what}" for call, what in found if what]


def test_calls_run():
    refused = [f"{call}: {run.refused}" for call, run in zip(CALLS, outcomes(CALLS), strict=True) if run.refused]
    assert not refused
    assert not wrong(CALLS)


def test_laws(full, pytestconfig):
    every = [sibling for call in CALLS for sibling in siblings(call)]
    seed = pytestconfig.getoption("--seed")
    chosen = every if full else Random(seed).sample(every, SAMPLED)
    assert not wrong(chosen), f"seed {seed}"
