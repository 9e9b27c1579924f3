"""Settings of a node: the attributes and constants without which it would have other sizes."""

import numpy as np
import pytest

from shapesmt.analysis.diagnose.settings import _number, settings_of
from shapesmt.frontends import load
from shapesmt.operators.rules import tensor
from shapesmt.prover.algebra import symbol

HEAD = '<ir_version: 8, opset_import: ["":18]> g (float[1, 3, h, w] x) => (y) '


@pytest.mark.parametrize(
    ("node", "text"),
    [
        ("MaxPool <kernel_shape=[3,3], strides=[2,2], dilations=[1,1]> (x)", "kernel 3, stride 2"),
        ("MaxPool <kernel_shape=[3,2], pads=[1,0,1,0]> (x)", "kernel_shape 3,2, pads 1,0"),
        ("Flatten <axis=2> (x)", "axis 2"),
        ("Flatten <axis=1> (x)", ""),
        ("LeakyRelu <alpha=0.5> (x)", ""),
        ("Cast <to=1> (x)", ""),
    ],
)
def test_only_what_decides_sizes_is_named(node, text):
    graph = load(f"{HEAD} {{ y = {node} }}".encode())
    x = tensor("float32", [1, 3, symbol("h", 8), symbol("w", 8)])
    assert settings_of(graph.nodes[0], graph, {"x": x}) == text


def test_sizes_that_a_file_may_not_declare_are_no_obstacle():
    graph = load(f"{HEAD} {{ y = Concat <axis=0> (x, z) }}".replace(") =>", ", float[2, 3] z) =>").encode())
    tensors = {"x": tensor("float32", [0, 2]), "z": tensor("float32", [symbol("m"), 3])}
    assert settings_of(graph.nodes[0], graph, tensors) == "axis 0"


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("number", "text"), [(np.float16(2.5), "2.5"), (2**40, "max"), (-(2**63), "min"), (7, "7")])
def test_numbers_as_text(number, text):
    assert _number(number) == text
