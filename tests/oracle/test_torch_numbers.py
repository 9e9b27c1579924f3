"""Programs that compute indices from sizes alone, run at every size of a range: they run where they are said to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import shapesmt
from shapesmt.prover.algebra import Evaluator, Verdict

torch = pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")
ROWS = 12
SIZES = range(2, 31)


def places(n: Any) -> Any:
    return torch.arange(n)


def between(n: Any) -> Any:
    return places(n)[:, None] - places(n)[None, :]


def bucket(distance: Any) -> Any:
    near = torch.where((distance < 4) & (distance > -4), torch.tensor(3).type_as(distance), distance.abs())
    far = torch.ceil(torch.log(near / 4) / torch.log(torch.tensor(5.0)) * 3) + 4
    return torch.where(near <= 4, distance.type_as(far), far * distance.sign()).long()


def shifted(numbers: Any) -> Any:
    numbers[1:] = numbers[:-1].clone()
    numbers[0] = 3
    return numbers


def overwritten(numbers: Any) -> Any:
    numbers[::2] += 2
    numbers[-1] = 0
    numbers[1:-1] -= 1
    return numbers


def windows(n: Any) -> Any:
    """The indices of relative positions in a window, as vision transformers compute them."""
    places = torch.stack(torch.meshgrid(torch.arange(n), torch.arange(n), indexing="ij")).flatten(1)
    apart = (places[:, :, None] - places[:, None, :]).permute(1, 2, 0).contiguous()
    apart[:, :, 0] += n - 1
    apart[:, :, 1] += n - 1
    apart[:, :, 0] *= 2 * n - 1
    return apart.sum(-1)


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "both of two conditions": lambda n: places(n) * ((places(n) > 1) & (places(n) < 20)),
    "one of two conditions": lambda n: places(n) * ((places(n) < 3) | (places(n) > 10)),
    "one of two conditions alone": lambda n: places(n) * ((places(n) < 3) ^ (places(n) < 15)),
    "conditions multiplied": lambda n: places(n) * ((places(n) > 1) * (places(n) < 14)),
    "conditions added": lambda n: places(n) * ((places(n) < 3) + (places(n) > 13)),
    "the greater condition": lambda n: places(n) * torch.maximum(places(n) < 3, places(n) > 9),
    "the smaller condition": lambda n: places(n) * torch.minimum(places(n) > 3, places(n) < 15),
    "a condition denied": lambda n: places(n) * ~(places(n) > 13),
    "roots": lambda n: torch.sqrt(places(n) * 9.0).long(),
    "conditions in place": lambda n: places(n) * (places(n) > 3).__iand__(places(n) < 17),
    "buckets of distances": lambda n: bucket(between(n)).abs(),
    "buckets of distances on a new axis": lambda n: (bucket(between(n)).unsqueeze(0).squeeze(0) + 9).unsqueeze(-1),
    "buckets within limits": lambda n: torch.clamp(bucket(between(n)) + 6, 0, ROWS - 1),
    "gathered of a row of numbers": lambda n: torch.arange(20).expand(2, -1).gather(1, places(n).expand(2, -1)),
    "gathered of zeros": lambda n: torch.zeros(1, 20).long().gather(1, places(n)[None]),
    "taken along an axis": lambda n: torch.take_along_dim(torch.arange(20)[None] % 13, places(n)[:, None], 1),
    "taken": lambda n: torch.take(torch.arange(20).view(4, 5), places(n)),
    "from the last to the first": lambda n: places(n).flip(0)[: n - 1],
    "distances from the last to the first": lambda n: between(n).flip(0, 1).abs()[0],
    "rolled": lambda n: places(n).roll(3)[1:],
    "rolled by a size": lambda n: places(n).roll(n // 2)[: n // 2],
    "rolled on two axes": lambda n: between(n).roll((1, -1), (0, 1))[1:, 0].abs(),
    "each twice": lambda n: places(n).repeat_interleave(2)[: n + 1],
    "rows each thrice": lambda n: between(n).abs().repeat_interleave(3, 1)[0, : n + 3],
    "repeated on two axes": lambda n: between(n).abs().repeat(2, 2)[n:, n:],
    "grids": lambda n: sum(torch.meshgrid(places(n), places(n + 1), indexing="xy")),
    "the greatest": lambda n: places(n).max()[None],
    "whether some are": lambda n: (places(n) > 4).any().long()[None] * 12,
    "whether all are": lambda n: (places(n) < 4).all().long()[None] * 12,
    "how many of one number aren't 0": lambda n: torch.count_nonzero(places(n).max() - 3)[None] * 12,
    "shifted by one": lambda n: shifted(places(n)),
    "written to from both ends": lambda n: overwritten(places(n)),
    "a column written to": lambda n: shifted(between(n).abs().t())[:, 1],
    "relative positions in windows": lambda n: windows(n // 4) // 2,
    "rounded quotients": lambda n: (places(n).float() // 0.7).long(),
    "quotients towards 0": lambda n: torch.div(places(n).float(), 0.7, rounding_mode="trunc").long(),
    "quotients of integers towards 0": lambda n: torch.div(between(n), 2, rounding_mode="trunc").abs(),
    "whole parts": lambda n: torch.trunc(places(n) / 1.5).long(),
    "a logarithm of each place": lambda n: (torch.log(places(n) + 1.0) * 4 + 0.5).floor().long(),
}


WITHIN_A_RANGE = {
    *("rolled", "rolled by a size", "rolled on two axes", "whether all are", "relative positions in windows"),
    *("written to from both ends", "repeated on two axes"),
}
"""Programs that are decided within a range alone: their numbers depend on the size in more ways than by their count."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_run_where_they_are_said_to(name: str) -> None:
    _said_as_they_run(name, {"n": (SIZES[0], SIZES[-1])})


