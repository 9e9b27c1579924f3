"""No rule breaks on inputs of a lower rank than it needs, or of an unknown one: what it needs of them is a law."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random

import pytest

from shapesmt.analysis.verify.problem import pose
from shapesmt.network.graph.graph import Attributes, Graph, Node
from shapesmt.network.graph.literal import Declared
from shapesmt.operators.inference import infer
from shapesmt.operators.rules import InferenceContext
from shapesmt.operators.rules.registry import Rule, load_everything, rules
from shapesmt.operators.rules.tensors import tensor
from shapesmt.prover.algebra.dim import symbol

load_everything()
RULES = sorted((r for r in rules() if not r.nested), key=lambda r: (r.domain, r.name, r.since))
RANKS = range(4)
MOST = 9  # inputs
SAMPLED = 100  # choices of ranks that are tried without --full


def choices() -> Iterator[tuple[int, ...]]:
    """The ranks of the inputs: all the same, or all the same but one."""
    for count in range(1, MOST):
        for usual in RANKS:
            yield (usual,) * count
            for odd, rank in product(range(count), RANKS):
                if rank != usual:
                    yield (*[usual] * odd, rank, *[usual] * (count - odd - 1))


@pytest.mark.parametrize("rule", RULES, ids=lambda r: f"{r.domain or 'onnx'}.{r.name}-{r.since}")
def test_low_ranks(rule: Rule, full: bool, seeds: range) -> None:
    """The nodes have no attributes, not even those that the rule requires."""
    sizes = [symbol(f"s{axis}", 1) for axis in RANKS]
    every = [*choices()]
    for ranks in every if full else Random(f"{seeds.start} {rule.name}").sample(every, SAMPLED):
        inputs = [tensor("float32", sizes[:rank]) for rank in ranks]
        node = Node(rule.name, rule.domain, "node", [f"x{i}" for i in range(len(ranks))], ["y", "z"], Attributes({}))
        made = InferenceContext(node, inputs, rule.since).apply(rule.apply)
        assert len(made.outputs) == 2, ranks


@pytest.mark.parametrize("rule", RULES, ids=lambda r: f"{r.domain or 'onnx'}.{r.name}-{r.since}")
def test_unknown_ranks(rule: Rule, full: bool, seeds: range) -> None:
    for count in range(1, 4) if full else [Random(f"{seeds.start} {rule.name}").randint(1, 3)]:
        names = [f"x{i}" for i in range(count)]
        node = Node(rule.name, rule.domain, "node", names, ["y"], Attributes({}))
        inputs = dict.fromkeys(names, Declared("float32", None))
        graph = Graph("g", inputs, ["y"], [node], opsets={rule.domain: rule.since})
        assert infer(graph, pose(graph).inputs).tensors["y"] is not None
