"""Programs of one call each, exported with sizes that vary: each node as inferred, compared with what it makes.

The arguments are those of PyTorch's samples. A call is exported as it is, decomposed to the core operators, with its
numbers as sizes of other tensors, and with numbers made of sizes or tensors without axes for some arguments.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import torch
from torch.export.graph_signature import InputKind
from torch.fx import Interpreter, Node
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_flatten, tree_unflatten

import shapesmt.frontends
from shapesmt.operators.inference import infer
from shapesmt.operators.rules import tensor
from shapesmt.prover.algebra import Atom, symbol
from tests.oracle.torch.judge import (
    RIGHT,
    UNKNOWN,
    WRONG,
    Outcome,
    Run,
    around,
    compared,
    drawn,
    points,
    run_of,
)
from tests.oracle.torch.samples import plain, samples

SKIPPED = "skipped"
REALS = (int, float)


@dataclass(frozen=True)
class Judged:
    """A program's name, its operators, and what came of it."""

    name: str
    ops: tuple[str, ...]
    outcome: Outcome


Number = Callable[[Any], Any]
NUMBERS: tuple[Number, ...] = (lambda size: size, lambda size: size / 2, lambda size: size > 2)
"""Numbers that are computed from a size: an integer, a float and a boolean."""
SCALARS = [torch.ones((), dtype=dtype) for dtype in (torch.bool, torch.int64, torch.float16, torch.float64)]


class OneCall(torch.nn.Module):
    """A function of tensors and numbers; `sized` has the numbers that are computed from a size, by their places.

    Each has a size of its own, that of a tensor with no other use.
    """

    def __init__(
        self, function: Callable[..., Any], leaves: Sequence[Any], spec: Any, sized: Mapping[int, Any]
    ) -> None:
        super().__init__()
        self.function, self.leaves, self.spec, self.sized = function, leaves, spec, sized
        self.fed = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor) and i not in sized]

    @property
    def arguments(self) -> tuple[torch.Tensor, ...]:
        """The tensors to call it with."""
        sizes = (torch.zeros(size) for size, _ in self.sized.values())
        return (*(self.leaves[i].detach() for i in self.fed), *sizes)

    def forward(self, *tensors: torch.Tensor) -> Any:
        """The function called."""
        leaves = [*self.leaves]
        for i, x in zip(self.fed, tensors, strict=False):
            leaves[i] = x
        for (i, (_, number)), x in zip(self.sized.items(), tensors[len(self.fed) :], strict=True):
            leaves[i] = number(x.shape[0])
        args, kwargs = tree_unflatten(leaves, self.spec)
        result = self.function(*args, **kwargs)
        return tuple(result) if isinstance(result, tuple) else result  # named tuples can't be saved


def ways(name: str, info: Any, sample: Any) -> Iterator[tuple[str, OneCall]]:
    """The ways to call an operator with a sample's arguments: as they are, with sizes as numbers, and mixed.

    Mixed are numbers made of sizes, and tensors without axes, in the place of arguments.
    """
    leaves, spec = tree_flatten(((sample.input, *sample.args), sample.kwargs))
    yield "plain", OneCall(info.op, leaves, spec, {})
    whole = {i: (leaf, NUMBERS[0]) for i, leaf in enumerate(leaves) if type(leaf) is int and leaf > 1}
    if whole:
        yield "sized", OneCall(info.op, leaves, spec, whole)
    random = Random(name)
    for function in (info.op, info.inplace_variant):
        places = [i for i, leaf in enumerate(leaves[1:], 1) if isinstance(leaf, torch.Tensor) or type(leaf) in REALS]
        chosen = {i: random.choice((*SCALARS, *NUMBERS)) for i in places}
        if chosen and function is not None:
            mixed = [chosen[i] if isinstance(chosen.get(i), torch.Tensor) else leaf for i, leaf in enumerate(leaves)]
            yield "mixed", OneCall(function, mixed, spec, {i: (3, n) for i, n in chosen.items() if callable(n)})


def exported(module: OneCall) -> Any:
    """The program, with every size that may vary; None where PyTorch can't export it."""
    try:
        shapes = (tuple(dict.fromkeys(range(x.dim()), torch.export.Dim.AUTO) for x in module.arguments),)
        return torch.export.export(module.eval(), module.arguments, dynamic_shapes=shapes, strict=False)
    except Exception:
        return None


def programs(name: str, most: int) -> Iterator[tuple[str, OneCall, Any]]:
    """The programs of an operator in PyTorch's list, with what to call them."""
    for info in (info for info in op_db if info.name == name):
        for i, sample in enumerate(samples(info, most)):
            for way, module in ways(f"{name}.{i}", info, sample):
                program = exported(module)
                if program is not None:
                    yield f"{name}.{info.variant_test_name or i}.{way}", module, program
                if program is not None and way == "plain":
                    try:
                        yield f"{name}.{i}.core", module, program.run_decompositions()
                    except Exception:
                        continue


