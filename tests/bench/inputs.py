"""Inputs for the models of a folder: sizes drawn by chance, and what a model is fed with at them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import cycle, product
from math import exp, log
from random import Random
from typing import Any, TypeAlias

import numpy as np
import onnx
from onnx import helper

from tests.bench.models import Subject
from tests.oracle.runner import input_shape, value

Sizes: TypeAlias = Mapping[str, int]
FAR = 64  # how far from its least value a size without an end is drawn


def fed(graph: onnx.GraphProto, sizes: Sizes) -> dict[str, np.ndarray[Any, Any]]:
    """Zeros for token numbers and positions, ones for masks, noise elsewhere; a number that has a size's name is it."""
    random, constants = np.random.default_rng(0), {t.name for t in graph.initializer}
    feeds = {}
    for info in (i for i in graph.input if i.name not in constants):
        shape = input_shape(info, sizes)
        dtype = helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type)
        if info.name in sizes:
            feeds[info.name] = np.full(shape, sizes[info.name], dtype)
        elif dtype.kind == "f":
            feeds[info.name] = random.standard_normal(shape).astype(dtype)
        else:
            feeds[info.name] = np.full(shape, int("mask" in info.name or dtype.kind == "b"), dtype)
    return feeds


def drawn(subject: Subject, seed: int = 0) -> Iterator[dict[str, int]]:
    """Admissible sizes, without an end: by turns drawn evenly, mostly small ones, and multiples of 16."""
    random = Random(seed)
    for draw in cycle((random.randint, partial(_mostly_small, random), partial(_multiple, random))):
        sizes = {name: draw(lo, lo + FAR if hi is None else hi) for name, (lo, hi) in subject.dims.items()}
        sizes = tied(subject, sizes)
        if admissible(subject, sizes):
            yield sizes


def corners(subject: Subject, most: int | None = None) -> Iterator[dict[str, int]]:
    """The admissible corners of the ranges, which end at `most`."""
    ends = {name: (lo, _end(lo, hi, most)) for name, (lo, hi) in subject.dims.items()}
    found = (tied(subject, dict(zip(ends, point, strict=True))) for point in product(*ends.values()))
    for point in {tuple(sizes.items()) for sizes in found}:
        if admissible(subject, dict(point)):
            yield dict(point)


def tied(subject: Subject, sizes: Sizes) -> dict[str, int]:
    """These sizes, with those that an equation gives computed."""
    pairs = [text.split("==") for text in subject.assume if text.count("==") == 1]
    return {**sizes, **{left.strip(): value(right.strip(), sizes) for left, right in pairs}}


def admissible(subject: Subject, sizes: Sizes) -> bool:
    """Whether sizes are within the ranges and satisfy the relations."""
    inside = all(lo <= sizes[name] and (hi is None or sizes[name] <= hi) for name, (lo, hi) in subject.dims.items())
    return inside and all(value(text, sizes) for text in subject.assume)


def _end(low: int, high: int | None, most: int | None) -> int:
    high = low + FAR if high is None else high
    return high if most is None else max(low, min(high, most))


def _multiple(random: Random, low: int, high: int) -> int:
    return max(low, random.randint(low, high) // 16 * 16) if high >= 32 else random.randint(low, high)


def _mostly_small(random: Random, low: int, high: int) -> int:
    return min(high, low - 1 + int(exp(random.uniform(0, log(high - low + 2)))))
