"""TensorFlow's graphs and saved models: what the files say is read, and damaged ones are refused."""

from __future__ import annotations

import itertools
import sys
from random import Random

import pytest

import shapesmt
from shapesmt.cli.main import main
from shapesmt.errors import ModelError, ShapesmtError, UsageError
from shapesmt.frontends import load
from shapesmt.graph.literal import Declared, Literal

pytest.importorskip("tensorboard", reason="tensorboard (an extra), which reads TensorFlow's files, isn't installed")


# Text-format graphs


def attr(key, value):
    return f'attr {{ key: "{key}" value {{ {value} }} }}'


def shape(*sizes):
    return "shape { " + " ".join(f"dim {{ size: {size} }}" for size in sizes) + " }"


def node(name, op, *inputs, **attributes):
    read = " ".join(f'input: "{i}"' for i in inputs)
    return f'node {{ name: "{name}" op: "{op}" {read} {" ".join(attr(*a) for a in attributes.items())} }}'


def placeholder(name, *sizes, dtype="DT_FLOAT", op="Placeholder"):
    return node(name, op, dtype=f"type: {dtype}", shape=shape(*sizes))


def const(name, dtype, dims, content):
    return node(
        name, "Const", dtype=f"type: {dtype}", value=f"tensor {{ dtype: {dtype} tensor_{shape(*dims)} {content} }}"
    )


def function(name, arguments, nodes, results, controls=()):
    listed = " ".join(f'input_arg {{ name: "{a}" type: DT_FLOAT }}' for a in arguments)
    made = " ".join(f'output_arg {{ name: "{r}" type: DT_FLOAT }}' for r in results)
    ret = " ".join(f'ret {{ key: "{key}" value: "{value}" }}' for key, value in results.items())
    ret += " ".join(f'control_ret {{ key: "{c}" value: "{c}" }}' for c in controls)
    body = " ".join(n.replace("node {", "node_def {", 1) for n in nodes)
    return f'function {{ signature {{ name: "{name}" {listed} {made} }} {body} {ret} }}'


def call(name, called, *inputs, outputs=1, op="PartitionedCall"):
    types = "list { " + " ".join(["type: DT_FLOAT"] * outputs) + " }"
    return node(name, op, *inputs, f=f'func {{ name: "{called}" }}', Tout=types)


def graph(*nodes, functions=(), versions="versions { producer: 2000 }"):
    library = f"library {{ {' '.join(functions)} }}" if functions else ""
    return "\n".join([*nodes, library, versions]).encode()


def binary(text):
    from google.protobuf import text_format
    from tensorboard.compat.proto import graph_pb2

    return text_format.Parse(text.decode(), graph_pb2.GraphDef()).SerializeToString(deterministic=True)


X = placeholder("x", -1, 3)
ONE = graph(X, node("y", "Relu", "x"))


# What the file says


@pytest.mark.parametrize("text", [ONE, binary(ONE), b"# a comment\n" + ONE], ids=["text", "binary", "comment"])
def test_both_formats(text):
    found = load(text)
    assert found.inputs == {"x": Declared("float32", (None, 3))}
    assert [(n.op, n.domain, n.name, n.inputs, n.outputs) for n in found.nodes] == [
        ("Relu", "tensorflow", "y", ["x"], ["y"])
    ]
    assert found.outputs == ("y",)


def test_shapes_of_inputs():
    unknown = node("b", "Placeholder", dtype="type: DT_INT64", shape="shape { unknown_rank: true }")
    unread, every = placeholder("unread"), node("all", "Unheard", "a", "b", "c", "s")
    bare = node("c", "PlaceholderWithDefault", "k", dtype="type: DT_BOOL")
    found = load(
        graph(placeholder("a", 2, -1), unknown, const("k", "DT_BOOL", [], ""), bare, placeholder("s"), unread, every)
    )
    assert found.inputs == {
        "a": Declared("float32", (2, None)),
        "b": Declared("int64", None),
        "c": Declared("bool", None),
        "s": Declared("float32", ()),
    }
    old = load(graph(placeholder("s"), node("y", "Neg", "s"), versions="versions { producer: 21 }"))
    assert old.inputs["s"].shape is None


