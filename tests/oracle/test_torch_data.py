"""Programs in which data decide sizes, indices and assertions, run at all sizes of a small box with adverse data."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import shapesmt
from shapesmt.prover.algebra import Verdict
from tests.oracle.runner import value

torch = pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")
SIZES = range(2, 6)


def found(m: Any) -> Any:
    return torch.nonzero(m > 0).squeeze(1)


def asserted(x: Any, condition: Any) -> Any:
    torch._check(condition)
    return x * 2


def first(x: Any, count: Any) -> Any:
    torch._check(count >= 0)
    torch._check(count <= x.shape[0])
    return x[:count]


def bounded(count: Any, least: int, most: int) -> Any:
    torch._check(count >= least)
    torch._check(count <= most)
    return torch.zeros(count)


PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "a nonzero element's place": lambda x, m: x[found(m)],
    "a place in its own list": lambda x, m: x + m[found(m)].sum(),
    "a place of a list of where": lambda x, m: x[torch.where(m > 0)[0]],
    "a place on the first of two axes": lambda x, m: x[torch.nonzero(m[:, None] > torch.zeros(3))[:, 0]],
    "the place after one": lambda x, m: x[found(m) + 1],
    "selected places": lambda x, m: torch.index_select(x, 0, found(m)),
    "gathered places": lambda x, m: torch.gather(x, 0, found(m)),
    "places written to": lambda x, m: x.clone().index_put((found(m),), torch.tensor(1.0)),
    "embedded places": lambda x, m: torch.nn.functional.embedding(found(m), x[:, None]),
    "the greatest one's place": lambda x, m: x[m.argmax()],
    "the least one's place on an axis": lambda x, m: x[m.min(0)[1]],
    "sorted places": lambda x, m: x[m.argsort()],
    "places of a sorted list": lambda x, m: x[m.sort()[1]],
    "the two greatest ones' places": lambda x, m: x[m.topk(2)[1]],
    "the middle one's place": lambda x, m: x[m.median(0)[1]],
    "which different element": lambda x, m: x[torch.unique(m, return_inverse=True)[1]],
    "where a number belongs": lambda x, m: x[torch.searchsorted(m.sort()[0], torch.ones(3))],
    "a permutation": lambda x, m: x[torch.randperm(m.shape[0])],
    "marked positions": lambda x, m: x[torch.arange(m.shape[0])[m > 0]],
    "marked positions after the first": lambda x, m: x[torch.arange(1, m.shape[0] + 1)[m > 0]],
    "numbers drawn below a size": lambda x, m: x[torch.randint(0, m.shape[0], (400,))],
    "few numbers drawn": lambda x, m: x[torch.randint(m.shape[0] - 1, m.shape[0], (3,))],
    "classes of places": lambda x, m: x[0] + torch.nn.functional.one_hot(found(m), 4).sum(),
    "classes before places": lambda x, m: x[0] + torch.nn.functional.one_hot(m.argmax() - 1, 9).sum(),
    "counted places": lambda x, m: x[0] + torch.bincount(m.argsort() - 1).sum(),
    "how many there are": lambda x, m: first(x, (m > 0).sum().item()),
    "how many different ones": lambda x, m: asserted(x, torch.unique(m).shape[0] <= x.shape[0]),
    "no more than there are": lambda x, m: asserted(x, found(m).shape[0] <= m.shape[0]),
    "no more than there are others": lambda x, m: asserted(x, found(m).shape[0] <= x.shape[0]),
    "at least one": lambda x, m: asserted(x, found(m).shape[0] != 0),
    "a count in a range": lambda _, m: bounded((m > 0).sum().item(), 0, 3),
    "a sum in a range": lambda _, m: bounded(m.sum().long().item(), 0, 4),
    "two lists of one length": lambda x, m: x[found(x)] + m[found(m)],
}
MASKS = [lambda n: torch.zeros(n), torch.ones, lambda n: -torch.ones(n), lambda n: torch.arange(n) * 1.0]
MASKS += [lambda n: n - 1.0 - torch.arange(n), lambda n: (torch.arange(n) % 2) * 1.0, lambda n: torch.arange(n) - 1.0]


MASKS += [lambda n: torch.arange(n).roll(n // 2) * 1.0]  # whose middle one is the last


def ran(run: Any) -> Iterator[tuple[dict[str, int], bool]]:
    """For each pair of sizes whether the program runs for all data that are tried."""
    for n, m in itertools.product(SIZES, SIZES):
        yield {"x_dim0": n, "m_dim0": m}, all(runs(run, a(n), b(m)) for a, b in itertools.product(MASKS, MASKS))


def runs(run: Any, *args: Any) -> bool:
    try:
        run(*args)
    except (RuntimeError, IndexError, AssertionError):
        return False
    return True


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_said_to_run_whatever_the_data_runs_for_adverse_data(name):
    class Program(torch.nn.Module):
        def forward(self, x, m):
            return PROGRAMS[name](x, m)

    auto = torch.export.Dim.AUTO
    example = torch.arange(8) - 4.0, torch.arange(9) - 4.0
    program = torch.export.export(Program(), example, dynamic_shapes=({0: auto}, {0: auto}))
    sizes = (SIZES[0], SIZES[-1])
    for dims in ({"x_dim0": sizes, "m_dim0": sizes}, {"x_dim0": "2..", "m_dim0": "2.."}):
        report = shapesmt.check(program, dims=dims, guards="ignore")
        region = report.precondition
        assert report.verdict in (Verdict.PROVED, Verdict.DEPENDS)
        for point, truth in ran(program.module(check_guards=False)):
            inside = all(value(text, point) for text in region.text)
            assert truth or not inside, (point, region)
            assert inside or not truth, (point, region)
