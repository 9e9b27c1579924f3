"""Nodes as lists are the same nodes."""

import pickle
from random import Random

import pytest

from shapesmt.network.graph import Attributes, Node, Nodes
from tests.support.each import each


def drawn(seed: int) -> list[Node]:
    """Nodes that read earlier tensors, tensors from outside, and omitted ones, in any number."""
    random = Random(seed)
    known, nodes = ["", "x", "\0"], []
    for index in range(random.randint(0, 12)):
        inputs = [random.choice(known) for _ in range(random.randint(0, 4))]
        outputs = [random.choice(["", f"t{index}.{place}"]) for place in range(random.randint(0, 3))]
        attributes = Attributes({"axis": random.randint(0, 1)})
        nodes.append(Node(random.choice(["Add", "Split"]), "", f"n{index}", inputs, outputs, attributes))
        known += outputs
    return nodes


@pytest.fixture
def draw(pytestconfig):
    return lambda seed: drawn(seed + 1000 * pytestconfig.getoption("--seed"))


every = each("seed", range(40), "seed {}".format)


class TestNodes:
    @every
    def test_all_are_the_same(self, draw, seed):
        nodes = draw(seed)
        assert [*Nodes.of(nodes)] == nodes

    @every
    def test_each_is_the_same(self, draw, seed):
        nodes = draw(seed)
        listed = Nodes.of(nodes)
        assert [listed[index] for index in range(len(nodes))] == nodes
        assert [listed[index] for index in range(-len(nodes), 0)] == nodes
        assert listed[1:3] == nodes[1:3]
        with pytest.raises(IndexError):
            listed[len(nodes)]

    @every
    def test_equal_nodes_are_of_one_kind(self, draw, seed):
        nodes = draw(seed)
        kinds = Nodes.of(nodes).kinds
        contents = [(n.op, n.domain, n.attributes, len(n.outputs)) for n in nodes]
        assert [k is first for k in kinds for first in kinds] == [c == first for c in contents for first in contents]

    @every
    def test_they_are_sent_to_other_processes(self, draw, seed):
        nodes = draw(seed)
        assert [*pickle.loads(pickle.dumps(Nodes.of(nodes)))] == nodes

    @every
    def test_nodes_in_lists_already_stay_as_they_are(self, draw, seed):
        nodes = draw(seed)
        listed = Nodes.of(nodes)
        assert Nodes.of(listed) is listed