def test_the_usual_names_of_dimensions():
    report = shapesmt.check(ONE, dims={"x_dim0": "2..3"})
    assert {n: (r.min, r.max) for n, r in report.symbols.items()} == {"x_dim0": (2, 3)}
    shaped = shapesmt.check(ONE, shapes={"x": "[1..8,3]"})
    assert [(r.min, r.max) for r in shaped.symbols.values()] == [(1, 8)]


def test_attributes():
    values = {
        "a": "i: 3", "b": "b: true", "c": 's: "SAME"', "d": "type: DT_INT32", "e": "f: 0.5", "g": shape(2, -1),
        "h": "list { i: 1 i: 2 }", "j": "list { }", "k": "list { shape { dim { size: -1 } } }",
        "l": 'func { name: "f" }',
        "m": "tensor { dtype: DT_INT32 tensor_shape { } int_val: 7 }", "n": "shape { unknown_rank: true }",
        "o": "list { type: DT_FLOAT type: DT_VARIANT }", "p": 'placeholder: "T"', "_q": "i: 1",
    }  # fmt: skip
    (read,) = load(graph(X, node("y", "Unheard", "x", **values))).nodes
    assert dict(read.attributes) == {
        "a": 3, "b": 1, "c": "SAME", "d": "int32", "e": 0.5, "g": Declared("", (2, None)), "h": (1, 2), "j": (),
        "k": (Declared("", (None,)),), "m": Literal("int32", (), (7,)), "n": Declared("", None), "o": ("float32", ""),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("dtype", "dims", "content", "expected"),
    [
        ("DT_INT32", [2], "int_val: 4 int_val: 5", ("int32", (4, 5))),
        ("DT_INT32", [3], "int_val: 4", ("int32", (4, 4, 4))),
        ("DT_INT32", [2], "", ("int32", (0, 0))),
        ("DT_INT64", [], 'tensor_content: "\\376\\377\\377\\377\\377\\377\\377\\377"', ("int64", (-2,))),
        ("DT_FLOAT", [1], "float_val: 0.5", ("float32", (0.5,))),
        ("DT_DOUBLE", [1], "double_val: inf", ("float64", (float("inf"),))),
        ("DT_HALF", [1], "half_val: 15360", ("float16", (1.0,))),
        ("DT_HALF", [1], 'tensor_content: "\\000\\074"', ("float16", (1.0,))),
        ("DT_BFLOAT16", [1], "half_val: 16320", ("bfloat16", (1.5,))),
        ("DT_UINT8", [1], 'tensor_content: "\\377"', ("uint8", (255,))),
        ("DT_BOOL", [1], "bool_val: true", ("bool", (True,))),
        ("DT_STRING", [2], 'string_val: "a\\377"', ("string", ("a\ufffd", "a\ufffd"))),
        ("DT_FLOAT", [0, 3], "", ("float32", ())),
        ("DT_FLOAT", [64, 64], "", ("float32", None)),
        ("DT_RESOURCE", [], "", ("", None)),
    ],
)
def test_constants(dtype, dims, content, expected):
    found = load(graph(const("k", dtype, dims, content), node("y", "Relu", "k"))).literals["k"]
    assert (found.dtype, found.values) == expected
    assert found.shape == tuple(dims)


def test_outputs_are_what_no_node_reads():
    text = graph(
        X,
        node("used", "Relu", "x"),
        node("k", "TopKV2", "used", "two"),
        const("two", "DT_INT32", [], "int_val: 2"),
        node("parts", "Split", "zero", "x", num_split="i: 3"),
        const("zero", "DT_INT32", [], ""),
        const("idle", "DT_INT32", [], ""),
        node("after", "NoOp", "^unread"),
        node("unread", "Relu", "x"),
    )
    found = load(text)
    assert found.outputs == ("k", "k:1", "parts", "parts:1", "parts:2")
    assert "unread" not in [n.name for n in found.nodes]
    assert [n.name for n in found.nodes] == ["used", "k", "parts"]


def test_nodes_may_stand_in_any_order():
    found = load(graph(node("z", "Neg", "y:0", "^x"), node("y", "Relu", "x"), X))
    assert [n.name for n in found.nodes] == ["y", "z"]


