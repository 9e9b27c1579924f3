"""Nodes as lists over numbered tensors are the same nodes."""

import pickle
from random import Random

import pytest

from shapesmt.graph import Attributes, Node, Nodes


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


@pytest.fixture(params=range(40))
def nodes(request, pytestconfig):
    return drawn(request.param + 1000 * pytestconfig.getoption("--seed"))


class TestNodes:
    def test_all_are_the_same(self, nodes):
        assert [*Nodes.of(nodes)] == nodes

    def test_each_is_the_same(self, nodes):
        listed = Nodes.of(nodes)
        assert [listed[index] for index in range(len(nodes))] == nodes
        assert [listed[index] for index in range(-len(nodes), 0)] == nodes
        assert listed[1:3] == nodes[1:3]
        with pytest.raises(IndexError):
            listed[len(nodes)]

    def test_numbers_are_places_of_names(self, nodes):
        listed = Nodes.of(nodes)
        read = [listed.tensors[number] for number in listed.reads if number != -1]
        assert read == [name for node in nodes for name in node.inputs]
        assert {*listed.outer} == {"", *read} - {*filter(None, listed.outputs)}

    def test_equal_nodes_are_of_one_kind(self, nodes):
        kinds = Nodes.of(nodes).kinds
        contents = [(n.op, n.domain, n.attributes, len(n.outputs)) for n in nodes]
        assert [k is first for k in kinds for first in kinds] == [c == first for c in contents for first in contents]

    def test_each_tensor_has_its_producer(self, nodes):
        expected = {name: index for index, node in enumerate(nodes) for name in node.outputs if name}
        assert Nodes.of(nodes).producers == expected

    def test_order_is_seen(self, nodes):
        assert Nodes.of(nodes).is_sorted
        places = {name: index for index, node in enumerate(nodes) for name in node.outputs if name}
        backwards = all(not node.inputs or places.keys().isdisjoint(node.inputs) for node in nodes)
        assert Nodes.of(nodes[::-1]).is_sorted == backwards

    def test_outputs_of_one_name_are_seen(self, nodes):
        named = [name for node in nodes for name in node.outputs if name]
        assert Nodes.of(nodes).is_distinct
        assert Nodes.of([*nodes, *nodes]).is_distinct == (not named)

    def test_they_are_sent_to_other_processes(self, nodes):
        assert [*pickle.loads(pickle.dumps(Nodes.of(nodes)))] == nodes

    def test_nodes_in_lists_already_stay_as_they_are(self, nodes):
        listed = Nodes.of(nodes)
        assert Nodes.of(listed) is listed
