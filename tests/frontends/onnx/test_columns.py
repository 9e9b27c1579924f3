"""What is read as columns is what each node says."""

from random import Random

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from shapesmt.errors import ModelError
from shapesmt.frontends.onnx import read
from shapesmt.frontends.onnx.columns import columns

MARK = "\0"
FIELDS = ("name", "op_type", "domain", "overload")


def drawn(seed: int) -> list[onnx.NodeProto]:
    """Nodes that have, or lack, whatever a node may have or lack."""
    random = Random(seed)

    def some(most: int, *of: str) -> list[str]:
        return [random.choice(of) for _ in range(random.randint(0, most))]

    nodes = []
    for _ in range(random.randint(0, 8)):
        node = onnx.NodeProto(input=some(3, "", "x", "é"), output=some(3, "", "y", "z" * 300))
        for field in FIELDS:
            if random.random() < 0.7:
                setattr(node, field, random.choice(["", "a", "ai.onnx"]))
        node.attribute.extend(helper.make_attribute(name, random.randint(0, 1)) for name in some(3, "axis", "p"))
        node.metadata_props.add(key="k", value="v" * random.randint(0, 200))
        nodes.append(node)
    return nodes


@pytest.mark.parametrize("seed", range(60))
def test_each_node_says_the_same(seed: int, pytestconfig: pytest.Config) -> None:
    nodes = drawn(seed + 1000 * pytestconfig.getoption("--seed"))
    keys, names, inputs, outputs = columns(nodes, "model")
    assert names == [node.name for node in nodes]
    assert inputs == [[*node.input] for node in nodes]
    assert outputs == [[*node.output] for node in nodes]
    expected = [
        (n.op_type, n.domain, n.overload, len(n.output), *(a.SerializeToString() for a in n.attribute)) for n in nodes
    ]
    assert [*keys] == expected


def test_weights_among_attributes_are_compared_by_digests() -> None:
    weights = [numpy_helper.from_array(np.full(1 << 15, value, "float32")) for value in (0, 0, 1)]
    nodes = [helper.make_node("Constant", [], ["c"], name, value=w) for name, w in zip("xyz", weights, strict=True)]
    keys, names, _, outputs = columns(nodes, "model")
    first, same, other = keys
    assert (names, outputs) == (["x", "y", "z"], [["c"]] * 3)
    assert first == same != other
    assert sum(len(part) for part in first[4:]) < 100


def test_constants_are_told_apart_whatever_their_size() -> None:
    arrays = [np.full(size, value, "int64") for size in (3, 1 << 14) for value in (0, 1)]
    nodes = [
        helper.make_node("Constant", [], [f"t{index}"], value=numpy_helper.from_array(array))
        for index, array in enumerate(arrays)
    ]
    outputs = [helper.make_tensor_value_info(f"t{index}", 7, None) for index in range(4)]
    graph = read(helper.make_model(helper.make_graph(nodes, "g", [], outputs)), "model", None)
    values = [node.attributes["value"] for node in graph.nodes]
    assert [value.shape for value in values] == [array.shape for array in arrays]
    assert all(value.read() for value in values)
    assert [value.values[0] for value in values] == [0, 1, 0, 1]


@pytest.mark.parametrize(("reads", "writes"), [([MARK], ["y"]), (["x"], [MARK]), (["x", MARK], [MARK])])
def test_the_mark_is_no_name(reads: list[str], writes: list[str]) -> None:
    with pytest.raises(ModelError, match=r"^model: a tensor's name in it is a null character; the file is damaged$"):
        columns([helper.make_node("Abs", reads, writes)], "model")
