"""Formats: each model is told apart once, as a graph and as the protobuf that only ONNX models have."""

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from shapesmt import UsageError
from shapesmt.frontends import Format, load, load_protobuf, open_model
from shapesmt.frontends.formats import is_flow
from shapesmt.network.graph import document, networkx_graph
from tests.support import torch_programs

EXAMPLES = Path(__file__).parents[2] / "examples"
TEXT = b'<ir_version: 8, opset_import: ["":18]> g (float[n] x) => (float[n] y) { y = Exp(x) }'
IR = b"""<?xml version="1.0"?><net name="g" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="1,?" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>1</dim><dim>-1</dim></port></output></layer>
<layer id="1" name="y" type="Result" version="opset1"><input><port id="0"/></input></layer></layers>
<edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/></edges></net>"""
PBTXT = b"""node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "y" op: "Relu" input: "x" }"""
NODE_LINK = json.dumps(document(load(TEXT))).encode()

MODELS = {
    Format.ONNX: TEXT,
    Format.GRAPH: load(TEXT),
    Format.NETWORKX: networkx_graph(load(TEXT)),
    Format.NODE_LINK: NODE_LINK,
    Format.OPENVINO: IR,
    Format.TENSORFLOW: PBTXT,
    Format.TORCH: torch_programs.archive(model=torch_programs.program()),
}


FILES = [kind for kind in Format if kind is not Format.PROGRAM]  # PyTorch's objects: tests/frontends/torch/live


@pytest.mark.parametrize("kind", FILES, ids=lambda f: f.name)
def test_every_format_is_opened_as_what_it_is_and_read_as_a_graph(kind):
    model = open_model(MODELS[kind])
    assert model.format is kind
    assert open_model(model) is model
    assert load(model).inputs.keys() == {"x"}


@pytest.mark.parametrize("kind", [f for f in FILES if f is not Format.ONNX], ids=lambda f: f.name)
def test_only_onnx_models_have_a_protobuf(kind):
    with pytest.raises(UsageError, match="ONNX"):
        load_protobuf(MODELS[kind])


def test_an_opened_model_is_not_read_again():
    model = open_model(EXAMPLES / "unet" / "unet.onnx")
    proto, graph = load_protobuf(model)
    assert proto is model.content
    assert graph.source == model.source == "unet.onnx"


def test_a_library_that_another_thread_is_importing_has_made_no_model(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", ModuleType("networkx"))
    assert not is_flow(b"")
