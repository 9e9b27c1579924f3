"""Where the nodes of a program were written in Python."""

from __future__ import annotations

import shapesmt
from shapesmt.frontends import load
from shapesmt.reports.render.notices import notices_of
from tests.support.torch_programs import archive, as_tensor, meta, node, program

STACK = """File "/home/me/models.py", line 105, in forward
    return self.up(x)
  File "/home/me/.venv/lib/python3.11/site-packages/timm/layers/pool.py", line 54, in forward
    x = x + skip
  File "/home/me/.venv/lib/python3.11/site-packages/torch/nn/modules/module.py", line 9, in _call_impl
    return forward_call(*args)"""
MODULES = "L__self__,,models.Net;L__self___up,up,timm.Pool"


def test_a_node_has_a_line_a_module_and_a_caller() -> None:
    document = program()
    document["graph_module"]["graph"]["nodes"][0]["metadata"] = {"stack_trace": STACK, "nn_module_stack": MODULES}
    graph = load(archive(model=document))
    assert graph.source_line(0, graph.nodes[0]) == (
        *("/home/me/.venv/lib/python3.11/site-packages/timm/layers/pool.py", 54, "forward", "x = x + skip"),
        *("up", "/home/me/models.py:105"),
    )
    assert graph.source_line(1, graph.nodes[1]) == ("/home/me/models.py", 105, "forward", "", "", "")


def test_a_declared_shape_that_is_wrong_cites_the_line_of_its_node() -> None:
    document = program()
    graph = document["graph_module"]["graph"]
    graph["nodes"][0]["metadata"] = {"stack_trace": STACK}
    graph["tensor_values"]["relu"] = meta("s0", 4)
    report = shapesmt.check(archive(model=document), dims={"x_dim0": "1..8"})
    (finding,), (warning,) = report.findings, report.warnings
    assert (finding.code, finding.node) == ("SM902", "relu")
    assert finding.source is not None
    assert (finding.source.line, finding.source.code) == (54, "x = x + skip")
    assert finding.to_dict()["source"] == warning.to_dict()["source"]
    assert str(report).count("at timm/layers/pool.py:54 in forward: x = x + skip") == 1
    assert [notice.source for notice in notices_of(report)] == [finding.source]


def test_a_node_inside_another_keeps_its_notes_to_itself() -> None:
    document = program()
    graph = document["graph_module"]["graph"]
    inner = node("torch.ops.aten.relu.default", "relu", self=as_tensor("x"))
    inner["metadata"] = {"stack_trace": STACK.replace("105", "7")}
    body = {"inputs": [as_tensor("x")], "outputs": [as_tensor("relu")], "nodes": [inner]}
    wrapped = {"as_graph": {"name": "g", "graph": body}}
    positional = [{"name": "", "arg": arg} for arg in ({"as_bool": False}, wrapped, as_tensor("x"))]
    outer = node("torch.ops.higher_order.wrap_with_set_grad_enabled", "first") | {"inputs": positional}
    graph["nodes"][0]["metadata"] = {"stack_trace": STACK}
    graph["nodes"].insert(0, outer)
    read = load(archive(model=document))
    lines = {n.outputs[0]: read.source_line(i, n) for i, n in enumerate(read.nodes[:-1])}
    callers = {name: line.caller for name, line in lines.items() if line is not None}
    assert callers == {"relu:1": "/home/me/models.py:7", "relu": "/home/me/models.py:105"}


def test_a_model_of_pytorchs_own_has_its_lines() -> None:
    document = program()
    stack = STACK.replace("/home/me/models.py", "torch/nn/a.py").replace("timm", "torch")
    document["graph_module"]["graph"]["nodes"][0]["metadata"] = {"stack_trace": stack}
    graph = load(archive(model=document))
    line = graph.source_line(0, graph.nodes[0])
    assert line is not None
    assert line.file.endswith("torch/nn/modules/module.py")
    assert (line.line, line.code, line.caller) == (9, "return forward_call(*args)", "")


def test_notes_of_other_types_say_nothing() -> None:
    document = program()
    document["graph_module"]["graph"]["nodes"][0]["metadata"] = {"stack_trace": 7, "nn_module_stack": ["x"]}
    graph = load(archive(model=document))
    assert [graph.source_line(i, node) for i, node in enumerate(graph.nodes)] == [None, None]


def test_guards_are_placed_in_the_users_code() -> None:
    document = program()
    before = node("torch.ops.aten.relu.default", "first", self=as_tensor("x"))
    before["metadata"] = {"stack_trace": 'File "torch/fx/passes/runtime_assert.py", line 24, in insert'}
    document["graph_module"]["graph"]["nodes"][0]["metadata"] = {"stack_trace": STACK}
    document["graph_module"]["graph"]["nodes"].insert(0, before)
    graph = load(archive(model=document))
    assert graph.source_line(2, graph.nodes[2]) == ("/home/me/models.py", 105, "forward", "", "", "")
