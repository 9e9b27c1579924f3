"""TensorFlow's graphs on the command line, and damaged ones."""

from __future__ import annotations

import itertools
from random import Random

import pytest

import shapesmt
from shapesmt.base.errors import ModelError, ShapesmtError, UsageError
from shapesmt.entrypoints.cli.main import main
from shapesmt.frontends import load

pytest.importorskip("tensorboard", reason="tensorboard (extra `tensorflow`) isn't installed")

from tests.support.graph_text import ONE, TWICE, X, binary, call, const, function, graph, node, placeholder, saved


def test_every_verb(tmp_path, capsys):
    path = tmp_path / "model.pbtxt"
    path.write_bytes(ONE)
    for verb, *rest in (["check"], ["bounds"], ["explain"], ["explain", "y"], ["ops"], ["encode"]):
        assert main([verb, str(path), *rest]) == 0, verb
    assert "tensorflow.Relu" in capsys.readouterr().out


def test_only_onnx_is_written_or_run(tmp_path, capsys):
    path = tmp_path / "frozen.pb"
    path.write_bytes(binary(ONE))
    expected = "error: frozen.pb: a TensorFlow model; only an ONNX model can be written or run\n"
    for verb, *rest in (["tighten", "-o", str(tmp_path / "out.onnx")], ["check", "--replay"], ["repro"]):
        assert main([verb, str(path), *rest]) == 2
        assert capsys.readouterr().err == expected
    with pytest.raises(UsageError):
        shapesmt.tighten(ONE)


def calling(function_name, *functions):
    return graph(X, call("f", function_name, "x"), functions=functions)


