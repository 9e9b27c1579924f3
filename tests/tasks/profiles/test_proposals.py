from __future__ import annotations

from pathlib import Path

import pytest

import shapesmt

ARCHIVE = Path(__file__).parents[3] / "examples" / "torch_export" / "classifier.pt2"


def test_an_archive_has_a_proposal_that_is_not_tried() -> None:
    found = shapesmt.dynamic_shapes(ARCHIVE, shapes={"image": "[n,3,h,w]"}, dims={"h": "17..64", "w": "1..32"})
    assert found.exit_status == 1
    assert not found.content
    assert str(found) == "FAILS classifier.pt2: no size is known to run, so nothing is proposed"
    found = shapesmt.dynamic_shapes(ARCHIVE, shapes={"image": "[n,3,h,w]"}, dims={"h": "17..64", "w": "1..60"})
    assert found.verified is None
    assert found.exit_status == 0
    assert "{0: n, 2: h, 3: w}" in found.content
    assert 'w = Dim("w", min=33, max=60)' in found.content
    assert "torch.export may refuse it" in found.content
    assert found.to_dict()["admitted"]["h"]["min"] == 33


def test_other_models_have_no_dynamic_shapes() -> None:
    model = b'<ir_version: 8, opset_import: ["":18]> g (float[n] x) => (float[n] y) { y = Abs(x) }'
    with pytest.raises(shapesmt.UsageError, match="no program of PyTorch; give a file"):
        shapesmt.dynamic_shapes(model)
