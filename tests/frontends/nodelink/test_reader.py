"""Node-link documents: what is written is read back, by networkx too, and what is wrong is named."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given, settings, strategies as st

import shapesmt
from shapesmt.base.errors import ModelError
from shapesmt.entrypoints.cli.main import main
from shapesmt.frontends import load
from shapesmt.frontends.nodelink.reader import read
from shapesmt.network.declarations.ranges import Origin, Range
from shapesmt.network.graph.dataflow import document, networkx_graph
from shapesmt.network.graph.graph import Graph
from tests.support.schemas import validator, violations

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*/*.onnx"))
NESTED = b"""<ir_version: 8, opset_import: ["": 18, "local": 1]>
g (bool c, float[n, 3] x, seq(float[n]) s) => (float[m] z, float[q] w, float[r] v) <int64[2] shape = {-1, 3}> {
    y = Reshape (x, shape)
    [branch] z = If (c) <then_branch = t () => (float[k] a) { a = local.soft <axis = 1> (y) },
                         else_branch = e () => (float[k] b) { b = Elu <alpha = 1.5> (x) }>
    w = Clip (x, , y)
    [half] v, rest = Split <num_outputs = 2> (w)
}
<domain: "local", opset_import: ["" : 18]> soft <axis, kind: int = 1> (a) => (b) {
    b = Softmax <axis: int = @axis> (a)
}"""
SMALL = {
    "directed": True,
    "multigraph": True,
    "graph": {
        "schema": "shapesmt/graph/1",
        "name": "small",
        "opsets": {"ai.onnx": 21},
        "outputs": ["z"],
        "ranges": {"batch": "1..32"},
        "declared": {"z": {"dtype": "float32", "shape": ["batch", None]}},
    },
    "nodes": [
        {"id": "x", "kind": "input", "dtype": "float32", "shape": ["batch", "1..8", 4]},
        {"id": "two", "kind": "constant", "dtype": "int64", "shape": [2], "values": [0, -1]},
        {"id": "flat", "op": "Reshape"},
        {"id": "z", "kind": "operator", "op": "Concat", "attributes": {"axis": 1}},
    ],
    "edges": [
        {"source": "x", "target": "flat", "input": 0},
        {"source": "two", "target": "flat", "input": 1},
        {"source": "flat", "target": "z", "input": 0, "tensor": "flat"},
        {"source": "flat", "target": "z", "input": 1, "output": 0},
    ],
}


def contents(graph: Graph) -> object:
    """All that a graph says, nested graphs and functions included."""
    nodes = [
        (n.op, n.domain, n.name, [*n.inputs], [*n.outputs], sorted((k, repr_of(v)) for k, v in n.attributes.items()))
        for n in graph.nodes
    ]
    functions = {
        key: ([*f.inputs], [*f.outputs], [*f.attributes], repr_of(f.defaults), len(f.nodes), {**f.opsets})
        for key, f in graph.functions.items()
    }
    literals = {name: repr(literal) for name, literal in graph.literals.items()}
    return (
        [*graph.inputs.items()], [*graph.outputs], nodes, literals, {**graph.declared},
        {**graph.opsets}, functions, {**graph.ranges},
    )  # fmt: skip


def repr_of(value: object) -> str:
    return repr(contents(value)) if isinstance(value, Graph) else repr(value)


def told(report: object) -> object:
    return without_places(report.to_dict())  # type: ignore[attr-defined]


def without_places(answer: object) -> object:
    """The answer without the file's name, the time, and the lines of Python, which ONNX files alone note."""
    if isinstance(answer, dict):
        kept = {key: value for key, value in answer.items() if key not in ("model", "seconds", "source")}
        return {key: without_places(value) for key, value in kept.items()}
    return [without_places(item) for item in answer] if isinstance(answer, list) else answer


@pytest.mark.parametrize("model", [*EXAMPLES, NESTED], ids=lambda m: m.stem if isinstance(m, Path) else "nested")
def test_there_and_back(model, tmp_path):
    graph = load(model)
    shapesmt.save_graph(graph, tmp_path / "graph.json")
    again = shapesmt.load_graph(tmp_path / "graph.json")
    assert contents(again) == contents(graph)
    assert not violations(json.loads((tmp_path / "graph.json").read_text()), "graph")
    assert told(shapesmt.check(again)) == told(shapesmt.check(graph))
    assert told(shapesmt.bounds(again)) == told(shapesmt.bounds(graph))