HUGE = 2**62


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"node {", "not a TensorFlow graph, or a damaged one"),
        (b"node { nome: 3 }", "not a TensorFlow graph, or a damaged one"),
        (binary(ONE)[:-30], "not a TensorFlow graph, or a damaged one"),
        (b"\x08\x01\x12\x7f\n", "not a TensorFlow saved model, or a damaged one"),
        (b"saved_model_schema_version: 1", "a saved model with no graph"),
        (
            b"meta_graphs { signature_def { key: 's' value { inputs { key: 'x' value { coo_sparse { } } } } } }",
            "input 'x' of its signature is not a plain tensor",
        ),
        (b"meta_graphs { meta_info_def { tags: 'a' } } meta_graphs { }", "2 graphs to choose from"),
        (graph(X, node("y", "Relu", "z")), "node 'y' (Relu) reads 'z', which nothing makes"),
        (graph(X, node("y", "Relu", "x:1")), "node 'y' (Relu) reads 'x:1', which nothing makes"),
        (graph(X, node("y", "Relu", "x:1:2:3")), "reads 'x:1:2:3', which is no tensor's name"),
        (graph(X, node("y", "Relu", "x"), node("y", "Neg", "x")), "two nodes are called 'y'"),
        (graph(X, node("y:1", "Relu", "x")), "'y:1' can't be the name of a node"),
        (graph(X, node("y", "", "x")), "or it has no operator"),
        (graph(X, node("y", "Neg", "z"), node("z", "Neg", "y")), "its nodes form a cycle through node 'y' (Neg)"),
        (graph(X, node("y", "AddV2", "x")), "node 'y' (AddV2) has 1 input, not 2"),
        (graph(X, node("s", "Switch"), node("y", "Exit", "s")), "node 's' (Switch) has 0 inputs, not 2"),
        (graph(X, node("y", "Merge", "x", "y", N="i: 2")), "its nodes form a cycle through node 'y' (Merge)"),
        (graph(X, node("y", "Pack", N="i: 0")), "node 'y' (Pack) has 0 inputs, not 1"),
        (graph(X, node("y", "Pack", "x", "x", N="i: 3")), "node 'y' (Pack) has 2 inputs, not 3"),
        (graph(X, node("y", "Split", "x", "x", num_split=f"i: {HUGE}")), f"has {HUGE} outputs"),
        (graph(X, node("y", "Split", "x", "x", num_split="i: -1"), node("z", "Neg", "y")), "has -1 outputs"),
        (graph(const("k", "DT_INT32", [-1], ""), node("y", "Neg", "k")), "is a constant without a whole shape"),
        (graph(const("k", "DT_INT32", [1], "int_val: [1, 2]"), node("y", "Neg", "k")), "of 1 elements with 2 listed"),
        (
            graph(const("k", "DT_INT32", [2], 'tensor_content: "abc"'), node("y", "Neg", "k")),
            "2 elements with 0 listed",
        ),
        (calling("absent"), "it has no function 'absent'"),
        (calling("f", function("f", ["a"], [call("g", "f", "a")], {"o": "g:output:0"})), "function 'f' calls itself"),
        (
            calling("f", *(function(a, ["a"], [node("g", b, "a")], {"o": "g:o:0"}) for a, b in ("fg", "gf"))),
            "function 'f' calls itself, or another that does",
        ),
        (graph(X, call("f", "twice", "x", "x"), functions=[TWICE]), "'twice' takes 1 inputs, and is given 2"),
        (
            graph(X, call("f", "twice", "x", outputs=2), node("y", "Neg", "f:1"), functions=[TWICE]),
            "reads 'f:1', which nothing makes",
        ),
        (calling("f", function("f", ["a"], [], {"o": "b:y:0"})), "an output reads 'b', which nothing makes"),
        (
            calling("f", TWICE.replace("twice", "f").replace('ret { key: "o"', 'ret { key: "p"')),
            "nothing is said to be the result 'o' of function 'f'",
        ),
        (
            calling("f", function("f", ["a"], [node("t", "TopKV2", "a", "a")], {"o": "t:best:0"})),
            "in function 'f': an output reads 't:best:0', which nothing makes",
        ),
        (graph(X, node("i", "If", then_branch='func { name: "twice" }'), functions=[TWICE]), "has no condition"),
        (graph(X, node("i", "If", "x"), functions=[TWICE]), "it has no function ''"),
        (
            graph(X, node("w", "While", "x", "x", body='func { name: "twice" }'), functions=[TWICE]),
            "2 inputs, and its body takes 1",
        ),
        (
            graph(X, node("w", "While", "x", body='func { name: "f" }'), functions=[function("f", ["a"], [], {})]),
            "function 'f' takes 1 inputs and makes 0 outputs; a loop's body makes as many as it takes",
        ),
        (graph(X, node("c", "Case", "x"), functions=[TWICE]), "has no branch"),
    ],
)
def test_damaged_files(text, message, tmp_path, capsys):
    with pytest.raises(ModelError) as caught:
        load(text)
    assert message in str(caught.value)
    path = tmp_path / "model.pb"
    path.write_bytes(text)
    assert main(["check", str(path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_calls_that_grow_without_end_are_refused(monkeypatch):
    monkeypatch.setattr("shapesmt.frontends.tensorflow.bodies._NODES", 5_000)
    chain = [function(f"f{i}", ["a"], [node("g", f"f{i + 1}", "a")], {"o": "g:o:0"}) for i in range(150)]
    with pytest.raises(ModelError, match="nested deeper than 100"):
        load(calling("f0", *chain))
    doubling = [
        function(f"f{i}", ["a"], [node("g", f"f{i + 1}", "a"), node("h", f"f{i + 1}", "g:o:0")], {"o": "h:o:0"})
        for i in range(40)
    ]
    with pytest.raises(ModelError, match=r"more than [0-9]+ nodes once its calls are written out"):
        load(calling("f0", *doubling, function("f40", ["a"], [], {"o": "a"})))


def test_deep_nesting_and_huge_sizes():
    deep = "node { attr { value { " + "func { attr { value { " * 2000 + "} } }" * 2000 + "} } }"
    with pytest.raises(ModelError, match=r"not a TensorFlow graph|too large"):
        load(deep.encode())
    big = graph(placeholder("x", HUGE, -1), node("y", "Relu", "x"))
    assert load(big).inputs["x"].shape == (HUGE, None)
    assert load(graph(const("k", "DT_FLOAT", [HUGE, HUGE], ""), node("y", "Neg", "k"))).literals["k"].values is None
    assert shapesmt.check(big).verdict.value == "PROVED"


def answers(content, where):
    """The model is analysed, or refused in one line."""
    message = ""
    try:
        shapesmt.check(content, timeout=5)
    except ShapesmtError as error:
        message = str(error)
    assert "\n" not in message, where


def test_cut_and_mutated_files(seeds, tmp_path):
    whole = calling("outer", TWICE, function("outer", ["a"], [call("c", "twice", "a")], {"o": "c:output:0"}))
    signed = (saved(tmp_path, whole, ("serving_default", {"x": "x:0"}, {"y": "f:0"})) / "saved_model.pb").read_bytes()
    for content, seed in itertools.product((whole, binary(whole), signed), seeds):
        random = Random(seed)
        found = bytearray(content[: random.randrange(1, len(content))] if seed % 2 else content)
        for _ in range(random.randint(1, 6)):
            found[random.randrange(len(found))] = random.choice(b'<>"/=0129:^{}\x00\x08\n\x12\xffxa ')
        answers(bytes(found), f"seed {seed}")
