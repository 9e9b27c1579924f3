"""Answers don't depend on what was asked before: in any order they are, to the byte, those of a fresh process."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import shapesmt
from shapesmt.entrypoints.api import opened

EXAMPLES = Path(__file__).parents[1] / "examples"
MODELS = ("kv_cache/kv_cache.onnx", "unet/unet.onnx", "heads/heads.onnx", "memory/attention.onnx", "rule/fold.onnx")
DIMS = ({}, {"batch": "1..8"})
ASK = ("memory", "check", "bounds", "explain", "profile", "page", "encode", "inspect")
ORDERS = 2
Job = tuple[str, str, dict[str, str]]


def jobs(models: Sequence[str]) -> list[Job]:
    """Every question on every model, with and without a range."""
    return [(ask, model, dims) for ask in ASK for model in models for dims in DIMS if not dims or ask != "inspect"]


def timeless(value: Any) -> Any:
    """Return the answer without times."""
    if isinstance(value, dict):
        return {name: timeless(part) for name, part in value.items() if name != "seconds"}
    return [timeless(part) for part in value] if isinstance(value, (list, tuple)) else value


def answer(job: Job) -> str:
    ask, model, dims = job
    try:
        said = getattr(shapesmt, ask)(EXAMPLES / model, **({"dims": dims} if dims else {}))
    except shapesmt.ShapesmtError as error:
        return f"refused: {error}"
    if isinstance(said, str):
        return re.sub(r"proved in [\d.]+ s", "proved", said)
    return json.dumps(timeless(said.to_dict()), default=str)


def forked(some: Sequence[Job]) -> list[str]:
    """The answers in a process that has answered nothing before."""
    reading, writing = os.pipe()
    if not os.fork():
        with os.fdopen(writing, "w") as out:
            json.dump([answer(job) for job in some], out)
            out.flush()
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as said:
        found: list[str] = json.load(said)
    os.wait()
    return found


def differing(models: Sequence[str], orders: int, seed: int) -> list[list[Any]]:
    """The answers that differ from a fresh process's: the job, what a fresh one says, and what was said later."""
    opened.LEAST_FOR_BOUNDS = 20.0  # a busy machine leaves less out
    every, draw = jobs(models), random.Random(seed)
    fresh = [forked([job])[0] for job in every]
    wrong = []
    for _ in range(orders):
        order = draw.sample(range(len(every)), len(every))
        said = forked([every[i] for i in order])
        wrong += [[every[i], fresh[i], later] for i, later in zip(order, said, strict=True) if fresh[i] != later]
    return wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_answers_are_those_of_a_fresh_process(full: bool) -> None:
    some = MODELS if full else MODELS[:1]
    program = f"import json; from tests.test_order import *; print(json.dumps(differing({some}, {ORDERS}, 25)))"
    process = subprocess.run(
        [sys.executable, "-c", program], cwd=EXAMPLES.parent, capture_output=True, text=True, check=True
    )
    assert json.loads(process.stdout.splitlines()[-1]) == []
