"""`check --adopt`: what is written proves the model when it is checked again, and the rest of the file stays."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from shapesmt.entrypoints.cli.config import Config
from shapesmt.entrypoints.cli.main import main
from tests.support.plugins import without_plugins
from tests.test_faults import MODELS as FILES, Faults, Told, places, prepare, run

HEAD = '<ir_version: 8, opset_import: ["":18]> '
POOL = """g (float[1, 3, height, width] x) => (float[1, 6, i, j] z) {
    y = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x) s = Constant <value = float[4] {1.0, 1.0, 2.0, 2.0}> ()
    u = Resize (y, , s) z = Concat <axis = 1> (x, u) }"""
CACHE = (
    "g (float[past, 4] a, float[seq, 4] b, float[total, 4] c) => (z) { d = Concat <axis = 0> (a, b) z = Div (d, c) }"
)
CLASH = "g (float[n, 3] x, float[m, 4] y) => (z) { z = Add (x, y) }"
STEPS = "g (float[3, 4] x, int64[2] shape) => (z) { z = Reshape (x, shape) }"
MODELS = {"pool": POOL, "deep/cache": CACHE, "clash": CLASH, "steps": STEPS, "odd [1]": POOL}


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    without_plugins(monkeypatch)
    (tmp_path / "models" / "deep").mkdir(parents=True)
    for name, text in MODELS.items():
        (tmp_path / "models" / f"{name}.onnx").write_text(HEAD + text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def adopt(capsys: pytest.CaptureFixture[str], *words: str, status: int = 1) -> str:
    """The lines about what was written."""
    assert main(["check", *words, "--adopt", "-q"]) == status
    return capsys.readouterr().err


def settings(name: str = "shapesmt.toml") -> str:
    return Path(name).read_text()


def is_proved(model: str) -> bool:
    return main(["check", model]) == 0


def test_a_remedy_is_written_into_a_new_file(capsys):
    line = adopt(capsys, "models/pool.onnx", "--dim", "height=64..512")
    said = 'height = "64..512:2", width = "2..:2"'
    assert line == f"models/pool.onnx: written into shapesmt.toml: {said}\n"
    assert settings() == '[models."models/pool.onnx"]\ndims = {height = "64..512:2", width = "2..:2"}\n'
    assert is_proved("models/pool.onnx")


def test_ranges_of_the_command_line_are_written_if_they_are_proved(capsys):
    arguments = ["--dim", "height=8..64:8", "--dim", "width=32"]
    line = adopt(capsys, "models/pool.onnx", *arguments, status=0)
    assert line == 'models/pool.onnx: written into shapesmt.toml: height = "8..64:8", width = "32"\n'
    before = settings()
    assert adopt(capsys, "models/pool.onnx", *arguments, status=0) == "models/pool.onnx: shapesmt.toml has it already\n"
    why = "it is proved without --dim, --value or --assume"
    assert adopt(capsys, "models/pool.onnx", status=0).endswith(f"nothing is written into shapesmt.toml: {why}\n")
    assert settings() == before
    assert is_proved("models/pool.onnx")


def test_relations_and_elements_are_written_too(capsys):
    assert 'assume "total == past + seq"' in adopt(
        capsys, "models/deep/cache.onnx", "--assume", "total == past + seq", "--dim", "seq=1..8", status=0
    )
    assert settings() == '[models."models/deep/cache.onnx"]\ndims = {seq = "1..8"}\nassume = ["total == past + seq"]\n'
    assert is_proved("models/deep/cache.onnx")
    line = adopt(capsys, "models/steps.onnx", "--value", "shape[0]=2", "--value", "shape[1]=6", status=0)
    assert line.endswith('shape[0] = "2", shape[1] = "6"\n')
    assert 'values = {"shape[0]" = "2", "shape[1]" = "6"}' in settings()
    assert is_proved("models/steps.onnx")


def test_of_many_models_each_has_its_line(capsys):
    Path("models/damaged.onnx").write_text("\x08\x99")
    lines = adopt(capsys, "models", "--dim", "seq=1..8", "--summary", status=2).splitlines()
    assert [line.partition(" into")[0].partition(": ")[::2] for line in lines] == [
        ("models/clash.onnx", "nothing is written"),
        ("models/damaged.onnx", "nothing is written"),
        ("models/deep/cache.onnx", "written"),
        ("models/odd [1].onnx", "written"),
        ("models/pool.onnx", "written"),
        ("models/steps.onnx", "written"),
    ]
    assert lines[0].endswith("the verdict is FAILS, and no ranges are known with which it is proved")
    assert lines[1].endswith("it wasn't checked")
    assert [pattern for pattern, _ in Config.load().options] == [
        "*", "models/deep/cache.onnx", "models/odd [[]1].onnx", "models/pool.onnx", "models/steps.onnx"
    ]  # fmt: skip
    assert all(is_proved(f"models/{name}.onnx") for name in MODELS if name != "clash")


FILE = """# ours
jobs = 2  # two

[models."deep/cache.onnx"] # the decoder
assume = [
  "past <= 2048", # as trained
]
dims = { seq = "1..9", past = "1..64" } # seq was longer

