"""The archive that PyTorch 2.13 exports from `model.py`, without its weights, which nothing here reads.

python -m examples.torch_export.export
"""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

import torch

from examples.torch_export.model import Classifier

HERE = Path(__file__).parent
ROOT = f"{HERE.parent.parent}/"
EPOCH = (1980, 1, 1, 0, 0, 0)


def exported() -> torch.export.ExportedProgram:
    """The program, with every size that PyTorch lets vary."""
    auto = torch.export.Dim.AUTO
    image = torch.ones(2, 3, 64, 64)
    return torch.export.export(Classifier().eval(), (image,), dynamic_shapes={"image": {0: auto, 2: auto, 3: auto}})


def archive(program: torch.export.ExportedProgram) -> bytes:
    """What `torch.export.save` writes of it, without weights and examples of its arguments."""
    saved, kept = io.BytesIO(), io.BytesIO()
    torch.export.save(program, saved)
    with zipfile.ZipFile(saved) as before, zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as after:
        for name in before.namelist():
            _root, _, entry = name.partition("/")
            if entry.startswith("models/") or entry in ("archive_format", "archive_version", "byteorder"):
                content = re.sub(rb"/[^\"]*/site-packages/", b"", before.read(name).replace(ROOT.encode(), b""))
                after.writestr(zipfile.ZipInfo(f"model/{entry}", EPOCH), content, zipfile.ZIP_DEFLATED)
    return kept.getvalue()


if __name__ == "__main__":
    (HERE / "classifier.pt2").write_bytes(archive(exported()))