def test_what_the_file_claims_of_a_tensor_is_compared():
    claimed = graph(X, node("y", "Relu", "x", _output_shapes=f"list {{ {shape(-1, 4)} }}"))
    assert load(claimed).declared == {"y": Declared("", (None, 4))}
    assert [w.kind for w in shapesmt.check(claimed).warnings] == ["declaration"]
    assert not shapesmt.check(claimed, declared="ignore").warnings


def test_variables():
    text = graph(
        X,
        node("w", "VarHandleOp", dtype="type: DT_FLOAT", shape=shape(3, 5)),
        node("read", "ReadVariableOp", "w"),
        node("v", "VariableV2", dtype="type: DT_FLOAT", shape=shape(5)),
        node("open", "VarHandleOp", dtype="type: DT_FLOAT", shape="shape { unknown_rank: true }"),
        node("y", "MatMul", "x", "read"),
        node("z", "BiasAdd", "y", "v"),
        node("t", "ResourceGather", "open", "x"),
    )
    found = load(text)
    assert {name: (t.dtype, t.shape, t.unread) for name, t in found.literals.items()} == {
        "w": ("float32", (3, 5), "it is a variable"),
        "v": ("float32", (5,), "it is a variable"),
    }
    assert [(n.op, n.inputs) for n in found.nodes] == [
        ("VarHandleOp", []),
        ("MatMul", ["x", "w"]),
        ("BiasAdd", ["y", "v"]),
        ("ResourceGather", ["open", "x"]),
    ]


# Functions


TWICE = function("twice", ["a"], [node("r", "Relu", "a"), node("n", "Neg", "r:activations:0")], {"o": "n:y:0"})


def test_functions_are_written_out():
    nested = function("outer", ["a"], [call("c", "twice", "a"), call("d", "twice", "c:output:0")], {"o": "d:output:0"})
    found = load(graph(X, call("f", "outer", "x"), node("g", "outer", "f"), functions=[TWICE, nested]))
    assert [(n.op, n.name, n.inputs) for n in found.nodes] == [
        ("Relu", "r", ["x"]),
        ("Neg", "n", ["r"]),
        ("Relu", "d/r", ["n"]),
        ("Neg", "d/n", ["d/r"]),
        ("Relu", "g/c/r", ["d/n"]),
        ("Neg", "g/c/n", ["g/c/r"]),
        ("Relu", "g/d/r", ["g/c/n"]),
        ("Neg", "g/d/n", ["g/d/r"]),
    ]
    assert found.outputs == ("g/d/n",)


def test_named_outputs():
    nodes = [
        node("two", "Const", value="tensor { dtype: DT_INT32 tensor_shape { } int_val: 2 }", dtype="type: DT_INT32"),
        node("k", "TopKV2", "a", "two:output:0"),
        node("u", "Unheard", "a"),
        node("j", "Join", "k:indices:0", "u:second:1", "u:first:0"),
    ]
    made = {"o": "k:values:0", "p": "j:z:0", "q": "a"}
    found = load(graph(X, call("f", "top", "x", outputs=3), functions=[function("top", ["a"], nodes, made)]))
    assert found.outputs == ("k", "j", "x")
    assert found.nodes[-1].inputs == ["k:1", "u:1", "u:2"]


def test_attributes_from_the_caller():
    inner = function("typed", ["a"], [node("c", "Cast", "a", DstT='placeholder: "T"')], {"o": "c:y:0"})
    found = load(graph(X, node("f", "typed", "x", T="type: DT_INT32"), functions=[inner]))
    assert found.nodes[0].attributes["DstT"] == "int32"


def test_asserts_are_kept_and_other_effects_are_not():
    nodes = [
        node("ok", "LogicalNot", "a"),
        node("check", "Assert", "ok:y:0", "a"),
        node("write", "AssignVariableOp", "a", "a"),
        node("all", "NoOp", "^check", "^write"),
        node("r", "Relu", "a", "^all"),
    ]
    found = load(graph(X, call("f", "safe", "x"), functions=[function("safe", ["a"], nodes, {"o": "r:y:0"})]))
    assert [(n.op, n.outputs) for n in found.nodes] == [("LogicalNot", ["ok"]), ("Assert", []), ("Relu", ["r"])]


