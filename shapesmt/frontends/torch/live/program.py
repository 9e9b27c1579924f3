"""Write an exported program in memory as the document that `torch.export.save` writes, without PyTorch's serializer.

The serializer takes longer, and refuses programs that can be read. Names are those of an archive: an operator's
arguments have the names of its schema, and the results of `getitem` are outputs of the operator that it reads.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from shapesmt.base.frozen import frozen
from shapesmt.frontends.torch.constants import has_few
from shapesmt.frontends.torch.live.arguments import TYPE_NUMBERS, kind_of, named_json, to_json
from shapesmt.network.graph import Literal

Json = dict[str, Any]

_SCHEMA = {"major": 8, "minor": 20}
_LIFTED = {
    "PARAMETER": ("parameter", "parameter_name"),
    "BUFFER": ("buffer", "buffer_name"),
    "CONSTANT_TENSOR": ("tensor_constant", "tensor_constant_name"),
}


def document_of(program: Any) -> Json:
    """Return the document of a `torch.export.ExportedProgram`."""
    guards = getattr(program, "_guards_code", None)  # absent before PyTorch 2.9
    call = program.module_call_graph[0].signature if program.module_call_graph else None
    return {
        "graph_module": {
            "graph": _graph(program.graph_module),
            "signature": {"input_specs": [_input(spec) for spec in program.graph_signature.input_specs]},
            "module_call_graph": [{"fqn": "", "signature": _call(call)}],
        },
        "range_constraints": {str(symbol): _range(ends) for symbol, ends in program.range_constraints.items()},
        **({} if guards is None else {"guards_code": [str(guard) for guard in guards]}),
        "schema_version": _SCHEMA,
        "torch_version": _version(),
    }


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("torch")
    except PackageNotFoundError:
        return ""


def _graph(module: Any) -> Json:
    """Return a graph, or one inside an operator such as `cond`."""
    nodes = list(module.graph.nodes)
    names = _Names(nodes)
    listed = [_node(node, module, names) for node in nodes if node.op == "call_function" and not _is_getitem(node)]
    outputs = next((node.args[0] for node in nodes if node.op == "output"), ())
    values = [pair for node in nodes if node.op != "output" for pair in names.results(node.name, node.meta.get("val"))]
    return {
        "inputs": [named_json(node.name, node.meta.get("val")) for node in nodes if node.op == "placeholder"],
        "outputs": [names.to_json(each) for each in _flat(outputs)],
        "nodes": listed,
        "tensor_values": {name: _meta(value) for name, value in values if kind_of(value) == "as_tensor"},
        "sym_int_values": {name: _size(value) for name, value in values if kind_of(value) == "as_sym_int"},
    }


def _node(node: Any, module: Any, names: _Names) -> Json:
    return {
        "name": node.name,
        "target": _target(node.target),
        "inputs": [{"name": name, "arg": _argument(value, module, names)} for name, value in _bound(node)],
        "outputs": names.outputs(node),
        "metadata": _metadata(node.meta),
    }


def _target(target: Any) -> str:
    """Return the name of an operator, or of a Python function.

    >>> import operator, math
    >>> _target(operator.mul), _target(math.trunc)
    ('_operator.mul', 'math.trunc')
    """
    module = target.__module__
    if hasattr(target, "_schema"):
        return f"torch.ops.{target}"
    if module.startswith("torch._ops") or "higher_order" in module or hasattr(target, "_ops"):
        return f"torch.ops.higher_order.{target.__name__}"
    return f"{module}.{target.__name__}"


def _bound(node: Any) -> Iterator[tuple[str, Any]]:
    """Yield a node's arguments, with their names in the operator's schema."""
    schema = getattr(node.target, "_schema", None)
    if schema is not None:
        yield from zip([argument.name for argument in schema.arguments], node.args, strict=False)
    elif _target(node.target).startswith("torch.ops."):
        yield from (("", value) for value in node.args)
    else:
        yield from zip(inspect.signature(node.target).parameters, node.args, strict=False)
    yield from node.kwargs.items()


def _argument(value: Any, module: Any, names: _Names) -> Json:
    """Return an argument, which may be a graph."""
    if getattr(value, "op", "") == "get_attr" and hasattr(inner := getattr(module, value.target, None), "graph"):
        return {"as_graph": {"name": value.target, "graph": _graph(inner)}}
    return names.to_json(value)


class _Names:
    """The names of nodes' outputs; a `getitem` node becomes an output of the node that it reads."""

    def __init__(self, nodes: Iterable[Any]) -> None:
        self._parts: dict[str, dict[int, Any]] = {}
        self._first: dict[str, Any] = {}
        for node in filter(_is_getitem, nodes):
            first = self._parts.setdefault(node.args[0].name, {}).setdefault(node.args[1], node)
            self._first[node.name] = first  # several nodes may take the same result

    def to_json(self, value: Any) -> Json:
        """Return an argument as JSON; a node with several results becomes the list of these."""
        if isinstance(value, (list, tuple)):
            return to_json([self._first_result(item) for item in value])
        results = getattr(value, "meta", {}).get("val")
        if isinstance(results, (list, tuple)):
            return {"as_tensors": [{"name": name} for name, _ in self.results(value.name, results)]}
        return to_json(self._first_result(value))

    def _first_result(self, value: Any) -> Any:
        return self._first.get(value.name, value) if hasattr(value, "meta") else value

    def outputs(self, node: Any) -> list[Json]:
        """Return a node's outputs."""
        value = node.meta.get("val")
        if not isinstance(value, (list, tuple)):
            return [] if value is None else [named_json(node.name, value)]
        results = [named_json(name, part) for name, part in self.results(node.name, value)]
        if isinstance(value, list):
            return [{"as_tensors": [part["as_tensor"] for part in results]}]
        return results

    def results(self, name: str, value: Any) -> Iterator[tuple[str, Any]]:
        """Yield the names of a node's results, with lists flattened, and their values in the trace."""
        if not isinstance(value, (list, tuple)):
            yield name, value
            return
        parts = self._parts.get(name, {})
        for index, part in enumerate(value):
            yield from self.results(parts[index].name if index in parts else f"{name}_unused_{index}", part)


