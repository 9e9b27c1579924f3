"""`python -m tests.frontends.onnx.write_tables`: writes the tables of the installed ONNX and ONNX Runtime."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from shapesmt.frontends.onnx import tables
from shapesmt.frontends.onnx.schemas import dtype_of, type_attributes
from shapesmt.network.graph import DTYPES

FOLDER = Path(tables.__file__).parent
MOST = 2**31 - 1
MARKS = {"Single": "", "Optional": "?", "Variadic": "*"}


def onnx() -> str:
    """The table of ONNX's operators, of every version."""
    from onnx import defs

    schemas = [s for s in defs.get_all_schemas_with_history() if s.domain in tables.DOMAINS]
    return text("onnx", schemas)


def microsoft() -> str:
    """The table of ONNX Runtime's operators."""
    import onnxruntime.capi.onnxruntime_pybind11_state as runtime

    every = runtime.get_all_operator_schema()
    own = [s for s in every if s.domain.startswith(tables.MICROSOFT) or (not s.domain and s.name in tables.ADDED)]
    return text("onnxruntime", own)


def text(package: str, schemas: Iterable[Any]) -> str:
    lines = sorted({(s.domain, s.name, s.since_version, line(s)) for s in schemas})
    return f"# What {package} {version(package)} says of its operators.\n" + "".join(line for *_, line in lines)


def line(schema: Any) -> str:
    inputs = [f"{i.name}{MARKS[i.option.name]}:{kind(i)}" for i in schema.inputs]
    named = {name: "=" + "/".join(DTYPES[n] for n in sorted(numbers)) for name, numbers in names_of_types(schema)}
    attributes = [
        f"{name}{'!' * a.required}:{a.type.name.lower()}{named.get(name, '')}"
        for name, a in sorted(schema.attributes.items())
    ]
    types = [
        f"{t.type_param_str}={'/'.join(sorted(map(dtype_of, t.allowed_type_strs)))}" for t in schema.type_constraints
    ]
    ends = [schema.min_input, min(schema.max_input, MOST), schema.min_output, min(schema.max_output, MOST)]
    fields = [ends, inputs, attributes, sorted(types)]
    title = f"{schema.domain}.{schema.name} {schema.since_version}"
    return " | ".join([title, *(" ".join(map(str, field)) for field in fields)]).rstrip() + "\n"


def names_of_types(schema: Any) -> Iterator[tuple[str, frozenset[int]]]:
    """The attributes that name element types; ONNX Runtime's own operators don't say which they are."""
    return iter(()) if schema.domain.startswith(tables.MICROSOFT) else type_attributes(schema)


def kind(parameter: Any) -> str:
    """What names the types of an input: what it shares with others, or its own type."""
    name = parameter.type_str if hasattr(parameter, "type_str") else parameter.typeStr
    alike = parameter.is_homogeneous if hasattr(parameter, "is_homogeneous") else parameter.isHomogeneous
    each = parameter.option.name == "Variadic" and not alike
    return (name if "(" not in name else dtype_of(name)) + "~" * each


if __name__ == "__main__":
    (FOLDER / "onnx.txt").write_text(onnx())
    (FOLDER / "microsoft.txt").write_text(microsoft())
