from __future__ import annotations

from pathlib import Path
from time import monotonic

import pytest

from shapesmt.analysis.verify import TIMEOUT
from shapesmt.base.errors import UsageError
from shapesmt.entrypoints.cli.main import main
from shapesmt.entrypoints.cli.modules import module_of


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "net.py"
    path.write_text("def example():\n    return 'module', (1, 2)\n\ndef other():\n    return 3\n")
    return str(path)


def test_a_function_gives_the_module(file: str) -> None:
    assert module_of(f"{file}:example") == ("module", (1, 2))
    assert module_of("https://example.org/net.py:") is None


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("other", "is to return a module and a tuple of its arguments"),
        ("missing", "can't be called: AttributeError: module 'net' has no attribute 'missing'"),
    ],
)
def test_what_is_no_module(file: str, name: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        module_of(f"{file}:{name}")
    with pytest.raises(UsageError, match=r"there is no file gone\.py"):
        module_of("gone.py:example")


@pytest.fixture
def halves(tmp_path: Path) -> str:
    pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")
    path = tmp_path / "halves.py"
    path.write_text(
        "import torch\n\n\nclass Halves(torch.nn.Module):\n    def forward(self, x):\n"
        "        return x[:, ::2] + x[:, 1::2]\n\n\ndef example():\n    return Halves(), (torch.ones(3, 8),)\n"
    )
    return f"{path}:example"


def test_the_command_tries_what_it_writes(halves: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["dynamic-shapes", halves, "--shape", "x=[n,w]", "--dim", "w=2..64"]) == 0
    out, err = capfd.readouterr()
    assert '"x": {0: n, 1: 2*_w},' in out
    assert "not tried" not in out
    assert not err


def test_the_time_that_pytorch_takes_is_not_in_the_limit(
    halves: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from shapesmt.frontends.torch import live

    export, late = live.export_module, [0.0]

    def slow(request: live.Request) -> live.Exported:
        exported = export(request)
        late[0] += 2 * TIMEOUT
        return exported

    monkeypatch.setattr(live, "export_module", slow)
    for module in ("base.deadline", "analysis.verify.question", "entrypoints.api.opened", "tasks.profiles.proposals"):
        monkeypatch.setattr(f"shapesmt.{module}.monotonic", lambda: monotonic() + late[0])
    assert main(["dynamic-shapes", halves, "--shape", "x=[n,w]", "--dim", "w=2..64"]) == 0
    assert '"x": {0: n, 1: 2*_w},' in capsys.readouterr().out
    assert late[0] >= 4 * TIMEOUT
