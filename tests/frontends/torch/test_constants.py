"""Constants of programs: read from the archive where it has them as plain numbers, else left to the run."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from typing import Any

import pytest

from shapesmt.frontends import load
from shapesmt.network.graph import Literal
from tests.support.torch_programs import as_tensor, meta, program

INT64 = 5


def document() -> dict[str, Any]:
    """A program with a buffer of three integers beside its input."""
    made = program()
    graph, signature = made["graph_module"]["graph"], made["graph_module"]["signature"]
    graph["inputs"].insert(0, as_tensor("b_places"))
    graph["tensor_values"]["b_places"] = meta(3, dtype=INT64)
    spec = {"buffer": {"arg": {"name": "b_places"}, "buffer_name": "places", "persistent": True}}
    signature["input_specs"].insert(0, spec)
    return made


def archive(made: dict[str, Any], *, content: bytes | None = struct.pack("<3q", 4, 5, 6), **described: Any) -> bytes:
    """The program, with the buffer's content and its description in the archive."""
    whole = {**meta(3, dtype=INT64), "strides": [{"as_int": 1}], "storage_offset": {"as_int": 0}}
    entry = {"path_name": "weight_0", "is_param": False, "use_pickle": False, "tensor_meta": whole} | described
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as zipped:
        zipped.writestr("m/models/model.json", json.dumps(made))
        zipped.writestr("m/data/weights/model_weights_config.json", json.dumps({"config": {"places": entry}}))
        if content is not None:
            zipped.writestr("m/data/weights/weight_0", content)
    return file.getvalue()


def literal(content: bytes) -> Literal:
    return load(content).literals["b_places"]


def test_elements_are_read_when_something_depends_on_them() -> None:
    places = literal(archive(document()))
    assert (places.shape, places.values) == ((3,), None)
    assert places.read()
    assert places.values == (4, 5, 6)


@pytest.mark.parametrize(
    "changes",
    [
        {"content": None},
        {"use_pickle": True},
        {"path_name": "../../weight_0"},
        {"path_name": 7},
        {"tensor_meta": None},
        {"tensor_meta": {**meta(3, dtype=INT64), "strides": [{"as_int": 2}], "storage_offset": {"as_int": 0}}},
        {"tensor_meta": {**meta(3, dtype=INT64), "strides": [{"as_int": 1}], "storage_offset": {"as_int": -1}}},
    ],
)
def test_other_constants_are_left_to_the_run(changes: dict[str, Any]) -> None:
    places = literal(archive(document(), **changes))
    assert (places.source, places.missing) == (None, Literal.ELSEWHERE)


def test_content_of_another_length_is_not_read() -> None:
    assert not literal(archive(document(), content=b"\0" * 23)).read()
    assert not literal(archive(document(), content=b"\0" * 25)).read()


def test_a_constant_that_the_program_changes_is_left_to_the_run() -> None:
    made = document()
    made["graph_module"]["graph"]["nodes"].append(
        {
            "target": "torch.ops.aten.add_.Tensor",
            "inputs": [{"name": "self", "arg": as_tensor("b_places")}, {"name": "other", "arg": {"as_int": 1}}],
            "outputs": [as_tensor("add_")],
            "metadata": {},
        }
    )
    assert literal(archive(made)).source is None
