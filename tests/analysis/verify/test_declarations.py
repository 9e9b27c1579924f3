"""Axes, names and ranges of inputs, from the file and from the caller."""

from __future__ import annotations

import time

import pytest

from shapesmt.analysis.verify.declarations import (
    ANY_RANK,
    give_rank,
    input_declarations,
    inputs_without_rank,
    limit_ranks,
    own_names,
    placeholders,
    rank_name,
    symbol_ranges,
)
from shapesmt.base.errors import UsageError
from shapesmt.frontends import load
from shapesmt.network.declarations import Range
from shapesmt.network.graph import Declared, Graph


def graph(inputs: str) -> Graph:
    return load(f'<ir_version: 8, opset_import: ["": 21]> g ({inputs}) => (y) {{ y = Identity(x) }}'.encode())


def test_no_input_has_more_dimensions_than_an_array_can_have() -> None:
    axes = [f"d{i}" for i in range(2000)]
    limit_ranks(graph(f"float[{','.join(axes[:64])}] x"), {})
    message = "input 'x' has 2,000 dimensions; a tensor has at most 64"
    with pytest.raises(UsageError, match=message):
        limit_ranks(graph(f"float[{','.join(axes)}] x"), {})
    with pytest.raises(UsageError, match=message):
        limit_ranks(graph("float[] x"), {"x": axes})


def test_axes_without_a_name_get_one() -> None:
    assert input_declarations(graph("float[n,3] x"), {})["x"] == ("float32", ["n", 3])
    assert input_declarations(graph("float[n,?] x"), {})["x"] == ("float32", ["n", "x_dim1"])


def test_a_shape_of_the_caller_goes_over_the_files() -> None:
    declared = input_declarations(graph("float[n,?] x"), {"x": "[2..8,?]"})
    assert declared["x"] == ("float32", [Range(2, 8), "x_dim1"])
    assert input_declarations(graph("float[n,3] x"), {"x": "[2..8,?]"})["x"] == ("float32", [Range(2, 8), 3])
    with pytest.raises(UsageError, match="gives input 'x' 1 dimensions, the file gives it 2"):
        input_declarations(graph("float[n,?] x"), {"x": "[4]"})


def test_a_range_of_a_named_axis_is_the_range_of_the_name() -> None:
    model = graph("float[n,m] x, float[n] z")
    expressions, ranges = symbol_ranges(model, input_declarations(model, {"x": "[2..8,?]"}), {"m": "4"})
    assert expressions == {}
    assert {name: (r.min, r.max, r.source) for name, r in ranges.items()} == {
        "n": (2, 8, "--shape"),
        "m": (4, 4, "--dim"),
    }


def test_a_name_that_no_input_has_is_refused() -> None:
    model = graph("float[n] x")
    with pytest.raises(UsageError, match="batch"):
        symbol_ranges(model, input_declarations(model, {}), {"batch": "1..8"})


def test_marks_that_stand_for_several_sizes_name_none() -> None:
    from onnx import TensorProto, helper

    inputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["?", 3]) for n in ("x", "z")]
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    proto = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "g", inputs, [output])
    model = load(helper.make_model(proto, opset_imports=[helper.make_opsetid("", 21)]).SerializeToString())
    assert placeholders(model) == {"?": ["x_dim0", "z_dim0"]}


def test_an_input_of_unknown_rank_has_a_name_for_it_until_it_is_given() -> None:
    model = graph("float[] x")
    declared = input_declarations(model, {})
    assert inputs_without_rank(model, declared) == ["x"]
    assert symbol_ranges(model, declared, {}, [rank_name("x")])[1]["x_rank"] == ANY_RANK
    give_rank("x", declared, {"x_rank": "2"})
    assert declared["x"] == ("float32", ["x_dim0", "x_dim1"])
    with pytest.raises(UsageError, match="at most"):
        give_rank("x", declared, {"x_rank": "2..999"})


def test_names_are_looked_up_in_constant_time() -> None:
    def taken(count: int) -> float:
        whole = Graph("g", {f"i{k}": Declared("float32", (f"n{k}",)) for k in range(count)}, ["i0"], [])
        began = time.process_time()
        symbol_ranges(whole, input_declarations(whole, {}), {}, [])
        return time.process_time() - began

    assert min(taken(16_000) for _ in range(3)) < 24 * min(taken(2_000) for _ in range(3))


def test_an_axis_stands_for_the_dimension_that_it_has() -> None:
    g = graph("float[n,3,?,h] x, float[] z, float[?] w")
    assert own_names(g, {"x[0]": "1..8", "h": "4"}) == {"h": "4", "n": "1..8"}
    assert own_names(g, {"x[2]": "2", "w[0]": "3", "z[1]": "5"}) == {"x_dim2": "2", "w_dim0": "3", "z_dim1": "5"}
    assert own_names(g, {"other[0]": "2", "x[a]": "3"}) == {"other[0]": "2", "x[a]": "3"}
    assert own_names(g, {"n": "1..8", "x[0]": "1..8"}) == {"n": "1..8"}
    for text, message in {
        "x[1]": "'x[1]': axis 1 of 'x' is 3 in the file; --shape gives it other sizes",
        "x[4]": "'x[4]': input 'x' has 4 axes, the first is 0",
    }.items():
        with pytest.raises(UsageError) as raised:
            own_names(g, {text: "1..8"})
        assert str(raised.value) == message
    with pytest.raises(UsageError, match="'x\\[0\\]' is another name for 'n', which has another range"):
        own_names(g, {"x[0]": "1..8", "n": "2"})
