"""This machine: small models are checked by the asking process, which others help where that is quicker."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

import shapesmt
from shapesmt.entrypoints.cli.main import main
from shapesmt.entrypoints.fleet.workers import local
from tests.entrypoints.fleet.conftest import ADD, EXP
from tests.entrypoints.fleet.workers.test_processes import interrupted, started
from tests.support.hang import PATIENCE

pytestmark = pytest.mark.usefixtures("folder")
NAMES = [f"few/{number:02}.onnx" for number in range(40)]


@pytest.fixture
def few(folder: Path) -> list[str]:
    Path("few").mkdir()
    for number, name in enumerate(NAMES):
        Path(name).write_text(ADD if number % 8 == 3 else EXP)
    return NAMES


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch) -> list[BaseProcess]:
    """The processes that are started."""
    found: list[BaseProcess] = []
    start = BaseProcess.start
    monkeypatch.setattr(BaseProcess, "start", lambda process: [found.append(process), start(process)])
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    return found


@pytest.fixture
def helped(monkeypatch: pytest.MonkeyPatch, starts: list[BaseProcess]) -> list[BaseProcess]:
    """The processes that help, as they are expected to from the second model on."""
    monkeypatch.setattr(local._Pace, "pays", lambda _, left, *__: left < len(NAMES) - 1)
    return starts


class Clock:
    """A process of which each model takes some seconds, and waits for a processor for so many more for each second."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, waiting: float = 0.0) -> None:
        self.work = 0.0
        monkeypatch.setattr(local, "processor_time", lambda: self.work)
        monkeypatch.setattr(local, "waited", lambda: self.work * waiting)

    def helps_after(self, seconds: Sequence[float], count: int, jobs: int = 2) -> int | None:
        """After how many of `count` models it isn't alone; they take these seconds, and the last of them each."""
        pace = local._Pace(self.work)
        for number in range(1, count):
            self.work += seconds[min(number, len(seconds)) - 1]
            pace.note()
            if pace.pays(count - number, min(jobs, count - number)):
                return number
        return None


def test_others_help_when_the_rest_takes_longer_than_their_start(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    assert clock.helps_after([1, 0.01], 100) is None
    assert clock.helps_after([1, 0.01], 1000) == 49
    assert clock.helps_after([1, 0.01], 190) is None
    assert clock.helps_after([1, 0.01], 190, jobs=8) == 4
    assert clock.helps_after([1, *[0.1] * 20, 0.001], 1000) is None
    assert clock.helps_after([1, 2], 2) is None
    assert clock.helps_after([1, 0.5, 0.01], 100) is None
    after = clock.helps_after([1, *[0.01] * 49, 5], 100)
    assert after is not None
    assert after < 55


def test_nothing_helps_while_other_programs_have_the_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Clock(monkeypatch, waiting=0.5).helps_after([1, 0.01], 1000) is None
    assert Clock(monkeypatch, waiting=0.1).helps_after([1, 0.01], 1000) == 49


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts how long a thread waits")
def test_other_programs_are_noticed() -> None:
    before = local.waited()
    spin = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range((os.cpu_count() or 1) + 1)]
    try:
        end = time.monotonic() + PATIENCE
        while local.waited() - before < 0.01:
            assert time.monotonic() < end
    finally:
        for process in spin:
            process.kill()
            process.wait()


def test_small_models_are_checked_without_another_process(few: list[str], starts: list[BaseProcess]) -> None:
    assert shapesmt.check_many(few[:3]).summary["proved"] == 3
    assert not starts


def outcomes(**options: object) -> list[str]:
    batch = shapesmt.check_many("few", **options)  # type: ignore[arg-type]
    return [json.dumps({**model.to_dict(), "seconds": 0}) for model in batch.models]


def test_helped_or_not_the_answers_are_the_same(few: list[str], helped: list[BaseProcess]) -> None:
    assert outcomes() == outcomes(jobs=1)
    assert len(helped) == 2
    assert not multiprocessing.active_children()
    done: list[str] = []
    outcomes(done=done.append, output="all.jsonl", cache="kept")
    assert sorted(done) == few
    assert sorted(json.loads(line)["model"] for line in Path("all.jsonl").read_text().splitlines()) == few
    number = len(helped)
    done.clear()
    assert outcomes(done=done.append, output="all.jsonl", resume=True) == outcomes(cache="kept") == outcomes(jobs=1)
    assert (done, len(helped)) == ([], number)


@pytest.mark.usefixtures("helped")
def test_the_first_failure_ends_all(few: list[str]) -> None:
    batch = shapesmt.check_many(few, fail_fast=True)
    assert batch.left > 0
    assert [model.verdict.value for model in batch.reports if model.exit_status] == ["DEPENDS"]
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("end", [BaseProcess.kill, BaseProcess.terminate])
@pytest.mark.usefixtures("helped")
def test_a_helper_that_ends_takes_no_model_with_it(few: list[str], end: Callable[[BaseProcess], None]) -> None:
    left = [1]

    def done(_: str) -> None:
        for process in multiprocessing.active_children() if left else ():
            end(process)
            left.clear()

    batch = shapesmt.check_many(few, done=done)
    assert not left
    assert batch.summary["proved"] == 35
    assert batch.summary["depends"] == 5


@pytest.mark.parametrize("options", [["--html", "pages"], ["--replay"], ["big.onnx"], ["http://127.0.0.1:9/x.onnx"]])
def test_what_could_end_a_process_goes_to_others(
    options: list[str], starts: list[BaseProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("big.onnx").write_text(EXP + "\n" * local.SMALL)
    monkeypatch.setattr(local, "_where_it_pays", None)
    main(["check", "exp.onnx", "add.onnx", *options, "-q"])
    assert len(starts) >= 2


def test_a_script_without_its_main_part_may_check_small_models() -> None:
    Path("script.py").write_text("import shapesmt\nprint(shapesmt.check_many(['exp.onnx', 'add.onnx']).summary)")
    out, err = started("script.py").communicate(timeout=PATIENCE)
    assert out.startswith("{'models': 2, 'proved': 1,")
    assert err == ""


WARM = """
import sys
from shapesmt.entrypoints.fleet.workers.processes import _begin
_begin(["shapesmt.none", "shapesmt.operators.ops.windows.resize"])
print({"shapesmt.entrypoints.api.opened", "shapesmt.operators.ops.windows.resize"} - {*sys.modules})
"""


def test_a_process_imports_what_it_needs_before_it_is_ready() -> None:
    ran = subprocess.run([sys.executable, "-c", WARM], capture_output=True, text=True, cwd=Path(__file__).parents[4])
    assert (ran.stdout, ran.stderr) == ("set()\n", "")


HELP = """
import os, signal, sys
from shapesmt.entrypoints.cli import main
from shapesmt.entrypoints.fleet.workers import local
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    local._Pace.pays = lambda *_: True
    local._is_small = lambda _: True
    os.cpu_count = lambda: 2
    sys.exit(main(["check", "few", "held.onnx"]))
"""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="holds a process up with a named pipe")
@pytest.mark.parametrize(("end", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, -15), (signal.SIGKILL, -9)])
@pytest.mark.usefixtures("few")
def test_an_interrupt_ends_helpers_too(end: signal.Signals, status: int) -> None:
    assert interrupted(HELP, end) == (status, "", "")
