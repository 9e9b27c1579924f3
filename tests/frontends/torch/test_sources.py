"""Where the nodes of a program were written in Python."""

from __future__ import annotations

from shapesmt.frontends import load
from tests.support.torch_programs import archive, program

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


def test_notes_of_other_types_say_nothing() -> None:
    document = program()
    document["graph_module"]["graph"]["nodes"][0]["metadata"] = {"stack_trace": 7, "nn_module_stack": ["x"]}
    graph = load(archive(model=document))
    assert [graph.source_line(i, node) for i, node in enumerate(graph.nodes)] == [None, None]
