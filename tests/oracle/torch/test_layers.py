"""Layers, linear algebra, indexing and signals, run by PyTorch at every size of a small range."""

from __future__ import annotations

from random import Random

import pytest

pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")

from tests.oracle.torch import layers
from tests.oracle.torch.judge import RIGHT, WRONG, judge, judged, variants
from tests.oracle.torch.samples import recorded

FOLLOWED = ("WINDOWS", "LINEAR", "LAYERS", "INDEXING", "SIGNALS")
SAMPLED = 3  # calls of a family without --full


@pytest.fixture
def calls(full, pytestconfig):
    """Some calls of a family, or all; each is the only one that its function makes."""

    def chosen(family):
        functions = getattr(layers, family)
        seed = pytestconfig.getoption("--seed")
        some = functions if full else Random(seed).sample(functions, SAMPLED)
        return [recorded(function)[-1] for function in some]

    return chosen


@pytest.mark.parametrize("family", FOLLOWED)
def test_equal_sizes_that_vary_together_are_judged_right(calls, family):
    outcomes = [judge(next(variants(call)), call) for call in calls(family)]
    assert [o.text for o in outcomes if o.kind != RIGHT] == []


@pytest.mark.parametrize("family", [*FOLLOWED, "OPEN"])
def test_no_call_is_judged_wrong_where_each_size_varies_alone(calls, family):
    assert [o.text for o in map(judged, calls(family)) if o.kind == WRONG] == []
