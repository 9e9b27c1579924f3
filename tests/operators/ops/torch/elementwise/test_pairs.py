"""Operators that change a tensor in place: what follows them reads its new elements."""

from __future__ import annotations

import pytest

import shapesmt

torch = pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")

from torch import nn  # noqa: E402


class Positions(nn.Module):
    """Positions that begin at 2, in a table of 32 rows."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(32, 4)

    def forward(self, x):
        positions = torch.arange(x.size(1))
        positions += 2
        return x + self.table(positions)


class Halves(nn.Module):
    """The same with a division, whose result is as long as a row of the table is."""

    def forward(self, x):
        places = torch.arange(x.size(1))
        places.mul_(3).floor_divide_(2).clamp_(min=1)
        return x.index_select(0, places)


@pytest.mark.parametrize(("module", "condition"), [(Positions(), "s <= 30"), (Halves(), "s <= 6")])
def test_indices_that_were_changed_in_place(module, condition) -> None:
    report = shapesmt.check(module, args=(torch.zeros(8, 4, 4),), shapes={"x": [8, "s", 4]}, guards="ignore")
    assert report.precondition is not None
    assert report.precondition.exact
    assert report.precondition.text == (condition,)
