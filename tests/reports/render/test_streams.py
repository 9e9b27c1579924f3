"""Standard streams that are closed, full or left, and little memory: one line and a sensible status."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import shapesmt
from tests.support.hang import PATIENCE

UNET = Path(__file__).parents[3] / "examples" / "unet" / "unet.onnx"
COMMANDS = (["check", str(UNET)], ["bounds", str(UNET), "--format", "json"], ["encode", str(UNET)], ["ops"], ["--help"])


def run(arguments: list[str], redirect: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own, its streams redirected as a shell does it."""
    root = str(Path(shapesmt.__file__).parents[1])
    line = f'exec "$@" {redirect}'
    command = ["bash", "-c", line, "bash", sys.executable, "-m", "shapesmt", *arguments]
    environment = {**os.environ, "PYTHONPATH": root, **variables}
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, env=environment, check=False)


def one_line(text: str) -> bool:
    return text.startswith("error: ") and text.count("\n") == 1 and "bug" not in text


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no device that is always full")
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_output_that_is_full_is_one_line(arguments: list[str]) -> None:
    ran = run(arguments, ">/dev/full")
    assert (ran.returncode, one_line(ran.stderr)) == (2, True), ran.stderr
    assert "No space left on device" in ran.stderr


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_output_that_is_closed_is_one_line(arguments: list[str]) -> None:
    ran = run(arguments, ">&-")
    assert (ran.returncode, one_line(ran.stderr)) == (2, True), ran.stderr


def test_output_that_nobody_reads_is_silent() -> None:
    ran = run(["bounds", str(UNET)], "| head -c 1 >/dev/null; exit ${PIPESTATUS[0]}")
    assert ran.returncode in (0, 3, 141)
    assert ran.stderr == ""


def test_without_standard_error_the_status_is_what_it_is() -> None:
    assert run(["check", "no such file"], "2>&-").returncode == 2
    assert run(["check", str(UNET), "--dim", "height=64..512:16", "--dim", "width=64..512:16"], "2>&-").returncode == 0
    assert run(["check", "no such file"], "2>/dev/full").returncode == 2
    assert run(["check", "no such file"], "2>/dev/full", LC_ALL="C", PYTHONUTF8="0").returncode == 2


def test_standard_input_that_is_closed_is_empty() -> None:
    ran = run(["check", "-"], "<&-")
    assert (ran.returncode, one_line(ran.stderr)) == (2, True), ran.stderr


def test_closed_streams_put_nothing_into_files(tmp_path: Path) -> None:
    target = tmp_path / "system.smt2"
    assert run(["encode", str(UNET), "-o", str(target)], "2>&-").returncode == 0
    assert target.read_text().startswith("; the complete system of unet.onnx")


CONFINED = """
import resource, sys
import click, networkx, numpy, onnx, rich.console, z3
from shapesmt.entrypoints.cli import main
pages = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (pages + (int(sys.argv.pop(1)) << 20),) * 2)
sys.exit(main())
"""
"""The command line in a process that may take so many megabytes beside its libraries. Before they are loaded it is the
system's loader, Python and the libraries that say in their own words what they couldn't get."""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system doesn't say how much memory is in use")
@pytest.mark.parametrize("megabytes", [0, 1, 60, 300])
def test_little_memory_is_one_line_or_an_answer(megabytes: int) -> None:
    command = [sys.executable, "-c", CONFINED, str(megabytes), "check", str(UNET)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ran.returncode in (1, 2, 3), ran.stderr
    assert ran.stdout or one_line(ran.stderr), ran.stderr
