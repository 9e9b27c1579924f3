"""The archive that PyTorch 2.13 exports from `model.py`, without its weights, which nothing here reads.

python -m examples.lowering.export
"""

from __future__ import annotations

from pathlib import Path

import torch

from examples.lowering.model import Tagger
from examples.torch_export.export import archive


def exported() -> torch.export.ExportedProgram:
    """The program, with every size that PyTorch lets vary."""
    auto = torch.export.Dim.AUTO
    ids = torch.zeros(2, 12, dtype=torch.int64)
    return torch.export.export(Tagger().eval(), (ids,), dynamic_shapes={"ids": {0: auto, 1: auto}})


if __name__ == "__main__":
    Path(__file__).with_name("tagger.pt2").write_bytes(archive(exported()))
