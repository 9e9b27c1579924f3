"""Names of a model run nowhere: every text of every command is pasted, run, parsed or printed as it would be."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema
import onnx
import pytest
import z3
from google.protobuf import text_format

from shapesmt.base.errors import printable
from shapesmt.entrypoints.cli.main import main
from shapesmt.prover.algebra import name_text
from shapesmt.reports.export.profiles import TARGETS
from tests.support.pasted import annotations, called, obeyed, printed, words
from tests.support.payloads import PAYLOADS, hostile_model, names

COLOUR = "FORCE_COLOR"
SARIF = json.loads((Path(__file__).parents[2] / "reports" / "render" / "sarif.schema.json").read_text())
PLAIN = {"input": "x", "output": "y", "node": "last", "dim": "n", "initializer": "w", "op": "Op", "producer": "me"}
ADVICE = re.compile(
    r"PROVED with (.*?)(?: \([^()]*\))?$|(?:next|to write it): (.*)|without (.*?) it runs|"
    r"(--assume .*) if they are to be equal|(--dim .*) includes it|declare one, as in (.*)|did you mean: (.*?) \(see",
    re.MULTILINE,
)


class Folder:
    """A model in a folder of its own, and what the command line says about it."""

    def __init__(self, path: Path, names: dict[str, str] = PLAIN, known: bool = True) -> None:
        self.path, self.names, self.known = path, names, known
        self.model = f"{names['producer'].replace('/', '')[:60]}.onnx".lstrip("-")
        self.sizes = ("--dim", f"{name_text(names['dim'])}=2..8", "--dim", "m=1")
        path.mkdir()
        (path / self.model).write_bytes(hostile_model(names, known).SerializeToString())
        self.pasted: list[str] = []
        """Command lines that are shown."""
        self.answers = 0
        """The commands that answer, and don't refuse what they are asked."""

    def says(self, command: str, *more: str) -> str:
        """Return the output of a command, which must hold no command for a terminal or a runner."""
        out, err = io.StringIO(), io.StringIO()
        before = Path.cwd()
        os.chdir(self.path)
        try:
            with redirect_stdout(out), redirect_stderr(err):
                status = main([command, self.model, *more])
        finally:
            os.chdir(before)
        assert status in range(4), err.getvalue()
        self.answers += status != 2
        for text in (
            re.sub(r"\x1b\[[\d;]*m", "", out.getvalue()) if COLOUR in os.environ else out.getvalue(),
            err.getvalue(),
        ):
            assert "github" in more or obeyed(text) == [], (self.names, command, more)
            self.pasted += ["".join(match.groups("")) for match in ADVICE.finditer(text)]
        return out.getvalue()


@pytest.fixture
def folders(tmp_path: Path, full: bool, request: pytest.FixtureRequest) -> Iterator[Folder]:
    """Folders in which each role has a few payloads, or with `--full` all of them; the first lacks a rule."""
    first, count = request.config.getoption("--seed"), len(PAYLOADS)
    numbers = range(count) if full else [(first + step) % count for step in (0, 19, 38)]
    return (Folder(tmp_path / str(number), names(number), known=number % 4 != 0) for number in numbers)


def test_each_role_has_each_name() -> None:
    assert len(set(PAYLOADS)) == len(PAYLOADS) >= 60
    for role in PLAIN:
        assert {names(number)[role] for number in range(len(PAYLOADS))} == set(PAYLOADS)
    assert all(len(set(names(number).values())) == len(PLAIN) for number in range(len(PAYLOADS)))


def test_what_would_run_is_noticed(tmp_path: Path) -> None:
    assert words(["trtexec 'a b' $'\\012'", "ovc x"], tmp_path / "empty") == [["trtexec", "a b", "\n"], ["ovc", "x"]]
    for number, text in enumerate(("trtexec $(pwned)", "ovc;pwned", "ovc > x", "no_such_tool")):
        with pytest.raises(AssertionError):
            words([text], tmp_path / str(number))
    for code in ("pwned()", "import os", "__import__('os')"):
        with pytest.raises(AssertionError):
            called(code)
    assert obeyed(" ::x\na::x\n##vso[x\n# #[x\n\x85") == [" ::x", "##vso[x", "\x85"]


