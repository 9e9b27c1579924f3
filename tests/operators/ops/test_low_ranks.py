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
from tests.support.each import check_each
from tests.support.families import by_family, full_name

load_everything()
FAMILIES = by_family(rule for rule in rules() if not rule.nested)
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


@pytest.mark.parametrize("family", FAMILIES)
def test_low_ranks(family: str, full: bool, seeds: range) -> None:
    """The nodes have no attributes, not even those that the rule requires."""
    sizes = [symbol(f"s{axis}", 1) for axis in RANKS]
    every = [*choices()]

    def check(rule: Rule) -> None:
        for ranks in every if full else Random(f"{seeds.start} {rule.name}").sample(every, SAMPLED):
            inputs = [tensor("float32", sizes[:rank]) for rank in ranks]
            names = [f"x{i}" for i in range(len(ranks))]
            node = Node(rule.name, rule.domain, "node", names, ["y", "z"], Attributes({}))
            made = InferenceContext(node, inputs, rule.since).apply(rule.apply)
            assert len(made.outputs) == 2, ranks

    check_each(FAMILIES[family], check, full_name)


@pytest.mark.parametrize("family", FAMILIES)
def test_unknown_ranks(family: str, full: bool, seeds: range) -> None:
    def check(rule: Rule) -> None:
        for count in range(1, 4) if full else [Random(f"{seeds.start} {rule.name}").randint(1, 3)]:
            names = [f"x{i}" for i in range(count)]
            node = Node(rule.name, rule.domain, "node", names, ["y"], Attributes({}))
            inputs = dict.fromkeys(names, Declared("float32", None))
            graph = Graph("g", inputs, ["y"], [node], opsets={rule.domain: rule.since})
            assert infer(graph, pose(graph).inputs).tensors["y"] is not None

    check_each(FAMILIES[family], check, full_name)
