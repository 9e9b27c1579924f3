"""The answers about modules of PyTorch against execution: a sample of them, and all with `--full`."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")
case = pytest.importorskip("tests.bench.programs.case")
modules = pytest.importorskip("tests.bench.programs.modules")
answers = pytest.importorskip("tests.bench.programs.answers")
claims = pytest.importorskip("tests.bench.programs.claims")

SAMPLE = ("LeNet", "SpaceToDepth", "Inpainting", "GPT", "Wav2Letter", "MobileViT")
SPECIALISED = ("DiffusionUNet", "GRULanguage", "SiameseTracker", "Translation")
"""What PyTorch exports of these admits less than the module itself: it ties batches that may also be 1."""


def test_there_are_sixty_modules_with_sizes_that_run() -> None:
    assert len(case.CASES) == 60
    for each in case.CASES.values():
        assert 30 <= len(each.points()) <= case.MOST
        assert each.points()[0] == each.example or each.example in each.points()


@pytest.mark.parametrize("name", [*case.CASES])
def test_every_node_runs_exactly_where_the_module_does(name: str, full: bool) -> None:
    if not full and name not in SAMPLE:
        pytest.skip("one of the modules that --full looks at")
    each = case.CASES[name]
    program = claims.asked(each, "AUTO")
    assert not isinstance(program, str), program
    region = answers.held(each, program)
    expected = ("exact", "too narrow", "not judged") if name in SPECIALISED else ("exact",)
    ran = claims.ran(each)
    assert ("not judged" if region is None else answers.outcome(ran, region)) in expected


@pytest.mark.parametrize("name", [*case.CASES])
def test_no_size_of_a_proposal_is_refused_or_fails(name: str, full: bool) -> None:
    if not full and name not in SAMPLE[1:3]:
        pytest.skip("one of the modules that --full looks at")
    each = case.CASES[name]
    assert "FAIL" not in answers.tried(each, claims.ran(each), answers.proposal(each))