def test_branches():
    sides = [function(name, ["a"], [node("n", op, "a")], {"o": "n:y:0"}) for name, op in (("t", "Relu"), ("e", "Neg"))]
    attributes = {"then_branch": 'func { name: "t" }', "else_branch": 'func { name: "e" }'}
    nodes = [placeholder("c", dtype="DT_BOOL"), X, node("i", "StatelessIf", "c", "x", **attributes)]
    (made,) = load(graph(*nodes, functions=sides)).nodes
    assert (made.op, made.domain, made.inputs, made.outputs) == ("If", "", ["c"], ["i"])
    assert [graph.nodes[0].op for graph in made.attributes.graphs] == ["Neg", "Relu"]
    assert made.attributes.captures == ("x",)
    cases = node("i", "Case", "c", "x", branches='list { func { name: "t" } func { name: "e" } func { name: "t" } }')
    first, second = load(graph(placeholder("c", dtype="DT_INT32"), X, cases, functions=sides)).nodes
    assert (first.op, second.op, second.outputs) == ("Equal", "If", ["i.0"])
    assert [n.op for n in second.attributes["else_branch"].nodes] == ["Equal", "If"]


def test_loops():
    test = function("test", ["i", "a", "w"], [node("less", "Less", "i", "i")], {"o": "less:z:0"})
    step = [node("more", "AddV2", "i", "i"), node("times", "MatMul", "a", "w"), node("same", "Identity", "w")]
    made = {"p": "more:z:0", "q": "times:product:0", "r": "same:output:0"}
    attributes = {"cond": 'func { name: "test" }', "body": 'func { name: "step" }', "T": "list { type: [1, 1, 1] }"}
    loop = node("w", "While", "n", "x", "k", **attributes)
    functions = [test, function("step", ["i", "a", "w"], step, made)]
    nodes = [placeholder("n", dtype="DT_INT32"), X, placeholder("k", 3, 3), loop]
    found = load(graph(*nodes, functions=functions))
    assert [n.op for n in found.nodes] == ["Less", "Loop"]
    assert found.nodes[1].inputs == ["", "less", "n", "x"]
    assert found.nodes[1].outputs == ["w", "w:1"]
    assert found.outputs == ("w", "w:1", "k")
    assert found.nodes[1].attributes.captures == ("k",)


def test_switches_that_make_no_branch_or_loop_are_not_judged():
    text = graph(
        X,
        node("in", "Enter", "x"),
        node("m", "Merge", "in", "back"),
        node("more", "Relu", "m"),
        node("back", "NextIteration", "more"),
    )
    assert [n.inputs for n in load(text).nodes if n.op == "NextIteration"] == [[]]
    assert shapesmt.check(text).verdict.value == "UNKNOWN"


# The command line


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


def saved(folder, text, *signatures, tags=("serve",), name="saved_model.pb"):
    """A saved model of a graph, with signatures of the names of inputs and outputs; its folder."""
    from google.protobuf import text_format

    from shapesmt.frontends.tensorflow.protos import _saved_model

    message = _saved_model()(saved_model_schema_version=1)
    meta = message.meta_graphs.add()
    meta.meta_info_def.tags.extend(tags)
    text_format.Parse(text.decode(), meta.graph_def)
    for key, inputs, outputs in signatures:
        for said, given in ((meta.signature_def[key].inputs, inputs), (meta.signature_def[key].outputs, outputs)):
            for called, tensor in given.items():
                said[called].name = tensor
                said[called].tensor_shape.unknown_rank = True
    folder.mkdir(exist_ok=True)
    content = text_format.MessageToString(message).encode() if name.endswith("txt") else message.SerializeToString()
    (folder / name).write_bytes(content)
    return folder


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
    """One that TensorFlow saved is a model; any other may hold several."""
    folder = saved(tmp_path / "model", ONE, SIGNED)
    assert main(["check", str(folder)]) == 0
    assert capsys.readouterr().out.startswith("PROVED model: ")
    assert main(["check", str(folder), str(folder / "saved_model.pb")]) == 0
    assert "2 models: 2 proved" in capsys.readouterr().out
    assert main(["check", str(tmp_path)]) == 2
    assert "no *.onnx file" in capsys.readouterr().err


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


# Damage


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
