"""JSON schemas of what `--format json` prints and of the lines of files of results, made of the answers themselves.

The types of an answer's fields give the schema, its docstrings the descriptions. Graphs, which are read as well, have
a schema in a file.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from enum import Enum
from functools import cache
from importlib import resources
from itertools import pairwise
from textwrap import dedent
from types import UnionType
from typing import Any, TypeAlias, Union, get_args, get_origin, get_type_hints

from shapesmt.base.errors import UsageError, one_frame
from shapesmt.network.declarations import did_you_mean, quote
from shapesmt.prover.regions import Conjunct
from shapesmt.reports import answers
from shapesmt.reports.answers import Data

Json: TypeAlias = dict[str, Any]

SCHEMAS: Mapping[str, Any] = {
    "check": answers.Report,
    "checks": answers.BatchJson,
    "line": answers.ReportLine | answers.UncheckedLine,
    "unchecked": answers.UncheckedLine,
    "explain": answers.Explanation,
    "error": answers.ErrorOrigin,
    "code": answers.ErrorCode,
    "bounds": answers.Bounds,
    "repair": answers.Repairs,
    "memory": answers.Memory,
    "tighten": answers.TightenedJson,
    "simplify": answers.Simplified,
    "profile": answers.ProfileJson,
    "dynamic-shapes": answers.DynamicShapes,
    "repro": answers.Script,
    "encode": answers.Encoded,
    "ops": answers.Operators,
    "inspect": answers.ModelFacts,
}
"""What is printed, by the names of the schemas."""
GRAPH = "graph"
_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null", Conjunct: "string"}
_ENTRIES = "\nAttributes:\n"
_ENTRY = re.compile(r"^ {4}(\w+(?:, \w+)*): (.*(?:\n {8}.*)*)", re.MULTILINE)
_WORDS = {"None": "null", "True": "true", "False": "false"}


@one_frame
def schema(name: str) -> Json:
    """Return the JSON schema (draft 2020-12) of a form of JSON: "check" for `shapesmt check --format json`.

    It describes every key that is printed, and allows others, as a newer version may print more. A key that isn't
    required is absent instead of its `default`; without one, instead of null.

    Raises:
        UsageError: There is no schema of this name.

    >>> schema("encode")["required"]
    ['schema', 'model', 'smt2']
    >>> schema("bounds")["$defs"]["DimBounds"]["properties"]["max"]
    {'type': ['integer', 'null']}
    """
    if name == GRAPH:
        return _graph()
    if name not in SCHEMAS:
        raise UsageError(f"no schema {quote(name)}{did_you_mean(name, [*SCHEMAS, GRAPH])}")
    kinds = _members(SCHEMAS[name])
    inner: dict[str, Json] = {}
    whole = {"anyOf": [_object(kind, inner) for kind in kinds]} if kinds[1:] else _object(kinds[0], inner)
    return {"$schema": _DRAFT, "title": f"shapesmt {name}", **whole, "$defs": dict(sorted(inner.items()))}


def schema_titles() -> dict[str, str]:
    """Return the names of the schemas, each with the first sentence about what it describes."""
    texts = {name: _opening(_members(kind)[0]) for name, kind in SCHEMAS.items()} | {GRAPH: _graph()["description"]}
    return {name: text.partition(". ")[0].rstrip(".") for name, text in texts.items()}


def _graph() -> Json:
    """Return the schema of node-link JSON."""
    file = resources.files("shapesmt.reports.render") / "graph.schema.json"
    whole: Json = json.loads(file.read_text("utf-8"))
    return whole


def _object(kind: Any, inner: dict[str, Json]) -> Json:
    """Return the schema of an object, and put those of the objects in it into `inner`."""
    told, hints = _descriptions(kind), get_type_hints(kind)
    properties: dict[str, Json] = {"schema": {"const": kind.schema}} if kind.schema else {}
    required = [*properties]
    for item in fields(kind):
        omitted = item.metadata.get("omit", ())
        if omitted is None:
            continue
        key, kinds = item.metadata.get("key", item.name), _members(hints[item.name])
        absent = [value for value in omitted if type(value) in map(_made, kinds)]
        required += [] if absent else [key]
        shown = [one for one in kinds if None not in absent or one is not type(None)]
        properties[key] = _values(shown, inner)
        if item.name in told:
            properties[key]["description"] = told[item.name]
        if absent and None not in absent:
            properties[key]["default"] = [] if absent[0] == () else absent[0]
    return {"type": "object", "description": told[""], "properties": properties, "required": required}


def _values(kinds: Sequence[Any], inner: dict[str, Json]) -> Json:
    """Return the schema of values of any of these types."""
    parts = [_value(kind, inner) for kind in kinds if kind is not int or float not in kinds]
    if not parts[1:]:
        return parts[0]
    plain = all(part.keys() == {"type"} for part in parts)
    return {"type": [part["type"] for part in parts]} if plain else {"anyOf": parts}


def _value(kind: Any, inner: dict[str, Json]) -> Json:
    """Return the schema of values of a type that is no union."""
    if kind in _TYPES:
        return {"type": _TYPES[kind]}
    if get_origin(kind) is tuple:
        return {"type": "array", "items": _values(_members(get_args(kind)[0]), inner)}
    if get_origin(kind) is Mapping:
        return {"type": "object", "additionalProperties": _values(_members(get_args(kind)[1]), inner)}
    if issubclass(kind, Enum):
        return {"enum": [one.value for one in kind]}
    if kind.__name__ not in inner:
        inner[kind.__name__] = {}  # until its own fields are known, which may have such objects
        inner[kind.__name__] = _object(kind, inner)
    return {"$ref": f"#/$defs/{kind.__name__}"}


def _members(hint: Any) -> tuple[Any, ...]:
    """Return the types of a union; any other type alone."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _made(kind: Any) -> type:
    """Return the class of the values of a type."""
    return dict if get_origin(kind) is Mapping else get_origin(kind) or kind


@cache
def _descriptions(kind: Any) -> dict[str, str]:
    """Return what docstrings say of each field, and of the class as ""; without the class's file, not all are known."""
    found = {name: text for base in reversed(kind.__mro__) if issubclass(base, Data) for name, text in _fields(base)}
    return {**found, "": _opening(kind)}


def _opening(kind: Any) -> str:
    """Return what a class's docstring says before its fields."""
    return _sentences((inspect.getdoc(kind) or "").partition(_ENTRIES)[0])


def _fields(kind: Any) -> Iterator[tuple[str, str]]:
    """Yield name and description of each field, from a section of the docstring or from the text below the field."""
    for names, text in _ENTRY.findall((inspect.getdoc(kind) or "").partition(_ENTRIES)[2]):
        for name in names.split(", "):
            yield name, _sentences(text)
    with suppress(OSError):
        nodes = ast.walk(ast.parse(dedent(inspect.getsource(kind))))
        (body,) = [node.body for node in nodes if isinstance(node, ast.ClassDef)]
        for one, below in pairwise(body):
            if isinstance(one, ast.AnnAssign) and isinstance(below, ast.Expr):
                yield ast.unparse(one.target), _sentences(ast.literal_eval(below.value))


def _sentences(text: str) -> str:
    """Return a docstring's text without its examples, on one line, with JSON's words for null, true and false."""
    line = " ".join(text.partition(">>>")[0].split())
    return re.sub(r"(?<![`\w])(?:None|True|False)(?![`\w])", lambda word: _WORDS[word[0]], line)
