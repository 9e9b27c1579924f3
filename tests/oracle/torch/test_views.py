"""Chains of views at random, each run by PyTorch at every size of a small range: what memory allows is said exactly."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from shapesmt.network.graph import Attributes, Declared, Graph, Node
from shapesmt.operators.inference import infer
from shapesmt.operators.rules import tensor
from shapesmt.prover.algebra import symbol
from tests.oracle.torch.calls import OPSETS

torch = pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")

Step = tuple[str, dict[str, Any]]
SIZES = (("a", (1, 3)), ("b", (1, 3)), ("c", (1, 2)))


def steps(random: Random, x: torch.Tensor) -> Iterator[tuple[Step, torch.Tensor]]:
    """Operators that run on the tensor and on what they make of it; the last but one may be any view."""
    for _ in range(random.randint(2, 5)):
        name, arguments = step(random, x)
        try:
            x = run((name, arguments), x)
        except (RuntimeError, IndexError):
            yield (name, arguments), x
            return
        yield (name, arguments), x


def step(random: Random, x: torch.Tensor) -> Step:
    """An operator and its arguments but for the first."""
    rank = x.dim()
    axis = random.randrange(max(rank, 1))
    order = random.sample(range(rank), rank)
    sizes = list(x.shape)
    grouped = random.choice(["join", "split", "all"])
    if grouped == "join" and rank > 1:
        at = random.randrange(rank - 1)
        sizes[at : at + 2] = [-1]
    elif grouped == "split" and rank and rank < 5:
        sizes[axis : axis + 1] = random.choice([[-1, 1], [1, -1], [-1, 2], [2, -1]])
    else:
        sizes = [-1]
    choices: list[Step] = [
        ("view.default", {"size": sizes}),
        ("view.default", {"size": sizes}),
        ("reshape.default", {"shape": sizes}),
        ("permute.default", {"dims": order}),
        ("permute.default", {"dims": order}),
        ("clone.default", {}),
        ("contiguous.default", {}),
        ("relu.default", {}),
        ("unsqueeze.default", {"dim": random.randint(0, rank)}),
        ("sum.dim_IntList", {"dim": [axis]} if rank else {"dim": []}),
    ]
    if rank:
        choices += [
            ("slice.Tensor", {"dim": axis, "start": random.randint(0, 1), "step": random.randint(1, 2)}),
            ("select.int", {"dim": axis, "index": 0}),
            ("squeeze.dim", {"dim": axis}),
            ("flatten.using_ints", {"start_dim": axis, "end_dim": rank - 1}),
            ("expand.default", {"size": [2, *[-1] * rank]}),
            ("unfold.default", {"dimension": axis, "size": 1, "step": 1}),
        ]
    return random.choice(choices)


def run(step: Step, x: torch.Tensor) -> torch.Tensor:
    name, overload = step[0].split(".")
    return getattr(getattr(torch.ops.aten, name), overload)(x, **step[1])


def graph_of(chain: list[Step]) -> Graph:
    nodes = [
        Node(
            f"aten.{name}", "torch", f"n{i}", (f"t{i}",), (f"t{i + 1}",), Attributes({"@self": 0, **_frozen(arguments)})
        )
        for i, (name, arguments) in enumerate(chain)
    ]
    declared = Declared("float32", tuple(name for name, _ in SIZES))
    return Graph("chain", {"t0": declared}, [f"t{len(chain)}"], nodes, opsets=OPSETS)


def _frozen(arguments: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in arguments.items()}


def attempted(chain: list[Step], at: dict[str, int]) -> torch.Tensor | None:
    x = torch.zeros([at[name] for name, _ in SIZES])
    try:
        for each in chain:
            x = run(each, x)
    except (RuntimeError, IndexError):
        return None
    return x


def test_views_of_views_run_where_memory_allows(seeds, full):
    from tests.oracle.torch.judge import RIGHT, WRONG, Run, compared

    symbols = {name: symbol(name, *ends) for name, ends in SIZES}
    known = 0
    for seed in range(seeds.start, seeds.start + (20 * len(seeds) if full else 3 * len(seeds))):
        random = Random(seed)
        chain = [s for s, _ in steps(random, torch.zeros([random.randint(*ends) for _, ends in SIZES]))]
        inference = infer(graph_of(chain), {"t0": tensor("float32", [*symbols.values()])})
        for sizes in itertools.product(*(range(lo, hi + 1) for _, (lo, hi) in SIZES)):
            at = {name: size for (name, _), size in zip(SIZES, sizes, strict=True)}
            result = attempted(chain, at)
            ran = Run(refused="it fails") if result is None else Run(((tuple(result.shape), "float32"),))
            outcome = compared(inference, {symbols[name].as_symbol(): size for name, size in at.items()}, ran)
            assert outcome.kind != WRONG, f"seed {seed} at {at}: {chain}: {outcome.text}"
            known += outcome.kind == RIGHT
    assert known > 1000


def test_axes_that_repeat_elements_stay_where_they_are_in_results() -> None:
    """An example are key heads shared by several queries, which are expanded, transposed and then scaled."""
    from tests.oracle.torch.judge import RIGHT, Run, compared

    symbols = {name: symbol(name, *ends) for name, ends in SIZES}
    turned = ("permute.default", {"dims": [0, 1, 3, 2]})
    stretched = [("unsqueeze.default", {"dim": 1}), ("expand.default", {"size": [-1, 2, -1, -1]})]
    chain = [*stretched, turned, ("relu.default", {}), turned, ("view.default", {"size": [-1]})]
    inference = infer(graph_of(chain), {"t0": tensor("float32", [*symbols.values()])})
    for sizes in itertools.product(*(range(lo, hi + 1) for _, (lo, hi) in SIZES)):
        at = {name: size for (name, _), size in zip(SIZES, sizes, strict=True)}
        result = attempted(chain, at)
        assert result is not None
        values = {symbols[name].as_symbol(): size for name, size in at.items()}
        assert compared(inference, values, Run(((tuple(result.shape), "float32"),))).kind == RIGHT