def test_texts_are_obeyed_by_nobody(folders: Iterator[Folder], monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in folders:
        node, output, constant = (folder.names[role] for role in ("node", "output", "initializer"))
        commands = [
            *(("check", *o) for o in ([], folder.sizes, ["--all"], ["-q"], ["--summary"], ["--certify"], ["--strict"])),
            *(("explain", name) for name in (node, output, constant)),
            *(("explain", node, "--constraints"), ("memory", "--budget", "1kB", *folder.sizes)),
            *((command,) for command in ("explain", "bounds", "inspect", "memory", "ops", "profile")),
            *((command, "-o", "out.onnx") for command in ("tighten", "simplify")),
            ("tighten", "-o", "out.onnx", "--valid-only"),
            *(("simplify", "-o", "out.onnx", "--explain", *folder.sizes), ("bounds", folder.names["input"])),
            *(("bounds", "no such"), ("check", "--dim", "no such=1"), ("profile", "--for", "trtexec", "--valid-only")),
        ]
        for command in commands:
            folder.says(*command)
        assert folder.answers > len(commands) // 2
        complete = [text if text.startswith("shapesmt") else f"shapesmt {text}" for text in folder.pasted]
        assert not folder.known or any("--assume" in text for text in complete)
        said = words(complete, folder.path / "empty")
        assert ["shapesmt", "check", printable(folder.model)] in said
        with monkeypatch.context() as patch:
            patch.setenv(COLOUR, "1")
            patch.setenv("COLUMNS", "40")
            for command in ("check", "inspect", "bounds"):
                folder.says(command)


def test_data_for_programs_have_the_names(folders: Iterator[Folder]) -> None:
    for folder in folders:
        inputs, outputs = [folder.names["input"], "b"], [folder.names["output"]]
        read = {
            command: json.loads(folder.says(command, "--format", "json", *more))
            for command, *more in (
                *(["check"], ["bounds"], ["inspect"], ["memory"], ["ops"], ["explain"], ["encode"]),
                *(["profile", "--valid-only"], ["simplify", "-o", "s.onnx", "--valid-only"]),
            )
        }
        assert read["bounds"]["tensors"].keys() >= {*inputs, *outputs}
        assert [[*read["inspect"][key]] for key in ("inputs", "outputs")] == [inputs, outputs]
        assert [*read["inspect"]["dimensions"]] == [folder.names["dim"], "m"]
        assert [finding["node"] for finding in read["check"]["findings"]] == [folder.names["node"]] or not folder.known
        written = onnx.load(folder.path / "s.onnx").graph
        assert [[value.name for value in some] for some in (written.input, written.output)] == [inputs, outputs]
        jsonschema.validate(json.loads(folder.says("check", "--format", "sarif")), SARIF)
        notes = annotations(folder.says("check", "--format", "github"))
        assert {command for command, _, _ in notes} <= {"error", "warning", "notice"}
        assert {key for _, properties, _ in notes for key in properties} == {"title", "file"}
        folder.says("check", "--output", "results.jsonl")
        (line,) = (folder.path / "results.jsonl").read_text().splitlines()
        assert obeyed(line) == []
        assert json.loads(line)["findings"] == read["check"]["findings"]


def test_programs_do_what_they_do_for_other_names(folders: Iterator[Folder], tmp_path: Path) -> None:
    plain = Folder(tmp_path / "plain")
    plain.says("check", "--html", "page.html")
    counts = [assertions(plain.says("encode", *more)) for more in ([], ["last"])]
    for folder in folders:
        if folder.known:
            texts = [folder.says("encode", *more) for more in ([], [folder.names["node"]])]
            assert [assertions(text) for text in texts] == counts
            said = printed(folder.says("repro"))
            assert "reproduced with onnxruntime 1" in said
            assert obeyed(said) == []
            folder.says("check", "--html", "page.html")
            assert tags(folder.path / "page.html") == tags(plain.path / "page.html")


def assertions(text: str) -> int:
    """How many assertions Z3 reads."""
    solver = z3.Solver()
    solver.from_string(text)
    return len(solver.assertions())


class Page(HTMLParser):
    """The elements of a page, with their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, ...]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, *(key for key, _ in attrs)))


def tags(path: Path) -> set[tuple[str, ...]]:
    """The kinds of elements of a page, but for those that only break words."""
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return {*page.tags} - {("wbr",)}


NAMES_IN: dict[str, Callable[[dict[str, Any]], list[str]]] = {
    "torch-trt": lambda had: [call.kwargs["name"] for call in had["torch_tensorrt"].Input.call_args_list],
    "torch-export": lambda had: [*had["dynamic_shapes"]],
    "openvino": lambda had: [*had["model"].reshape.call_args[0][0]],
    "coreml": lambda had: [call.args[0] for call in had["ct"].TensorType.call_args_list],
}
"""How the names of the inputs are got from what Python has once it ran a profile."""


def test_profiles_have_the_names_and_nothing_else(folders: Iterator[Folder], tmp_path: Path) -> None:
    plain = Folder(tmp_path / "plain")
    config = [*tokens(plain.says("profile", "--for", "triton", *plain.sizes))]
    for folder in folders:
        x, dim = folder.names["input"], folder.names["dim"]
        texts = {target: folder.says("profile", "--for", target, *folder.sizes) for target in TARGETS}
        assert [*json.loads(texts["json"])["profile"]] == [x, "b"]
        for target, names_in in NAMES_IN.items():
            assert names_in(called(texts[target])) == [x, "b"]
        calls = called(texts["ort"])["options"].add_free_dimension_override_by_name.call_args_list
        assert [call.args[0] for call in calls] == [dim, "m"]
        calls = called(texts["tvm"])["mod"]["main"].with_attr.call_args_list
        assert {name for call in calls for name in call.args[1]} == ({dim, "m"} if dim.isidentifier() else {"m"})
        if "," not in x:  # at which ONNX Runtime would cut it
            assert json.loads(texts["ort-trt"])["trt_profile_max_shapes"] == f"{x}:8x4,b:1x4"
            assert [*tokens(texts["triton"])] == [re.sub("^x(?=:|$)", lambda _: x, token) for token in config]  # noqa: B023
        shell = [f"trtexec {texts['trtexec']}", texts["polygraphy"], f"ovms {texts['ovms']}", texts["openvino"][2:]]
        trtexec, polygraphy, ovms, ovc = words([text.partition("\n")[0] for text in shell], folder.path / "empty")
        assert [word.partition("=")[0] for word in trtexec] == ["trtexec", "--minShapes", "--optShapes", "--maxShapes"]
        assert x in trtexec[1]
        assert f"{x}:[2,4]" in polygraphy
        assert [*json.loads(ovms[2])] == [x, "b"]
        assert ovc[:3] == ["ovc", printable(folder.model), "--input"]
        assert ovc[3].startswith(f"{x}[2..8,4],b[")
        for row in texts["stablehlo"].splitlines():
            assert re.fullmatch(r"%[A-Za-z_$.-][\w$.-]*: tensor<[^/]*>(  // .*)?", row, re.ASCII), row


def tokens(text: str) -> Iterator[str]:
    """The tokens of protobuf's text format; texts without their quotes."""
    read = text_format.Tokenizer(text.splitlines())
    while not read.AtEnd():
        if read.token[0] in "\"'":
            yield read.ConsumeString()
        else:
            yield read.token
            read.NextToken()
