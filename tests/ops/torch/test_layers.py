"""Layers, linear algebra, indexing and signals, run by PyTorch at every size of a small range."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="PyTorch is an optional package")

from tests.oracle.torch import layers
from tests.oracle.torch.judge import RIGHT, WRONG, judge, judged, variants
from tests.oracle.torch.samples import recorded

FOLLOWED = ("WINDOWS", "LINEAR", "LAYERS", "INDEXING", "SIGNALS")


def calls(family):
    """The calls of a family, each the only one that its function makes."""
    return [call for function in getattr(layers, family) for call in recorded(function)[-1:]]


@pytest.mark.parametrize("family", FOLLOWED)
def test_equal_sizes_that_vary_together_are_judged_right(family):
    outcomes = [judge(next(variants(call)), call) for call in calls(family)]
    assert len(outcomes) == len(getattr(layers, family))
    assert [o.text for o in outcomes if o.kind != RIGHT] == []


@pytest.mark.parametrize("family", [*FOLLOWED, "RECURRENT"])
def test_no_call_is_judged_wrong_where_each_size_varies_alone(family):
    assert [o.text for o in map(judged, calls(family)) if o.kind == WRONG] == []
