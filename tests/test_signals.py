"""Exceptions of a program's signal handlers end a call of the library, and arrive as they are."""

from __future__ import annotations

import functools
import queue
import random
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import shapesmt
from shapesmt.frontends import onnx as frontend
from shapesmt.operators.rules import RuleContext
from shapesmt.prover.smt import process

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no such signals")
UNET = Path(__file__).parents[1] / "examples" / "unet" / "unet.onnx"
KV_CACHE = Path(__file__).parents[1] / "examples" / "kv_cache" / "kv_cache.onnx"


class OutOfPatienceError(Exception):
    """Raised by the signal handlers of these tests."""


def plain(*_: object) -> None:
    raise OutOfPatienceError


def tidy(number: int, frame: object) -> None:
    del number, frame
    raise OutOfPatienceError


def once(number: int, frame: object) -> None:
    signal.signal(number, signal.SIG_IGN)
    fail()


def system(number: int, frame: object) -> None:
    raise TimeoutError("time limit")


def fail() -> None:
    raise OutOfPatienceError


class Watch:
    def method(self, *_: object) -> None:
        raise OutOfPatienceError

    def __call__(self, *_: object) -> None:
        raise OutOfPatienceError


HANDLERS: dict[str, Callable[..., Any]] = {
    "a function": plain,
    "one that drops its arguments": tidy,
    "one that goes away": once,
    "a method": Watch().method,
    "an object": Watch(),
    "a lambda": lambda *_: fail(),
    "a partial": functools.partial(plain, 1),
    "a system error": system,
}


@pytest.fixture(params=HANDLERS)
def handled(request: pytest.FixtureRequest) -> Iterator[type[Exception]]:
    """What the handler of SIGALRM raises."""
    before = signal.signal(signal.SIGALRM, HANDLERS[request.param])
    yield TimeoutError if request.param == "a system error" else OutOfPatienceError
    signal.signal(signal.SIGALRM, before)


def interrupted(*_: object, **__: object) -> Any:
    signal.raise_signal(signal.SIGALRM)
    return None


@pytest.mark.parametrize("ask", [shapesmt.check, shapesmt.bounds, shapesmt.memory, shapesmt.inspect])
def test_in_a_rule(handled: type[Exception], ask: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    shapesmt.forget()
    monkeypatch.setattr(RuleContext, "require", interrupted)
    monkeypatch.setattr(RuleContext, "input", interrupted, raising=False)
    monkeypatch.setattr(RuleContext, "apply", interrupted)
    with pytest.raises(handled) as raised:
        ask(UNET)
    assert type(raised.value) is handled


def test_in_a_parser(handled: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frontend.reader, "from_bytes", interrupted)
    with pytest.raises(handled):
        shapesmt.check(UNET)


def test_while_the_solver_works(handled: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    shapesmt.forget()
    monkeypatch.setattr(process, "_send", interrupted)
    with pytest.raises(handled):
        shapesmt.memory(KV_CACHE)


def test_while_a_file_is_written(handled: type[Exception], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(handled):
        shapesmt.save_graph(UNET, tmp_path / "graph.json")
    assert not [*tmp_path.iterdir()]


def test_exceptions_of_rules_are_internal_errors_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Any:
        return {}["no such key"]

    shapesmt.forget()
    monkeypatch.setattr(RuleContext, "apply", broken)
    with pytest.raises(shapesmt.InternalError, match="broke at node"):
        shapesmt.check(UNET)


def test_at_any_moment(full: bool) -> None:
    """Whenever the alarm is raised, the call ends with its exception or with the answer, and the next call is right."""
    draw = random.Random(25)
    alone = shapesmt.check(UNET).to_dict() | {"seconds": 0}
    before = signal.signal(signal.SIGALRM, plain)
    cut = 0
    try:
        for _ in range(300 if full else 30):
            shapesmt.forget()
            try:
                signal.setitimer(signal.ITIMER_REAL, draw.uniform(0.001, 0.05))
                answer = shapesmt.check(UNET)
                signal.setitimer(signal.ITIMER_REAL, 0)
                assert answer.to_dict() | {"seconds": 0} == alone
            except OutOfPatienceError:
                cut += 1
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert cut
    assert shapesmt.check(UNET).to_dict() | {"seconds": 0} == alone


def test_a_queue_that_is_empty_is_no_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*_: object, **__: object) -> Any:
        raise queue.Empty

    shapesmt.forget()
    monkeypatch.setattr(process, "_send", late)
    assert shapesmt.memory(KV_CACHE)
