"""Archives: both layouts, several programs, and files that are damaged or meant to do harm."""

from __future__ import annotations

import io
import json
import zipfile
from copy import deepcopy
from random import Random
from typing import Any

import pytest

import shapesmt
from shapesmt.base.errors import InternalError, ModelError, ShapesmtError
from shapesmt.frontends import load
from tests.support.torch_programs import archive, as_tensor, node, old_archive, program


def zipped(entries: dict[str, str], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as writer:
        for name, content in entries.items():
            writer.writestr(name, content)
    return file.getvalue()


def deep(levels: int) -> dict[str, Any]:
    """A program whose input has a size that is nested so deep."""
    document, text = program(), "Symbol('s0', positive=True, integer=True)"
    for _ in range(levels):
        text = f"Add({text}, Integer(1))"
    document["graph_module"]["graph"]["tensor_values"]["x"]["sizes"][0] = {"as_expr": {"expr_str": text}}
    return document


def test_the_layout_before_pytorch_2_8_is_read() -> None:
    document = program(schema_version={"major": 8, "minor": 2})
    del document["guards_code"]
    for each in document["graph_module"]["graph"]["nodes"]:
        del each["name"]
    old = old_archive(document)
    new, graph = load(archive(model=program())), load(old)
    assert [n[:5] for n in graph.nodes] == [n[:5] for n in new.nodes]
    assert graph.inputs == new.inputs


def test_nodes_without_names_are_called_as_pytorch_calls_them() -> None:
    document = program()
    graph = document["graph_module"]["graph"]
    pair = {"as_tensors": [{"name": "getitem"}, {"name": "getitem_1"}]}
    one = {"inputs": [{"name": "self", "arg": as_tensor("x")}], "metadata": {}}
    graph["nodes"] = [
        {"target": "torch.ops.aten.split.Tensor", "outputs": [pair], **one},
        {"target": "torch.ops.aten.max.dim", "outputs": [as_tensor("getitem_2"), as_tensor("getitem_3")], **one},
        {"target": "torch.ops.aten.min.dim", "outputs": [as_tensor("a"), as_tensor("min_7_unused_1")], **one},
        {"target": "torch.ops.aten._assert_scalar.default", "outputs": [], **one},
        {"target": "torch.ops.aten._assert_scalar.default", "outputs": [], **one},
        {"target": "torch.ops.aten.relu.default", "outputs": [as_tensor("relu_4")], **one},
    ]
    graph["outputs"] = []
    names = ["split", "max_1", "min_7", "_assert_scalar_default", "_assert_scalar_default_1", "relu_4", "_guards_fn"]
    assert [node.name for node in load(archive(model=document)).nodes] == names


@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        ({"a/data/aotinductor/model/a.so": "", "a/archive_format": "pt2"}, "an AOTInductor package"),
        ({"word/document.xml": ""}, "not of torch.export.save"),
        ({"a/models/m.json": "{}", "b/models/m.json": "{}"}, "two programs in it have one name"),
        ({"m/models/m.json": "[" * 100_000}, "no JSON, or damaged"),
        ({"m/models/m.json": "[]"}, "not what torch.export writes"),
        ({"m/models/m.json": "{}"}, "schema 0"),
        ({"m/models/m.json": " " * (1 << 27) + "{}"}, "more than 128 MiB"),
    ],
)
def test_other_archives_are_refused_in_one_line(entries: dict[str, str], reason: str) -> None:
    with pytest.raises(ModelError, match=reason) as raised:
        load(zipped(entries))
    assert "\n" not in str(raised.value)


def test_an_archive_of_too_many_entries_is_not_listed() -> None:
    many = zipped({f"{i:0200}": "" for i in range(80_000)}, zipfile.ZIP_STORED)
    with pytest.raises(ModelError, match="more entries than PyTorch writes"):
        load(many)


def test_a_program_of_too_many_nodes_is_refused() -> None:
    document = program()
    relu = node("torch.ops.aten.relu.default", "r", self=as_tensor("x"))
    document["graph_module"]["graph"]["nodes"] = [relu] * 100_001
    with pytest.raises(ModelError, match="at most 100,000 are read"):
        load(archive(model=document))


def test_names_with_line_breaks_are_refused_in_one_line() -> None:
    document = program()
    document["graph_module"]["graph"]["nodes"][0]["inputs"][0]["arg"] = as_tensor("x\ny")
    with pytest.raises(ModelError, match=r"it reads 'x\\ny', which nothing makes") as raised:
        load(archive(model=document))
    assert "\n" not in str(raised.value)


def test_formulas_that_are_too_deep_are_left_open() -> None:
    assert load(archive(model=deep(5000))).inputs["x"].shape == (None, 3)
    graph = load(archive(model=program(guards_code=["(" * 5000 + "1" + ")" * 5000, "9**9**9 == L['x'].size()[0]"])))
    unread = graph.nodes[-1].attributes["unread"]
    assert isinstance(unread, tuple)
    assert len(unread) == 2


@pytest.mark.parametrize("end", [10, 100, 400])
def test_a_part_of_an_archive_is_refused(end: int) -> None:
    with pytest.raises(ModelError):
        load(archive(model=program())[:end])


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_archive_of_damaged_parts_is_refused(method: int) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as zipped:
        zipped.writestr("m/models/model.json", json.dumps(program()))
    damaged = bytearray(content.getvalue())
    damaged[60:200] = bytes(140)
    with pytest.raises(ModelError, match="a zip file that can't be read"):
        load(bytes(damaged))


VALUES: list[Any] = [None, True, -1, 1 << 70, 1e400, "", "x", "\ud800", [], {}, [None], {"as_int": 3}, {"as_foo": 1}]
VALUES += [{"as_name": "x"}, {"as_tensor": {"name": "x"}}, {"as_graph": {"name": "g", "graph": {}}}, "Mul(" * 99]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of everything inside a document."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in inner for place in places(item, (*path, key)))]


def test_programs_with_wrong_values_anywhere_are_refused_or_checked(seeds: range) -> None:
    refused: list[str] = []
    for seed in seeds:
        random, document = Random(seed), program()
        for _ in range(random.choice([1, 1, 2, 5])):
            *path, last = random.choice(places(document)[1:])
            holder = document
            for key in path:
                holder = holder[key]
            holder[last] = deepcopy(random.choice(VALUES))
        try:
            str(shapesmt.check(archive(model=document), timeout=5))
        except InternalError:
            raise
        except ShapesmtError as error:
            refused.append(str(error))
    assert not [text for text in refused if "\n" in text]


@pytest.mark.parametrize("kind", [[], {}, 5, True])
def test_an_argument_of_a_type_that_is_no_name(kind: Any) -> None:
    document = program()
    called = document["graph_module"]["module_call_graph"][0]["signature"]
    spec = json.loads(called["in_spec"])
    tensor = spec[1]["children_spec"][0]["children_spec"][0]
    spec[1]["children_spec"][0]["children_spec"] = [{"type": kind, "context": "null", "children_spec": [tensor]}]
    called["in_spec"] = json.dumps(spec)
    assert shapesmt.check(archive(model=document)).verdict is shapesmt.check(archive(model=program())).verdict
