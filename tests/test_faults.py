"""Faults: one call of the system, the solver or for memory fails, at each place in turn, in each command that writes.

No fault leaves half a file, or anything that makes a later answer another one; what can't go on says so in one line.
"""

from __future__ import annotations

import builtins
import errno
import io
import json
import os
import random
import re
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing import util
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import pytest

import shapesmt
from shapesmt.entrypoints.cli.main import main
from shapesmt.frontends.onnx import reader
from shapesmt.operators.rules import RuleContext
from shapesmt.prover.algebra import interning
from shapesmt.prover.smt import process
from tests.support import parquet
from tests.support.hang import no_hang
from tests.support.plugins import without_plugins

MODELS = {
    "add.onnxtxt": "g (float[n, 3] x, float[m, 3] y) => (float[k, 3] z) { z = Add (x, y) }",
    "cube.onnxtxt": "g (float[n, m, 4] x) => (float[a, b] z) { y = Flatten <axis=2> (x) w = Transpose (y)"
    " v = Transpose (w) z = Identity (v) }",
    "clash.onnxtxt": "g (float[n, 3] x, float[m, 4] y) => (z) { z = Add (x, y) }",
}
HEAD = '<ir_version: 8, opset_import: ["":18]> '
EXAMPLES = Path(__file__).parents[1] / "examples"
SEVERAL = ("check", "add.onnxtxt", "cube.onnxtxt", "--jobs", "1")
CACHED = (*SEVERAL, "--cache", "kept")
COMMANDS = {
    "lines": (*SEVERAL, "--output", "out.jsonl"),
    "rows": (*SEVERAL, "--output", "out.parquet"),
    "resumed lines": (*SEVERAL, "--output", "out.jsonl", "--resume"),
    "resumed rows": (*SEVERAL, "--output", "out.parquet", "--resume"),
    "processes": (*SEVERAL[:-1], "2", "--output", "out.jsonl"),
    "cache": CACHED,
    "cache that is there": CACHED,
    "page": ("check", "add.onnxtxt", "--html", "out.html"),
    "pages": (*SEVERAL, "--html", "pages"),
    "index": (*SEVERAL, "--index", "out.html"),
    "memory": ("memory", str(EXAMPLES / "kv_cache" / "kv_cache.onnx"), "--html", "out.html"),
    "tighten": ("tighten", "cube.onnxtxt", "-o", "out.onnx"),
    "simplify": ("simplify", "cube.onnxtxt", "-o", "out.onnx"),
    "repair": ("repair", "clash.onnxtxt", "-o", "out.onnx", "--dim", "n=2", "--dim", "m=2"),
    "profile": ("profile", "cube.onnxtxt", "-o", "out.json"),
    "repro": ("repro", "clash.onnxtxt", "-o", "out.py"),
    "encode": ("encode", "add.onnxtxt", "-o", "out.smt2"),
    "shapes": ("dynamic-shapes", str(EXAMPLES / "torch_export" / "classifier.pt2"), "-o", "out.py"),
}
OUTPUTS = ("out.jsonl", "out.parquet", "out.html", "out.onnx", "out.json", "out.py", "out.smt2")
STATUS = (2, 3)  # of a fault that ends a command: it can't go on, or what it says is undecided


class Faults:
    """Counts calls, and lets one of them fail."""

    def __init__(self, at: int = 0) -> None:
        self.calls = 0
        self._at = at

    def due(self) -> bool:
        """Whether the call that is made now fails."""
        self.calls += 1
        return self.calls == self._at

    def failing(self, function: Callable[..., Any], error: Callable[[], Exception]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            if self.due():
                raise error()
            return function(*arguments, **named)

        return call


class Begun(Faults):
    """Counts the calls of a worker, but for those of Python's own that start it."""

    def due(self) -> bool:
        return "shapesmt.entrypoints.fleet.workers.processes" in sys.modules and super().due()


def no_space() -> Exception:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def broken_disk() -> Exception:
    return OSError(errno.EIO, os.strerror(errno.EIO))


def no_process() -> Exception:
    return OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))


