"""Verdicts of an opened model, asked again and again, are those of models that are opened for one question."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import shapesmt
from shapesmt.analysis import kept
from shapesmt.analysis.kept import Conditions
from shapesmt.prover.algebra import sizes
from tests.support.sessions import ROWS, TABLE, half, parsed

EXAMPLES = Path(__file__).parents[2] / "examples"
HEAD = '<ir_version: 8, opset_import: ["":18, "own":1]> g '
JOIN = HEAD + "(float[n, 3] x, float[m, 3] y) => (float[k, 3] z) { z = Add (x, y) }"
FOLD = HEAD + "(float[n, m] x) => (y) <int64[2] t = {-1, 6}> { y = Reshape (x, t) }"
TARGET = HEAD + "(float[n, 4] x, int64[2] t) => (y) { y = Reshape (x, t) }"
BY_DATA = (
    HEAD + "(float[n] x, float[m] w) => (z) { r = NonZero (x) s = Squeeze (r) f = Cast <to=1> (s) z = Add (f, w) }"
)
LAST = parsed(f"g (float[n, 4] x) => (float[p, q] y) {{ {ROWS.format(start=-1)} y = Add (t, z) }}", **TABLE,
              z=np.zeros((2, 4), np.float32))  # fmt: skip
ODD = HEAD + "(float[n] x) => (z) { y = own.Odd (x) z = Exp (y) }"
MODELS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "unet": (EXAMPLES / "unet/unet.onnx", ("batch", "height", "width")),
    "windows": (EXAMPLES / "window_partition/tiles.onnx", ("height", "width")),
    "cache": (EXAMPLES / "kv_cache/kv_cache.onnx", ("past", "seq", "total")),
    "detector": (EXAMPLES / "detector/detector.onnx", ("height", "width")),
    "join": (JOIN.encode(), ("n", "m")),
    "fold": (FOLD.encode(), ("n", "m")),
    "target": (TARGET.encode(), ("n",)),
    "session": (LAST, ("n",)),
    "half": (half("[4]"), ("a",)),
    "program": (EXAMPLES / "torch_export/classifier.pt2", ()),
}


def question(random: Random, names: tuple[str, ...]) -> dict[str, Any]:
    """Sizes or ranges of some of the dimensions, small and in step of 8, 0 too."""
    asked: dict[str, Any] = {}
    for name in names:
        low, step = random.choice([0, 1, 2, 7, 16, 64]), random.choice([1, 1, 2, 8])
        kind = random.random()
        if kind < 0.6:
            asked[name] = low
        elif kind < 0.8:
            asked[name] = f"{low}..{low + step * random.randint(1, 6)}:{step}"
        elif kind < 0.9:
            asked[name] = f"{low}.."
    return asked


def told(ask: Any) -> str:
    try:
        return str(ask())
    except shapesmt.UsageError as error:
        return str(error)


@pytest.mark.parametrize("name", MODELS)
def test_verdicts_are_those_of_a_fresh_model(name: str, seeds: range) -> None:
    model, names = MODELS[name]
    opened = shapesmt.open(model)
    names = names or tuple(opened.inspect().dimensions)
    for seed in seeds:
        random = Random(seed)
        dims = question(random, names)
        relations = [f"{names[0]} >= {names[-1]}"] if random.random() < 0.2 else []
        verdict = told(lambda dims=dims, more=relations: opened.where(*more, dims=dims).verdict)
        fresh = told(lambda dims=dims, more=relations: shapesmt.check(model, dims=dims, assume=more).verdict)
        assert verdict == fresh, (seed, dims, relations)
    assert [type(found) for found in opened.model.kept.values()] == [Conditions]


def test_what_depends_on_data_or_is_unknown_is_examined_each_time() -> None:
    for text in (BY_DATA, ODD):
        opened = shapesmt.open(text.encode())
        verdicts = {str(opened.where(n=n).verdict) for n in range(1, 5)}
        assert verdicts == {str(shapesmt.check(text.encode(), dims={"n": 3}).verdict)}
        assert [*opened.model.kept.values()] == [None]


def test_shapes_values_and_options_are_questions_of_their_own() -> None:
    opened = shapesmt.open(TARGET.encode())
    asked = [opened.where(n=6, values={"t[0]": t, "t[1]": 6}).verdict.value for t in (4, 4, 5, 4)]
    assert asked == ["PROVED", "PROVED", "FAILS", "PROVED"]
    assert [opened.where(shapes={"x": s}).verdict.value for s in ("[3,4]", "[3,4]")] == ["DEPENDS"] * 2
    for session, verdict in (("file", "PROVED"), ("default", "FAILS")):
        last = shapesmt.open(LAST, session=session)
        assert [last.where(n=1).verdict.value for _ in range(3)] == [verdict] * 3


def test_threads_may_ask_at_the_same_time() -> None:
    opened = shapesmt.open(JOIN.encode())
    with ThreadPoolExecutor(4) as threads:
        asked = [*threads.map(lambda i: opened.where(n=i % 7 + 1, m=i % 5 + 1).proved, range(200))]
    assert asked == [(i % 7 == i % 5) or 0 in (i % 7, i % 5) for i in range(200)]


def test_a_thousand_questions_need_no_more_memory_than_a_hundred() -> None:
    opened = shapesmt.open(EXAMPLES / "unet/unet.onnx")

    def entries(asked: range) -> int:
        assert sum(opened.where(batch=1, height=8 * n, width=16 * n).proved for n in asked) == len(asked) // 2
        return sum(sizes().values())

    shapesmt.forget()
    grown = [entries(range(1 + 100 * k, 101 + 100 * k)) for k in range(5)]
    assert grown[4] - grown[3] < 100 * 200


def test_a_question_that_makes_sense_with_ranges_only_is_examined_each_time() -> None:
    text = HEAD + "(float[n, 4] x, int64[k] t) => (y) { y = Reshape (x, t) }"
    some = shapesmt.open(text.encode()).where(k=2, n=3, values={"t[0]": -1, "t[1]": 6})
    assert [some.verdict.value for _ in range(3)] == ["PROVED"] * 3


def test_what_takes_long_at_all_sizes_takes_no_time_from_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "PATIENCE", 0.0)
    opened = shapesmt.open(JOIN.encode())
    assert [opened.where(n=n, m=2).verdict.value for n in (1, 2, 3)] == ["PROVED", "PROVED", "FAILS"]


def test_the_latest_questions_are_kept() -> None:
    opened = shapesmt.open(JOIN.encode())
    for n in range(1, 20):
        assert opened.where(shapes={"x": [n, 3]}, m=1).proved
    assert len(opened.model.kept) == kept.MOST
    assert [opened.where(n=2, m=2).proved for _ in range(3)] == [True] * 3
    assert [type(found) for found in opened.model.kept.values()].count(Conditions) == 1
