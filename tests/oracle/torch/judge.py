"""A call judged: its graph inferred, the operator run by PyTorch at every size, and both compared."""

from __future__ import annotations

import itertools
import operator
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import torch

from shapesmt.network.graph import GUARDS
from shapesmt.operators.inference import infer
from shapesmt.operators.ops.torch.schemas import schema
from shapesmt.operators.rules import Tensor, held, tensor
from shapesmt.prover.algebra import Atom, Dim, Evaluator, symbol
from tests.oracle.torch.calls import Call, Fed, Size64, graph_of
from tests.oracle.torch.samples import named

POINTS = 100  # sizes that are tried of a call
RIGHT, UNKNOWN, WRONG = "right", "unknown", "wrong"
LARGEST = 1 << 22  # elements that an output may have


@dataclass(frozen=True)
class Outcome:
    """What came of a call: "right", "unknown" or "wrong", and how."""

    kind: str
    text: str = ""


# Sizes


def variants(call: Call) -> Iterator[Call]:
    """The call with sizes that are symbols: equal sizes shared, each alone, and numbers that are sizes too."""
    sizes = sorted({s for t in call.tensors for s in t.shape if isinstance(s, int)})
    if not sizes:
        yield call
        return
    names = {size: f"n{size}" for size in sizes}
    shared = mapped(call, lambda t, _: replace(t, shape=tuple(names.get(s, s) for s in t.shape)))
    ranges = {name: around(size) for size, name in names.items()}
    yield replace(shared, ranges=ranges)
    count = itertools.count()
    alone: dict[str, tuple[int, int]] = {}

    def each(t: Fed, _: int) -> Fed:
        own = [f"d{next(count)}" for _ in t.shape]
        alone.update({name: around(size) for name, size in zip(own, t.shape, strict=True)})
        return replace(t, shape=tuple(own))

    single = mapped(call, each)
    if len(alone) > len(names):
        yield replace(single, ranges=alone)
    numbers = {k: _numbered(v, names) if _symbolic(call, k) else v for k, v in shared.arguments.items()}
    numbered = replace(shared, arguments=numbers, ranges=ranges)
    if any(isinstance(leaf, Size64) for leaf in numbered.leaves()):
        yield numbered


def _symbolic(call: Call, name: str) -> bool:
    """Whether an argument may be a symbol in an exported program."""
    read = schema(call.op)
    return read is not None and "SymInt" in read.arguments[name].type


def around(size: int) -> tuple[int, int]:
    """The sizes that are tried of an axis: those near the sample's, small ones from 0 on."""
    return (0, size + 1) if size <= 3 else (size - 2, size + 2)


def mapped(call: Call, change: Any) -> Call:
    """The call with other tensors: a function of each and of its place."""
    count = itertools.count()

    def changed(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(changed, value))
        return change(value, next(count)) if isinstance(value, Fed) else value

    return replace(call, arguments={name: changed(value) for name, value in call.arguments.items()})


def _numbered(value: Any, names: Mapping[int, str]) -> Any:
    if isinstance(value, tuple):
        return tuple(_numbered(v, names) for v in value)
    return Size64(names[value]) if type(value) is int and value > 1 and value in names else value


def points(ranges: Mapping[str, tuple[int, int]], original: Mapping[str, int], seed: str) -> Iterator[dict[str, int]]:
    """The sizes to try: all where they are few; else lines through those of the sample, and others at random."""
    spans = {name: range(lo, hi + 1) for name, (lo, hi) in ranges.items()}
    total = 1
    for span in spans.values():
        total *= len(span)
    if total <= POINTS:
        for values in itertools.product(*spans.values()):
            yield dict(zip(spans, values, strict=True))
        return
    yield dict(original)
    for name, span in spans.items():
        for size in span:
            yield {**original, name: size}
    random = Random(seed)
    for _ in range(POINTS - sum(map(len, spans.values()))):
        yield {name: random.choice((original[name], random.choice(span))) for name, span in spans.items()}


# Runs


@dataclass(frozen=True)
class Run:
    """What PyTorch makes of a call: shapes and element types of the outputs, or why it refuses."""

    outputs: tuple[tuple[tuple[int, ...], str], ...] = ()
    numbers: tuple[Any, ...] = ()
    refused: str = ""


def run(call: Call, at: Mapping[str, int]) -> Run:
    """The call run at these sizes, with zeros as the integers of data, or ones where it refuses these."""
    ran = _run(call, at, 0)
    whole = ran.refused and any(t.dtype.startswith(("int", "uint")) for t in call.tensors)
    again = _run(call, at, 1) if whole else ran
    return ran if again.refused else again


def _run(call: Call, at: Mapping[str, int], fill: int) -> Run:
    try:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            result = call_of(call, at, fill)
    except Exception as error:
        return Run(refused=f"{type(error).__name__}: {str(error)[:150]}")
    return run_of(result, call.outputs)


