"""Several processes: none that ends takes another's model with it, and none stays behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

import shapesmt
from shapesmt.reports.answers import BatchReport, Unchecked
from tests.entrypoints.fleet.conftest import EXP
from tests.entrypoints.fleet.held import HELD, reader
from tests.support.hang import PATIENCE

ROOT = Path(__file__).parents[4]
pytestmark = [
    pytest.mark.usefixtures("folder"),
    pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="holds a process up with a named pipe"),
]


class Checking:
    """`check_many` in a thread, with a model whose reader waits."""

    def __init__(self, *models: str) -> None:
        os.mkfifo(HELD)
        self._models = models
        self._batch: list[BatchReport] = []
        self.others = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        self._batch.append(shapesmt.check_many(self._models, jobs=2, done=lambda _: self.others.set()))

    def verdicts(self) -> list[str]:
        self._thread.join(PATIENCE)
        assert not multiprocessing.active_children()
        (batch,) = self._batch
        return [model.error if isinstance(model, Unchecked) else model.verdict.value for model in batch.models]


def end_all(how: Callable[[BaseProcess], None]) -> None:
    """End every process once one waits for the model."""
    pipe = reader()
    processes = multiprocessing.active_children()
    for process in processes:
        how(process)
    for process in processes:
        process.join(PATIENCE)
    os.close(pipe)


def give() -> None:
    """Let the process that waits have the model."""
    pipe = reader()
    os.write(pipe, EXP.encode())
    os.close(pipe)


@pytest.mark.parametrize(
    ("how", "others"), [(BaseProcess.kill, 39), (BaseProcess.terminate, 1)], ids=["killed", "told"]
)
def test_a_process_that_ends_takes_no_model_with_it(how: Callable[..., None], others: int) -> None:
    for k in range(others):
        Path(f"{k}.onnx").write_text(EXP)
    checking = Checking(*(f"{k}.onnx" for k in range(others)), HELD)
    end_all(how)
    give()
    assert checking.verdicts() == ["PROVED"] * (others + 1)


def test_a_model_at_which_processes_end_is_reported() -> None:
    checking = Checking("exp.onnx", HELD)
    assert checking.others.wait(PATIENCE)
    end_all(BaseProcess.kill)
    end_all(BaseProcess.kill)
    proved, error = checking.verdicts()
    assert proved == "PROVED"
    assert error == "internal error: the process that checked it ended with status -9; out of memory?"


def test_the_status_is_known_though_another_thread_takes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    waited = os.waitpid

    def late(pid: int, options: int) -> tuple[int, int]:
        """What waits for a worker's end comes second, and the first one is slow to store the status."""
        ours = threading.current_thread() is not threading.main_thread()
        time.sleep(0.05 if ours else 0)
        found = waited(pid, options)
        time.sleep(0 if ours or not found[0] else 1)
        return found

    monkeypatch.setattr(os, "waitpid", late)
    test_a_model_at_which_processes_end_is_reported()


def interrupted(script: str, end: signal.Signals) -> tuple[int, str, str]:
    """Send a signal to a script that waits for a named pipe; return its status and what it wrote."""
    os.mkfifo(HELD)
    Path("script.py").write_text(script)
    process = started("script.py")
    pipe = reader()
    (os.killpg if end == signal.SIGINT else os.kill)(process.pid, end)
    out, err = process.communicate(timeout=PATIENCE)  # ends when every process that holds the pipes has ended
    os.close(pipe)
    return process.returncode, out, err.strip()


def started(*command: str, path: Path = ROOT) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *command], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(path.resolve()), str(ROOT)])},
    )  # fmt: skip


CHECK = """
import signal, sys
from shapesmt.entrypoints.cli import main
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which a job in the background ignores
    sys.exit(main(["check", "exp.onnx", "held.onnx", "--jobs", "2"]))
"""


@pytest.mark.parametrize(("end", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, -15), (signal.SIGKILL, -9)])
def test_an_interrupt_ends_everything(end: signal.Signals, status: int) -> None:
    assert interrupted(CHECK, end) == (status, "", "")


CALLBACK = """
import os, signal, time, weakref
from shapesmt.entrypoints.fleet.workers.processes import _begin
_begin()
class Thing: ...
thing = Thing()
weakref.finalize(thing, os.kill, os.getpid(), signal.SIGTERM)
del thing
time.sleep(60)
"""


def test_an_end_inside_a_callback_is_one() -> None:
    process = started("-c", CALLBACK)
    assert process.communicate(timeout=PATIENCE) == ("", "")
    assert process.returncode == 0


def test_a_script_without_its_main_part_is_a_mistake() -> None:
    Path("script.py").write_text("import shapesmt\nshapesmt.check_many(['exp.onnx', 'add.onnx'], jobs=2)")
    process = started("script.py")
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert (
        "shapesmt.base.errors.UsageError: no process could be started to check models in; "
        'a script has to call it below `if __name__ == "__main__":`\n'
    ) in err


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 can't leave out the working directory")
def test_the_working_directory_has_no_modules_for_them() -> None:
    for name in ("socket", "pickle", "multiprocessing"):
        Path(f"{name}.py").write_text("raise SystemExit('not this one')")
    Path("deep/script.py").write_text(CHECK.replace("held", "add"))
    process = started("deep/script.py")
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (1, "")
    assert "2 models: 1 proved, 1 depending on the input" in out


NO_THREADS = """
import threading
def start(thread):
    raise RuntimeError("can't start new thread")
threading.Thread.start = start
"""


def test_no_room_for_a_thread_is_said_in_one_line() -> None:
    Path("early").mkdir()
    Path("early/sitecustomize.py").write_text(NO_THREADS)
    Path("deep/script.py").write_text(CHECK.replace("held", "add"))
    process = started("deep/script.py", path=Path("early"))
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err) == (2, "", "error: the system has no room for another thread\n")


def test_no_more_processes_are_started_than_there_is_work_for(monkeypatch: pytest.MonkeyPatch) -> None:
    starts: list[object] = []
    start = BaseProcess.start
    monkeypatch.setattr(BaseProcess, "start", lambda process: [starts.append(process), start(process)])
    batch = shapesmt.check_many(["exp.onnx", "add.onnx", "deep/exp.onnx"], jobs=3)
    assert [model.model for model in batch.models] == ["exp.onnx", "add.onnx", "deep/exp.onnx"]
    assert len(starts) == 3
    assert not multiprocessing.active_children()
