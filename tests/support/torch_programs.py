"""Programs of `torch.export` as its archives have them, written by hand."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

FLOAT = 7


def symbol(name: str) -> dict[str, Any]:
    return {"as_expr": {"expr_str": f"Symbol('{name}', positive=True, integer=True)", "hint": {"as_int": 4}}}


def meta(*sizes: int | str, dtype: int = FLOAT) -> dict[str, Any]:
    listed = [{"as_int": size} if isinstance(size, int) else symbol(size) for size in sizes]
    return {"dtype": dtype, "sizes": listed, "strides": [], "layout": 7}


def node(target: str, output: str, **arguments: Any) -> dict[str, Any]:
    inputs = [{"name": name, "arg": argument, "kind": 1} for name, argument in arguments.items()]
    return {"target": target, "inputs": inputs, "outputs": [as_tensor(output)], "metadata": {}, "name": output}


def as_tensor(name: str) -> dict[str, Any]:
    return {"as_tensor": {"name": name}}


def program(**changes: Any) -> dict[str, Any]:
    """Return the document of `relu(x)`, where `x` has the sizes s0 and 3 and PyTorch requires that s0 is at most 8."""
    tree = {"type": None, "context": None, "children_spec": []}
    arguments = {"type": "builtins.tuple", "context": "null", "children_spec": [tree]}
    keywords = {"type": "builtins.dict", "context": "[]", "children_spec": []}
    spec = json.dumps([1, {"type": "builtins.tuple", "context": "null", "children_spec": [arguments, keywords]}])
    graph = {
        "inputs": [as_tensor("x")],
        "outputs": [as_tensor("relu")],
        "nodes": [node("torch.ops.aten.relu.default", "relu", self=as_tensor("x"))],
        "tensor_values": {"x": meta("s0", 3), "relu": meta("s0", 3)},
        "sym_int_values": {},
        "sym_bool_values": {},
    }
    called = {"in_spec": spec, "out_spec": "", "inputs": [], "outputs": [], "forward_arg_names": ["x"]}
    module = {
        "graph": graph,
        "signature": {
            "input_specs": [{"user_input": {"arg": as_tensor("x")}}],
            "output_specs": [{"user_output": {"arg": as_tensor("relu")}}],
        },
        "module_call_graph": [{"fqn": "", "signature": called}],
    }
    document = {
        "graph_module": module,
        "opset_version": {"aten": 10},
        "range_constraints": {"s0": {"min_val": 2, "max_val": 8}},
        "schema_version": {"major": 8, "minor": 20},
        "torch_version": "2.13.0",
        "guards_code": ["L['x'].size()[0] <= 8"],
    }
    return document | changes


def archive(**entries: Any) -> bytes:
    """Return an archive in today's layout with these programs."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as zipped:
        zipped.writestr("m/archive_format", "pt2")
        for name, document in entries.items():
            zipped.writestr(f"m/models/{name}.json", json.dumps(document))
    return file.getvalue()


def old_archive(document: dict[str, Any]) -> bytes:
    """Return an archive in the layout up to PyTorch 2.7."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as zipped:
        zipped.writestr("version", "8.2")
        zipped.writestr("serialized_exported_program.json", json.dumps(document))
    return file.getvalue()
