"""Counterexamples of PyTorch's programs fail in PyTorch, at the named nodes."""

from __future__ import annotations

import io

import pytest

import shapesmt

torch = pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")


class Table(torch.nn.Module):
    """Positions of a table of eight rows, and a sum that needs equal sizes."""

    def __init__(self) -> None:
        super().__init__()
        self.table = torch.nn.Embedding(8, 4)

    def forward(self, x, y):
        return self.table(torch.arange(x.shape[1])) + x[:, :, None] + y


class Chosen(torch.nn.Module):
    """A row that the data choose."""

    def forward(self, x, at):
        return torch.index_select(x, 0, at)


def replays(report: shapesmt.Report) -> dict[str, tuple[bool | None, str]]:
    return {f.node: (f.replay.confirmed, f.replay.runtime) for f in report.findings if f.replay is not None}


@pytest.fixture(scope="module")
def program():
    auto = torch.export.Dim.AUTO
    args = torch.ones(2, 5), torch.ones(1, 1, 4)
    return torch.export.export(Table(), args, dynamic_shapes=({0: auto, 1: auto}, {0: auto, 1: auto}), strict=False)


def test_failures_of_nodes_and_guards_are_confirmed(program) -> None:
    version = f"torch {torch.__version__.partition('+')[0]}"
    report = shapesmt.check(program, replay=True, shapes={"y": "[n,m,4]"})
    assert replays(report)["embedding"] == (True, version)
    assert all(confirmed for confirmed, _ in replays(report).values()), report
    assert report.exit_status == 1
    assert "confirmed by torch" in str(report)


def test_an_archive_is_loaded_by_pytorch(program) -> None:
    saved = io.BytesIO()
    torch.export.save(program, saved)
    report = shapesmt.check(saved.getvalue(), replay=True, guards="ignore")
    assert replays(report)["embedding"][0] is True


def test_an_archive_that_pytorch_cannot_load(tmp_path) -> None:
    from tests.test_readme import ROOT

    with pytest.raises(shapesmt.ModelError, match=r"classifier.pt2: PyTorch can't load it, so nothing is run"):
        shapesmt.check(ROOT / "examples" / "torch_export" / "classifier.pt2", replay=True)


def test_data_are_drawn() -> None:
    report = shapesmt.check(
        Chosen(), args=(torch.ones(3, 2), torch.zeros(2, dtype=torch.int64)), replay=True, guards="ignore"
    )
    assert all(confirmed is not False for confirmed, _ in replays(report).values())


def test_large_runs_are_not_begun(program) -> None:
    report = shapesmt.check(program, replay=True, shapes={"x": [1 << 20, 1 << 12]}, guards="ignore")
    assert {confirmed for confirmed, _ in replays(report).values()} == {None}
    assert "GiB" in str(report)


def test_pytorch_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    from shapesmt.tasks.replay import programs
    from tests.test_readme import ROOT

    monkeypatch.setattr(programs.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(shapesmt.UsageError, match="--replay of a program needs PyTorch"):
        shapesmt.check(ROOT / "examples" / "torch_export" / "classifier.pt2", replay=True)