def call_of(call: Call, at: Mapping[str, int], fill: int = 0) -> Any:
    """What the operator returns at these sizes; it raises what PyTorch does."""
    torch.manual_seed(0)
    arguments = dict.fromkeys(_needed(call))
    arguments |= {name: _made(value, at, name, fill) for name, value in call.arguments.items()}
    return operator_of(call.op)(**arguments)


def run_of(result: Any, count: int = 1) -> Run:
    """What came of a run; a list that is too short is refused where its elements are read."""
    flat = [r for r in flattened(result) if r is not None or r is result]
    if len(flat) < count and result is not None:
        return Run(refused=f"{len(flat)} outputs instead of {count}")
    outputs = tuple((tuple(t.shape), named(t.dtype)) if isinstance(t, torch.Tensor) else ((), _kind(t)) for t in flat)
    return Run(outputs[:count], tuple(t for t in flat if not isinstance(t, torch.Tensor)))


def flattened(result: Any) -> list[Any]:
    """What an operator gives one by one, of lists in it too."""
    return [r for part in result for r in flattened(part)] if isinstance(result, (list, tuple)) else [result]


def _needed(call: Call) -> list[str]:
    """The arguments without a default that are None."""
    read = schema(call.op)
    arguments = read.arguments.values() if read else ()
    return [a.name for a in arguments if a.default is None and a.type.endswith("?") and a.name not in call.arguments]


def operator_of(op: str) -> Any:
    """The operator of that name: PyTorch's, one of Python's on numbers, or the guards of a program."""
    if op == GUARDS:
        return guarded
    module, name, *overload = op.split(".")
    if module == "_operator":
        return lambda **numbers: getattr(operator, name)(*numbers.values())
    return getattr(getattr(getattr(torch.ops, module), name), *overload)


