"""What archives of PyTorch state of their tensors, held against what the rules infer: no difference is accepted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.oracle.recorded import compared

STORED = [*(Path(__file__).parent / "archives").glob("*.pt2"), *(Path(__file__).parents[2] / "examples").rglob("*.pt2")]
PROGRAMS = ("positions", "encoder", "windows", "pyramid", "types", "data", "audio")
LAYERS = ("images", "channels last", "upward", "decoder", "sound", "heads", "chosen", "table")


def agrees(content: bytes) -> None:
    found = compared(content)
    assert found.different == []
    assert found.same["rank"] > 3
    assert found.open["size"] <= found.same["size"]
    assert found.open["strides"] <= found.same["strides"] / 2


@pytest.mark.parametrize("path", STORED, ids=lambda p: p.stem)
def test_what_archives_of_several_versions_state_is_inferred(path: Path) -> None:
    agrees(path.read_bytes())


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_the_installed_pytorch_states_is_inferred(name: str) -> None:
    pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")
    from tests.oracle.torch.archived import archives

    for content in archives(name):
        agrees(content)


@pytest.mark.parametrize("name", LAYERS)
def test_what_the_installed_pytorch_states_of_layouts_is_inferred(name: str) -> None:
    pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")
    import io

    import torch

    from tests.oracle.torch.archived import without_weights
    from tests.oracle.torch.nets import NETS
    from tests.oracle.torch.programs import exported

    file = io.BytesIO()
    torch.export.save(exported(NETS[name]), file)
    agrees(without_weights(file.getvalue()))
