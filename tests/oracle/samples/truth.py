"""From what depends on which sample: whether the samples of each tensor stay apart, and where they first don't."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import onnx

from tests.oracle.samples.building import BATCH, reads
from tests.oracle.samples.running import RAGGED, Dependence, OnnxRunner, Runner, grid

APART, SHARED, MIXED = "apart", "shared", "mixed"


def fits(samples: Any, axis: int, inner: int, batch: int) -> bool:
    """Whether index j of the axis depends on sample `(j // inner) % batch` alone."""
    return samples is not RAGGED and all(_fits(array, axis, inner, batch) for array in samples)


def _fits(samples: Any, axis: int, inner: int, batch: int) -> bool:
    if not -1 < axis < samples.ndim or inner < 1 or samples.shape[axis] % (inner * batch):
        return False
    own = 1 << (np.arange(samples.shape[axis]) // inner % batch)
    return not (samples & ~own.reshape([-1 if i == axis else 1 for i in range(samples.ndim)])).any()


def forms(samples: Any, batch: int) -> list[tuple[int, int]]:
    """Each axis and inner that fit."""
    if samples is RAGGED:
        return []
    sizes = [(axis, size // batch) for axis, size in enumerate(samples[0].shape) if size % batch == 0]
    found = [(axis, inner) for axis, most in sizes for inner in range(1, max(most, 1) + 1)]
    return [(axis, inner) for axis, inner in found if fits(samples, axis, inner, batch)]


def depends(samples: Any) -> bool:
    """Whether anything of the tensor depends on a sample."""
    return samples is RAGGED or any(array.any() for array in samples)


class Step(NamedTuple):
    """A node: its name, what it reads and what it makes."""

    name: str
    reads: frozenset[str]
    makes: tuple[str, ...]


class Truth:
    """What running shows of a model.

    Attributes:
        steps: Its nodes, in order.
        outputs: The names of its outputs.
        runs: The dependence at all sizes at which the model runs.
    """

    def __init__(self, steps: Sequence[Step], outputs: Sequence[str], runner: Runner, seed: int = 0) -> None:
        self.steps, self.outputs, self.symbol = steps, outputs, runner.symbol
        found = [runner.at(sizes) for sizes in grid(runner.symbols(), seed)]
        self.runs = [run for run in found if run is not None]

    @cached_property
    def producers(self) -> dict[str, Step]:
        """The node that makes each tensor."""
        return {made: step for step in self.steps for made in step.makes}

    @property
    def tells(self) -> bool:
        """Whether it ran with several samples."""
        return sum(run.sizes[self.symbol] > 1 for run in self.runs) > 0

    @cached_property
    def verdicts(self) -> dict[str, str]:
        """By tensor, whether it is apart, shared or mixed; those that are RAGGED are mixed."""
        names = [name for step in self.steps for name in step.makes if name in self.runs[0].samples]
        return {name: self._verdict(name) for name in names}

    def _verdict(self, name: str) -> str:
        several = [run for run in self.runs if run.sizes[self.symbol] > 1]
        if not any(depends(run.samples.get(name, [])) for run in several):
            return SHARED
        axes = [{axis for axis, _ in forms(run.samples[name], run.sizes[self.symbol])} for run in several]
        return APART if set.intersection(*axes) else MIXED

    def ragged(self, name: str) -> bool:
        """Whether the samples decide the size of a tensor."""
        return any(run.samples.get(name, []) is RAGGED for run in self.runs)

    def sized_by_data(self, name: str) -> bool:
        """Whether the samples decide its size, or that of a tensor at which they mixed on the way to it."""
        culprits = self.culprits(name)
        made = [made for step in self.steps if step.name in culprits for made in step.makes]
        return any(map(self.ragged, [name, *made]))

    def holds(self, name: str, run: Dependence) -> bool:
        """Whether the samples of a tensor are apart at these sizes."""
        batch = run.sizes[self.symbol]
        return batch == 1 or not depends(run.samples[name]) or bool(forms(run.samples[name], batch))

    def rows(self, name: str, run: Dependence) -> bool:
        """Whether each sample alone has its rows, on any axis: false for a part of the samples, and for added rows."""
        batch = run.sizes[self.symbol]
        samples = run.samples[name]
        return samples is not RAGGED and all(any(n % batch == 0 for n in array.shape) for array in samples)

    def culprits(self, name: str) -> list[str]:
        """The nodes at which samples first mix on the way to a mixed tensor, in the order of the graph."""
        found: set[str] = set()
        seen: set[str] = set()
        waiting = [name]
        while waiting:
            current = waiting.pop()
            step = self.producers.get(current)
            if step is None or current in seen:
                continue
            seen.add(current)
            mixed = [read for read in step.reads if self.verdicts.get(read) == MIXED]
            sequences = [read for read in step.reads if read in self.producers and read not in self.verdicts]
            waiting += mixed + sequences
            if step.reads and not mixed:
                found.add(step.name)
        return [*dict.fromkeys(step.name for step in self.steps if step.name in found)]


def truth_of(model: onnx.ModelProto, high: Mapping[str, int], seed: int = 0, symbol: str = BATCH) -> Truth:
    """What ONNX Runtime shows of an ONNX model."""
    steps = [Step(n.name, frozenset(reads(n)), tuple(filter(None, n.output))) for n in model.graph.node]
    return Truth(steps, [o.name for o in model.graph.output], OnnxRunner(model, high, symbol), seed)
