"""What is written for another language comes back from it as it was, and nothing of it runs."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest
from google.protobuf import text_format, wrappers_pb2

from shapesmt.reports.answers import Remedy, Unchecked
from shapesmt.reports.render.quoting import argument, comment, identifier, json_text, mlir, protobuf, python, shell
from shapesmt.reports.render.text.advice import flags
from shapesmt.reports.render.text.text import fold_text
from shapesmt.tasks.profiles.text import Axis, Layout, Root, proposal_text
from tests.support.pasted import called, obeyed, words
from tests.support.payloads import PAYLOADS


def test_each_language_reads_what_was_written(tmp_path: Path) -> None:
    commands = [
        f"ovc {quoted}" for name in PAYLOADS for quoted in (shell(name), argument(name), argument(name, bare=True))
    ]
    assert words(commands, tmp_path / "empty") == [["ovc", name] for name in PAYLOADS for _ in range(3)]
    for name in PAYLOADS:
        assert ast.literal_eval(python(name)) == name
        assert json.loads(json_text([name])) == [name]
        assert text_format.Parse(f"value: {protobuf(name)}", wrappers_pb2.StringValue()).value == name
        assert [
            f for f in (shell, argument, python, json_text, protobuf, comment, mlir) if obeyed(f"x {f(name)}")
        ] == []
        assert identifier(name).isidentifier()
        assert re.fullmatch(r"[A-Za-z_$.-][\w$.-]*", mlir(name), re.ASCII)


@pytest.mark.parametrize("name", ["\ud800", "a\udcffb", "\x00"])
def test_what_is_no_text_is_escaped(name: str) -> None:
    assert ast.literal_eval(python(name)) == name
    assert json.loads(json_text(name)) == name
    assert shell(name).isascii()
    assert protobuf(name).isascii()


def test_names_of_files_keep_their_bytes(tmp_path: Path) -> None:
    name = b"a\xff\n".decode(errors="surrogateescape")
    assert shell(name) == r"$'a\377\012'"
    assert words([f"ovc {shell(name)}"], tmp_path / "empty") == [["ovc", name]]


def test_ordinary_names_stay_as_they_are() -> None:
    names = ("/up1/Concat", "input.1", "past_key_values.0.key", "x:0")
    assert [shell(name) for name in names] == [*names]
    assert [python(name) for name in names] == [protobuf(name) for name in names] == [f'"{name}"' for name in names]
    assert [comment(name) for name in names] == [f"# {name}" for name in names]


def test_flags_are_left_out_whole(tmp_path: Path) -> None:
    """If a text were cut in its middle, the remainder might begin inside quotes."""
    long = Remedy({"x $(pwned)": "2", "A" * 990: "1"}, ("`pwned` == 3",))
    assert flags(long) == "--dim 'x $(pwned)=2' ..."
    assert words([f"ovc {flags(long)}"], tmp_path / "empty") == [["ovc", "--dim", "x $(pwned)=2", "..."]]


def test_proposals_have_any_names() -> None:
    layout = Layout({name: [Axis(name)] for name in PAYLOADS}, {name: Root(name, 2, None, 1) for name in PAYLOADS})
    text = proposal_text({name: name for name in PAYLOADS}, layout, {}, PAYLOADS)
    assert obeyed(text) == []
    assert [*called(text)["dynamic_shapes"]] == [*PAYLOADS]


@pytest.mark.parametrize("width", [None, *range(20, 40)])
def test_no_line_begins_as_a_command_wherever_it_is_wrapped(width: int | None) -> None:
    texts = [
        fold_text(Unchecked(name, f"a b {name} c {name} " * 3), width) for name in ("::add-mask::e", "x::error::y" * 9)
    ]
    assert obeyed("".join(texts)) == []
