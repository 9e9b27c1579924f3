"""Operators that fold a tensor or run along an axis: what is known of the elements of their results."""

from __future__ import annotations

import pytest

import shapesmt
from shapesmt.prover.algebra import Verdict
from tests.oracle.torch.calls import Call, Size64, graph_of

torch = pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")

from torch import nn  # noqa: E402


class Counted(nn.Module):
    """Positions that are counted by the words that aren't padding, which begin at 2, in a table of 32 rows."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(32, 4)

    def forward(self, words):
        there = words.ne(1).int()
        places = (torch.cumsum(there, dim=1).type_as(there) * there).long() + 1
        return self.table(places)


class Steps(nn.Module):
    """How much neighbours differ: rows of a table of 3."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(3, 4)

    def forward(self, words):
        places = torch.arange(words.size(1))
        return self.table(torch.diff(places * places.size(0), prepend=places[:1]))


@pytest.mark.parametrize(
    ("module", "condition", "kind"), [(Counted(), "s <= 30", "data"), (Steps(), "s <= 2", "requirement")]
)
def test_indices_that_are_counted(module, condition, kind) -> None:
    words = torch.zeros(2, 2, dtype=torch.int64)
    shapes = {"words": ["b", "s"]}
    report = shapesmt.check(module, args=(words,), shapes=shapes, dims={"s": (1, 40)}, guards="ignore")
    assert report.precondition is not None
    assert report.precondition.exact == (kind != "data")  # where all words but a few are padding, more run
    assert report.findings[0].kind == kind
    assert report.precondition.text == (condition,)


class Masked(nn.Module):
    """Positions that are counted by a mask, which the caller hands in, in a table of 32 rows, as in OPT."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(32, 4)

    def forward(self, words):
        places = (torch.cumsum(words, dim=1) * words - 1).long()
        return self.table(places[:, 0:] + 2)


class Flattened(Counted):
    """They are looked up in one row, as in M2M100."""

    def forward(self, words):
        there = words.ne(1).int()
        places = (torch.cumsum(there, dim=1).type_as(there) * there).long() + 1
        return self.table.weight.index_select(0, places.view(-1))


class Filled(Masked):
    """Places of padding are 1, as where text is generated."""

    def forward(self, words):
        places = words.cumsum(-1) - 1
        return self.table(places.masked_fill(words == 0, 1) + 2)


@pytest.mark.parametrize(("module", "longer"), [(Masked(), "UNKNOWN"), (Flattened(), "DEPENDS"), (Filled(), "UNKNOWN")])
def test_counted_indices_of_which_no_more_is_known(module, longer) -> None:
    words = torch.full((2, 2), 1 + isinstance(module, Flattened))
    for length, verdict in ((30, "PROVED"), (31, longer)):
        report = shapesmt.check(
            module, args=(words,), shapes={"words": ["b", "s"]}, dims={"s": (1, length)}, guards="ignore"
        )
        assert str(report.verdict) == verdict
    module(words[:1, :1].expand(1, 30))
    with pytest.raises((IndexError, RuntimeError), match="out of range"):
        module(words[:1, :1].expand(1, 31))


def test_counts_of_flags_are_no_constants() -> None:
    """A count of flags may be between 0 and the number of flags, so comparing it with 1 decides nothing."""

    class Compared(nn.Module):
        def forward(self, words):
            chosen = (words.ne(1).long().cumsum(1) == 1).all()
            return words.sum(1) + chosen.long()

    words = torch.zeros(2, 3, dtype=torch.int64)
    assert shapesmt.check(Compared(), args=(words,), guards="ignore").verdict == Verdict.PROVED


@pytest.mark.parametrize("op", ["sum.dim_IntList", "amax.default", "amin.default"])
@pytest.mark.parametrize("dim", [0, -1])
def test_a_number_that_is_known_counts_as_having_one_axis(op: str, dim: int) -> None:
    assert shapesmt.check(graph_of(Call(f"aten.{op}", {"self": Size64("n"), "dim": (dim,)}))).verdict is Verdict.PROVED