@pytest.mark.parametrize("model", [*EXAMPLES, NESTED], ids=lambda m: m.stem if isinstance(m, Path) else "nested")
def test_networkx_reads_and_writes_it(model):
    graph = load(model)
    held = nx.node_link_graph(json.loads(json.dumps(document(graph))), edges="edges")
    assert nx.utils.graphs_equal(held, networkx_graph(graph))
    written = json.dumps(nx.node_link_data(networkx_graph(graph), edges="edges"))
    assert contents(load(written.encode())) == contents(graph)
    assert contents(load(networkx_graph(graph))) == contents(graph)


def test_a_document_by_hand():
    graph = read(SMALL, "small.json")
    assert graph.inputs["x"].shape == ("batch", "x_dim1", 4)
    assert graph.ranges == {"x_dim1": Range(1, 8, 1), "batch": Range(1, 32, 1)}
    assert graph.ranges["x_dim1"].origin == Origin("input x")
    report = shapesmt.check(json.dumps(SMALL).encode())
    assert {name: (r.max, r.source) for name, r in report.symbols.items()} == {
        "batch": (32, "model"),
        "x_dim1": (8, "input x"),
    }
    assert [d.max for d in shapesmt.bounds(graph).tensors["z"].shape] == [32, 64]


def test_older_networkx_calls_edges_links():
    links = {("links" if key == "edges" else key): value for key, value in SMALL.items()}
    assert contents(read(links, "m")) == contents(read(SMALL, "m"))


def test_integers_where_an_operator_wants_numbers():
    made = changed(SMALL, ["nodes", 2], {"id": "flat", "op": "Elu", "attributes": {"alpha": 2}})
    made["edges"] = [edge for edge in made["edges"] if edge["source"] != "two"]
    node = read(made, "m").nodes[0]
    assert isinstance(node.attributes["alpha"], float)


