"""Configuration files: where they are found, what they say, and what is said of a mistake in one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import shapesmt
from shapesmt.base.errors import UsageError
from shapesmt.entrypoints.cli.config import Config
from shapesmt.entrypoints.cli.main import main

MODEL = '<ir_version: 8, opset_import: ["":18]> g (float[n, 3] x, float[m, 3] y) => (float[k, 3] z) { z = Add(x, y) }'

IDLE = '<ir_version: 8, opset_import: ["":18]> g (float[n] x, float[m] y) => (float[n] z) { z = Abs(x) }'

IMAGE = """<ir_version: 8, opset_import: ["":18]>
g (float[height, 3] image, int64[1] steps) => (y) { y = Expand (image, steps) }"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "add.onnx").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(text: str, name: str = "shapesmt.toml") -> Path:
    path = Path(name).absolute()
    path.write_text(text)
    return path


def report(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    main(["check", "models/add.onnx", "--format", "json", *arguments])
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


class TestWhere:
    def test_nowhere(self):
        assert Config.load() == Config()

    def test_the_nearest_upwards_from_the_working_directory(self, monkeypatch):
        found = write("timeout = 1")
        monkeypatch.chdir("models")
        assert Config.load().path == found
        nearer = write("timeout = 2")
        assert Config.load().path == nearer

    def test_a_file_of_its_own_goes_before_pyproject(self):
        pyproject = write("[tool.shapesmt]\njobs = 3", "pyproject.toml")
        assert (Config.load().path, Config.load().jobs) == (pyproject, 3)
        own = write("jobs = 4")
        assert (Config.load().path, Config.load().jobs) == (own, 4)

    @pytest.mark.parametrize("text", ["[project]\nname = 'x'", "[project]\nname = 'shapesmt'", "# shapesmt\ntool = 3"])
    def test_a_pyproject_about_other_things_is_passed_by(self, text, monkeypatch):
        found = write("timeout = 1")
        monkeypatch.chdir("models")
        write(text, "pyproject.toml")
        assert Config.load().path == found

    def test_a_working_directory_that_is_gone_has_none(self, project, monkeypatch):
        gone = project / "gone"
        gone.mkdir()
        monkeypatch.chdir(gone)
        gone.rmdir()
        assert Config.load() == Config()

    def test_none_is_read_when_not_wanted(self, capsys):
        write("dims = {n = 2}")
        assert report(capsys)["symbols"]["n"]["max"] == 2
        assert report(capsys, "--no-config")["symbols"]["n"]["max"] is None

    def test_python_reads_none_unasked(self):
        write("dims = {n = 2, m = 2}")
        assert shapesmt.check("models/add.onnx").verdict.value == "DEPENDS"
        options = shapesmt.Config.load().of("models/add.onnx")
        assert shapesmt.check("models/add.onnx", **options).verdict.value == "PROVED"


class TestWhat:
    def test_every_source_is_told(self, capsys):
        write('dims = {n = "2..8", m = [2, 9], other = 4}\nassume = ["n == m", "other >= n"]', "other.toml")
        found = report(capsys, "--config", "other.toml", "--dim", "m=2..8")
        assert found["verdict"] == "PROVED"
        assert found["symbols"] == {
            "n": {"min": 2, "max": 8, "step": 1, "from": "other.toml"},
            "m": {"min": 2, "max": 8, "step": 1, "from": "--dim"},
        }
        assert found["assumptions"] == ["n == m"]
        assert found["assumptions_from"] == {"n == m": "other.toml"}

    def test_text_tells_them_too(self, capsys):
        write('dims = {n = "2..8"}\nassume = "n == m"')
        assert main(["check", "models/add.onnx", "--assume", "n <= 5"]) == 0
        assert capsys.readouterr().out.splitlines()[:2] == [
            "PROVED add.onnx: no node has a requirement that could fail",
            "from shapesmt.toml: n in 2..8, n == m",
        ]

    @pytest.mark.parametrize(
        ("pattern", "matches"),
        [
            ("add.onnx", True),
            ("a*.onnx", True),
            ("sub*.onnx", False),
            ("models/*.onnx", True),
            ("*/add.onnx", True),
            ("other/*.onnx", False),
        ],
    )
    def test_patterns(self, pattern, matches, monkeypatch):
        config = Config.load(write(f'[models."{pattern}"]\ntimeout = 5'))
        for path in ("models/add.onnx", Path("models/add.onnx").absolute()):
            assert config.of(path) == ({"timeout": 5.0} if matches else {})
        monkeypatch.chdir("models")
        assert config.of("add.onnx") == ({"timeout": 5.0} if matches else {})

    def test_later_ones_win_and_assumptions_add_up(self):
        config = Config.load(
            write("""
                timeout = 9
                declared = "trust"
                strict = true
                dims = {n = 1, m = 1}
                assume = "n >= 1"
                [models."*.onnx"]
                dims = {n = 2}
                timeout = 8
                [models."add*"]
                dims = {n = 3}
                assume = "n >= 3"
            """)
        )
        found = config.of("add.onnx")
        assert {name: r.lo for name, r in found.pop("dims").items()} == {"n": 3, "m": 1}
        assert list(found.pop("assume")) == ["n >= 1", "n >= 3"]
        assert found == {"timeout": 8.0, "declared": "trust", "strict": True}
        assert list(config.of(b"the bytes of a file")["dims"]) == ["n", "m"]

    def test_shapes(self, capsys):
        write('[models."add.onnx".shapes]\nx = "[2..8,3]"\ny = [[2, 8], 3]')
        found = report(capsys)
        assert found["symbols"]["n"] == {"min": 2, "max": 8, "step": 1, "from": "shapesmt.toml"}
        assert report(capsys, "--shape", "x=[4,3]")["symbols"]["n"]["from"] == "--shape"
        write('[models."add.onnx".shapes]\nx = "[...]"')
        assert report(capsys)["verdict"] == "UNKNOWN"

    def test_the_command_line_goes_first(self, monkeypatch):
        asked = []
        monkeypatch.setattr("shapesmt.entrypoints.api.Opened.check", lambda o: asked.append(o.question) or 1 / 0)
        write('timeout = 7\ndeclared = "trust"')
        main(["check", "models/add.onnx"])
        main(["check", "models/add.onnx", "--timeout", "60", "--declared", "check"])
        assert [(q.timeout, q.declared) for q in asked] == [(7.0, "trust"), (60.0, "check")]

    @pytest.mark.parametrize("more", [[], ["models/idle_too.onnx"]], ids=["one", "several"])
    def test_a_warning_fails_where_it_is_strict(self, more):
        for name in ("idle", "idle_too"):
            Path(f"models/{name}.onnx").write_text(IDLE)
        write("strict = true")
        assert main(["check", "models/idle.onnx", *more, "--jobs", "1"]) == 1
        assert main(["check", "models/idle.onnx", *more, "--jobs", "1", "--no-config"]) == 0

    @pytest.mark.parametrize("more", [[], ["models/images.onnx"]], ids=["one", "several"])
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("dims = {hieght = 8}", "no input dimension 'hieght' in image.onnx, named in shapesmt.toml; did you mean"),
            (
                "values = {Steps = 8}",
                "no small input 'Steps' in image.onnx, named in shapesmt.toml; did you mean 'steps'",
            ),
            ("assume = 'heigth >= 2'", "shapesmt.toml: no symbol 'heigth' in 'heigth >= 2'; did you mean 'height'"),
        ],
    )
    def test_a_misspelt_name_is_a_mistake_though_other_models_may_have_it(self, text, message, more, capsys):
        for name in ("image", "images"):
            Path(f"models/{name}.onnx").write_text(IMAGE)
        write(text)
        assert main(["check", "models/image.onnx", *more, "--jobs", "1"]) == 2
        out, err = capsys.readouterr()
        assert message in out + err

    def test_a_name_like_another_that_is_declared_is_no_mistake(self, capsys):
        Path("models/image.onnx").write_text(IMAGE)
        write("dims = {hieght = 8, height = 4}")
        assert main(["check", "models/image.onnx"]) == 1
        assert "from shapesmt.toml: height = 4\n" in capsys.readouterr().out

    @pytest.mark.parametrize("command", ["explain", "bounds", "encode"])
    def test_every_question_reads_it(self, command, capsys):
        write('declared = "trust"\nstrict = true\ndims = {n = "7..9"}')
        main([command, "models/add.onnx"])
        out, err = capsys.readouterr()
        assert "7" in out
        assert err == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tiemout = 1", "shapesmt.toml: unknown key 'tiemout'; did you mean 'timeout'?"),
        ("[shapes]\nx = '[1]'", "shapesmt.toml: unknown key 'shapes'; did you mean 'samples'?"),
        ('[models."a*"]\njobs = 1', "shapesmt.toml: unknown key 'models.\"a*\".jobs'; it has"),
        ("timeout = 0", "shapesmt.toml: timeout is '0'; write a number of seconds above 0"),
        ("timeout = nan", "shapesmt.toml: timeout is 'nan'; write a number"),
        ("jobs = 0.5", "shapesmt.toml: jobs is '0.5'; write a whole number, 1 or more"),
        ("jobs = true", "shapesmt.toml: jobs is 'True'; write a whole number, 1 or more"),
        ("strict = 1", "shapesmt.toml: strict is '1'; write true or false"),
        ("declared = 'no'", "shapesmt.toml: declared is 'no'; write one of check, trust, ignore, override"),
        ("dims = 3", "shapesmt.toml: dims is '3'; write a table, as in [dims]"),
        ("models = 3", "shapesmt.toml: models is '3'; write a table, as in [models]"),
        ("models = {'a*' = 3}", "shapesmt.toml: models.\"a*\" is '3'; write a table"),
        ("dims = {n = '5..2'}", "shapesmt.toml: dims.n: range '5..2' is empty: 5 > 2; write lo..hi with lo <= hi"),
        ("dims = {n = true}", "shapesmt.toml: dims.n: 'True' is not a range; write 8, 1..32"),
        ("dims = {n = 2024-01-01}", "shapesmt.toml: dims.n: '2024-01-01' is not a range; write 8"),
        ("[models.a.shapes]\nx = 'q q'", "shapesmt.toml: models.\"a\".shapes.x: 'q q' is not a shape; write"),
        ("[models.a.shapes]\nx = 3", "shapesmt.toml: models.\"a\".shapes.x: '3' is not a shape; write"),
        ("assume = 3", "shapesmt.toml: assume is '3'; write a text or a list of them"),
        ("assume = 'n = m'", "shapesmt.toml: assume: expression 'n = m' has '='; write == to compare"),
        ("dims = ", "is not TOML: Invalid value"),
        ("a = " + "[" * 5000, "is not TOML: "),
        ("[models.'add*'.dims]\nk = 1", "no input dimension 'k' in add.onnx, named in shapesmt.toml; it has n, m"),
        ("[models.'add*']\nassume = 'k == 1'", "shapesmt.toml: no symbol 'k' in 'k == 1'; it has n, m"),
        ("dims = {n = 1, m = 1}\nassume = 'n == 2'", "no admissible input: n in 1..1, m in 1..1, n == 2 contradict"),
    ],
)
def test_a_mistake_is_one_line_that_names_file_key_and_remedy(text, message, capsys):
    write(text)
    assert main(["check", "models/add.onnx"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert message in err


def test_files_that_cannot_be_read(project, capsys):
    with pytest.raises(UsageError, match=r"cannot read none.toml: No such file"):
        Config.load("none.toml")
    with pytest.raises(UsageError, match=r"cannot read models: Is a directory"):
        Config.load("models")
    Path("latin.toml").write_bytes(b"# \xff")
    with pytest.raises(UsageError, match=r"cannot read latin.toml: it is not UTF-8 text"):
        Config.load("latin.toml")
    with Path("long.toml").open("wb") as file:
        file.truncate(1 << 25)
    with pytest.raises(UsageError, match=r"cannot read long.toml: more than 16 MiB of settings"):
        Config.load("long.toml")
    with pytest.raises(UsageError, match=r"pyproject.toml has no \[tool.shapesmt\]; add it, or name another"):
        Config.load(write("[tool.other]", "pyproject.toml"))
    with pytest.raises(UsageError, match=r"pyproject.toml: tool.shapesmt is no table; write \[tool.shapesmt\]"):
        Config.load(write("[tool]\nshapesmt = 3", "pyproject.toml"))
    assert main(["check", "models/add.onnx", "--config", "a.toml", "--no-config"]) == 2
    assert "--config and --no-config exclude each other" in capsys.readouterr().err


def test_an_axis_stands_for_its_dimension(capsys):
    write('dims = {"x[0]" = "2..8", "y[7]" = 3}')
    found = report(capsys, "--assume", "n == m")
    assert found["symbols"]["n"] == {"min": 2, "max": 8, "step": 1, "from": "shapesmt.toml"}
    assert report(capsys, "--assume", "n == m", "--dim", "n=3")["symbols"]["n"]["max"] == 3


def test_a_pattern_that_matches_none_of_the_models_is_said(capsys):
    write('[models."decoder*.onnx"]\ndims = {n = "1..4"}\n[models."add*"]\ndims = {n = "1..3"}')
    main(["check", "models", "--jobs", "1"])
    assert capsys.readouterr().err.splitlines() == [
        'note: shapesmt.toml: models."decoder*.onnx" matches none of these models'
    ]
