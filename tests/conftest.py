from __future__ import annotations

import gc
import os
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from random import SystemRandom

import pytest
from hypothesis import settings

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # oneDNN's convolutions give an empty output the shape of their input

settings.register_profile("untimed", deadline=None)  # a busy machine is no fault
settings.load_profile("untimed")

collect_ignore = ["bench"]  # a tool


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Skip helpers without an example in their docstrings: to look for one, pytest would import all of them."""
    helper = collection_path.suffix == ".py" and not collection_path.name.startswith("test_")
    return True if helper and 3 * ">" not in collection_path.read_text() else None


def pytest_configure(config: pytest.Config) -> None:
    """Give parts of answers the time they need on a busy machine; skip what runs an ONNX Runtime not compared with."""
    for module, limit in HURRIED.items():
        setattr(import_module(module), limit, ENOUGH)
    if tuple(map(int, version("onnxruntime").split(".")[:2])) < (1, 31):
        import onnxruntime

        from tests.support.versions import require_runtime

        onnxruntime.InferenceSession = lambda *_, **__: require_runtime()


HURRIED = {
    "shapesmt.entrypoints.api.opened": "LEAST_FOR_BOUNDS",
    "shapesmt.analysis.diagnose.warnings.static": "PATIENCE",
}
"""Seconds that a part of an answer may take, in which it is complete unless the machine is busy."""
ENOUGH = 20.0


def pytest_collection_finish() -> None:
    """Spare Python's collector the modules and the tests, which live as long as the process."""
    gc.collect()
    gc.freeze()


def seed(text: str) -> int:
    """Return the number; for `random` one that is drawn, which pytest's other processes have from the environment."""
    return int(os.environ.setdefault("DRAWN_SEED", str(SystemRandom().randrange(10**6))) if text == "random" else text)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="ten times as many random cases, and the large models")
    parser.addoption("--models", metavar="FOLDER", help="exported networks with recorded runs to compare with")
    parser.addoption("--seed", type=seed, default=0, help="where the random cases start: 0, or drawn with `random`")


def pytest_report_header(config: pytest.Config) -> str:
    """Say how the random cases are drawn again."""
    return f"random cases: --seed {config.getoption('--seed')}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, exitstatus: int, config: pytest.Config) -> None:
    """Say it at the end with `-q`, which leaves out the header."""
    if config.get_verbosity() < 0:
        terminalreporter.write_line(pytest_report_header(config))


@pytest.fixture
def full(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--full"))


@pytest.fixture
def seeds(request: pytest.FixtureRequest, full: bool) -> range:
    """Seeds of random cases, each printed by the test that fails at it."""
    first = request.config.getoption("--seed")
    return range(first, first + (400 if full else 40))
