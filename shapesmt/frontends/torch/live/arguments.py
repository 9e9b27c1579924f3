"""Write arguments of `torch.fx` nodes as the JSON that PyTorch's archives have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shapesmt.frontends.torch.arguments import DTYPES, FORMATS, LAYOUTS

_OWN_NAMES = {name: name.replace("float8", "float8_") for name in DTYPES} | {"float8e8m0": "float8_e8m0fnu"}
TYPE_NUMBERS = {_OWN_NAMES[name]: number for number, name in enumerate(DTYPES) if name}
"""The number of each element type in an archive, by PyTorch's name."""
_SYMBOLIC = {"SymInt": "as_sym_int", "SymFloat": "as_sym_float", "SymBool": "as_sym_bool"}
_CONSTANTS = {bool: "as_bool", int: "as_int", float: "as_float", str: "as_string"}
_NUMBERS = {bool: "as_sym_bool", int: "as_sym_int", float: "as_sym_float"}
_NOTHING = {"as_none": True}

Json = dict[str, Any]


def to_json(argument: Any) -> Json:
    """Return an argument as JSON; without a counterpart, it is of the kind "as_unknown"."""
    if argument is None:
        return _NOTHING
    if type(argument).__name__ == "Node" and hasattr(argument, "meta"):
        return named_json(argument.name, argument.meta.get("val"))
    if type(argument) in _CONSTANTS:
        return {_CONSTANTS[type(argument)]: argument}
    if isinstance(argument, (list, tuple)):
        return _list_json(argument)
    return _of_torch(argument)


def named_json(name: str, value: object) -> Json:
    """Return a tensor or a symbolic number by its name; `value` is its value in the trace."""
    if value is None:
        return _NOTHING
    kind = kind_of(value)
    if kind == "as_tensor":
        return {kind: {"name": name}}
    return {kind: {"as_name": name}} if kind else {"as_unknown": name}


def kind_of(value: object) -> str:
    """Return the kind of a node's value in a trace: "as_tensor", "as_sym_int", ...; "" for other values."""
    kind = _SYMBOLIC.get(type(value).__name__) or _NUMBERS.get(type(value), "")
    return kind or ("as_tensor" if hasattr(value, "dtype") and hasattr(value, "shape") else "")


def _of_torch(argument: object) -> Json:
    """Return an operator, an element type, a device, a layout or a memory format."""
    text = str(argument).removeprefix("torch.")
    kind = type(argument).__name__
    if kind == "OpOverload":
        return {"as_operator": f"torch.ops.{argument}"}
    if kind == "dtype":
        return {"as_scalar_type": TYPE_NUMBERS.get(text, 0)}
    if kind == "device":
        return {"as_device": {"type": text.partition(":")[0], "index": None}}
    if kind == "layout":
        return {"as_layout": _place(text, LAYOUTS)}
    if kind == "memory_format":
        return {"as_memory_format": _place(text, FORMATS)}
    return {"as_complex": {}} if isinstance(argument, complex) else {"as_unknown": kind}


def _place(text: str, names: Sequence[str]) -> int:
    return names.index(text) if text in names else 0


def _name(part: Json) -> str:
    (content,) = part.values()
    return str(content.get("name") or content["as_name"])


def _list_json(items: Sequence[object]) -> Json:
    """Return a list: of tensors, with None or symbolic numbers among them, or of numbers, symbolic ones included."""
    parts = [to_json(item) for item in items]
    kinds = {kind for part in parts for kind in part}
    if not kinds:
        return {"as_ints": []}
    if "as_tensor" in kinds and kinds <= {"as_tensor", *_SYMBOLIC.values()}:  # operands of a graph, among them numbers
        return {"as_tensors": [{"name": _name(part)} for part in parts]}
    if kinds <= {"as_tensor", "as_none"}:
        return {"as_optional_tensors": parts}
    if len(kinds) == 1 and kinds <= {"as_int", "as_float", "as_bool", "as_string"}:
        (kind,) = kinds
        return {f"{kind}s": [part[kind] for part in parts]}
    for kind in _SYMBOLIC.values():
        if kinds <= {kind, constant := kind.replace("sym_", "")}:
            return {f"{kind}s": [part.get(kind) or {constant: part[constant]} for part in parts]}
    return {"as_unknown": "list"}
