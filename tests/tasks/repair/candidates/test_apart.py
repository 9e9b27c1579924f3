"""Models that only ONNX Runtime's default session refuses run in both sessions after a repair, as the file did."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import shapesmt
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Keeping
from tests.support.sessions import HALF, ROWS, TABLE, half, outcome_at, parsed

ADDED = parsed(
    f"g (float[n, 4] x) => (float[p, q] y) {{ {ROWS.format(start=-1)} y = Add (t, z) }}",
    **TABLE,
    z=np.zeros((2, 4), np.float32),
)
TWICE = parsed(
    f"""g (float[a, 4, 0] x) => (float[p, q, r] y, float[s, t, u] z) {{ {HALF} c = Constant <value_ints = [4, 0]> ()
    t = Concat <axis = 0> (u, c) y = Reshape (x, t) d = Constant <value_ints = [5, 0]> ()
    e = Concat <axis = 0> (u, d) z = Reshape (x, e) }}"""
)
LOADED = parsed(
    """g (float[a, 4] x) => (float[p, q] y) { c = Constant <value_ints = [-1]> () d = Constant <value_ints = [0]> ()
    t = Concat <axis = 0> (c, d) y = Reshape <allowzero = 1> (x, t) }"""
)


@pytest.mark.parametrize(
    ("model", "dim", "sizes", "text"),
    [
        (ADDED, "n", range(1, 2), "Concat of one operand before input 1 of Gather_6"),
        (half("[4, 0]", "[a, 4, 0]"), "a", range(6), "Concat of one operand before input 1 of Reshape_9"),
        (TWICE, "a", range(4), "Concat of one operand before input 1 of Reshape_9, input 1 of Reshape_12"),
    ],
    ids=["lookup", "target", "two targets"],
)
def test_what_only_the_session_refuses_is_kept_from_it(
    model: onnx.ModelProto, dim: str, sizes: range, text: str, tmp_path: Path
) -> None:
    dims = {dim: f"{sizes[0]}..{sizes[-1]}"}
    answer = shapesmt.repair(model, tmp_path / "out.onnx", dims=dims)
    (first,) = answer.proposals
    assert (answer.verdict, first.text, first.verdict) == (Verdict.FAILS, text, Verdict.PROVED)
    assert first.keeps is Keeping.PROVED
    assert answer.reason.startswith("only ONNX Runtime's default session refuses it, where ")
    written = onnx.load(tmp_path / "out.onnx")
    assert shapesmt.check(written, dims=dims).ok
    for size in sizes:
        refused, made = outcome_at(model, {dim: size})
        assert refused is None
        assert made is not None
        assert outcome_at(written, {dim: size}) == (made, made)


def test_a_rewrite_when_the_file_is_loaded_is_named() -> None:
    answer = shapesmt.repair(LOADED, dims={"a": 0})
    assert (answer.verdict, answer.proposals, answer.exit_status) == (Verdict.FAILS, (), 1)
    assert "another way is to disable optimizations" in str(answer)


def test_a_repair_of_the_file_that_the_session_refuses_isnt_proved() -> None:
    """With 2 rows in place of 3 the file runs, and the session still looks up none."""
    constants: dict[str, Any] = {**TABLE, "z": np.zeros((3, 4), np.float32)}
    text = f"g (float[n, 4] x) => (float[p, q] y) {{ {ROWS.format(start=-1)} y = Add (t, z) }}"
    found = shapesmt.repair(parsed(text, **constants), dims={"n": 1}).proposals
    proved = {p.new for p in found if p.name == "z" and p.verdict is Verdict.PROVED}
    assert proved == {(1, 4)}
