"""Chains: the steps of a finding are nodes of the model, and the edges between them its tensors."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import pytest

from shapesmt.analysis.verify import Question
from shapesmt.entrypoints.api import Opened
from shapesmt.frontends import ModelSource, load
from shapesmt.network.graph.dataflow import networkx_graph
from shapesmt.reports.answers.page import Link, Size, Step

EXAMPLES = Path(__file__).parents[4] / "examples"
MODELS = sorted(path.relative_to(EXAMPLES).as_posix() for path in EXAMPLES.glob("*/*.onnx"))


def test_the_chain_of_the_example() -> None:
    page = Opened(
        ModelSource(EXAMPLES / "unet/unet.onnx"), Question({"height": "64..512", "width": "64..512"})
    ).page_data()
    told = page.cause_graphs[3]
    assert told.steps == (
        Step("image"),
        Step("/down1/MaxPool", "MaxPool", "kernel 2, stride 2"),
        Step("/up1/Resize", "Resize", "scales 1,1,2,2"),
        Step("/up1/Concat", "Concat", failing=True),
    )
    batch, height, width = Size("batch", 1), Size("height", 64), Size("width", 65)
    traced, clash = Size("width", 65, "traced"), Size("width", 65, "clash")
    links = {(link.source, link.target): link for link in told.links}
    assert links[0, 1] == Link(0, 1, "down1", (batch, Size("4", 4), height, traced), 2)
    assert links[0, 3] == Link(0, 3, "down1", (batch, Size("4", 4), height, clash), 2)
    assert links[2, 3].tensor == "up1.double"
    assert links[2, 3].sizes is not None
    assert links[2, 3].sizes[3] == Size("2*(width//2)", 64, "clash")
    assert width not in links[2, 3].sizes
    assert len(links) == len(told.links) == 4


@pytest.mark.parametrize("model", MODELS)
def test_every_edge_is_a_way_through_the_model(model: str) -> None:
    graph = load(EXAMPLES / model)
    flow = networkx_graph(graph)
    places = {data.get("name", key): key for key, data in flow.nodes(data=True) if data["kind"] == "operator"}
    nodes = {node.name: node for node in graph.nodes}
    page = Opened(ModelSource(EXAMPLES / model), Question()).page_data()
    assert (page.report.verdict == "DEPENDS") == bool(page.cause_graphs)
    for told in page.cause_graphs.values():
        assert [step.failing for step in told.steps] == [False] * (len(told.steps) - 1) + [True]
        assert {link.source for link in told.links} == {*range(len(told.steps) - 1)}
        for link in told.links:
            source, target = told.steps[link.source], told.steps[link.target].name
            assert link.tensor in nodes[target].reads
            if source.op_type:
                assert nx.shortest_path_length(flow, places[source.name], places[target]) <= link.between + 1
            else:
                assert nx.has_path(flow, source.name, places[target])


def test_sizes_that_data_decide_have_a_number_where_it_fails() -> None:
    model = b"""<ir_version: 8, opset_import: ["":18]> g (float[n] x, float[m] y) => (float[k, l] z) <int64[1] s = {-1}>
        { i = NonZero(x) f = Reshape(i, s) u = Cast<to=1>(f) z = Add(u, y) }"""
    told = Opened(ModelSource(model), Question()).page_data().cause_graphs[0]
    assert [step.name for step in told.steps] == ["y", "NonZero_0", "Add_3"]
    assert [link.sizes for link in told.links] == [(Size("`i.count`", 0, "clash"),), (Size("m", 2, "clash"),)]