class File:
    """A file whose writing may stop in the middle."""

    def __init__(self, file: Any, faults: Faults) -> None:
        self._file, self._faults = file, faults

    def write(self, content: Any) -> int:
        if self._faults.due():
            self._file.write(content[: len(content) // 2])
            raise no_space()
        return int(self._file.write(content))

    def __enter__(self) -> File:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._file)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class Database:
    """A connection to SQLite that may fail."""

    def __init__(self, connection: Any, faults: Faults) -> None:
        self._connection, self._faults = connection, faults

    def _asked(self, name: str, *arguments: Any) -> Any:
        kinds = ["disk I/O error", "database is locked", "database or disk is full"]
        wrong = sqlite3.OperationalError(kinds[self._faults.calls % len(kinds)])
        return self._faults.failing(getattr(self._connection, name), lambda: wrong)(*arguments)

    def execute(self, *arguments: Any) -> Any:
        return self._asked("execute", *arguments)

    def executemany(self, *arguments: Any) -> Any:
        return self._asked("executemany", *arguments)

    def __enter__(self) -> Database:
        self._connection.__enter__()
        return self

    def __exit__(self, *raised: object) -> Any:
        return self._connection.__exit__(*raised)

    def close(self) -> None:
        self._connection.close()


def disk(faults: Faults) -> list[Any]:
    def opened(function: Callable[..., Any]) -> Callable[..., Any]:
        fallible = faults.failing(function, broken_disk)

        def call(file: Any, *arguments: Any, **named: Any) -> Any:
            if isinstance(file, int):  # a pipe of `multiprocessing`, which has no disk below it
                return function(file, *arguments, **named)
            return File(fallible(file, *arguments, **named), faults)

        return call

    def written(file: int, content: Any) -> int:
        if stat.S_ISREG(os.fstat(file).st_mode) and faults.due():
            real(file, content[: len(content) // 2])
            raise no_space()
        return real(file, content)

    real = os.write
    others = [(os, name) for name in ("open", "replace", "rename", "fsync", "mkdir", "stat")]
    return [
        patch.object(builtins, "open", opened(builtins.open)),
        patch.object(io, "open", opened(io.open)),
        patch.object(os, "write", written),
        *replaced(faults, others, broken_disk),
    ]


def replaced(faults: Faults, places: list[tuple[Any, str]], error: Callable[[], Exception]) -> list[Any]:
    return [patch.object(where, name, faults.failing(getattr(where, name), error)) for where, name in places]


def database(faults: Faults) -> list[Any]:
    connect = faults.failing(sqlite3.connect, lambda: sqlite3.OperationalError("unable to open database file"))
    return [patch.object(sqlite3, "connect", lambda *a, **k: Database(connect(*a, **k), faults))]


def solver(faults: Faults) -> list[Any]:
    """No process, for the solver or for models, no thread, a pipe that breaks, an answer that is unknown."""
    process._CHILD.stop()
    broken = faults.failing(process._send, lambda: BrokenPipeError(errno.EPIPE, "Broken pipe"))
    reply = process._reply

    def replied(data: dict[str, Any]) -> Any:
        return process.UNKNOWN if faults.due() else reply(data)

    return [
        *replaced(faults, [(subprocess, "Popen"), (util, "spawnv_passfds")], no_process),
        *replaced(faults, [(threading.Thread, "start")], lambda: RuntimeError("can't start new thread")),
        patch.object(process, "_send", broken),
        patch.object(process, "_reply", replied),
    ]


def memory(faults: Faults) -> list[Any]:
    tables = [(interning.Table, "make"), (interning.WeakTable, "make")]
    methods = [*tables, (RuleContext, "apply"), (RuleContext, "require")]
    functions = [(reader, "from_bytes"), (json, "dumps"), (json, "loads")]
    return replaced(faults, [*methods, *functions], MemoryError)


KINDS = {"disk": disk, "database": database, "solver": solver, "memory": memory}


class Told(NamedTuple):
    """The output and the files of a command, without times."""

    status: int
    out: str
    err: str
    files: dict[str, bytes]


def timeless(text: str) -> str:
    return re.sub(r"\d+(\.\d+)? s\b|\"seconds\": [\d.e-]+", "*", text)


def left() -> dict[str, bytes]:
    """The files that a command wrote."""
    found = {name: Path(name).read_bytes() for name in OUTPUTS if Path(name).exists()}
    return found | {str(path): path.read_bytes() for path in Path("pages").glob("*")}


def comparable(name: str, content: bytes) -> Any:
    if name.endswith(".parquet"):
        from pyarrow import BufferReader

        rows = sorted(parquet.rows(BufferReader(content)), key=lambda row: str(row["model"]))
        return [{k: timeless(v) if k == "report" else v for k, v in row.items() if k != "seconds"} for row in rows]
    if name.endswith(".jsonl"):
        return sorted(timeless(content.decode()).splitlines())  # in the order in which processes finish them
    return content if name.endswith(".onnx") else timeless(content.decode())


@contextmanager
def patched(kind: str, faults: Faults) -> Iterator[None]:
    with ExitStack() as stack:
        for one in KINDS[kind](faults):
            stack.enter_context(one)
        yield


def run(words: tuple[str, ...], capsys: pytest.CaptureFixture[str], kind: str = "", at: int = 0) -> tuple[Told, Faults]:
    faults = Faults(at)
    with patched(kind, faults) if kind else ExitStack():
        status = main(words)
    out, err = capsys.readouterr()
    return Told(status, timeless(out), err, left()), faults


def prepare(folder: Path, monkeypatch: pytest.MonkeyPatch, before: Callable[[], object]) -> None:
    """A folder with the models and with what is there before; nothing is remembered."""
    folder.mkdir()
    monkeypatch.chdir(folder)
    without_plugins(monkeypatch)
    for name, text in MODELS.items():
        Path(name).write_text(HEAD + text)
    before()
    shapesmt.forget()


def places(count: int, kind: str, draw: random.Random, *, full: bool) -> list[int]:
    """The calls that fail: all of them, or few; of the many where memory is wanted, few hundred at most."""
    most = (200 if kind == "memory" else count) if full else 3
    return [*range(1, count + 1)] if count <= most else sorted(draw.sample(range(1, count + 1), most))


def judged(told: Told, fresh: Told, old: dict[str, bytes], kind: str) -> None:
    """Whether a command in which something failed says so, and has left whole files or none."""
    assert told.status in (fresh.status, *STATUS), told
    if told.status != fresh.status:
        assert re.fullmatch(r"error: [^\n]+\n|", told.err), told.err
        assert told.err or told.out
    elif kind in ("disk", "database"):
        assert told.out == fresh.out
    assert "Traceback" not in told.err + told.out
    for name, content in told.files.items():
        if name.endswith(".jsonl"):
            known = timeless(fresh.files[name].decode()).splitlines()
            *whole, last = content.decode().split("\n")
            assert content == old.get(name) or all(timeless(w) in known or "error" in json.loads(w) for w in whole)
            assert not last or told.status == 2 or content == old.get(name)
        elif name.endswith(".parquet") and content != old.get(name):
            known = comparable(name, fresh.files[name])
            assert all(row in known or row["error"] for row in comparable(name, content))
        elif name.endswith(".html") and told.status != fresh.status:  # of several models, one may be an error
            assert content == old.get(name) or content.endswith(fresh.files[name][-30:])
        elif content != old.get(name) and kind in ("disk", "database"):
            assert comparable(name, content) == comparable(name, fresh.files[name]), name
    assert not [path.name for path in Path().iterdir() if re.search(r"\.[0-9a-f]{16}\.(part|new)$", path.name)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [pytest.param(n, marks=parquet.NEEDED) if "rows" in n else n for n in COMMANDS])
def test_one_failure(
    name: str,
    kind: str,
    full: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    words = COMMANDS[name]

    def before() -> None:
        if name.startswith("resumed"):
            main(["check", "add.onnxtxt", "--output", words[-2]])
        if name == "cache that is there":
            main(["check", "add.onnxtxt", "--cache", "kept"])
        capsys.readouterr()

    prepare(tmp_path / "fresh", monkeypatch, before)
    run(words, capsys)  # whatever is imported late
    prepare(tmp_path / "counted", monkeypatch, before)
    fresh, counted = run(words, capsys, kind)
    assert fresh.status in (0, 1, 3), fresh
    draw = random.Random(f"{name} {kind} {request.config.getoption('--seed')}")
    for at in places(counted.calls, kind, draw, full=full):
        prepare(tmp_path / str(at), monkeypatch, before)
        if at % 2 and not name.startswith("resumed"):
            for output in fresh.files:
                if "/" not in output:
                    Path(output).write_text("old")
        old = left()
        with no_hang():
            told, _ = run(words, capsys, kind, at)
        judged(told, fresh, old, kind)
        again, _ = run(words, capsys)
        assert (again.status, again.err) == (fresh.status, fresh.err)
        assert again.out == fresh.out
        assert {n: comparable(n, c) for n, c in again.files.items()} == {
            n: comparable(n, c) for n, c in fresh.files.items()
        }


def in_a_worker() -> None:
    """Make a worker fail at the call that the test names; `sitecustomize` calls this in every new process."""
    kind, _, at = os.environ.get(FAULT, "").partition(" ")
    if kind and "--multiprocessing-fork" in sys.orig_argv:
        for one in KINDS[kind](Begun(int(at))):
            one.start()


FAULT = "SHAPESMT_TEST_FAULT"


@pytest.mark.parametrize("kind", KINDS)
def test_one_failure_in_each_worker(
    kind: str,
    full: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    (tmp_path / "sitecustomize.py").write_text("from tests.test_faults import in_a_worker\nin_a_worker()\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, (tmp_path, EXAMPLES.parent))))
    words = COMMANDS["processes"]
    prepare(tmp_path / "fresh", monkeypatch, lambda: None)
    fresh, _ = run(words, capsys)
    prepare(tmp_path / "counted", monkeypatch, lambda: None)
    _, counted = run(COMMANDS["lines"], capsys, kind)
    draw = random.Random(f"workers {kind} {request.config.getoption('--seed')}")
    for at in places(max(1, counted.calls), kind, draw, full=full):
        prepare(tmp_path / str(at), monkeypatch, lambda: None)
        monkeypatch.setenv(FAULT, f"{kind} {at}")
        with no_hang():
            told, _ = run(words, capsys)
        monkeypatch.delenv(FAULT)
        judged(told, fresh, {}, "")
        again, _ = run(words, capsys)
        assert (again.status, again.out, again.err) == (fresh.status, fresh.out, fresh.err)
