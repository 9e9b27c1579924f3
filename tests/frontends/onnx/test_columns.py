"""What is read as columns is what each node says."""

from random import Random

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from shapesmt.base.errors import ModelError
from shapesmt.frontends.onnx import read
from shapesmt.frontends.onnx.columns import read_columns
from tests.support.each import each

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


def firsts(contents: list[object]) -> list[int]:
    """For each the place of the first that equals it."""
    return [contents.index(content) for content in contents]


@pytest.mark.parametrize("at_once", [1, 3, 512])
@each("seed", range(60), "seed {}".format)
def test_each_node_says_the_same(
    seed: int, at_once: int, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shapesmt.frontends.onnx.columns._AT_ONCE", at_once)
    nodes = drawn(seed + 1000 * pytestconfig.getoption("--seed"))
    kinds, places, names, inputs, outputs = read_columns(nodes, "model")
    assert names == [node.name for node in nodes]
    assert inputs == [[*node.input] for node in nodes]
    assert outputs == [[*node.output] for node in nodes]
    contents = [
        (n.op_type, n.domain, n.overload, len(n.output), *(a.SerializeToString() for a in n.attribute)) for n in nodes
    ]
    assert places == firsts(contents)
    assert [*kinds.values()] == sorted({*places})


def test_attributes_are_told_apart_whatever_is_in_them() -> None:
    between = "\1" + "0\2", "\1" + "1\2"
    texts = ["", "\0", *between, *(a + b for a in (*between, "\0") for b in (*between, "\0"))]
    lists = [[], *([text] for text in texts), *([one, other] for one in texts for other in texts)]
    nodes = []
    for values in lists:
        nodes.append(onnx.NodeProto(op_type="A"))
        nodes[-1].attribute.extend(onnx.AttributeProto(name=value) for value in values)
    assert read_columns(nodes, "model").places == [*range(len(lists))]
    assert read_columns(nodes + nodes, "model").places == 2 * [*range(len(lists))]


def test_weights_among_attributes_are_compared_by_digests() -> None:
    weights = [numpy_helper.from_array(np.full(1 << 15, value, "float32")) for value in (0, 0, 1)]
    nodes = [helper.make_node("Constant", [], ["c"], name, value=w) for name, w in zip("xyz", weights, strict=True)]
    read = read_columns(nodes, "model")
    assert (read.names, read.outputs, read.places) == (["x", "y", "z"], [["c"]] * 3, [0, 0, 2])
    assert all(sum(len(part) for part in key if isinstance(part, bytes)) < 100 for key in read.kinds)


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
        read_columns([helper.make_node("Abs", reads, writes)], "model")