def _is_getitem(node: Any) -> bool:
    return node.op == "call_function" and _target(node.target) == "_operator.getitem"


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _flat(item)
    else:
        yield value


def _meta(value: Any) -> Json:
    """Return the element type and sizes of a tensor in the trace."""
    dtype = TYPE_NUMBERS.get(str(value.dtype).removeprefix("torch."), 0)
    meta: Json = {"dtype": dtype, "sizes": [_size(size) for size in value.shape]}
    if str(getattr(value, "layout", "")) == "torch.strided":
        meta["strides"] = [_size(step) for step in value.stride()]
    return meta


def _size(size: Any) -> Json:
    """Return a size: a number, or Sympy's text."""
    expression = getattr(getattr(size, "node", None), "expr", None)
    if expression is None:
        return {"as_int": int(size)}
    if expression.is_Integer:
        return {"as_int": int(expression)}
    return {"as_expr": {"expr_str": _text(expression)}}


def _text(expression: Any) -> str:
    import sympy

    return str(sympy.srepr(expression))


def _range(ends: Any) -> Json:
    low, high = (int(end) if end.is_Integer else None for end in (ends.lower, ends.upper))
    return {"min_val": low, "max_val": high}


def _metadata(meta: Mapping[str, Any]) -> dict[str, str]:
    """Return the Python source of a node as an archive states it."""
    stack = (f"{key},{path},{kind}" for key, (path, kind) in (meta.get("nn_module_stack") or {}).items())
    kept = {"stack_trace": meta.get("stack_trace") or "", "nn_module_stack": ";".join(stack)}
    return {name: text for name, text in kept.items() if text}


def _input(spec: Any) -> Json:
    """Return an input of the graph: one given by the caller, or one that belongs to the program."""
    kind, argument = spec.kind.name, spec.arg
    if kind in _LIFTED:
        word, field = _LIFTED[kind]
        return {word: {"arg": {"name": argument.name}, field: spec.target}}
    if kind != "USER_INPUT":
        return {kind.lower(): {"arg": {"name": argument.name}}}
    sort = type(argument).__name__.removesuffix("Argument")
    if sort == "Constant":
        return {"constant_input": {"name": argument.name, "value": to_json(argument.value)}}
    form = {"Tensor": {"as_tensor": {"name": argument.name}}, "SymInt": {"as_sym_int": {"as_name": argument.name}}}
    return {"user_input": {"arg": form.get(sort) or {f"as_sym_{sort[3:].lower()}": {"as_name": argument.name}}}}


def _call(signature: Any) -> Json | None:
    """Return the nesting of the module's arguments."""
    if signature is None:
        return None
    spec = json.dumps([1, _tree(signature.in_spec)])
    return {"in_spec": spec, "forward_arg_names": list(signature.forward_arg_names or ())}


def _tree(spec: Any) -> Json:
    if spec.is_leaf():
        return {"type": None, "context": None, "children_spec": []}
    named = spec.type.__qualname__ == "namedtuple"  # PyTorch keeps the class as the context
    context = f".{spec.context.__name__}" if named else json.dumps(spec.context, default=str)
    kind = f"{spec.type.__module__}.{spec.type.__qualname__}"
    return {"type": kind, "context": context, "children_spec": [_tree(child) for child in _children(spec)]}


def _children(spec: Any) -> list[Any]:
    return list(spec.children() if callable(getattr(spec, "children", None)) else spec.children_specs)


_KINDS = ("bool", "int", "uint", "float")


@frozen(eq=False)
class Held:
    """The parameters, buffers and constants of a `torch.export.ExportedProgram`."""

    program: Any

    def literal(self, name: str, dtype: str, shape: tuple[int, ...]) -> Literal:
        """Return a tensor of the program by its path in the module."""
        if not has_few(dtype, shape) or not dtype.startswith(_KINDS):
            return Literal(dtype, shape, missing=Literal.ELSEWHERE)
        return Literal(dtype, shape, None, partial(self.elements, name, shape), Literal.ELSEWHERE)

    def elements(self, name: str, shape: tuple[int, ...]) -> tuple[int | float, ...] | None:
        """Return the elements of a constant; None if the program doesn't have them."""
        tensor = self.program.constants.get(name)
        tensor = self.program.state_dict.get(name) if tensor is None else tensor
        if tensor is None or tuple(tensor.shape) != shape:
            return None
        return tuple(tensor.detach().cpu().flatten().tolist())
