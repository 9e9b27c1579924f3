"""Whether samples stay apart in programs of `torch.export`, as `check` claims it, held against running them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.oracle.samples.scoring import FAULTS, claims_of, remarks

pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")


def test_samples_are_claimed_to_stay_apart_only_where_they_do(full: bool, tmp_path: Path) -> None:
    from tests.oracle.torch.batches import PROGRAMS, exported, saved, truth_of

    found = []
    for program in PROGRAMS[:: 1 if full else 12]:
        if (made := exported(program)) is not None:
            path = tmp_path / "p.pt2"
            path.write_bytes(saved(made))
            claims = claims_of(str(path), program.names()["b"])
            found += [*remarks(truth_of(made, program), claims)]
    assert any(remark.kind == "apart right" for remark in found)
    assert not [remark for remark in found if remark.kind in FAULTS]