def guarded(x: torch.Tensor, guards: Sequence[str]) -> None:
    """Run a program with guards on the sizes of its input, exported with sizes for which they hold."""

    class Guarded(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            sizes = {f"i0_{axis}": size for axis, size in enumerate(x.shape)}
            assert all(eval(guard, sizes) for guard in guards)
            return x

    auto = dict.fromkeys(range(x.dim()), torch.export.Dim.AUTO)
    larger = torch.ones([size + 2 for size in x.shape])
    torch.export.export(Guarded(), (larger,), dynamic_shapes={"x": auto}).module()(x)


def _kind(number: Any) -> str:
    return "bool" if isinstance(number, bool) else "int64" if isinstance(number, int) else "float64"


def _made(value: Any, at: Mapping[str, int], name: str, fill: int) -> Any:
    if isinstance(value, tuple):
        return [_made(v, at, name, fill) for v in value]
    if isinstance(value, Size64):
        return at[value.name]
    if isinstance(value, Call):
        given = {key: _made(v, at, key, fill) for key, v in value.arguments.items()}
        return operator_of(value.op)(**given)
    if isinstance(value, Fed):
        return drawn(value, [at[s] if isinstance(s, str) else s for s in value.shape], fill)
    if isinstance(value, str):
        kinds = (torch.dtype, torch.memory_format, torch.layout)
        found = getattr(torch, value, None)
        return found if isinstance(found, kinds) else torch.device(value) if name == "device" else value
    return value


def drawn(fed: Fed, shape: list[int], fill: int) -> torch.Tensor:
    """A tensor of that shape; its own elements where it has that shape, else `fill` or numbers from 0 to 1.

    A square matrix of floats is positive definite, and that of its lower triangle and its mirror image too.
    """
    dtype = getattr(torch, fed.dtype)
    if fed.values is not None and tuple(shape) == fed.shape:
        return torch.tensor(fed.values, dtype=dtype).reshape(shape).clone()
    if dtype.is_floating_point or dtype.is_complex:
        x = torch.rand(shape) / 2 + 0.25
        if len(shape) > 1 and shape[-1] == shape[-2]:
            x = torch.where(torch.eye(shape[-1], dtype=torch.bool), 1.0, x / max(shape[-1], 1))
        return x.to(dtype)
    return torch.full(shape, fill, dtype=dtype)


# Judgement


def judged(call: Call) -> Outcome:
    """The call in all its variants: wrong if one is, else unknown if one is."""
    outcomes = [judge(variant, call) for variant in variants(call)]
    return next((o for kind in (WRONG, UNKNOWN) for o in outcomes if o.kind == kind), Outcome(RIGHT))


def judge(call: Call, original: Call | None = None) -> Outcome:
    """The call compared with its runs at all points of its ranges."""
    at = _sizes(call, original or call)
    symbols = {name: symbol(name, *ends) for name, ends in call.ranges.items()}
    graph = graph_of(call)
    inputs = {
        name: tensor(d.dtype, [symbols[s] if isinstance(s, str) else s for s in d.shape or ()])
        for name, d in graph.inputs.items()
    }
    try:
        inference = infer(graph, inputs)
    except Exception as error:
        return Outcome(WRONG, f"{call}: {type(error).__name__}: {error}")
    unjudged = [u for a in inference.applications for u in a.unjudged]
    if any(u.branch.op == "true" for u in unjudged):
        return Outcome(UNKNOWN, f"{call}: {unjudged[0].law}")
    unknown = ""
    for point in points(call.ranges, at, str(call)):
        atoms = {s: point[n] for n, dim in symbols.items() if (s := dim.as_symbol()) is not None}
        if any(u.branch.symbols <= atoms.keys() and Evaluator(atoms).formula(u.branch) for u in unjudged):
            said = Outcome(UNKNOWN, "it isn't judged here")  # nor run: PyTorch may read what isn't its own
        else:
            said = compared(inference, atoms, run(call, point))
        if said.kind == WRONG:
            return Outcome(WRONG, f"{call} at {point}: {said.text}")
        unknown = unknown or (f"{call} at {point}: {said.text}" if said.kind == UNKNOWN else "")
    return Outcome(UNKNOWN, unknown) if unknown else Outcome(RIGHT)


def _sizes(call: Call, original: Call) -> dict[str, int]:
    """The sizes that the symbols have in the original call."""
    sizes: dict[str, int] = {}
    for t, before in zip(call.tensors, original.tensors, strict=True):
        sizes.update(
            {s: b for s, b in zip(t.shape, before.shape, strict=True) if isinstance(s, str) and isinstance(b, int)}
        )
    for name, (lo, _) in call.ranges.items():
        sizes.setdefault(name, lo)
    return sizes


def compared(inference: Any, atoms: dict[Atom, int], ran: Run, names: Sequence[str] | None = None) -> Outcome:
    """What was inferred, at the sizes that these values give, compared with a run that made tensors of these names."""
    bound = dict(atoms)
    outputs: list[Tensor] = [inference.tensors[n] for n in (inference.graph.outputs if names is None else names)]
    if not ran.refused:
        for t, (shape, _) in zip(outputs, ran.outputs, strict=False):
            _bind(held(t, bound), shape, bound)
    here = Evaluator(bound)
    requirements = [r for a in inference.applications for r in a.requirements]
    broken = [r for r in requirements if r.formula.symbols <= bound.keys() and not here.formula(r.formula)]
    open_ones = [r for r in requirements if not r.formula.symbols <= bound.keys()]
    unjudged = [u for a in inference.applications for u in a.unjudged]
    if ran.refused:
        if broken:
            return Outcome(RIGHT)
        if open_ones or any(not u.branch.symbols <= bound.keys() or here.formula(u.branch) for u in unjudged):
            return Outcome(UNKNOWN, "it depends on data")
        if any(a.decides_success - a.decides_sizes_only for a in inference.applications):
            return Outcome(UNKNOWN, "elements are assumed to be valid")
        return Outcome(WRONG, f"nothing is broken, and PyTorch refuses: {ran.refused}")
    if broken:
        return Outcome(WRONG, f"{broken[0].law}, and PyTorch makes {ran.outputs}")
    if open_ones or any(not u.branch.symbols <= bound.keys() or here.formula(u.branch) for u in unjudged):
        return Outcome(UNKNOWN, "it depends on data")
    return _same(outputs, ran, bound, here)


def _bind(t: Tensor, shape: tuple[int, ...], bound: dict[Atom, int]) -> None:
    """Sizes that data decides are what the run shows."""
    for dim, size in zip(t.shape or (), shape, strict=False):
        atom = dim.as_symbol()
        if atom is not None and atom not in bound:
            bound[atom] = size


def _same(outputs: list[Tensor], ran: Run, bound: dict[Atom, int], here: Evaluator) -> Outcome:
    for index, (t, (shape, dtype)) in enumerate(zip(outputs, ran.outputs, strict=False)):
        inferred = held(t, bound)
        if inferred.shape is None or not all(d.symbols <= bound.keys() for d in inferred.dims):
            return Outcome(UNKNOWN, f"output {index} is {inferred}")
        sizes = tuple(here.dim(d) for d in inferred.dims)
        if sizes != shape:
            return Outcome(WRONG, f"output {index} is {list(sizes)}, and PyTorch makes {list(shape)}")
        if inferred.dtype and inferred.dtype != dtype:
            return Outcome(WRONG, f"output {index} is of type {inferred.dtype}, and PyTorch makes {dtype}")
        items = getattr(inferred.value, "items", None)
        if not shape and items and ran.numbers and isinstance(items[0], Dim) and items[0].symbols <= bound.keys():
            number = here.dim(items[0])
            if number != ran.numbers[0]:
                return Outcome(WRONG, f"it is {number}, and PyTorch makes {ran.numbers[0]}")
    return Outcome(RIGHT)
