"""A Dask scheduler and workers: some are killed, some come later, and every model has one answer."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import click
import pytest

import shapesmt
from shapesmt.entrypoints.cli.main import main
from shapesmt.entrypoints.fleet import connect
from shapesmt.entrypoints.fleet.answers import KEY, NAME
from shapesmt.entrypoints.fleet.identity import process_identity
from shapesmt.entrypoints.fleet.workers.cluster import answers
from tests.entrypoints.fleet.cluster import ROOT, Cluster, cluster
from tests.entrypoints.fleet.conftest import UNRULED
from tests.entrypoints.fleet.held import HELD, reader
from tests.entrypoints.fleet.variants import write_variants
from tests.support.hang import PATIENCE

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster(tmp_path_factory.mktemp("dask")) as started:
        started.worker()
        started.worker()
        with connect(started.address) as client:
            client.wait_for_workers(2, PATIENCE)
        yield started


def test_models_are_checked_by_the_workers(two: Cluster, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "absent").mkdir()
    command = ["check", ".", "--scheduler", two.address, "--cache", "kept", "--html", "pages"]
    assert main([*command, "-q"]) == 2
    assert capsys.readouterr().out.splitlines() == [
        "DEPENDS add.onnx: 1 of 1 node requirement fails for some n in 1.., m in 1..",
        "ERROR deep/damaged.onnx: not an ONNX model, or a damaged one (Error parsing message with "
        "type 'onnx.ModelProto': Wire format was corrupt)",
        "FAILS deep/er/broken.onnx: 1 of 1 node requirement fails for every input",
        "PROVED deep/exp.onnx: no node has a requirement that could fail",
        "PROVED exp.onnx: no node has a requirement that could fail",
    ]
    with closing(sqlite3.connect(folder / "kept" / NAME)) as database:
        assert database.execute("SELECT count(*) FROM answers").fetchone() == (3,)
    assert len([*(folder / "pages").iterdir()]) == 5


def test_workers_compare_with_a_baseline_as_this_process_does(two: Cluster, folder: Path) -> None:
    written = []
    for where in (["--jobs", "1"], ["--scheduler", two.address]):
        assert main(["check", ".", *where, "--baseline", "known.json", "--write-baseline", "--quiet"]) == 0
        written.append((folder / "known.json").read_bytes())
    assert written[0] == written[1]
    assert main(["check", ".", "--scheduler", two.address, "--baseline", "known.json"]) == 0
    (folder / "exp.onnx").write_bytes((folder / "add.onnx").read_bytes())
    assert main(["check", ".", "--scheduler", two.address, "--baseline", "known.json"]) == 1


def test_what_is_known_needs_no_scheduler(capsys: pytest.CaptureFixture[str]) -> None:
    check = ["check", "exp.onnx", "--cache", "kept", "-q"]
    assert main([*check, "--jobs", "1"]) == 0
    assert main([*check, "--scheduler", "tcp://127.0.0.1:1"]) == 0
    proved = "PROVED exp.onnx: no node has a requirement that could fail\n"
    assert capsys.readouterr() == (proved * 2, "")


def test_workers_come_and_go(two: Cluster, folder: Path, full: bool) -> None:
    count = 5000 if full else 120
    names = write_variants(folder / "many", count)
    seen: Counter[str] = Counter()

    def done(name: str) -> None:
        seen[name] += 1
        if seen.total() == count // 8:
            two.worker()
        if seen.total() == count // 4:
            two.processes[1].kill()

    with connect(two.address) as client:
        batch = shapesmt.check_many("many", client=client, output="out.jsonl", done=done)
    written = Counter(json.loads(line)["model"] for line in Path("out.jsonl").read_text().splitlines())
    assert seen == written == Counter(str(Path("many", name)) for name in names)
    assert len(batch.reports) == count
    assert [str(Path("many", name)) for name in sorted(names)] == [report.model for report in batch.reports]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="holds a worker up with a named pipe")
def test_a_model_at_which_workers_end_is_reported(tmp_path_factory: pytest.TempPathFactory, folder: Path) -> None:
    """The scheduler gives up all models that the worker had, though only one of them ended the worker."""
    os.mkfifo(HELD)
    with cluster(tmp_path_factory.mktemp("dask")) as started, connect(started.address) as client:
        client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 0))
        started.worker()

        def end_both() -> None:
            for _ in range(2):
                pipe = reader()
                started.processes[-1].kill()
                started.processes[-1].wait()
                os.close(pipe)
                started.worker()

        ending = threading.Thread(target=end_both)
        ending.start()
        batch = shapesmt.check_many(["exp.onnx", HELD, "add.onnx"], client=client)
        ending.join()
    assert [model.exit_status for model in batch.models] == [0, 4, 1]
    assert batch.unchecked[0].error == "internal error: the workers that checked it ended; out of memory?"


def test_the_first_worker_may_come_later(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    with cluster(tmp_path_factory.mktemp("dask")) as started:

        def echo(text: str, *, err: bool) -> None:
            said.append(text)
            started.worker()

        monkeypatch.setattr(click, "echo", echo)
        assert main(["check", "exp.onnx", "--scheduler", started.address]) == 0
    assert said == [f"no worker has come to {started.address} yet; waiting"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="holds a worker up with a named pipe")
def test_the_scheduler_goes(two: Cluster, folder: Path) -> None:
    """The command ends with a one-line error; answers that arrived before are in the output file."""
    write_variants(folder / "many", 60)
    command = [sys.executable, "-m", "shapesmt", "check", "many", HELD, "--scheduler", two.address]
    os.mkfifo(HELD)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    asking = subprocess.Popen([*command, "--output", "out.jsonl"], env=environment, text=True, **streams)  # type: ignore[call-overload]
    pipe = reader()
    two.scheduler.kill()
    assert asking.communicate(timeout=PATIENCE) == (
        "",
        "error: the scheduler is gone, and with it what isn't finished\n",
    )
    os.close(pipe)
    assert asking.returncode == 2


def test_a_worker_that_would_answer_otherwise_is_refused() -> None:
    own = process_identity().parts
    for place, part in enumerate(own):
        asking = (*own[:place], "another", *own[place + 1 :])
        message = f"a worker has {part} and this process has another; install the same on both"
        with pytest.raises(shapesmt.UsageError, match=f"^{re.escape(message)}$"):
            answers(b"", (*asking, ""))


def test_a_worker_that_trusts_other_answers_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY, raising=False)
    with pytest.raises(shapesmt.UsageError, match=f"a worker has no {KEY} and this process has a {KEY}"):
        answers(b"", (*process_identity().parts, f"a {KEY}"))


def test_a_worker_with_a_rule_that_others_lack_is_refused(
    tmp_path_factory: pytest.TempPathFactory, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "fold.onnx").write_text(UNRULED)
    (folder / "rules_of_a_worker.py").write_text(
        "import shapesmt\nshapesmt.rule('Fold', domain='own')(lambda ctx: ctx.input(0))\n"
    )
    with cluster(tmp_path_factory.mktemp("dask")) as started:
        started.worker("--preload", str(folder / "rules_of_a_worker.py"))
        assert main(["check", "fold.onnx", "--scheduler", started.address, "-q"]) == 2
    out, err = capsys.readouterr()
    refused = (
        r"error: the worker tcp://127\.0\.0\.1:\d+ has plugin rules \(\w{16}\) and this process has no plugin rules; "
    )
    assert out == ""
    assert re.fullmatch(refused + "install the same on both\n", err.partition("waiting\n")[2] or err)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("tcp://127.0.0.1:9", "no scheduler at tcp://127.0.0.1:9: "),
        ("what://ever", "no scheduler at what://ever: "),
        ("nonsense", "no scheduler at nonsense: missing port number in address 'nonsense'"),
    ],
)
def test_no_scheduler_is_one_line(
    address: str, message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shapesmt.entrypoints.fleet.workers.cluster.PATIENCE", 1)
    assert main(["check", "exp.onnx", "--scheduler", address]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"error: {message}")


def test_without_dask(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert main(["check", "exp.onnx", "--scheduler", "tcp://127.0.0.1:9"]) == 2
    assert capsys.readouterr().err == "error: --scheduler needs Dask: pip install 'shapesmt[dask]'\n"
