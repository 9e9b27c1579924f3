"""The document of a program in memory is the one that PyTorch's own archive of it has."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest

import shapesmt
from shapesmt.frontends.torch.program import read_program

torch = pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")
live = pytest.importorskip("shapesmt.frontends.torch.live")


class Lists(torch.nn.Module):
    """Lists of results, some of which are used twice or not at all, sizes as numbers, types, and a reflected size."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(4, 8)
        self.register_buffer("steps", torch.arange(3))

    def forward(self, x, y):
        a, _, c = self.linear(x).split([2, 4, 2], dim=-1)
        n = x.shape[0] * 2 + y.shape[0] // 2
        parts = torch.stack(list(y.unbind(1)))
        high, at = a.max(dim=1)
        index = torch.zeros(n, dtype=torch.int64, device="cpu")
        padded = torch.nn.functional.pad(c, (0, n - x.shape[0]))
        return parts[:, index], high + at, padded[:, None, self.steps].to(torch.float64), a.contiguous() + a


class Branches(torch.nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: x.relu() + 1, lambda x: x.tanh(), (x,))


def in_archive(program: Any) -> dict[str, Any]:
    file = io.BytesIO()
    torch.export.save(program, file)
    with zipfile.ZipFile(io.BytesIO(file.getvalue())) as zipped:
        (name,) = (n for n in zipped.namelist() if "/models/" in n)
        return json.loads(zipped.read(name))


def without_notes(value: Any) -> Any:
    """What both have: without hints, which only the archive has."""
    if isinstance(value, dict):
        return {k: without_notes(v) for k, v in value.items() if k not in ("hint", "kind", "metadata")}
    return [without_notes(v) for v in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("module", "args"),
    [(Lists(), (torch.ones(6, 4), torch.ones(8, 3))), (Branches(), (torch.ones(5, 4),))],
    ids=["lists", "branches"],
)
def test_the_document(module: torch.nn.Module, args: tuple[torch.Tensor, ...]) -> None:
    exported = live.export_module(live.request(module.eval(), args))
    ours, theirs = live.document_of(exported.program), in_archive(exported.program)
    for mine, other in zip(
        ours["graph_module"]["graph"]["nodes"], theirs["graph_module"]["graph"]["nodes"], strict=True
    ):
        assert mine["name"] == other["name"]
        assert mine["target"] == other["target"]
        assert mine["metadata"].items() <= other["metadata"].items()
        if "higher_order" not in mine["target"]:
            assert without_notes(mine["inputs"]) == without_notes(other["inputs"])
        assert mine["outputs"] == other["outputs"]
    assert ours["range_constraints"] == theirs["range_constraints"]
    assert ours["guards_code"] == theirs["guards_code"]
    mine, other = (read_program(document, live.Held(exported.program), "m") for document in (ours, theirs))
    assert mine.inputs == other.inputs
    assert mine.outputs == other.outputs
    assert mine.declared == other.declared
    if isinstance(module, Lists):
        assert [*mine.nodes] == [*other.nodes]


@pytest.mark.parametrize(
    "call",
    [
        lambda x: torch.linalg.cholesky(x) + torch.linalg.inv(x),
        lambda x: torch.linalg.matrix_power(x, -2),
        lambda x: torch.linalg.solve(x, x),
        lambda x: torch.linalg.tensorinv(x.unsqueeze(1), ind=1),
        lambda x: torch.linalg.tensorsolve(x, x[0]),
    ],
    ids=["cholesky", "matrix_power", "solve", "tensorinv", "tensorsolve"],
)
def test_decomposed_programs_order_their_effects_by_tokens(call: Any) -> None:
    class Solved(torch.nn.Module):
        def forward(self, x):
            return call(x)

    auto = torch.export.Dim.AUTO
    program = torch.export.export(Solved(), (torch.eye(4),), dynamic_shapes=({0: auto, 1: auto},), strict=False)
    decomposed = program.run_decompositions()
    assert "with_effects" in str(decomposed.graph)
    mine, other = (
        read_program(document, live.Held(decomposed), "m")
        for document in (live.document_of(decomposed), in_archive(decomposed))
    )
    assert [*mine.nodes] == [*other.nodes]
    assert mine.outputs == other.outputs
    assert shapesmt.check(decomposed).ok
