"""The page of `memory`: its words, its drawings, and that it asks for nothing."""

from __future__ import annotations

import re
from pathlib import Path

from shapesmt.entrypoints.cli import main
from shapesmt.reports.answers import Budget, Chart, Memory, Peak
from shapesmt.reports.render import memory_page

WORST = Peak(512, True, {"n": 64}, "<a>", "Abs", "8*n")
LINE = Chart({"n": (1, 2, 4, 8)}, ((8, 16, None, 64),), {"b<": 3})
GRID = Chart({"n": (1, 2), "m": (1, 2, 3)}, ((8, 16), (16, 32), (24, None)), {})


def page(*charts: Chart, budget: int | None = None) -> str:
    limit = None if budget is None else Budget(budget, ("n <= 2",), exact=True)
    return memory_page(Memory("m.onnx", "live", WORST, budget=limit, charts=charts))


def drawn(html: str, role: str) -> int:
    """How many cells or bars have that role."""
    return sum(path.count("z") for path in re.findall(rf'<path d="([^"]*)" class="{role}"', html))


def test_words_are_those_of_the_text():
    html = page(LINE, budget=20)
    parts = ["m.onnx: 512 bytes of activations at most", "while &lt;a&gt; (Abs) runs, at n=64\n", "n &lt;= 2"]
    parts += ["8 bytes to 64 bytes over n", "at b&lt;=3", "2 of the 3 drawn fit 20 bytes", "budget 20 bytes"]
    assert [part for part in parts if part not in html] == []


def test_what_is_beyond_the_budget_is_hatched():
    assert (drawn(page(LINE), "good"), drawn(page(LINE), "bad")) == (3, 0)
    assert (drawn(page(LINE, budget=20), "good"), drawn(page(LINE, budget=20), "bad")) == (2, 1)
    assert (drawn(page(GRID), "good"), drawn(page(GRID), "bad")) == (5, 0)
    assert (drawn(page(GRID, budget=20), "good"), drawn(page(GRID, budget=20), "bad")) == (3, 2)
    assert page(LINE, GRID, budget=20).count('id="hatch"') == 1


def test_the_page_needs_no_other_file_and_no_script():
    html = page(LINE, GRID)
    assert "<script" not in html
    assert " style=" not in html
    assert not re.search(r"https?:|@import", html)


def test_the_command_writes_it(tmp_path: Path):
    (tmp_path / "m.onnxtxt").write_text(
        '<ir_version: 8, opset_import: ["": 18]> g (float[n] x) => (float[n] y) { y = Exp(x) }'
    )
    path = tmp_path / "page.html"
    arguments = ["memory", str(tmp_path / "m.onnxtxt"), "--dim", "n=1..64", "--budget", "100", "--html", str(path)]
    assert main(arguments) == 1
    assert "25 of the 64 drawn fit 100 bytes" in path.read_text()
