"""A Dask scheduler and workers: some are killed, some come later, and every model has one answer."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import click
import pytest

import shapesmt
from shapesmt.cli.main import main
from shapesmt.fleet import connected
from shapesmt.fleet.answers import NAME
from shapesmt.fleet.cluster import answers
from tests.fleet.cluster import Cluster, cluster
from tests.fleet.held import HELD, reader
from tests.fleet.variants import write_variants

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster(tmp_path_factory.mktemp("dask")) as started:
        started.worker()
        started.worker()
        yield started


def test_models_are_checked_by_the_workers(two: Cluster, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "absent").mkdir()
    command = ["check", ".", "--scheduler", two.address, "--cache", "kept", "--html", "pages"]
    assert main([*command, "-q"]) == 2
    assert capsys.readouterr().out.splitlines() == [
        "DEPENDS add.onnx: 1 of 1 requirement fails for some n in 1.., m in 1..",
        "ERROR deep/damaged.onnx: not an ONNX model, or a damaged one (Error parsing message with "
        "type 'onnx.ModelProto': Wire format was corrupt)",
        "FAILS deep/er/broken.onnx: 1 of 1 requirement fails for every input",
        "PROVED deep/exp.onnx: no node has a requirement that could fail",
        "PROVED exp.onnx: no node has a requirement that could fail",
    ]
    with closing(sqlite3.connect(folder / "kept" / NAME)) as database:
        assert database.execute("SELECT count(*) FROM answers").fetchone() == (3,)
    assert len([*(folder / "pages").iterdir()]) == 5


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

    with connected(two.address) as client:
        batch = shapesmt.check_many("many", client=client, output="out.jsonl", done=done)
    written = Counter(json.loads(line)["model"] for line in Path("out.jsonl").read_text().splitlines())
    assert seen == written == Counter(str(Path("many", name)) for name in names)
    assert len(batch.reports) == count
    assert [str(Path("many", name)) for name in sorted(names)] == [report.model for report in batch.reports]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="holds a worker up with a named pipe")
def test_a_model_at_which_workers_end_is_reported(tmp_path_factory: pytest.TempPathFactory, folder: Path) -> None:
    """The scheduler gives up all that the worker had, of which one model is to blame."""
    os.mkfifo(HELD)
    with cluster(tmp_path_factory.mktemp("dask")) as started, connected(started.address) as client:
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


def test_the_scheduler_goes(two: Cluster, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write_variants(folder / "many", 60)
    with pytest.raises(shapesmt.UsageError, match="the scheduler is gone"), connected(two.address) as client:
        shapesmt.check_many("many", client=client, done=lambda _: two.scheduler.kill())
    assert "Traceback" not in capfd.readouterr().err


def test_another_version_is_refused() -> None:
    with pytest.raises(
        shapesmt.UsageError, match=r"a worker has shapesmt .*, but 0\.0\.0 asks; install the same on both"
    ):
        answers(b"", "0.0.0")


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
    monkeypatch.setattr("shapesmt.fleet.cluster.PATIENCE", 1)
    assert main(["check", "exp.onnx", "--scheduler", address]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"error: {message}")


def test_without_dask(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert main(["check", "exp.onnx", "--scheduler", "tcp://127.0.0.1:9"]) == 2
    assert capsys.readouterr().err == "error: --scheduler needs Dask: pip install 'shapesmt[dask]'\n"
