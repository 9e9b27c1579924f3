"""An analysis: each part of the answers is found when it is first read, and once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from shapesmt.analysis import diagnose, verify
from shapesmt.analysis.analysis import Analysis, analyse
from shapesmt.analysis.verify import Claims, Question
from shapesmt.prover.algebra import Verdict

MODEL = b"""<ir_version: 8, opset_import: ["":18]> g (float[n, 3] x, float[m, 3] y) => (float[k, 3] z)
<float[k, 4] s> { s = Mul (x, y) z = Add (s, y) }"""
FOUND: dict[str, Callable[..., object]] = {
    "findings": diagnose.findings_of,
    "region": diagnose.precondition,
    "remedy": diagnose.find_remedy,
    "contradictions": diagnose.declarations,
    "static": diagnose.hurried_static_axes,
    "warnings": diagnose.model_warnings,
    "guarded": diagnose.guard_region,
    "sizes": verify.tensor_bounds,
    "bounds": verify.valid_share,
}
"""The parts, each with the function that finds it."""


def analysed(declared: str = "check") -> Analysis:
    return analyse(MODEL, Question({"n": "1..8", "m": "2..8"}, declared=declared))


def counted(monkeypatch: pytest.MonkeyPatch, module: object, function: Callable[..., object]) -> list[object]:
    """The results of the function's calls from now on."""
    results: list[object] = []

    def counting(*arguments: Any, **options: Any) -> object:
        results.append(function(*arguments, **options))
        return results[-1]

    monkeypatch.setattr(module, function.__name__, counting)
    return results


@pytest.mark.parametrize("part", FOUND)
def test_each_part_is_found_once_and_not_before_it_is_read(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = verify if part in ("sizes", "bounds") else diagnose
    results = counted(monkeypatch, module, FOUND[part])
    a = analysed()
    assert results == []
    first = getattr(a, part)
    assert getattr(a, part) is first
    assert len(results) == 1
    assert part == "bounds" or first == results[0]


def test_parts_share_what_they_rest_on(monkeypatch: pytest.MonkeyPatch) -> None:
    regions = counted(monkeypatch, diagnose, diagnose.precondition)
    sizes = counted(monkeypatch, verify, verify.tensor_bounds)
    a = analysed()
    assert a.examination.verdict is Verdict.DEPENDS
    assert a.remedy is not None
    assert a.region.text == ("m == n or n == 1",)
    assert a.bounds.tensors is a.sizes
    assert (len(regions), len(sizes)) == (1, 1)


def test_a_copy_finds_its_own_parts() -> None:
    a = analysed()
    proved = replace(a, examination=replace(a.examination, judgements=()))
    assert (a.region.text, proved.region.text) == (("m == n or n == 1",), ())
    assert a.within(60).region == a.region
    assert a.within(0).bounds_of(["z"]).tensors["z"].shape is not None


def test_declared_shapes_are_compared_only_if_the_question_is_about_them() -> None:
    assert [name for name, _ in analysed().contradictions] == ["s"]
    assert [analysed(other.value).contradictions for other in Claims if other is not Claims.CHECK] == [(), (), ()]


def test_bounds_of_some_tensors_are_those_among_all() -> None:
    a = analysed()
    assert a.bounds_of(["z"]).tensors == {"z": a.bounds.tensors["z"]}
