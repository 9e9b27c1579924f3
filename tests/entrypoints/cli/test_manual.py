"""`shapesmt help`: every page is there, listed, and found by its name."""

from __future__ import annotations

from importlib import resources

import pytest

from shapesmt.entrypoints.cli.main import main
from shapesmt.entrypoints.cli.manual import TOPICS, page, titles


def test_each_page_is_a_topic() -> None:
    files = {entry.name for entry in resources.files("shapesmt.entrypoints.cli").joinpath("pages").iterdir()}
    assert files == {f"{topic}.md" for topic in TOPICS}


def test_the_topics_are_listed_with_their_titles(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(maxsplit=3)[2] for line in lines] == list(TOPICS)
    assert lines[0] == "shapesmt help verdicts  What a verdict means"
    assert all(titles().values())


@pytest.mark.parametrize("topic", TOPICS)
def test_a_page_is_printed_as_it_is(topic: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", topic]) == 0
    assert capsys.readouterr().out == page(topic)


def test_a_command_has_its_own_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "check"]) == 0
    shown = capsys.readouterr().out
    assert main(["check", "--help"]) == 0
    assert shown == capsys.readouterr().out


def test_an_unknown_topic_is_a_mistake_with_a_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "verdict"]) == 2
    assert capsys.readouterr().err == "error: no page 'verdict'; did you mean 'verdicts'? (see shapesmt help --help)\n"
