"""Archives of PyTorch state types, shapes and strides of tensors; the rules have to infer the same."""

from __future__ import annotations

from pathlib import Path

import pytest

import shapesmt
from tests.oracle.recorded import compared

ARCHIVES, EXAMPLES = Path(__file__).parent / "archives", Path(__file__).parents[2] / "examples"
STORED = [*ARCHIVES.glob("*.pt2"), *(ARCHIVES / "packages").glob("*.pt2"), *EXAMPLES.rglob("*.pt2")]
PROGRAMS = ("positions", "encoder", "windows", "pyramid", "types", "data", "audio", "branches", "loops", "modes")
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


def test_a_type_that_pytorch_states_wrongly_is_said_to_be_assumed() -> None:
    """PyTorch 2.6 states int64 of an integer tensor divided by a size, and makes float32."""
    report = shapesmt.check((ARCHIVES / "wrong" / "types_plain_2_6.pt2").read_bytes())
    assert [(one.node, one.law) for one in report.stated] == [("div", "the output is int64, not float32")]
    assert "assuming the output of div of the archive" in report.text(200).splitlines()[0]


def test_strides_that_pytorch_states_wrongly_are_inferred_as_it_makes_them() -> None:
    """PyTorch 2.6 to 2.13 state a new tensor's strides of a dropout that isn't training; it returns its input."""
    found = compared((ARCHIVES / "wrong" / "timm_vit_2_6.pt2").read_bytes())
    assert found.different == ["strides of dropout_4: [16, 1] is stated, [784, 1] inferred"]
    torch = pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")
    first = torch.zeros(2, 49, 16)[:, 0]
    assert torch.nn.functional.dropout(first, 0.0, training=False).stride() == (784, 1)
