"""A program judged: exported with sizes that vary, inferred, run at every size of a small range, and both compared.

It is run without the checks that `torch.export` adds, so that what its nodes require is what decides.
"""

from __future__ import annotations

import itertools
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import torch
from torch.export import Dim
from torch.utils import _pytree

from shapesmt.frontends import load
from shapesmt.network.graph import GUARDS, Graph
from shapesmt.operators.inference import infer
from shapesmt.operators.rules import tensor
from shapesmt.prover.algebra import symbol
from tests.oracle.torch.judge import WRONG, Run, compared
from tests.oracle.torch.samples import named

MOST = 64  # as a size


class Program(NamedTuple):
    """A module or a function, and its arguments as a function of sizes, each with its ends and the example's."""

    body: Callable[..., Any]
    arguments: Callable[..., tuple[Any, ...]]
    sizes: Mapping[str, tuple[int, int, int]]


def exported(program: Program, *, decomposed: bool = False) -> Any:
    """The program as `torch.export` writes it, each size free to vary, or decomposed to core operators."""
    module = program.body if isinstance(program.body, torch.nn.Module) else _Called(program.body)
    arguments = program.arguments(**{name: example for name, (_, _, example) in program.sizes.items()})
    dims = _pytree.tree_map(
        lambda t: dict.fromkeys(range(t.dim()), Dim.AUTO) if torch.is_tensor(t) else None, arguments
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = torch.export.export(
            module.eval(), arguments, dynamic_shapes=dims if module is program.body else (dims,)
        )
        return found.run_decompositions() if decomposed else found


class _Called(torch.nn.Module):
    def __init__(self, body: Callable[..., Any]) -> None:
        super().__init__()
        self.body = body

    def forward(self, *arguments: Any) -> Any:
        return self.body(*arguments)


def judged(program: Program, *, decomposed: bool = False) -> Counter[str]:
    """For how many sizes the answer is right, and for how many it is unknown; no answer may be wrong."""
    found = exported(program, decomposed=decomposed)
    whole = load(found)
    names = _outputs(found, whole)
    graph = replace(whole, nodes=[node for node in whole.nodes if node.op != GUARDS], outputs=names)
    axes = {axis for declared in graph.inputs.values() for axis in declared.shape or () if isinstance(axis, str)}
    symbols = {axis: symbol(axis, 1, MOST) for axis in axes}
    inference = infer(
        graph,
        {name: tensor(d.dtype, [symbols.get(str(s), s) for s in d.shape or ()]) for name, d in graph.inputs.items()},
    )
    forward = found.module(check_guards=False).forward
    kinds: Counter[str] = Counter()
    for at, arguments in _points(program):
        sizes = _bound(graph, arguments)
        if sizes is not None:
            atoms = {a: size for axis, size in sizes.items() if (a := symbols[axis].as_symbol()) is not None}
            outcome = compared(inference, atoms, _run(forward, arguments))
            assert outcome.kind != WRONG, f"at {at}: {outcome.text}"
            kinds[outcome.kind] += 1
    return kinds


def _outputs(found: Any, graph: Graph) -> list[str]:
    """What the program returns to its caller, without what it changes."""
    specs = found.graph_signature.output_specs
    assert len(specs) == len(graph.outputs)
    return [name for name, spec in zip(graph.outputs, specs, strict=True) if spec.kind.name == "USER_OUTPUT"]


def _points(program: Program) -> Iterator[tuple[dict[str, int], tuple[Any, ...]]]:
    """The sizes for which there are arguments, and these."""
    for values in itertools.product(*(range(lo, hi + 1) for lo, hi, _ in program.sizes.values())):
        at = dict(zip(program.sizes, values, strict=True))
        yield at, program.arguments(**at)


def _bound(graph: Graph, arguments: tuple[Any, ...]) -> dict[str, int] | None:
    """The size of each dimension; None where the arguments aren't what the program was exported for."""
    sizes: dict[str, int] = {}
    leaves = [leaf for leaf in _pytree.tree_leaves(arguments) if torch.is_tensor(leaf)]
    for declared, leaf in zip(graph.inputs.values(), leaves, strict=True):
        for axis, size in zip(declared.shape or (), leaf.shape, strict=True):
            if (sizes.setdefault(axis, size) if isinstance(axis, str) else axis) != size:
                return None
    return sizes


def _run(forward: Callable[..., Any], arguments: tuple[Any, ...]) -> Run:
    """What the program makes of its arguments."""
    try:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            torch.manual_seed(0)
            results = _pytree.tree_leaves(forward(*arguments))
    except Exception as error:
        return Run(refused=f"{type(error).__name__}: {str(error)[:150]}")
    return Run(tuple((tuple(t.shape), named(t.dtype)) for t in results))
