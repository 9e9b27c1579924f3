"""A model run with one sample changed at a time: which samples each element depends on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import onnx
from onnx import helper

from tests.oracle.runner import session
from tests.oracle.samples.building import BATCH

TRIALS = 6
SCALES = (1.0, 0.3, 5.0, 0.3, 1.0, 5.0)
RAGGED = None  # in the place of the samples of a tensor whose size depends on them

Sizes = Mapping[str, int]


class Input(NamedTuple):
    """An input: its sizes, numbers and symbols; its element type; and below what its integers are drawn."""

    name: str
    dims: tuple[int | str, ...]
    dtype: Any
    high: int = 2

    def drawn(self, sizes: Sizes, draw: np.random.Generator, scale: float) -> Any:
        """A random array."""
        shape = tuple(sizes[d] if isinstance(d, str) else d for d in self.dims)
        if self.dtype.kind == "f":
            return (draw.standard_normal(shape) * scale).astype(self.dtype)
        high = 2 if self.dtype.kind == "b" else self.high
        often = draw.integers(0, high, shape)
        rare = draw.random(shape) < 0.2  # seldom more than 0, seldom less than the most
        if scale < 1:
            often = np.where(rare, often, 0)
        elif scale > 1:
            often = np.where(rare, often, high - 1)
        return often.astype(self.dtype)


class Dependence(NamedTuple):
    """Which samples the elements of each tensor depend on, at some sizes.

    Attributes:
        sizes: The symbols' sizes.
        samples: By tensor, an array for each shape that it had: bit i is set if sample i changes the element. RAGGED
            if the samples change the shape.
    """

    sizes: dict[str, int]
    samples: dict[str, Any]


class Runner:
    """A model that can be run; `names` are those of the tensors that a run returns."""

    symbol: str
    inputs: Sequence[Input]
    names: Sequence[str]

    def run(self, feeds: Mapping[str, Any]) -> list[Any] | None:
        """Every tensor; None if the model doesn't run."""
        raise NotImplementedError

    def symbols(self) -> list[str]:
        """The symbols of the inputs' shapes, the batch first."""
        found = [d for i in self.inputs for d in i.dims if isinstance(d, str)]
        return [self.symbol, *dict.fromkeys(d for d in found if d != self.symbol)]

    def at(self, sizes: Sizes, trials: int = TRIALS) -> Dependence | None:
        """What depends on which sample at these sizes; None if the model doesn't run at them."""
        found: dict[str, Any] = {}
        for trial in range(trials):
            draw = np.random.default_rng([trial, *sizes.values()])
            feeds = {i.name: i.drawn(sizes, draw, SCALES[trial % 6]) for i in self.inputs}
            before = self.run(feeds)
            if before is None:
                continue
            for sample in range(sizes[self.symbol]):
                after = self.run(self.changed(feeds, sizes, sample, draw, SCALES[(trial + 1) % 6]))
                if after is not None:
                    for name, old, new in zip(self.names, before, after, strict=True):
                        if not isinstance(old, list):  # a sequence is known by what is taken from it
                            found[name] = merged(found.get(name, []), different(old, new), sample)
        return Dependence(dict(sizes), found) if found else None

    def changed(
        self, feeds: Mapping[str, Any], sizes: Sizes, sample: int, draw: np.random.Generator, scale: float
    ) -> dict[str, Any]:
        """The feeds with another sample in the place of this one, in every input with the batch."""
        changed = dict(feeds)
        for given in (i for i in self.inputs if self.symbol in i.dims):
            fresh = given.drawn(sizes, draw, scale)
            array = feeds[given.name].copy()
            at = (slice(None),) * given.dims.index(self.symbol) + (sample,)
            array[at] = fresh[at]
            if array.dtype.kind in "iub":  # another draw is often the same
                high = given.high if array.dtype.kind in "iu" else 2
                same = array[at] == feeds[given.name][at]
                array[at] = np.where(same & (draw.random(same.shape) < 0.5), (array[at] + 1) % high, array[at])
            changed[given.name] = array
        return changed


class OnnxRunner(Runner):
    """An ONNX model in ONNX Runtime, with every tensor as an output."""

    def __init__(self, model: onnx.ModelProto, high: Mapping[str, int] | None = None, symbol: str = BATCH) -> None:
        whole = onnx.ModelProto.FromString(model.SerializeToString())
        graph = whole.graph
        constants = {t.name for t in graph.initializer}
        present = {o.name for o in graph.output}
        made = [o for node in graph.node if node.op_type != "Constant" for o in node.output if o and o not in present]
        graph.output.extend(onnx.ValueInfoProto(name=o) for o in made)
        self.symbol = symbol
        self.inputs = [self.input(i, high or {}) for i in graph.input if i.name not in constants]
        self.runs = session(whole)
        self.names = [o.name for o in self.runs.get_outputs()]

    @staticmethod
    def input(info: onnx.ValueInfoProto, high: Mapping[str, int]) -> Input:
        """The input as it is declared."""
        declared = info.type.tensor_type
        dims = tuple(d.dim_param or d.dim_value for d in declared.shape.dim)
        return Input(info.name, dims, helper.tensor_dtype_to_np_dtype(declared.elem_type), high.get(info.name, 2))

    def run(self, feeds: Mapping[str, Any]) -> list[Any] | None:
        """Every tensor; None if the model doesn't run."""
        try:
            return list(self.runs.run(None, dict(feeds)))
        except Exception:
            return None


def different(old: Any, new: Any) -> Any:
    """Where two arrays differ; RAGGED if they differ in shape."""
    if np.shape(old) != np.shape(new):
        return RAGGED
    if np.asarray(old).dtype.kind == "f":
        return (old != new) & ~(np.isnan(old) & np.isnan(new))
    return np.asarray(old != new)


def merged(known: Any, differs: Any, sample: int) -> Any:
    """What is known of a tensor, with one more sample changed; shapes that other inputs decide are kept apart."""
    if known is RAGGED or differs is RAGGED:
        return RAGGED
    bits = differs.astype(np.int64) << sample
    others = [array for array in known if array.shape != bits.shape]
    return [*others, sum((array for array in known if array.shape == bits.shape), bits * 0) | bits]


def grid(symbols: Sequence[str], seed: int) -> Iterator[dict[str, int]]:
    """Sizes to run at: small batches, and some that are no divisors of others."""
    draw = np.random.default_rng(seed)
    for batch in (1, 2, 3, 4, 5, 6, 7):
        for often in range(2 if batch < 5 and len(symbols) > 1 else 1):
            others = {name: int(draw.choice([2, 3, 4, 5] if often == 0 else [1, 1, 2, 7])) for name in symbols[1:]}
            yield {symbols[0]: batch, **others}
