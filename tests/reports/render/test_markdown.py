"""Markdown pages: laid out on a terminal, as they are in a pipe."""

from __future__ import annotations

import io
import re

import pytest

from shapesmt.reports.render.markdown import WIDEST, write_markdown

PAGE = "# Title\n\nSome `code`.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```console\n$ shapesmt ops\n```\n" + 40 * "word "


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_pipe_gets_the_markdown() -> None:
    stream = io.StringIO()
    write_markdown(PAGE, stream)
    assert stream.getvalue() == PAGE


@pytest.mark.parametrize("columns", [60, 300])
def test_a_terminal_gets_a_page_of_its_width(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    stream = Terminal()
    write_markdown(PAGE, stream)
    shown = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())
    assert "$ shapesmt ops" in shown
    assert not [mark for mark in ("```", "|---", "`code`") if mark in shown]
    assert max(map(len, shown.splitlines())) <= min(columns, WIDEST)
