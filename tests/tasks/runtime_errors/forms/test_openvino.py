"""Messages of OpenVINO: printed by runs at every size of a small range, and compared with the answer's region."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import shapesmt
from shapesmt.reports.answers import ErrorOrigin
from shapesmt.tasks.runtime_errors.reading import read
from tests.oracle.runner import value
from tests.support.openvino_laws import parsed, written
from tests.tasks.runtime_errors.printed import HEAD

openvino = pytest.importorskip("openvino", reason="openvino (extra `peers`) isn't installed")
from tests.support.openvino_runtime import compiled  # noqa: E402 - it imports openvino

SIZES = range(1, 5)
EXACT = [
    "(float[n, 3] x, float[m, 3] y) => (z) { [a] z = Add (x, y) }",
    "(float[2, n] x) => (z) <int64[2] t = {3, -1}> { [a] z = Reshape (x, t) }",
    "(float[n, 3] x, float[m, k] y) => (z) { [a] z = Concat <axis = 1> (x, y) }",
    "(float[1, c, 8, 8] x, float[2, 3, 3, 3] w) => (z) { [a] z = Conv (x, w) }",
    "(float[2, n] x, float[m, 2] y) => (z) { [a] z = MatMul (x, y) }",
]
PARTIAL = [
    "(float[1, 2, h, 8] x) => (z) { [a] z = MaxPool <kernel_shape = [3, 3]> (x) }",
    '(float[1, 2, n] x) => (z) <int64[6] t = {0, 0, 3, 0, 0, 3}> { [a] z = Pad <mode = "reflect"> (x, t) }',
    "(float[n, 2, 3] x, float[m, 3, 2] y) => (z) { [a] z = MatMul (x, y) }",
    "(float[n] x) => (z, y) <int64[2] t = {2, 1}> { [a] z, y = Split (x, t) }",
    "(float[n] x) => (z, y) { [a] z, y = Split (x) }",
    "(float[n] x) => (z, y) <int64[1] k = {3}> { [a] z, y = TopK (x, k) }",
    "(float[n, 3] x) => (z) <int64[2] t = {4, 3}> { [a] z = Expand (x, t) }",
]


class Model:
    """A model in ONNX's text form, and as the IR that OpenVINO makes of it."""

    def __init__(self, text: str, folder: Path) -> None:
        self.proto = onnx.parser.parse_model(HEAD + text)
        read_model = openvino.Core().read_model(model=self.proto.SerializeToString())
        self.run, self.path = compiled(read_model), folder / "m.xml"
        openvino.save_model(read_model, self.path, compress_to_fp16=False)
        self.shapes = [
            [d.dim_param or d.dim_value for d in i.type.tensor_type.shape.dim] for i in self.proto.graph.input
        ]

    @property
    def names(self) -> list[str]:
        return sorted({d for shape in self.shapes for d in shape if isinstance(d, str)})

    def of_axes(self, at: dict[str, int]) -> dict[str, int]:
        """The sizes by the names that the IR's axes get, such as `x_dim0`."""
        axes = zip(self.proto.graph.input, self.shapes, strict=True)
        return {f"{i.name}_dim{axis}": at.get(str(d), d) for i, shape in axes for axis, d in enumerate(shape)}

    def said(self, at: dict[str, int]) -> str:
        """Return OpenVINO's error at these sizes; "" if it runs."""
        order = {port.get_any_name(): place for place, port in enumerate(self.run.inputs)}
        given: list[Any] = [None] * len(order)
        for i, shape in zip(self.proto.graph.input, self.shapes, strict=True):
            given[order[i.name]] = np.zeros([at.get(str(d), d) for d in shape], np.float32)
        try:
            self.run(given)
        except RuntimeError as error:
            return str(error)
        return ""

    def printed(self) -> dict[str, list[dict[str, int]]]:
        """Each message, with the sizes of the range at which it is printed."""
        found: dict[str, list[dict[str, int]]] = {}
        for point in itertools.product(SIZES, repeat=len(self.names)):
            at = dict(zip(self.names, point, strict=True))
            if message := self.said(at):
                found.setdefault(message, []).append(at)
        assert found
        return found


def test_a_file_that_is_not_loaded_names_the_operator(tmp_path: Path) -> None:
    path = written(parsed("SoftMax 1 | f32[3] | axis=1"), tmp_path)
    with pytest.raises(RuntimeError) as raised:
        openvino.Core().read_model(path)
    assert [c.node for c in origin(path, str(raised.value)).candidates] == ["node"]


def test_a_size_that_only_the_declaration_needs(tmp_path: Path) -> None:
    model = Model("(float[2, n] x) => (z) { [a] z = Relu (x) }", tmp_path)
    with pytest.raises(RuntimeError) as raised:
        model.run([np.zeros((3, 4), np.float32)])
    answer = origin(model.path, str(raised.value))
    assert (answer.input, dict(answer.got), dict(answer.declared)) == ("x", {"0": 3}, {"0": 2})
    assert "no node needs that size" in str(answer)


def test_declared_sizes_that_the_user_may_change(tmp_path: Path) -> None:
    text = "(float[1, 4, 6] x) => (z) <int64[3] t = {1, 4, 6}> { y = Relu (x)  [a] z = Reshape (y, t) }"
    model = Model(text, tmp_path)
    other = openvino.Core().read_model(model=model.proto.SerializeToString())
    other.reshape([1, -1, 6])
    with pytest.raises(RuntimeError) as raised:
        compiled(other)([np.zeros((1, 8, 6), np.float32)])
    for file in (model.path, model.proto):
        (found,) = origin(file, str(raised.value)).candidates
        assert (dict(found.declared), found.grade) == ({"x": (1, 4, 6)}, "exact")
        assert found.counterexample is not None
        assert dict(found.counterexample.inputs) == {"x": (1, 8, 6)}


def every(names: list[str]) -> list[dict[str, int]]:
    return [dict(zip(names, point, strict=True)) for point in itertools.product(SIZES, repeat=len(names))]


def origin(model: Any, message: str) -> ErrorOrigin:
    answer = shapesmt.explain(model, error=message)
    assert isinstance(answer, ErrorOrigin)
    return answer


@pytest.mark.parametrize("text", EXACT)
def test_the_region_is_where_openvino_says_it(text: str, tmp_path: Path) -> None:
    model = Model(text, tmp_path)
    for message, points in list(model.printed().items())[:3]:
        answer = origin(model.path, message)
        (found,) = answer.candidates
        assert answer.grade == "exact", message
        inside = [at for at in every(model.names) if value(found.region, model.of_axes(at))]
        assert inside == points, f"{message}: {found.region}"


@pytest.mark.parametrize("text", [*EXACT, *PARTIAL])
def test_the_bounds_hold_where_openvino_says_it_of_the_onnx_file(text: str, tmp_path: Path) -> None:
    model = Model(text, tmp_path)
    for message, points in list(model.printed().items())[:2]:
        assert read(message).form is not None
        answer = origin(model.proto, message)
        (found,) = answer.candidates
        assert answer.possible, message
        for name, size in (item for at in points for item in at.items() if item[0] in found.bounds):
            assert found.bounds[name].min <= size <= (found.bounds[name].max or size), f"{message}: {name}={size}"
