from __future__ import annotations

import os

import pytest
from hypothesis import settings

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # oneDNN's convolutions give an empty output the shape of their input

settings.register_profile("shapesmt", deadline=None)  # a busy machine is no failure
settings.load_profile("shapesmt")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="ten times as many random cases, and the large models")
    parser.addoption("--seed", type=int, default=0, help="where the random cases start")


@pytest.fixture
def full(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--full"))


@pytest.fixture
def seeds(request: pytest.FixtureRequest, full: bool) -> range:
    """Seeds of random cases, each printed by the test that fails at it."""
    first = request.config.getoption("--seed")
    return range(first, first + (400 if full else 40))
