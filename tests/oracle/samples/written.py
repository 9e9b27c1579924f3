"""Models written as ONNX text, one a line: what attackers of a proof think of.

A line is `OPSET | INPUTS | NODES`, whose output is `y`. Weights are made by their names: `w_3x4` is random floats of
that shape, `i_1_m1` a vector of integers (1 and -1), `s_0` an integer alone, `f_0p5` a float alone.

>>> [node.op_type for node in written("18 | float[batch, 3] x | y = Softmax <axis = 0> (x)").graph.node]
['Softmax']
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod
from pathlib import Path
from random import Random

import numpy as np
import onnx
from onnx import numpy_helper, parser

WEIGHT = re.compile(r"\b(?:w_(?P<w>\d+(?:x\d+)*)|i_(?P<i>m?\d+(?:_m?\d+)*)|s_(?P<s>m?\d+)|f_(?P<f>m?\d+(?:p\d+)?))\b")
DOMAINS = '"com.microsoft" : 1, "ai.onnx.ml" : 3, "local" : 1'


def written(line: str) -> onnx.ModelProto:
    """The model of a line; functions may follow it."""
    opset, inputs, rest = (part.strip() for part in line.split("|", 2))
    body, _, functions = rest.partition("@")
    head = f'<ir_version: 10, opset_import: ["" : {opset}, {DOMAINS}]>'
    model = parser.parse_model(f"{head} g ({inputs}) => (float y) {{ {body} }} {functions}")
    model.graph.output[0].ClearField("type")
    for index, node in enumerate(model.graph.node):
        node.name = node.name or f"{node.op_type}_{index}"
        if node.op_type == "Loop" and len(node.input) == 1:  # the parser drops an empty name at the end
            node.input.append("")
        forget(node)
    made = {w.group(): w for w in WEIGHT.finditer(rest)}
    model.graph.initializer.extend(numpy_helper.from_array(array(w), name) for name, w in made.items())
    return model


def forget(node: onnx.NodeProto) -> None:
    """Leave the shapes of floats in a node's bodies open: as text they would be those of single numbers."""
    for body in (a.g for a in node.attribute if a.HasField("g")):
        for value in (*body.input, *body.output):
            if value.type.tensor_type.elem_type == onnx.TensorProto.FLOAT:
                value.type.tensor_type.ClearField("shape")
        for inner in body.node:
            forget(inner)


def array(found: re.Match[str]) -> np.ndarray:
    """The weight that a name says."""
    if found["w"]:
        shape = [int(n) for n in found["w"].split("x")]
        r = Random(found.group())
        drawn = [r.choice([-1, 1]) * r.uniform(0.2, 1) for _ in range(prod(shape))]
        return np.array(drawn, np.float32).reshape(shape)
    if found["i"]:
        return np.array([int(n.replace("m", "-")) for n in found["i"].split("_")], np.int64)
    if found["s"]:
        return np.array(int(found["s"].replace("m", "-")), np.int64)
    return np.array(float(found["f"].replace("m", "-").replace("p", ".")), np.float32)


def lines() -> Iterator[str]:
    """The lines of `written.txt`, without comments; those that are indented go on."""
    whole = re.sub(r"\n +", " ", Path(__file__).with_suffix(".txt").read_text())
    yield from (line for line in whole.splitlines() if line and not line.startswith("#"))
