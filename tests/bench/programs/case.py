"""Case: a module, the sizes of its inputs that may vary, and the range in which each is asked about."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from torch import nn

Sizes = tuple[int, ...]
"""The size of each symbol of a case, in their order."""

MOST = 150  # points of a case


class Span(NamedTuple):
    """The range of a symbol, and its size in the example that is exported."""

    low: int
    high: int
    example: int


class Input(NamedTuple):
    """An argument: its name, its element type, and its axes, each a number or a symbol."""

    name: str
    dtype: str
    axes: tuple[int | str, ...]


class Case(NamedTuple):
    """A module to ask about."""

    name: str
    build: Callable[[], nn.Module]
    inputs: tuple[Input, ...]
    symbols: dict[str, Span]

    def module(self) -> nn.Module:
        """The module in inference mode, the same each time."""
        torch.manual_seed(0)
        return self.build().eval()

    @property
    def example(self) -> Sizes:
        return tuple(span.example for span in self.symbols.values())

    def tensors(self, sizes: Sizes) -> tuple[torch.Tensor, ...]:
        """Arguments of these sizes."""
        at = dict(zip(self.symbols, sizes, strict=True))
        return tuple(_tensor(i.dtype, [at[a] if isinstance(a, str) else a for a in i.axes]) for i in self.inputs)

    def points(self) -> list[Sizes]:
        """Sizes to run: lines through the example along each symbol, the diagonal, and random ones."""
        spans = list(self.symbols.values())
        inner = [range(span.low, span.high + 1) for span in spans]
        if math.prod(map(len, inner)) <= MOST:
            return list(itertools.product(*inner))
        return list(dict.fromkeys(itertools.islice(self._points(spans), 4 * MOST)))[:MOST]

    def _points(self, spans: list[Span]) -> Iterator[Sizes]:
        drawn = random.Random(self.name)
        yield self.example
        yield from itertools.product(*([span.low, span.example] for span in spans))
        for place, span in enumerate(spans):
            step = max(1, (span.high - span.low + 1) // 36)
            for size in range(span.low + (span.example - span.low) % step, span.high + 1, step):
                yield (*self.example[:place], size, *self.example[place + 1 :])
        for shift in drawn.sample(range(1, 150), 40):
            yield tuple(span.low + shift % (span.high - span.low + 1) for span in spans)
        while True:
            step = drawn.choice((1, 2, 4, 7, 8, 16))
            yield tuple(_multiple(drawn.randint(s.low, s.high), step, s) for s in spans)


def _multiple(size: int, step: int, span: Span) -> int:
    """The size, or where there is one the multiple of a step below it: random sizes are hardly ever multiples."""
    below = size - size % step
    return below if below >= span.low and span.high > step else size


CASES: dict[str, Case] = {}
"""The modules by name."""


def case(signature: str, **symbols: tuple[int, int, int]) -> Callable[[type[nn.Module]], type[nn.Module]]:
    """Register a module: its arguments as `image b 3 h w, ids:int b s`, each symbol as (least, greatest, example)."""

    def register(module: type[nn.Module]) -> type[nn.Module]:
        inputs = tuple(_input(part.split()) for part in signature.split(","))
        named = {axis for i in inputs for axis in i.axes if isinstance(axis, str)}
        assert named == symbols.keys(), module
        CASES[module.__name__] = Case(module.__name__, module, inputs, {n: Span(*s) for n, s in symbols.items()})
        return module

    return register


def _input(words: list[str]) -> Input:
    name, _, dtype = words[0].partition(":")
    return Input(name, dtype or "float", tuple(int(w) if w.isdigit() else w for w in words[1:]))


def _tensor(dtype: str, sizes: list[int]) -> torch.Tensor:
    if dtype == "int":
        return torch.arange(torch.Size(sizes).numel()).reshape(sizes) % 7
    if dtype == "bool":
        return torch.ones(sizes, dtype=torch.bool)
    return torch.linspace(-1, 1, torch.Size(sizes).numel()).reshape(sizes)
