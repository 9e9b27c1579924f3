"""Baselines: what became worse since an answer was written is found, and nothing else fails."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest

from shapesmt.entrypoints.cli.main import main

HEADER = '<ir_version: 8, opset_import: ["":18]>'
SIZES = range(1, 14)


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(onnx.parser.parse_model(f"{HEADER} {text}").SerializeToString())
    return path


def rows(columns: int, inputs: str = "float[n, m] x", more: str = "") -> str:
    return f"""g ({inputs}) => (y) {{
        s = Constant<value = int64[2] {{-1, {columns}}}>() y = Reshape(x, s) {more} }}"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(here: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def asked(*words: str) -> tuple[int, str, str]:
        status = main(["check", *words, "--baseline", "b.json"])
        said = capsys.readouterr()
        return status, said.out, said.err

    return asked


def changes(out: str) -> dict[str, str]:
    return {c["model"]: c["state"] for c in json.loads(out)["comparison"]["changes"]}


def test_what_was_known_doesnt_fail(run, here):
    write(here / "models" / "a.onnx", rows(4))
    assert run("models", "--write-baseline")[0] == 0
    status, out, _ = run("models")
    assert status == 0
    assert "compared with b.json: 1 unchanged" in out
    assert "fails at" not in out


CHANGES = {
    "a smaller region": (rows(4), rows(8), "worse", "it is no longer proved where it ran, if (m*n) % 4 == 0"),
    "a larger region": (rows(4), rows(2), "no worse", "it runs if (m*n) % 2 == 0, and where it ran before"),
    "another region": (rows(4), rows(6), "worse", "it is no longer proved where it ran"),
    "proved": (rows(4), "g (float[n, m] x) => (y) { y = Relu(x) }", "better", "PROVED, was DEPENDS"),
    "no longer proved": ("g (float[n, m] x) => (y) { y = Relu(x) }", rows(4), "worse", "DEPENDS, was PROVED"),
    "fails": (rows(4), rows(4, more="z = Squeeze(s) w = Reshape(s, z)"), "worse", "FAILS, was DEPENDS"),
    "an output of another size": (rows(1), rows(1, more="").replace("-1, 1", "1, -1"), None, ""),
    "a new input": (rows(4), rows(4, "float[n, m] x, float[k] z"), "worse", "input z is new"),
    "another type": (rows(4), rows(4, "int64[n, m] x"), "worse", "input x is int64, was float32"),
    "another rank": (rows(4), rows(4, "float[n, m, 1] x"), "worse", "input x has rank 3, had 2"),
    "a baked batch": (rows(1), rows(1, "float[1, m] x"), "worse", "input x[0] is 1, was n"),
    "other names": (rows(4), rows(4, "float[rows, columns] x"), "no worse", "it runs if (rows*columns) % 4 == 0"),
    "another output": (rows(4), rows(4).replace("(y)", "(w)").replace("y =", "w ="), "worse", "output y is missing"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_a_change(name, run, here):
    before, after, state, reason = CHANGES[name]
    write(here / "models" / "a.onnx", before)
    run("models", "--write-baseline")
    write(here / "models" / "a.onnx", after)
    status, out, _ = run("models", "--format", "json")
    assert changes(out) == ({"models/a.onnx": state} if state else {})
    assert status == (state == "worse")
    assert reason in " ".join(run("models")[1].split())


@pytest.mark.parametrize("name", ["seq len", "n.1", "m[0]", "`q", "h/2", "and", "True"])
@pytest.mark.parametrize("renamed", [False, True])
def test_a_region_over_names_of_any_kind(name, renamed, run, here):
    for columns, dim, worse in ((4, name, None), (8, name, True), (2, "z" if renamed else name, False)):
        proto = onnx.parser.parse_model(f"{HEADER} {rows(columns)}")
        proto.graph.input[0].type.tensor_type.shape.dim[1].dim_param = dim
        (here / "models").mkdir(exist_ok=True)
        onnx.save(proto, here / "models" / "a.onnx")
        status, out, _ = run("models", *(["--write-baseline"] if worse is None else []))
        assert status == int(worse or False), out


def test_a_missing_model_is_worse_only_where_it_was_asked_for(run, here):
    for name in ("models/a.onnx", "models/b.onnx", "others/c.onnx"):
        write(here / name, rows(4))
    run("models", "others", "--write-baseline")
    (here / "models" / "b.onnx").unlink()
    (here / "others" / "c.onnx").unlink()
    status, out, _ = run("models")
    assert status == 1
    assert "worse models/b.onnx: missing" in out
    assert "c.onnx" not in out
    assert run("models/a.onnx")[0] == 0
    assert run("models/*.onnx")[0] == 1


def test_a_new_model_counts_by_its_own_verdict(run, here):
    write(here / "models" / "a.onnx", rows(4))
    run("models", "--write-baseline")
    write(here / "models" / "b.onnx", "g (float[n] x) => (y) { y = Relu(x) }")
    assert run("models")[0] == 0
    write(here / "models" / "b.onnx", rows(3))
    status, out, _ = run("models")
    assert (status, "new models/b.onnx: DEPENDS" in out) == (1, True)


def test_a_damaged_model_is_worse_and_known_once_written(run, here):
    path = write(here / "models" / "a.onnx", rows(4))
    run("models", "--write-baseline")
    path.write_bytes(b"no model")
    assert run("models")[0] == 1
    run("models", "--write-baseline")
    assert run("models")[0] == 0
    write(path, rows(4))
    status, out, _ = run("models")
    assert (status, "better models/a.onnx: DEPENDS, was ERROR" in out) == (0, True)


def test_other_ranges_are_another_question(run, here):
    write(here / "models" / "a.onnx", rows(4))
    run("models", "--dim", "m=4..8:4", "--write-baseline")
    status, out, _ = run("models", "--dim", "m=1..8")
    assert (status, "asked otherwise models/a.onnx: DEPENDS" in out) == (1, True)
    status, out, _ = run("models", "--dim", "m=4")
    assert (status, "asked otherwise models/a.onnx: PROVED" in out) == (0, True)
    write(here / "models" / "a.onnx", rows(8))
    status, out, _ = run("models", "--dim", "m=8")
    assert (status, "it is no longer proved where it ran, for every input" in out) == (1, True)


def test_other_options_are_another_question(run, here):
    write(here / "models" / "a.onnx", rows(4))
    run("models", "--session", "file", "--write-baseline")
    assert run("models", "--session", "file")[0] == 0
    status, out, _ = run("models")
    assert (status, "asked otherwise models/a.onnx: DEPENDS" in out) == (1, True)


def test_a_part_of_the_models_may_be_written(run, here):
    for name in ("models/a.onnx", "models/b.onnx"):
        write(here / name, rows(4))
    run("models", "--write-baseline")
    write(here / "models" / "a.onnx", rows(8))
    run("models/a.onnx", "--write-baseline")
    assert run("models")[0] == 0
    (here / "models" / "b.onnx").unlink()
    run("models", "--write-baseline")
    assert [*json.loads((here / "b.json").read_text())["models"]] == ["models/a.onnx"]


def test_annotations_mark_what_is_new(run, here):
    write(here / "models" / "a.onnx", rows(4))
    run("models", "--write-baseline")
    assert run("models", "--format", "github")[1].startswith("::notice title=SM104")
    (known,) = json.loads(run("models", "--format", "sarif")[1])["runs"][0]["results"]
    assert (known["baselineState"], known["level"]) == ("unchanged", "note")
    text = rows(4, "float[n, m] x, float[k] z").replace("y = Reshape", "t = Add(z, z) y = Reshape")
    write(here / "models" / "a.onnx", text.replace("y = Reshape(x, s)", "t2 = Reshape(x, s) y = Reshape(t, s)"))
    status, out, _ = run("models", "--format", "github")
    assert status == 1
    assert "::error title=worse than the baseline,file=models/a.onnx::input z is new" in out
    log = json.loads(run("models", "--format", "sarif")[1])["runs"][0]
    assert {r["baselineState"]: r["level"] for r in log["results"]} == {"new": "error"}
    (said,) = log["invocations"][0]["toolExecutionNotifications"]
    assert said["message"]["text"].startswith("worse than the baseline: input z is new")


def test_the_file_is_the_same_whatever_the_order_and_the_place(here, capsys):
    texts = [rows(k, f"float[{dims}] x") for k in (2, 3, 4) for dims in ("n, m", "m, n", "rows, columns")]
    texts.append("g (float[n] x, float[m] w) => (y) { y = Add(x, w) }")
    written = []
    for place, turn, jobs in (("one", 1, "1"), ("another", -1, "2")):
        for k, text in enumerate(texts):
            write(here / place / "models" / f"{k}.onnx", text)
        models = [str(here / place / "models" / f"{k}.onnx") for k in range(len(texts))][::turn]
        file = here / place / "b.json"
        assert main(["check", *models, "--jobs", jobs, "--baseline", str(file), "--write-baseline"]) == 0
        written.append(file.read_bytes())
    assert written[0] == written[1]
    assert str(here).encode() not in written[0]


def test_answers_that_are_kept_compare_alike(run, here):
    write(here / "models" / "a.onnx", rows(4))
    write(here / "models" / "b.onnx", rows(3))
    run("models", "--write-baseline")
    first = (here / "b.json").read_bytes()
    for more in (
        ["--cache", "kept"],
        ["--cache", "kept"],
        ["--output", "o.jsonl"],
        ["--output", "o.jsonl", "--resume"],
    ):
        assert run("models", *more)[0] == 0
        run("models", *more, "--write-baseline")
        assert (here / "b.json").read_bytes() == first


BAD = {
    "missing": None,
    "empty": b"",
    "no JSON": b"{",
    "a list": b"[]",
    "another file": b'{"schema": "shapesmt/check/1", "models": {}}',
    "a later version": b'{"schema": "shapesmt/baseline/9", "models": {}}',
    "no models": b'{"schema": "shapesmt/baseline/1"}',
    "models in a list": b'{"schema": "shapesmt/baseline/1", "models": [1]}',
    "an unknown verdict": b'{"schema": "shapesmt/baseline/1", "models": {"a": {"verdict": "GOOD"}}}',
    "a number for a text": b'{"schema": "shapesmt/baseline/1", "models": {"a": {"verdict": 5}}}',
    "deep": b'{"schema": "shapesmt/baseline/1", "models": ' + b"[" * 100_000,
    "no text": b"\xff\xfe\x00",
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_baseline_is_one_line(name, run, here):
    write(here / "a.onnx", rows(4))
    if BAD[name] is not None:
        (here / "b.json").write_bytes(BAD[name])
    status, out, err = run("a.onnx")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: ")
    assert "b.json" in err


def test_options_that_contradict(here, capsys):
    write(here / "a.onnx", rows(4))
    for words in (["--write-baseline"], ["--baseline", "b.json", "--fail-fast"]):
        assert main(["check", "a.onnx", *words]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def expecting(here: Path, expected: str, pattern: str = "a.onnx") -> None:
    (here / "shapesmt.toml").write_text(f'[models."{pattern}"]\nexpect = "{expected}"\n')


EXPECTED = {"PROVED": 1, "UNKNOWN": 1, "DEPENDS": 0, "FAILS": 0, "ERROR": 0}


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("expected", EXPECTED)
def test_an_expected_verdict_is_no_failure(expected, several, here, capsys):
    write(here / "a.onnx", rows(4))
    expecting(here, expected)
    assert main(["check", "a.onnx", "--quiet", *(["--summary"] if several else [])]) == EXPECTED[expected]
    better = 'note: a.onnx is DEPENDS, better than shapesmt.toml expects: write expect = "DEPENDS"\n'
    assert capsys.readouterr().err == (better if expected in ("FAILS", "ERROR") else "")


def test_a_model_may_be_expected_to_be_damaged(here, capsys):
    (here / "a.onnx").write_bytes(b"no model")
    expecting(here, "ERROR")
    assert main(["check", "a.onnx"]) == 0
    expecting(here, "FAILS")
    assert main(["check", "a.onnx"]) == 2
    capsys.readouterr()
    write(here / "a.onnx", "g (float[n] x) => (y) { y = Relu(x) }")
    assert main(["check", "a.onnx"]) == 0
    assert capsys.readouterr().err == "note: a.onnx is PROVED, better than shapesmt.toml expects: remove expect\n"


def test_an_expectation_of_no_model_is_said(here, capsys):
    write(here / "a.onnx", rows(4))
    expecting(here, "DEPENDS", "b*.onnx")
    assert main(["check", str(here)]) == 1
    assert capsys.readouterr().err == 'note: shapesmt.toml: models."b*.onnx" matches none of these models\n'


def test_fail_fast_passes_what_is_expected(here, capsys):
    for name in ("a", "b", "c"):
        write(here / f"{name}.onnx", rows(4))
    expecting(here, "DEPENDS", "[ab].onnx")
    assert main(["check", "a.onnx", "b.onnx", "c.onnx", "--fail-fast", "--jobs", "1", "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["summary"]["models"] == 3


@pytest.mark.parametrize("value", ["'WORSE'", "1", "['FAILS']", "{}"])
def test_a_bad_expectation_is_one_line(value, here, capsys):
    write(here / "a.onnx", rows(4))
    (here / "shapesmt.toml").write_text(f'[models."a.onnx"]\nexpect = {value}\n')
    assert main(["check", "a.onnx"]) == 2
    assert "write one of PROVED, UNKNOWN, DEPENDS, FAILS, ERROR" in capsys.readouterr().err


STEPS = {
    "rows": lambda k, c: f"s{k} = Constant<value = int64[2] {{-1, {c}}}>() y{k} = Reshape(x, s{k})",
    "parts": lambda k, c: (
        f"y{k}, z{k} = Split<axis = 1, num_outputs = 2>(x)"
        if c < 2
        else f"s{k} = Constant<value = int64[2] {{{c}, {c}}}>() y{k}, z{k} = Split<axis = 1>(x, s{k})"
    ),
    "table": lambda k, c: f"t{k} = Constant<value_floats = [{', '.join(['1.0'] * c)}]>() y{k} = Add(x, t{k})",
    "entry": lambda k, c: f"i{k} = Constant<value_int = {c}>() y{k} = Gather<axis = 1>(x, i{k})",
    "square": lambda k, _: f"y{k} = MatMul(x, x)",
    "kernel": lambda k, c: (
        f"e{k} = Constant<value_ints = [0, 1]>() u{k} = Unsqueeze(x, e{k}) "
        f"y{k} = MaxPool<kernel_shape = [{c}, 1]>(u{k})"
    ),
}
Step = tuple[int, str, int]  # the number of its output, what it does, and a number


def drawn(number: int, draw: random.Random) -> Step:
    return number, draw.choice([*STEPS]), draw.randint(1, 6)


def text_of(steps: Sequence[Step], dims: str) -> str:
    outputs = ", ".join(["x_", *(f"y{k}" for k, _, _ in steps)])
    body = " ".join(STEPS[name](k, c) for k, name, c in steps)
    return f"g (float[{dims}] x) => ({outputs}) {{ x_ = Relu(x) {body} }}"


def mutated(steps: Sequence[Step], draw: random.Random) -> list[Step]:
    changed = list(steps)
    what = draw.choice(["same", "number", "number", "more", "less", "order"])
    place = draw.randrange(len(changed))
    if what == "number":
        changed[place] = (*changed[place][:2], draw.randint(1, 6))
    elif what == "more":
        changed.append(drawn(len(steps), draw))
    elif what == "less" and len(changed) > 1:
        del changed[place]
    elif what == "order":
        draw.shuffle(changed)
    return changed


def running(path: Path) -> set[tuple[int, int]]:
    """The sizes for which ONNX Runtime runs the model."""
    options = ort.SessionOptions()
    options.log_severity_level = 4
    try:
        session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception:  # it never runs
        return set()
    found = set()
    for n in SIZES:
        for m in SIZES:
            try:
                session.run(None, {"x": np.zeros((n, m), "float32")})
            except Exception:  # ONNX Runtime raises classes of its own
                continue
            found.add((n, m))
    return found


def test_worse_is_what_no_longer_runs(here, capsys, full, request):
    draw = random.Random(request.config.getoption("--seed"))
    expected = {}
    for number in range(300 if full else 40):
        steps = [drawn(k, draw) for k in range(draw.randint(1, 3))]
        after, dims = mutated(steps, draw), draw.choice(["n, m", "rows, columns"])
        before, now = f"{number}.onnx", here / "after" / f"{number}.onnx"
        ran = running(write(here / "before" / before, text_of(steps, "n, m")))
        runs = running(write(now, text_of(after, dims)))
        lost = len(after) < len(steps)  # an output is missing
        expected[f"models/{before}"] = bool(ran - runs) or lost
    shutil.copytree(here / "before", here / "models")
    assert main(["check", "models", "--baseline", "b.json", "--write-baseline", "--quiet"]) == 0
    shutil.copytree(here / "after", here / "models", dirs_exist_ok=True)
    capsys.readouterr()
    main(["check", "models", "--baseline", "b.json", "--format", "json"])
    states = changes(capsys.readouterr().out)
    assert {name for name, state in states.items() if state == "worse"} == {n for n, worse in expected.items() if worse}
    assert any(expected.values())
    assert not all(expected.values())
