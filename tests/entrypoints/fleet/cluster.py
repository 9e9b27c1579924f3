"""A Dask scheduler and workers, started by their own commands on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.hang import PATIENCE

ROOT = Path(__file__).parents[3]
PROFILE = "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED"  # whose tree grows with time


class Cluster:
    """The processes, which end with the test."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / "scheduler.json"
        self.processes: list[subprocess.Popen[bytes]] = []
        options = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show"]
        self.scheduler = self._start("dask_scheduler", *options)
        until = time.monotonic() + PATIENCE
        while not self._file.exists() or not self._file.read_text():
            assert self.scheduler.poll() is None
            assert time.monotonic() < until
            time.sleep(0.05)
        self.address: str = json.loads(self._file.read_text())["address"]

    def worker(self, *more: str) -> subprocess.Popen[bytes]:
        """One more worker, with one thread; nothing starts it again."""
        options = [*more, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0"]
        return self._start("dask_worker", *options, "--local-directory", str(self._folder))

    def _start(self, command: str, *options: str) -> subprocess.Popen[bytes]:
        words = [sys.executable, "-m", f"distributed.cli.{command}", "--scheduler-file", str(self._file), *options]
        log = (self._folder / "log").open("ab")
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1", PROFILE: "False"}
        process = subprocess.Popen(words, stdout=log, stderr=log, env=environment, cwd=self._folder)
        log.close()
        self.processes.append(process)
        return process


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    started = Cluster(folder)
    try:
        yield started
    finally:
        for process in started.processes:
            process.kill()
        for process in started.processes:
            process.wait()
