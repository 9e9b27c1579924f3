"""99 nodes and chains of nodes over interval dimensions, as OpenVINO's own tests have them: our answer is the tighter.

`intervals.txt` has the shapes of the inputs a, b, ...; those of the outputs z, y, ..., which are the hull over all
inputs that run; what OpenVINO 2026.4 expects, where that is another; and the nodes. `?` leaves a size open: it is 1 or
more, and 0 or more where the rank is open too (`[...]`). "fails" is of nodes that run for no input.
"""

from __future__ import annotations

import re
from functools import reduce
from pathlib import Path

import onnx.parser
import pytest

import shapesmt
from shapesmt import PartialShape
from shapesmt.reports.answers import TensorBounds

CASE = re.compile(r"(ov\d+)(?:@(\d+))? (.*) -> (.*?)(?:, not (.*))?\n((?:    .*\n)+)")
CASES = [match.groups() for match in CASE.finditer((Path(__file__).parent / "intervals.txt").read_text())]


def bounds(nodes: str, inputs: list[tuple[str, PartialShape]], opset: int = 18) -> list[TensorBounds]:
    """What is found of the outputs; nothing where the nodes run for no input."""
    declared, asked = [], {}
    for name, (dtype, shape) in zip("abcd", inputs, strict=False):
        if shape.rank.is_static:
            asked[name] = [None if d.is_static else d for d in shape]
            sizes = ", ".join(str(d) if d.is_static else f"{name}{i}" for i, d in enumerate(shape))
            declared.append(f"{dtype}[{sizes}] {name}" if sizes else f"{dtype} {name}")
        else:
            declared.append(f"{dtype}[] {name}")
    outputs = [name for name in "zyxw" if re.search(rf"^ *(\w, )*{name}(, \w)* =", nodes, re.MULTILINE)]
    results = ", ".join(f"float[] {name}" for name in outputs)
    text = f'<ir_version: 8, opset_import: ["": {opset}]> g ({", ".join(declared)}) => ({results}) {{ {nodes} }}'
    model = onnx.parser.parse_model(text)
    for output in model.graph.output:
        output.ClearField("type")
    found = shapesmt.bounds(model.SerializeToString(), shapes=asked)
    return [found.tensors[name] for name in outputs] if found.valid else []


def read(item: str) -> tuple[str, PartialShape]:
    """The element type and the shape of an input."""
    dtype, _, shape = item.rpartition(" ")
    return dtype or "float", PartialShape(shape)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_bounds_are_contained_and_tight(case):
    _, opset, inputs, ours, theirs, nodes = case
    found = bounds(nodes, [*map(read, inputs.split("; "))], int(opset or 18))
    assert "; ".join(str(t.partial_shape) for t in found) == ("" if ours == "fails" else ours)
    assert all(t.exact or t.shape is None for t in found)
    if theirs is not None:
        assert all(t.partial_shape.refines(wide) for t, wide in zip(found, theirs.split("; "), strict=bool(found)))
        assert ours != theirs


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        pytest.param("[2,3..5,?,..5,6..]", "[2,3..4,8,2..5,10]", "[2,3..4,8,2..5,10]", id="ov013"),
        pytest.param("[2,4,5,?,4..5,..6]", "[2,4,5,5,?,4..]", "[2,4,5,5,4..5,4..6]", id="ov016"),
    ],
)
def test_without_broadcast(a, b, expected):
    assert str(PartialShape(a).broadcast_merge(b, "none")) == expected


def test_an_interval_of_ranks():
    """The case ov070: along axis 3, with two batch dimensions, indices of 3 to 5 dimensions are gathered."""
    found = []
    for rank in range(3, 6):
        back = [0, 1, rank, *range(2, rank)]
        nodes = f"""
            i = Constant<value_ints=[-1]>()  j = Unsqueeze(b, i)  t = Transpose<perm=[0, 1, 3, 2]>(a)
            g = GatherND<batch_dims=2>(t, j)
            z = Transpose<perm={back}>(g)"""
        data, indices = PartialShape("[1..7,1..3,200,400]"), PartialShape.dynamic(rank)
        found += bounds(nodes, [("float", data), ("int64", indices)])
    hull = reduce(PartialShape.relax, (tensor.partial_shape for tensor in found))
    assert str(hull) == "[1..,1..,200,1..,... rank 4..6]"


def test_all_are_here():
    names = {case[0] for case in CASES} | {"ov013", "ov016", "ov070"}
    assert names == {f"ov{i:03}" for i in range(1, 100)}