@pytest.mark.parametrize("name", sorted(PROGRAMS.keys() - WITHIN_A_RANGE))
def test_programs_run_where_they_are_said_to_without_a_range(name: str) -> None:
    _said_as_they_run(name, {})


def expanded(n: Any) -> Any:
    return places(n)[None].expand(3, n)


def gridded(n: Any) -> Any:
    return torch.meshgrid(places(n), places(n), indexing="ij")[1]


@pytest.mark.parametrize("made", [expanded, gridded])
def test_a_write_where_several_positions_share_a_place_isnt_followed(made: Callable[[Any], Any]) -> None:
    class Written(torch.nn.Module):  # type: ignore[misc, name-defined]  # torch may be absent
        def forward(self, x: Any) -> Any:
            numbers = made(x.shape[0])
            numbers[0].add_(5)
            return torch.embedding(torch.zeros(ROWS, 2), numbers[1])

    assert runs(Written(), 7)
    assert not runs(Written(), 8)
    report = shapesmt.check(
        Written(), args=(torch.zeros(5),), shapes={"x": ["n"]}, dims={"n": (3, 14)}, guards="ignore"
    )
    assert report.verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_at_one_size(name: str) -> None:
    for n in (4, 9, 25):
        report = shapesmt.check(
            looked(name), args=(torch.zeros(5),), shapes={"x": ["n"]}, dims={"n": n}, guards="ignore"
        )
        assert report.verdict is (Verdict.PROVED if runs(looked(name), n) else Verdict.FAILS), (n, report)


def looked(name: str) -> Any:
    """A module that looks rows up in a table of `ROWS`, at the numbers of a program."""

    class Looked(torch.nn.Module):  # type: ignore[misc, name-defined]  # torch may be absent
        def forward(self, x: Any) -> Any:
            return torch.embedding(torch.zeros(ROWS, 2), PROGRAMS[name](x.shape[0]))

    return Looked()


def _checked(name: str, ranges: dict[str, Any]) -> Any:
    return shapesmt.check(looked(name), args=(torch.zeros(5),), shapes={"x": ["n"]}, dims=ranges, guards="ignore")


def _said_as_they_run(name: str, ranges: dict[str, tuple[int, int]]) -> None:
    report = _checked(name, ranges)
    assert report.verdict is not Verdict.UNKNOWN, report
    assert not report.assumed, report
    assert report.precondition is None or report.precondition.exact, report
    said = {n for n in SIZES if holds(report, n)}
    assert said == {n for n in SIZES if runs(looked(name), n)}, report


def holds(report: Any, n: int) -> bool:
    found = () if report.precondition is None else [c.formula for c in report.precondition.conjuncts]
    return all(Evaluator(dict.fromkeys(f.symbols, n)).formula(f) for f in found)


def runs(module: Any, n: int) -> bool:
    try:
        module(torch.zeros(n))
    except (IndexError, RuntimeError):
        return False
    return True
