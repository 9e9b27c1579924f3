"""What is folded of tensors without axes."""

from __future__ import annotations

import pytest

from shapesmt.algebra import Verdict
from shapesmt.api import check
from tests.oracle.torch.calls import Call, Size64, graph_of


@pytest.mark.parametrize("op", ["sum.dim_IntList", "amax.default", "amin.default"])
@pytest.mark.parametrize("dim", [0, -1])
def test_a_number_that_is_known_counts_as_having_one_axis(op: str, dim: int) -> None:
    assert check(graph_of(Call(f"aten.{op}", {"self": Size64("n"), "dim": (dim,)}))).verdict is Verdict.PROVED