[dims]
height = "8..64"  # of all
"""


def test_the_rest_of_the_file_stays(capsys, monkeypatch):
    Path("models/shapesmt.toml").write_text(FILE)
    monkeypatch.chdir("models")
    adopt(capsys, "deep/cache.onnx", "pool.onnx", "--dim", "seq=1..8", "--assume", "total == past + seq")
    written = FILE.replace('seq = "1..9"', 'seq = "1..8"')
    written = written.replace(" # as trained\n", ' # as trained\n  "total == past + seq",\n')
    table = '[models."pool.onnx"]\ndims = {height = "8..64:2", width = "2..:2"}\n\n'
    assert settings() == written.replace("[dims]", f"{table}[dims]")
    assert is_proved("deep/cache.onnx")
    assert is_proved("pool.onnx")


@pytest.mark.parametrize(
    "text",
    [
        '[project]\nname = "p"\n\n[tool.shapesmt]\ntimeout = 30\n\n[tool.ruff]\nline-length = 99\n',
        "[tool]\nshapesmt = {timeout = 30}\n\n[tool.ruff]\nline-length = 99\n",
        '[tool.shapesmt]\n[tool.ruff]\nline-length = 99\n[project]\nname = "p"\n[tool.shapesmt.dims]\nwidth = "4..8"\n',
        '[tool.shapesmt]\nmodels = {"x.onnx" = {timeout = 3}}\n[tool.ruff]\nline-length = 99',
    ],
)
def test_so_does_that_of_pyproject(text, capsys):
    Path("pyproject.toml").write_text(text)
    assert "written into pyproject.toml" in adopt(capsys, "models/pool.onnx")
    assert not Path("shapesmt.toml").exists()
    lines = iter(settings("pyproject.toml").splitlines())
    kept = [line for line in text.splitlines() if not line.startswith(("shapesmt = ", "models = "))]
    assert all(line in lines for line in kept)
    assert is_proved("models/pool.onnx")


def test_only_what_the_settings_alone_prove_is_written(capsys):
    why = "nothing is written into shapesmt.toml: with the settings alone, the verdict is DEPENDS"
    line = adopt(capsys, "models/pool.onnx", "--shape", "x=[1,3,8,8]", "--dim", "n=1..4", status=2)
    assert line.startswith("error: no input dimension 'n'")
    Path("last.onnx").write_text(HEAD + POOL)
    Path("shapesmt.toml").write_text('[models."la*.onnx"]\ndims = { height = "4..", width = "2..:2" }\n')
    before = settings()
    Path("shapesmt.toml").write_text('[models."last.onnx"]\ndims = { width = "2..:2" }\n' + before)
    before = settings()
    assert adopt(capsys, "last.onnx", "--dim", "height=8", status=0) == f"last.onnx: {why}\n"
    assert settings() == before


def test_a_model_without_a_path_has_no_settings(capsys):
    line = adopt(capsys, "http://127.0.0.1:9/x.onnx", "models/clash.onnx", status=2)
    assert line.startswith("http://127.0.0.1:9/x.onnx: nothing is written into shapesmt.toml: it wasn't checked\n")
    assert not Path("shapesmt.toml").exists()


def test_mistakes_are_one_line(capsys, monkeypatch):
    assert adopt(capsys, "models/pool.onnx", "--no-config", status=2) == (
        "error: --adopt writes into the configuration; leave --no-config out (see shapesmt check --help)\n"
    )
    Path("shapesmt.toml").write_text("[dims\n")
    assert adopt(capsys, "models/pool.onnx", status=2).count("\n") == 1
    assert settings() == "[dims\n"
    Path("shapesmt.toml").unlink()
    monkeypatch.setitem(sys.modules, "tomlkit", None)
    assert adopt(capsys, "models/pool.onnx", status=2) == (
        "error: --adopt needs tomlkit: pip install 'shapesmt[adopt]'\n"
    )
    assert not Path("shapesmt.toml").exists()


def test_a_file_that_was_changed_meanwhile_stays(capsys, monkeypatch):
    from shapesmt.entrypoints.cli import adopting

    Path("shapesmt.toml").write_text("jobs = 1\n")
    check = adopting.opened

    def opened(*arguments):
        Path("shapesmt.toml").write_text("jobs = 3\n")
        return check(*arguments)

    monkeypatch.setattr(adopting, "opened", opened)
    assert "has changed meanwhile; nothing is written" in adopt(capsys, "models/pool.onnx", status=2)
    assert settings() == "jobs = 3\n"


@pytest.mark.parametrize("kind", ["disk", "solver", "memory"])
def test_settings_are_written_whole_or_not_at_all(
    kind: str, full: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def asked(name: str, at: int) -> tuple[Told, Faults, str]:
        prepare(tmp_path / name, monkeypatch, lambda: Path("shapesmt.toml").write_text("jobs = 1\n"))
        told, faults = run(("check", "add.onnxtxt", "--adopt"), capsys, kind, at)
        return told, faults, Path("shapesmt.toml").read_text()

    asked("first", 0)  # whatever is imported late
    _, counted, fresh = asked("counted", 0)
    assert main(["check", "add.onnxtxt"]) == 0
    for at in places(counted.calls, kind, random.Random(kind), full=full):
        told, _, written = asked(str(at), at)
        assert written in ("jobs = 1\n", fresh)
        assert told.status in (1, 2, 3)
        assert "Traceback" not in told.err + told.out
        assert len([*Path().iterdir()]) == len(FILES) + 1
