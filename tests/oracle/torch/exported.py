"""Programs of one call each, exported with sizes that vary: each node as inferred, compared with what it makes.

The arguments are those of PyTorch's samples. A call is exported as it is, decomposed to the core operators, and with
its numbers as sizes of other tensors.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.export.graph_signature import InputKind
from torch.fx import Interpreter, Node
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_flatten, tree_unflatten

import shapesmt.frontends
from shapesmt.algebra import Atom, symbol
from shapesmt.inference import infer
from shapesmt.rules import tensor
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


@dataclass(frozen=True)
class Judged:
    """A program's name, its operators, and what came of it."""

    name: str
    ops: tuple[str, ...]
    outcome: Outcome


class OneCall(torch.nn.Module):
    """A function of tensors and numbers; where `sized`, the numbers are sizes of tensors that have no other use."""

    def __init__(self, function: Callable[..., Any], sample: Any, *, sized: bool) -> None:
        super().__init__()
        self.function = function
        self.leaves, self.spec = tree_flatten(((sample.input, *sample.args), sample.kwargs))
        self.fed = [i for i, leaf in enumerate(self.leaves) if isinstance(leaf, torch.Tensor)]
        self.sized = [i for i, leaf in enumerate(self.leaves) if type(leaf) is int and leaf > 1] if sized else []

    @property
    def arguments(self) -> tuple[torch.Tensor, ...]:
        """The tensors to call it with."""
        return (*(self.leaves[i].detach() for i in self.fed), *(torch.zeros(self.leaves[i]) for i in self.sized))

    def forward(self, *tensors: torch.Tensor) -> Any:
        """The function called."""
        leaves = [*self.leaves]
        for i, x in zip(self.fed, tensors, strict=False):
            leaves[i] = x
        for i, x in zip(self.sized, tensors[len(self.fed) :], strict=True):
            leaves[i] = x.shape[0]
        args, kwargs = tree_unflatten(leaves, self.spec)
        return self.function(*args, **kwargs)


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
            for sized in (False, True):
                module = OneCall(info.op, sample, sized=sized)
                program = exported(module) if module.sized or not sized else None
                if program is not None:
                    yield f"{name}.{info.variant_test_name or i}.{'sized' if sized else 'plain'}", module, program
                if program is not None and not sized:
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
    if unjudged:
        return Outcome(UNKNOWN, unjudged[0])
    fed = {name: replace(plain(x), values=None) for name, x in inputs.items()}
    unknown = ""
    for point in points({name: around(size) for name, size in original.items()}, original, str(fed)):
        atoms = {s: point[name] for name, dim in symbols.items() if (s := dim.as_symbol()) is not None}
        sizes = {n: [point[s] if isinstance(s, str) else s for s in shape] for n, shape in shapes.items()}
        ran = attempted(program, [drawn(fed[n], sizes[n], 0) for n in inputs])
        again = attempted(program, [drawn(fed[n], sizes[n], 1) for n in inputs]) if isinstance(ran, Run) else ran
        outcome = compared_program(inference, atoms, ran if isinstance(again, Run) else again)
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
