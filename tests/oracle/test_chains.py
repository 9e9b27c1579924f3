"""Models whose nodes depend on numbers that sizes decide, held against running them at every assignment.

python -m pytest tests/oracle/test_chains.py --full -s
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.oracle.chains import chain
from tests.oracle.compare import Truth, disagreements
from tests.oracle.runner import Execution, NoBlame, assignments

DEFAULT, FULL = 150, 4000


def wrong_in(seed: int, counts: Counter[str]) -> list[str]:
    """What is wrong in the answers about the model of this seed."""
    case = chain(seed)
    execution = Execution(case.model)
    ranges = {name: range(lo, hi + 1) for name, (lo, hi) in case.ranges.items()}
    try:
        runs = [(sizes, execution.run(sizes)) for sizes in assignments(ranges)]
    except NoBlame:
        counts["no blame"] += 1
        return []
    return disagreements(Truth(execution.model, runs), counts, case.ranges)


def test_numbers_that_sizes_decide(request: pytest.FixtureRequest, full: bool) -> None:
    first = request.config.getoption("--seed")
    counts: Counter[str] = Counter()
    seeds = range(first, first + (FULL if full else DEFAULT))
    wrong = [f"seed {seed}: {text}" for seed in seeds for text in wrong_in(seed, counts)]
    assert not wrong, "\n".join(wrong[:20])
    assert counts["no blame"] <= len(seeds) // 20, counts
    assert counts["UNKNOWN"] <= len(seeds) // 4, counts
