"""Node-link documents: a graph, its networkx graph and its document are one model."""

import json
from pathlib import Path

import networkx as nx
import pytest

from shapesmt.frontends import load
from shapesmt.frontends.formats import is_flow
from shapesmt.network.graph import document, document_of, networkx_graph

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*/*.onnx"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_networkx_reads_the_document_as_the_same_graph(path):
    graph = load(path)
    written = json.loads(json.dumps(document(graph)))
    read = nx.node_link_graph(written, edges="edges")
    assert is_flow(read)
    assert not is_flow(written)
    assert document_of(read)["nodes"] == document_of(networkx_graph(graph))["nodes"]
    assert document(load(read)) == document(graph)


def test_edges_are_tensors_on_their_way_to_a_reader():
    text = '<ir_version: 8, opset_import: ["":18]> g (float[n] x) => (float[n] z) { y = Exp(x) z = Add(y, y) }'
    edges = networkx_graph(load(text.encode())).edges(data=True)
    assert sorted((u, v, data["tensor"], data["input"]) for u, v, data in edges) == [
        ("Exp_0", "Add_1", "y", 0),
        ("Exp_0", "Add_1", "y", 1),
        ("x", "Exp_0", "x", 0),
    ]