class Recording(Interpreter):
    """A program run node by node without its guards; it keeps what each node makes."""

    def __init__(self, module: Any) -> None:
        super().__init__(module)
        self.results: dict[str, Run] = {}

    def run_node(self, n: Node) -> Any:
        """The result of a node."""
        result = super().run_node(n)
        if n.op == "call_function" and isinstance(result, (torch.Tensor, int, float)):
            self.results[n.name] = run_of(result)
        return result


def attempted(program: Any, inputs: list[torch.Tensor]) -> dict[str, Run] | Run:
    """What each node makes, or why the program ends early."""
    given = iter(inputs)
    arguments = [
        next(given) if spec.kind is InputKind.USER_INPUT else {**program.state_dict, **program.constants}[spec.target]
        for spec in program.graph_signature.input_specs
    ]
    recording = Recording(program.graph_module)
    try:
        with torch.no_grad():
            torch.manual_seed(0)
            recording.run(*arguments)
    except Exception as error:
        return Run(refused=f"{type(error).__name__}: {str(error)[:150]}")
    return recording.results


def judged_program(module: OneCall, program: Any) -> Outcome:
    """The program compared with its runs at sizes around those of the sample."""
    file = io.BytesIO()
    torch.export.save(program, file)
    graph = shapesmt.frontends.load(file.getvalue()).unguarded
    inputs = dict(zip(graph.inputs, module.arguments, strict=True))
    shapes = {name: declared.shape or () for name, declared in graph.inputs.items()}
    original = {
        s: inputs[n].shape[i] for n, shape in shapes.items() for i, s in enumerate(shape) if not isinstance(s, int)
    }
    if not all(isinstance(size, str) and size.isidentifier() for size in original):
        return Outcome(SKIPPED, f"sizes are expressions: {[*original]}")
    symbols = {name: symbol(name, *around(size)) for name, size in original.items()}
    dims = {n: [symbols[s] if isinstance(s, str) else s for s in shape] for n, shape in shapes.items()}
    inference = infer(graph, {n: tensor(d.dtype, dims[n]) for n, d in graph.inputs.items()})
    unjudged = [u.law for a in inference.applications for u in a.unjudged if u.branch.op == "true"]
    stated = [one.law for a in inference.applications for one in a.assumed if one.by]
    if unjudged and not any(a.broken for a in inference.applications):
        return Outcome(UNKNOWN, unjudged[0])
    fed = {name: replace(plain(x), values=None) for name, x in inputs.items()}
    unknown = ""
    for point in points({name: around(size) for name, size in original.items()}, original, str(fed)):
        atoms = {s: point[name] for name, dim in symbols.items() if (s := dim.as_symbol()) is not None}
        sizes = {n: [point[s] if isinstance(s, str) else s for s in shape] for n, shape in shapes.items()}
        ran = attempted(program, [drawn(fed[n], sizes[n], 0) for n in inputs])
        again = attempted(program, [drawn(fed[n], sizes[n], 1) for n in inputs]) if isinstance(ran, Run) else ran
        outcome = compared_program(inference, atoms, ran if isinstance(again, Run) else again)
        if outcome.kind == WRONG and stated:
            return Outcome(UNKNOWN, f"the archive states it: {stated[0]}")
        if outcome.kind == WRONG:
            return Outcome(WRONG, f"at {point}: {outcome.text}")
        unknown = unknown or (f"at {point}: {outcome.text}" if outcome.kind == UNKNOWN else "")
    return Outcome(UNKNOWN, unknown) if unknown else Outcome(RIGHT)


def compared_program(inference: Any, atoms: dict[Atom, int], ran: dict[str, Run] | Run) -> Outcome:
    """What was inferred of each node, compared with a run."""
    if isinstance(ran, Run):
        return compared(inference, atoms, ran, [])
    kept = {name: run for name, run in ran.items() if name in inference.tensors}
    return compared(inference, atoms, Run(tuple(run.outputs[0] for run in kept.values())), [*kept])


def judged(item: tuple[str, int]) -> list[Judged]:
    """The programs of an operator judged."""
    result = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for title, module, program in programs(*item):
            ops = tuple(str(n.target) for n in program.graph.nodes if n.op == "call_function")
            try:
                outcome = judged_program(module, program)
            except Exception as error:
                outcome = Outcome(SKIPPED, f"{type(error).__name__}: {str(error)[:200]}")
            result.append(Judged(title, ops, outcome))
    return result
