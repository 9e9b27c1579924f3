"""Random models and what `tighten` writes of them: at every size both compute the same, of the shapes written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib.util import find_spec
from random import Random

import onnx
import pytest

import shapesmt
from shapesmt.base.errors import ModelError
from tests.oracle.graphs import generate
from tests.oracle.runner import assignments
from tests.tasks.simplify.compared import differences, feeds, outputs, session
from tests.tasks.simplify.moved import moved
from tests.tasks.simplify.test_fixpoint import with_more_outputs

DEFAULT, FULL = 20, 1000
POINTS = 60
TARGETS = (None, None, "ort", *(["openvino"] if find_spec("openvino") else []), "iree", "tensorrt")


def contradictions(made: onnx.ModelProto, sizes: Iterable[Mapping[str, int]]) -> Iterator[str]:
    """The tensors of a model that have other shapes than it declares; one name is one size."""
    model, outer = onnx.ModelProto(), {name for node in made.graph.node for name in node.output}
    model.CopyFrom(made)
    inner = [i for i in made.graph.value_info if i.name in outer and i.type.HasField("tensor_type")]
    model.graph.output.extend(inner)
    runs = session(model)
    for point in sizes:
        known: dict[str, int] = {}
        for info, array in zip(model.graph.output, outputs(runs, feeds(made, point)) or (), strict=False):
            declared = info.type.tensor_type.shape.dim if info.type.tensor_type.HasField("shape") else None
            if declared is not None and len(declared) != array.ndim:
                yield f"{point}: {info.name} has the rank {array.ndim}"
            for dim, size in zip(declared or (), array.shape, strict=False):
                number = dim.dim_value if dim.HasField("dim_value") else known.setdefault(dim.dim_param, size)
                if number != size and (dim.dim_param or dim.HasField("dim_value")):
                    yield f"{point}: {info.name} has {size}, not {dim.dim_param} = {number}"


def wrong_in(seed: int) -> list[str]:
    """What is wrong with the file of this seed, at sizes beyond the ranges too where it doesn't rest on them."""
    r, case = Random(f"tighten {seed}"), generate(seed, most=12)
    model = with_more_outputs(case.model, seed)
    found = moved(model, seed) if r.random() < 0.3 else None
    model = model if found is None else found[1]
    target, trust, simplify = r.choice(TARGETS), r.random() < 0.5, r.random() < 0.4
    dims = {name: f"{lo}..{hi}" for name, (lo, hi) in case.ranges.items()}
    try:
        made = shapesmt.tighten(model, dims=dims, valid_only=True, target=target, trust_ranges=trust, simplify=simplify)
    except ModelError:  # OpenVINO doesn't read each model, nor end each size
        return []
    bound = trust or target == "openvino"
    sizes = {name: [*range(lo if bound else 0, hi + (1 if bound else 3))] for name, (lo, hi) in case.ranges.items()}
    points = [*assignments(sizes)]
    points = points if len(points) <= POINTS else r.sample(points, POINTS)
    return [*differences(model, made, points), *contradictions(made, points)]


def test_random_models_compute_the_same_and_have_the_shapes_that_are_written(
    request: pytest.FixtureRequest, full: bool
) -> None:
    first = request.config.getoption("--seed")
    for seed in range(first, first + (FULL if full else DEFAULT)):
        assert wrong_in(seed) == [], f"seed {seed}"


def test_an_input_whose_size_is_written_as_minus_one_gets_a_name() -> None:
    model = onnx.parser.parse_model(
        '<ir_version: 8, opset_import: ["":18]> g (float[1, 4] x) => (y) { a = Exp (x) y = Transpose (a) }'
    )
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_value = -1
    made = shapesmt.tighten(model)
    dims = [
        [d.dim_param or d.dim_value for d in i.type.tensor_type.shape.dim]
        for i in (*made.graph.input, *made.graph.output)
    ]
    assert dims == [["x_dim0", 4], [4, "x_dim0"]]
