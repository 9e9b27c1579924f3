"""The answers about modules of PyTorch against execution: a sample of them, and all with `--full`."""

from __future__ import annotations

import pytest

from tests.support.each import check_each

torch = pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")
case = pytest.importorskip("tests.bench.programs.case")
modules = pytest.importorskip("tests.bench.programs.modules")
answers = pytest.importorskip("tests.bench.programs.answers")
claims = pytest.importorskip("tests.bench.programs.claims")

SAMPLE = ("LeNet", "SpaceToDepth", "Inpainting", "GPT", "Wav2Letter", "MobileViT")
SPECIALISED = ("DiffusionUNet", "GRULanguage", "SiameseTracker", "Translation")
"""What PyTorch exports of these admits less than the module itself: it ties batches that may also be 1."""


OTHERS = [name for name in case.CASES if name not in SAMPLE]  # looked at with --full


def test_there_are_sixty_modules_with_sizes_that_run() -> None:
    assert len(case.CASES) == 60
    for each in case.CASES.values():
        assert 30 <= len(each.points()) <= case.MOST
        assert each.points()[0] == each.example or each.example in each.points()


@pytest.mark.parametrize("part", range(len(SAMPLE)), ids=SAMPLE)
def test_every_node_runs_exactly_where_the_module_does(part: int, full: bool) -> None:
    def check(name: str) -> None:
        program = claims.asked(case.CASES[name], "AUTO")
        assert not isinstance(program, str), program
        region = answers.held(case.CASES[name], program)
        expected = ("exact", "too narrow", "not judged") if name in SPECIALISED else ("exact",)
        ran = claims.ran(case.CASES[name])
        assert ("not judged" if region is None else answers.outcome(ran, region)) in expected

    check_each([SAMPLE[part], *(OTHERS[part :: len(SAMPLE)] if full else ())], check)


@pytest.mark.parametrize("name", SAMPLE[1:3])
def test_no_size_of_a_proposal_is_refused_or_fails(name: str, full: bool) -> None:
    def check(name: str) -> None:
        module = case.CASES[name]
        assert "FAIL" not in answers.tried(module, claims.ran(module), answers.proposal(module))

    rest = [each for each in case.CASES if each not in SAMPLE[1:3]]
    check_each([name, *(rest[SAMPLE[1:3].index(name) :: 2] if full else ())], check)
