"""Where nodes were written in Python: what PyTorch's exporters write, and what a hostile file may."""

from __future__ import annotations

import onnx
import pytest

import shapesmt
from shapesmt.frontends import load
from shapesmt.frontends.onnx.sources import noted_source
from shapesmt.network.graph.graph import SourceLine
from tests.support.sources import CAT, CAT_STACK, TORCH, traced, written

CONV_STACK = f'''File "/home/me/unet/model.py", line 25, in forward
    a = self.inp(image)
  File "{TORCH}/nn/modules/container.py", line 253, in forward
    input = module(input)
  File "{TORCH}/nn/modules/conv.py", line 565, in forward
    return self._conv_forward(input, self.weight, self.bias)'''
ONLY_TORCH = f'''File "{TORCH}/nn/modules/container.py", line 253, in forward
    input = module(input)'''
SCOPES = "['', 'inp', 'inp.0', 'conv2d']"
NAMESPACE = (
    ": model.UNet/inp: torch.nn.modules.container.Sequential/inp.0: torch.nn.modules.conv.Conv2d/conv2d: aten.conv2d"
)


def of(stack: str = "", **notes: str) -> SourceLine | None:
    return noted_source({"pkg.torch.onnx.stack_trace": stack, **notes})


def test_the_innermost_frame_that_is_not_pytorchs():
    line = noted_source({"pkg.torch.onnx.stack_trace": CONV_STACK, "pkg.torch.onnx.name_scopes": SCOPES})
    assert line == ("/home/me/unet/model.py", 25, "forward", "a = self.inp(image)", "inp.0", "")
    assert of(CAT_STACK) == CAT._replace(module="")


def test_carets_below_a_line_are_no_code_of_the_next():
    stack = (
        'File "a.py", line 1, in f\n    g(x)\n    ~^^^\n  File "b.py", line 2, in g\n    return x + y\n           ~~^~~'
    )
    assert of(stack) == ("b.py", 2, "g", "return x + y", "", "a.py:1")
    assert of('File "a.py", line 1, in f\n  File "b.py", line 2, in g') == ("b.py", 2, "g", "", "", "a.py:1")


def test_modules_are_in_the_scopes_or_the_namespace():
    assert of(ONLY_TORCH, **{"pkg.torch.onnx.name_scopes": SCOPES}) == ("", 0, "", "", "inp.0", "")
    assert of(namespace=NAMESPACE) == ("", 0, "", "", "inp.0", "")
    assert of(ONLY_TORCH) is None
    assert of(**{"pkg.torch.onnx.name_scopes": "['', 'cat']"}) is None  # of the model itself


def test_the_traced_stack_ends_where_the_export_begins():
    assert noted_source({}, traced("/home/me/unet/model.py(13): forward")) == (
        "/home/me/unet/model.py",
        13,
        "forward",
        "",
        "",
        "",
    )
    assert noted_source({}, traced()) is None  # the script that calls the exporter didn't write the node


@pytest.mark.parametrize(
    "folder", [r"C:\venv\Lib\site-packages\torch", "/src/pytorch/torch", "/usr/lib/dist-packages/torch"]
)
def test_pytorch_is_known_wherever_it_lies(folder):
    slash = "\\" if "\\" in folder else "/"
    mine = f'File "{slash}me{slash}torch{slash}model.py", line 3, in f\n    y = g(x)\n'
    assert of(f'{mine}  File "{slash.join([folder, "nn", "functional.py"])}", line 9, in relu\n    ...').line == 3


def test_legacy_names_are_paths_of_modules():
    names = {
        "/encoder/layer.0/attention/self/MatMul": "encoder.layer.0.attention.self",
        "/layers/layers.0/query/MatMul": "layers.0.query",
        "/Concat": None,
        "MatMul_3": None,
    }
    for name, module in names.items():
        line = noted_source({}, name=name)
        assert (line and line.module) == module


def test_only_pytorchs_names_are_paths():
    model = onnx.parser.parse_model('<ir_version: 8, opset_import: ["":18]> g (float[n] x) => (y) {[name] y = Abs(x)}')
    model.graph.node[0].name = "/a/b/Abs"
    graph = load(model)
    assert graph.source_line(0, graph.nodes[0]) is None
    model.producer_name = "pytorch"
    graph = load(model)
    assert graph.source_line(0, graph.nodes[0]).module == "a.b"


def test_nodes_are_found_by_their_outputs_whatever_the_order():
    model = written()
    model.graph.node.reverse()
    graph = load(model)
    lines = {node.op: graph.source_line(index, node) for index, node in enumerate(graph.nodes)}
    assert lines["Concat"] == CAT
    assert lines["MaxPool"].line == 12


def test_nothing_is_read_before_someone_asks():
    model = written()
    graph = load(model)
    model.graph.node[0].metadata_props[0].value = CAT_STACK.replace("line 13", "line 99")
    assert graph.source_line(0, graph.nodes[0]).line == 99


@pytest.mark.parametrize(
    "stack",
    [
        "File " * 1_000_000,
        'File "' * 100_000,
        'File "a.py", line 99999999999999999999, in f\n',
        'File "a.py", line 0, in f\n',
        f'File "{"a" * 5000}", line 1, in f\n    code',
        'File "\x1b[2J.py", line 1, in f\n    code',
        'File "<eval_with_key>.7", line 1, in f\n    code',
        "\x00\ud800",
    ],
    ids=lambda stack: repr(stack[:20]),
)
def test_hostile_stacks_tell_nothing(stack):
    assert of(stack) is None
    assert noted_source({"namespace": stack, "pkg.torch.onnx.name_scopes": stack}, stack) is None


def test_hostile_text_is_escaped_and_cut():
    line = of('File "a.py", line 1, in \x1b[2J\n    \u202e' + "x" * 5000, namespace=f"a/{'b' * 5000}\x1b: c/d")
    assert all(part.isprintable() and len(part) <= 210 for part in (line.function, line.code, line.module))


def test_names_that_are_not_text_tell_nothing():
    model = written()
    content = model.SerializeToString().replace(b"forward", b"forwar\xff")
    with_source = [f for f in shapesmt.check(content).findings if f.source is not None]
    assert not with_source
