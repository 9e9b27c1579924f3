"""Convert arguments of nodes from PyTorch's JSON to inputs and attributes, for `shapesmt.operators.ops.torch.call`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shapesmt.base.errors import printable
from shapesmt.frontends.torch.fields import MisfitError, entries, integer, record, text, variant
from shapesmt.network.graph import AttributeValue

DTYPES = (
    *("", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex32", "complex64"),
    *("complex128", "bool", "bfloat16", *("",) * 14, "uint16", "float8e4m3fn", "float8e5m2", "float8e4m3fnuz"),
    *("float8e5m2fnuz", "float8e8m0", "uint32", "uint64"),
)
"""The package's element types, by PyTorch's numbers in an archive; likewise layouts and memory formats below."""
LAYOUTS = ("", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc", "_mkldnn", "strided")
FORMATS = ("", "contiguous_format", "channels_last", "channels_last_3d", "preserve_format")
_NUMBERED = {"as_scalar_type": DTYPES, "as_layout": LAYOUTS, "as_memory_format": FORMATS}
_SYMBOLIC = {"as_sym_int": "as_int", "as_sym_float": "as_float", "as_sym_bool": "as_bool"}
NUMBER_TYPES = {"as_sym_int": "int64", "as_sym_float": "float64", "as_sym_bool": "bool"}
_NAMED = ("as_tensor", "as_tensors", "as_optional_tensor", "as_optional_tensors")
_LISTS = ("as_ints", "as_floats", "as_bools", "as_strings")

UNREAD = "@unread"
"""The attribute that lists arguments of unsupported kinds; a node that has it isn't judged."""
NUMBERS = "@numbers"
"""The attribute that lists arguments which are symbolic numbers rather than tensors of rank 0."""


@dataclass
class Arguments:
    """A node's arguments while they are read; `names` has the graph's tensors by PyTorch's names."""

    names: Mapping[str, str]
    inputs: list[str] = field(default_factory=list)
    attributes: dict[str, AttributeValue] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    first: str = ""
    """PyTorch's name of the first tensor argument."""

    def add(self, name: str, argument: object) -> None:
        """Read one argument."""
        kind, value = variant(argument)
        if kind == "as_none":
            return
        if kind in _SYMBOLIC:
            self._symbolic(name, kind, value)
        elif kind.removesuffix("s") in _SYMBOLIC:
            self._add_mixed(name, _SYMBOLIC[kind.removesuffix("s")], entries(value))
        elif kind in _NAMED:
            places = self._places(value if kind.endswith("s") else [value])
            if kind.endswith("s") or places[0] >= 0:
                self.attributes[f"@{name}"] = places if kind.endswith("s") else places[0]
        elif (constant := constant_of(kind, value)) is not None:
            self.attributes[name] = constant
        else:
            self.unread.append(name)

    def input(self, name: str) -> int:
        """Add an input and return its index."""
        self.inputs.append(tensor_named(name, self.names))
        self.first = self.first or name
        return len(self.inputs) - 1

    def _symbolic(self, name: str, kind: str, value: object) -> None:
        inner, content = variant(value)
        if inner == "as_name":
            self.attributes[f"@{name}"] = self.input(text(content))
            self.numbers.append(name)
        elif inner == _SYMBOLIC[kind]:
            constant = constant_of(inner, content)
            assert constant is not None
            self.attributes[name] = constant

    def _add_mixed(self, name: str, constant: str, values: list[Any]) -> None:
        places, numbers = [], []
        for inner, content in map(variant, values):
            places.append(self.input(text(content)) if inner == "as_name" else -1)
            numbers.append(0 if inner == "as_name" else constant_of(constant, content))
        if any(place >= 0 for place in places):
            self.attributes[f"@{name}"] = tuple(places)
        self.attributes[name] = tuple(numbers)  # type: ignore[assignment]  # of one type

    def _places(self, values: object) -> tuple[int, ...]:
        names = [name_of(value) for value in entries(values)]
        return tuple(-1 if name is None else self.input(name) for name in names)

    def result(self) -> dict[str, AttributeValue]:
        """Return the attributes."""
        listed = {UNREAD: self.unread, NUMBERS: self.numbers}
        return {**self.attributes, **{name: tuple(names) for name, names in listed.items() if names}}


def tensor_named(name: str, names: Mapping[str, str]) -> str:
    """Return the graph's tensor to which a PyTorch name refers."""
    if name not in names:
        raise MisfitError(f"it reads '{printable(name, 60)}', which nothing makes")
    return names[name]


def name_of(value: object) -> str | None:
    """Return the name of a tensor, which may be inside `{"as_tensor": ...}`; None for an omitted tensor."""
    content = record(value)
    if "as_none" in content:
        return None
    content = record(content["as_tensor"]) if "as_tensor" in content else content
    return text(content.get("name"))


def constant_of(kind: str, value: object) -> AttributeValue | None:
    """Return a constant argument; None for an unsupported kind."""
    if kind == "as_int":
        return integer(value)
    if kind == "as_bool":
        return bool(value)
    if kind == "as_float":
        return number(value)
    if kind == "as_string":
        return text(value)
    if kind in _NUMBERED:
        place, words = integer(value), _NUMBERED[kind]
        return words[place] if 0 <= place < len(words) else ""
    if kind == "as_device":
        return text(record(value).get("type"))
    if kind == "as_complex":
        return "complex"
    if kind in _LISTS:
        items = [constant_of(kind.removesuffix("s"), item) for item in entries(value)]
        return tuple(items)  # type: ignore[return-value]  # of one type
    return None


def number(value: object) -> float:
    """Return a float, which JSON may write as a text such as "Infinity"."""
    if isinstance(value, (int, float)) or value in ("Infinity", "-Infinity", "NaN"):
        return float(value)
    raise MisfitError(f"{printable(str(value), 60)} isn't a number")


def names_of(argument: object) -> list[str]:
    """Return the names of the tensors and symbolic numbers in an argument; "" for a constant."""
    kind, value = variant(argument)
    if kind in _NAMED:
        return [name_of(item) or "" for item in (entries(value) if kind.endswith("s") else [value])]
    if kind.removesuffix("s") in _SYMBOLIC:
        kinds = map(variant, entries(value) if kind.endswith("s") else [value])
        return [text(content) if inner == "as_name" else "" for inner, content in kinds]
    return [""]


def outputs_of(outputs: object) -> list[str]:
    """Return the names of a node's outputs, with lists flattened."""
    return [name for _, name in kinds_of(outputs)]


def kinds_of(outputs: object) -> list[tuple[str, str]]:
    """Return the kind and the name of each output of a node, with lists flattened.

    >>> kinds_of([{"as_tensors": [{"name": "a"}, {"name": "b"}]}, {"as_sym_int": {"as_name": "n"}}])
    [('as_tensor', 'a'), ('as_tensor', 'b'), ('as_sym_int', 'n')]
    """
    kinds = [(variant(output)[0].removesuffix("s"), names_of(output)) for output in entries(outputs)]
    return [(kind, name) for kind, names in kinds for name in names]
