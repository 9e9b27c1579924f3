"""A model may come in any of the forms that tools use: files, bytes, standard input."""

import io
import os
import sys

import onnx
import pytest
from onnx import parser

from shapesmt.base.errors import ModelError, UsageError
from shapesmt.frontends import load, load_protobuf
from tests.support.onnx_text import CHAIN


class TestDoors:
    """A model may come in any of the forms that ONNX tools use."""

    @pytest.mark.parametrize("form", ["protobuf", "onnxtxt", "textproto", "json"])
    def test_formats_are_told_apart_by_content(self, form, tmp_path):
        path = tmp_path / "model.bin"
        onnx.save(parser.parse_model(CHAIN), path, format=form)
        graph = load(path)
        assert [node.op for node in graph.nodes] == ["Relu", "Add"]
        assert graph.source == "model.bin"

    def test_text_may_begin_with_comments(self):
        assert len(load(b"# one\n\n  # two\n" + CHAIN.encode()).nodes) == 2

    def test_protobufs_bytes_and_graphs(self):
        model = parser.parse_model(CHAIN)
        graph = load(model)
        assert graph.source == "<model>"
        assert load(graph) is graph
        for content in (bytes, bytearray, memoryview):
            assert [*load(content(model.SerializeToString())).nodes] == [*graph.nodes]

    def test_the_protobuf_of_each(self, tmp_path):
        model = parser.parse_model(CHAIN)
        onnx.save(model, tmp_path / "m.onnx")
        assert load_protobuf(model)[0] is model
        assert load_protobuf(tmp_path / "m.onnx")[0] == load_protobuf(model.SerializeToString())[0] == model
        assert load_protobuf(tmp_path / "m.onnx")[1].source == "m.onnx"
        with pytest.raises(UsageError, match="a graph has no ONNX file to write into"):
            load_protobuf(load(model))

    def test_standard_input(self, monkeypatch):
        content = io.BytesIO(parser.parse_model(CHAIN).SerializeToString())
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(content))
        assert load("-").source == "<stdin>"

    def test_anything_else_is_a_mistake(self):
        with pytest.raises(UsageError, match=r"a model is a path, bytes, an onnx\.ModelProto or a Graph, not int"):
            load(42)

    def test_a_folder_a_missing_file_and_a_device(self, tmp_path):
        with pytest.raises(ModelError, match=r"cannot read .*absent\.onnx: No such file"):
            load(tmp_path / "absent.onnx")
        with pytest.raises(ModelError, match="it is a folder, not a file"):
            load(tmp_path)
        with pytest.raises(ModelError, match=r"cannot read a\\x00null\.onnx: (stat: )?embedded null "):
            load("a\0null.onnx")
        with pytest.raises(ModelError, match="cannot read"):
            load(os.devnull)
