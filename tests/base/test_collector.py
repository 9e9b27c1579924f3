"""The garbage collector is paused in calls, and as the program around them had it otherwise."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest

from shapesmt.base.collector import gc_paused


@pytest.fixture(autouse=True)
def usual() -> Iterator[None]:
    """The collector as it was, whatever a test does."""
    enabled, threshold = gc.isenabled(), gc.get_threshold()
    yield
    gc.set_threshold(*threshold)
    (gc.enable if enabled else gc.disable)()


def test_it_is_paused_until_the_last_has_left() -> None:
    before, first, second = gc.get_threshold(), gc_paused(), gc_paused()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert gc.get_threshold()[0] == 0
    second.__exit__(None, None, None)
    assert gc.get_threshold() == before


def test_a_program_may_disable_and_enable_it_meanwhile() -> None:
    gc.enable()
    with gc_paused():
        assert gc.isenabled()
        gc.disable()
    assert not gc.isenabled()
    with gc_paused():
        gc.enable()
    assert gc.isenabled()


def test_a_threshold_that_the_program_sets_meanwhile_stays() -> None:
    with gc_paused():
        gc.set_threshold(123, 4, 5)
    assert gc.get_threshold()[0] == 123


def test_a_collector_that_starts_by_nothing_is_left_so() -> None:
    gc.set_threshold(0)
    with gc_paused():
        pass
    assert gc.get_threshold()[0] == 0


def test_threads_that_overlap_leave_it_as_it_was() -> None:
    before, failures, start = gc.get_threshold(), [], threading.Barrier(8)

    def work() -> None:
        start.wait()
        for _ in range(500):
            with gc_paused():
                if gc.get_threshold()[0]:
                    failures.append("collected inside")

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert gc.get_threshold() == before


def test_it_is_as_before_when_what_is_inside_fails() -> None:
    before = gc.get_threshold()
    with pytest.raises(ValueError, match="stop"), gc_paused():
        raise ValueError("stop")
    assert gc.get_threshold() == before