def test_the_command_line_takes_it(tmp_path, capsys):
    (tmp_path / "graph.json").write_text(json.dumps(SMALL))
    assert main(["check", str(tmp_path / "graph.json")]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("PROVED graph.json")
    assert "from input x: x_dim1 in 1..8" in printed
    assert main(["ops", str(tmp_path / "graph.json")]) == 0
    assert main(["tighten", str(tmp_path / "graph.json"), "-o", str(tmp_path / "graph.onnx")]) == 2
    assert "graph.json: node-link JSON has no ONNX model in it" in capsys.readouterr().err


def changed(value, path, to):
    """A copy with something else at a path; None takes it away."""
    made = deepcopy(value)
    *steps, last = path
    inner = made
    for step in steps:
        inner = inner[step]
    if to is None:
        del inner[last]
    else:
        inner[last] = to
    return made


@pytest.mark.parametrize(
    ("path", "to", "message"),
    [
        (["nodes", 3, "attributes", "axis"], "one", 'nodes[3].attributes.axis: an integer, not "one"'),
        (["nodes", 3, "attributes", "axis"], True, "nodes[3].attributes.axis: an integer, a number, a text, a list"),
        (["nodes", 3, "attributes", "axis"], 2**63, "nodes[3].attributes.axis: an integer of 64 bits, not 9223"),
        (["nodes", 3, "attributes", "a b"], [1, "x"], 'nodes[3].attributes["a b"]: a list of values of one type'),
        (["nodes", 3, "attributes", "r"], {"reference": "q"}, "nodes[3].attributes.r: a reference to a function's"),
        (["nodes", 3, "attributes", "g"], {"nodes": []}, "nodes[3].attributes.g.graph: is missing"),
        (["nodes", 3, "op"], None, "nodes[3].op: is missing"),
        (["nodes", 3, "kind"], "relu", 'nodes[3].kind: "operator", "input", "constant", not "relu"'),
        (["nodes", 3, "kind"], "captured", 'nodes[3].kind: "operator", "input", "constant", not "captured"'),
        (["nodes", 2, "id"], "x", 'nodes[2].id: another node has the id "x"'),
        (["nodes", 2, "id"], None, "nodes[2].id: is missing"),
        (["nodes", 0, "dtype"], "float", 'nodes[0].dtype: an element type such as float32, not "float"'),
        (["nodes", 0, "shape"], [-1], "nodes[0].shape: range '-1' has -1; sizes are 0 or more"),
        (["nodes", 0, "shape"], [1.5], 'nodes[0].shape[0]: a size, null, "name" or "1..8", not 1.5'),
        (["nodes", 0, "shape"], ["8..1"], "nodes[0].shape: range '8..1' is empty: 8 > 1"),
        (["nodes", 1, "values"], [1], "nodes[1].values: as many values as the shape has elements, 2, not 1"),
        (["nodes", 1, "values", 1], 0.5, "nodes[1].values[1]: an element of type int64, not 0.5"),
        (["nodes", 1, "shape", 0], -2, "nodes[1].shape[0]: a size, 0 or more, not -2"),
        (["edges", 0, "source"], "q", 'edges[0].source: no node has the id "q"'),
        (["edges", 0, "target"], "x", 'edges[0].target: node "x" is no operator'),
        (["edges", 0, "input"], None, "edges[0].input: is missing"),
        (["edges", 1, "input"], 0, 'edges[1].input: two edges lead to input 0 of node "flat"'),
        (["edges", 1, "input"], 10**12, "edges[1].input: the number of an input, from 0, not 1000000000000"),
        (["edges", 3, "output"], 1, 'edges[3].output: node "flat" has no output 1'),
        (["edges", 2, "tensor"], "q", 'edges[2].tensor: that output is "flat", not "q"'),
        (["edges"], {}, "edges: a list, not an object"),
        (["graph"], None, "graph: is missing"),
        (["graph", "schema"], None, "graph.schema: is missing"),
        (["graph", "schema"], "shapesmt/graph/9", 'graph.schema: this version reads "shapesmt/graph/1"'),
        (["graph", "opsets"], {}, 'graph.opsets: names no version of "ai.onnx", to which Reshape belongs'),
        (["graph", "opsets"], {"ai.onnx": 0}, 'graph.opsets["ai.onnx"]: an opset from 1 on, not 0'),
        (["graph", "outputs"], ["q"], "nothing makes its output 'q'"),
        (["graph", "outputs", 0], 3, "graph.outputs[0]: a name, not 3"),
        (["graph", "ranges", "batch"], "many", "graph.ranges.batch: 'many' is not a range"),
        (["graph", "declared", "z"], [], "graph.declared.z: an object, not a list"),
        (["graph", "functions"], [{"name": "f", "body": {}}], "graph.functions[0].body.graph: is missing"),
        (["directed"], False, "directed: true, for edges point from a tensor's maker to its reader"),
    ],
)
def test_what_is_wrong_is_named(path, to, message, tmp_path, capsys):
    content = json.dumps(changed(SMALL, path, to))
    with pytest.raises(ModelError) as caught:
        load(content.encode())
    assert str(caught.value).startswith(f"<bytes>: {message}")
    (tmp_path / "g.json").write_text(content)
    assert main(["check", str(tmp_path / "g.json")]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"nodes": [1, 2', "not JSON, or damaged"),
        (b'{"nodes": ' + b"[" * 100_000, "nested too deep"),
        (b'{"nodes": [], "x": ' + b"9" * 5000 + b"}", "<bytes>: "),
    ],
)
def test_damaged_text_is_one_line(content, message):
    with pytest.raises(ModelError, match=message) as caught:
        load(content)
    assert str(caught.value).isprintable()


def test_the_schema_refuses_broken_documents() -> None:
    """Without a key that is needed, or with a wrong type: each is refused by the reader as well."""
    fits = validator("graph").is_valid
    for base, paths in BASES:
        assert fits(base)
        read = [path for path in paths if not {"attributes", "opsets"} <= {*path}]  # subgraphs have the model's opsets
        refused = [made for path in read for to in (None, [[[None]]]) if not fits(made := changed(base, path, to))]
        assert len(refused) > len(paths)
        assert all(isinstance(outcome(made), str) for made in refused)


def test_deep_nesting_is_refused():
    inner = plain = changed(SMALL, ["nodes", 0, "shape"], "[batch,4]")
    for _ in range(60):
        inner = changed(plain, ["nodes", 3, "attributes", "body"], inner)
    with pytest.raises(ModelError, match="nested"):
        load(json.dumps(inner).encode())


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["x", "z", "1..8"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def places(value, path=()):
    """The path of everything in a document."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


WHOLE = json.loads(json.dumps(document(load(NESTED))))
BASES = [(base, sorted(places(base), key=str)) for base in (SMALL, WHOLE)]


@settings(max_examples=400)
@given(st.data())
def test_mutated_documents_are_graphs_or_one_line(data):
    base, paths = data.draw(st.sampled_from(BASES))
    made = deepcopy(base)
    for _ in range(data.draw(st.integers(1, 3))):
        *steps, last = data.draw(st.sampled_from(paths))
        inner = made
        try:
            for step in steps:
                inner = inner[step]
            inner[last] = data.draw(JUNK)
        except (KeyError, IndexError, TypeError):
            continue
    found = outcome(made)
    if isinstance(found, str):
        assert found.isprintable()
        assert len(found) < 800
    else:
        assert contents(read(document(found), "m.json")) == contents(found)
        assert not violations(document(found), "graph")


def outcome(made):
    try:
        return read(made, "m.json")
    except ModelError as error:
        return str(error)
