"""Files and objects of other tools: one line says how to get a file that is read."""

from __future__ import annotations

import io
import sys
import zipfile

import onnx
import pytest

from shapesmt.base.errors import ModelError, UsageError
from shapesmt.entrypoints.cli.main import main
from shapesmt.frontends import load
from tests.support.onnx_text import CHAIN

EXPORT = "torch.onnx.export(model, args"
FILES = {
    "net.pt": EXPORT,
    "net.pth": EXPORT,
    "NET.PTH": EXPORT,
    "net.py": "shapesmt.check(module, args=...)",
    "net.safetensors": EXPORT,
    "net.tflite": "python -m tf2onnx.convert --tflite FILE",
    "net.keras": "keras.models.load_model(FILE).export(FOLDER)",
    "net.h5": "keras.models.load_model(FILE).export(FOLDER)",
}


def archive(*names: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as made:
        for name in names:
            made.writestr(name, b"")
    return stream.getvalue()


CONTENTS = {
    archive("archive/data.pkl", "archive/version"): EXPORT,
    b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.": EXPORT,
    b"\x89HDF\r\n\x1a\n\x00\x00": "a Keras file",
    b" \x00\x00\x00TFL3\x14\x00 \x00": "a TensorFlow Lite model",
    b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2\nsize 12345\n": "a Git LFS pointer, not the model",
    b"<!DOCTYPE html>\n<html>": "a web page, not a model",
    b"\n<html lang='en'>": "a web page, not a model",
    b'\x40\x00\x00\x00\x00\x00\x00\x00{"weight":{"dtype":"F32"}}': "weights without a graph",
}


@pytest.mark.parametrize("name", FILES)
def test_a_name_tells(name, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(b"\x00" * 100)
    assert main(["check", name]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"error: {name} is ")
    assert FILES[name] in err


def test_a_file_that_is_missing_is_that_first(tmp_path):
    with pytest.raises(ModelError, match="No such file"):
        load(tmp_path / "net.pt")
    (tmp_path / "folder.pt").mkdir()
    with pytest.raises(ModelError, match="it is a folder"):
        load(tmp_path / "folder.pt")


@pytest.mark.parametrize("content", CONTENTS, ids=lambda content: repr(content[:8]))
def test_the_first_bytes_tell(content, tmp_path, monkeypatch):
    (tmp_path / "net.bin").write_bytes(content)
    with pytest.raises(ModelError) as told:
        load(tmp_path / "net.bin")
    assert str(told.value).startswith("net.bin is ")
    assert CONTENTS[content] in str(told.value)
    with pytest.raises(ModelError, match="<bytes> is "):
        load(content)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    with pytest.raises(ModelError, match="<stdin> is "):
        load("-")


def test_an_onnx_model_is_none_of_these():
    for form in ("protobuf", "textproto", "json"):
        content = onnx._get_serializer(form).serialize_proto(onnx.parser.parse_model(CHAIN))
        assert load(content if isinstance(content, bytes) else content.encode()).nodes


def classes(library: str, name: str) -> type:
    return type("UNet", (type(name, (), {"__module__": f"{library}.modules"}),), {"__module__": "mine"})


@pytest.mark.parametrize(
    ("library", "name", "advice"),
    [
        ("torch.nn", "Module", "a Module of torch, UNet, has no graph yet; give an example of its arguments: args="),
        ("torch.export", "ExportedProgram", "<ExportedProgram>: it isn't as PyTorch 2.6 to 2.15 have a program"),
        ("keras.src", "Model", "call model.export(FOLDER)"),
    ],
)
def test_an_object_of_another_library(library, name, advice):
    with pytest.raises((UsageError, ModelError)) as told:
        load(classes(library, name)())
    assert advice in str(told.value)


def test_any_other_object():
    with pytest.raises(UsageError, match=r"bytes, an onnx\.ModelProto or a Graph, not UNet"):
        load(classes("acme", "Module")())


@pytest.mark.parametrize(("name", "what"), [("a.engine", "a TensorRT engine"), ("a.ort", "ONNX Runtime's own format")])
def test_the_formats_of_runtimes_are_named(tmp_path, name, what):
    (tmp_path / name).write_bytes(b"abcd" * 9)
    with pytest.raises(ModelError, match=what):
        load(tmp_path / name)


def test_a_tensorrt_engine_is_known_by_its_first_bytes():
    with pytest.raises(ModelError, match="a TensorRT engine"):
        load(b"ptrt" + bytes(40))
