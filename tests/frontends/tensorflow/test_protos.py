"""The formats of TensorFlow's files, and the signatures of its saved models."""

from __future__ import annotations

import sys

import pytest

from shapesmt.base.errors import ModelError
from shapesmt.entrypoints.cli.main import main
from shapesmt.frontends import load
from shapesmt.network.graph.literal import Declared

pytest.importorskip("tensorboard", reason="tensorboard (extra `tensorflow`) isn't installed")

from tests.support.graph_text import ONE, X, binary, const, graph, node, saved, shape


@pytest.mark.parametrize("text", [ONE, binary(ONE), b"# a comment\n" + ONE], ids=["text", "binary", "comment"])
def test_both_formats(text):
    found = load(text)
    assert found.inputs == {"x": Declared("float32", (None, 3))}
    assert [(n.op, n.domain, n.name, n.inputs, n.outputs) for n in found.nodes] == [
        ("Relu", "tensorflow", "y", ["x"], ["y"])
    ]
    assert found.outputs == ("y",)


SIGNED = ("serving_default", {"image": "x:0"}, {"a": "y:0", "b": "y:0", "same": "x:0"})


@pytest.mark.parametrize("name", ["saved_model.pb", "saved_model.pbtxt"])
def test_signatures(tmp_path, name):
    unasked = graph(X, node("y", "Relu", "x"), node("other", "Unheard", "x"))
    folder = saved(tmp_path / "model", unasked, SIGNED, ("other", {"x": "x:0"}, {"y": "y:0"}), name=name)
    for path in (folder, folder / name, f"{folder}/"):
        found = load(path)
        assert list(found.inputs) == ["image"]
        assert found.outputs == ("a", "b", "same")
        assert [n.op for n in found.nodes] == ["Relu", "Identity", "Identity", "Identity"]
    assert load(folder).source == "model"
    crossed = load(saved(tmp_path / "crossed", ONE, ("s", {"y": "x"}, {"y": "y", "y_1": "x"}), name=name))
    assert (tuple(crossed.inputs), crossed.outputs) == (("y",), ("y_1", "y_1_1"))
    only = ("only", {"q": "x"}, {"y": "y", "x": "x"})
    found = load(saved(tmp_path / "only", ONE, ("__saved_model_init_op", {}, {}), only, name=name))
    assert (tuple(found.inputs), found.outputs) == (("q",), ("x", "y"))
    assert [n.name for n in found.nodes] == ["y", "x"]


def test_a_signature_behind_the_path(tmp_path, capsys):
    text = graph(X, node("y", "Relu", "x"), node("z", "Abs", "x"))
    several = saved(tmp_path / "model", text, *((name, {name: "x"}, {"o": name}) for name in "yz"))
    for path in (f"{several}#z", f"{several}/#z", f"{several / 'saved_model.pb'}#z"):
        found = load(path)
        assert ([*found.inputs], found.nodes[0].op) == (["z"], "Abs")
    assert load(f"{several}#y").source == "model#y"
    assert main(["check", f"{several}#y"]) == 0
    assert "PROVED model#y: " in capsys.readouterr().out
    with pytest.raises(ModelError, match=r"^model: it has no signature 'x'; its signatures are 'y', 'z'$"):
        load(f"{several}#x")
    with pytest.raises(ModelError, match="cannot read nowhere#y: No such file"):
        load("nowhere#y")


def test_a_default_that_the_signature_does_not_ask_for_holds(tmp_path):
    default = node("d", "PlaceholderWithDefault", "k", dtype="type: DT_INT32", shape=shape())
    text = graph(X, const("k", "DT_INT32", [], "int_val: 4"), default, node("y", "Fill", "d", "x"))
    found = load(saved(tmp_path, text, ("serving_default", {"x": "x"}, {"y": "y"})))
    assert list(found.inputs) == ["x"]
    assert found.nodes[0].inputs == ["k", "x"]


def test_folders(tmp_path, capsys):
    """A folder that TensorFlow saved is one model; any other folder may hold several."""
    folder = saved(tmp_path / "model", ONE, SIGNED)
    assert main(["check", str(folder)]) == 0
    assert capsys.readouterr().out.startswith("PROVED model: ")
    assert main(["check", str(folder), str(folder / "saved_model.pb")]) == 0
    assert "2 models: 2 proved" in capsys.readouterr().out
    assert main(["check", str(tmp_path)]) == 2
    assert "no *.onnx or *.pt2 file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("signatures", "tags", "message"),
    [
        ([], ["serve"], "its signatures are none, and none is 'serving_default'"),
        ([("a", {}, {}), ("b", {}, {})], ["serve"], "#a'"),
        ([("s", {"x": "q:0"}, {})], ["serve"], "input 'x' of its signature is 'q:0', which nothing makes"),
        ([("s", {"x": ""}, {})], ["serve"], "input 'x' of its signature is '', which nothing makes"),
        ([("s", {"x": "x:0", "z": "x:0"}, {})], ["serve"], "two inputs of its signature are one tensor"),
        ([("s", {"x": "x:0"}, {"y": "q:0"})], ["serve"], "an output reads 'q', which nothing makes"),
        ([("s", {"x": "x:0"}, {"y": "x:4"})], ["serve"], "an output reads 'x:4', which nothing makes"),
        ([("s", {}, {"y": "y:0"})], ["serve"], "its outputs need node 'x' (Placeholder), which is no input"),
    ],
)
def test_contradictory_signatures(tmp_path, signatures, tags, message):
    with pytest.raises(ModelError) as caught:
        load(saved(tmp_path, ONE, *signatures, tags=tags))
    assert message in str(caught.value)


def test_no_reader(tmp_path, capsys, monkeypatch):
    path = tmp_path / "frozen.pb"
    path.write_bytes(binary(ONE))
    monkeypatch.setitem(sys.modules, "tensorboard.compat.proto", None)
    assert main(["check", str(path)]) == 2
    error = capsys.readouterr().err
    assert error == (
        "error: frozen.pb: reading a TensorFlow model needs tensorboard, which is not installed: "
        "pip install 'shapesmt[tensorflow]'\n"
    )
