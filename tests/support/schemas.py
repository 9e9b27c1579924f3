"""Documents held against the JSON schemas: strictly, so that each printed key has to be described."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

import shapesmt

Json = dict[str, Any]


@cache
def validator(name: str, *, strict: bool = False) -> Draft202012Validator:
    """Return the validator of a schema; a strict one refuses keys that aren't described."""
    schema = shapesmt.schema(name)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(_closed(schema) if strict else schema)


def _closed(part: Any) -> Any:
    if isinstance(part, list):
        return [_closed(one) for one in part]
    if not isinstance(part, dict):
        return part
    closed = {key: _closed(one) for key, one in part.items()}
    return {**closed, "additionalProperties": False} if {"properties", "description"} <= part.keys() else closed


def violations(document: Json, name: str = "") -> list[str]:
    """Return what a document violates of a schema, by default of that which it names."""
    if not name:
        _, name, version = document["schema"].split("/")
        assert version == "1"
    errors = validator(name, strict=True).iter_errors(document)
    return [f"{error.json_path}: {error.message[:300]}" for error in errors]


def objects(schema: Json, document: Any, root: Json) -> Iterator[tuple[Json, Json]]:
    """Yield each object of a document whose keys are described, with its schema."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    for one in schema.get("anyOf", ()):
        if Draft202012Validator({**one, "$defs": root["$defs"]}).is_valid(document):
            yield from objects(one, document, root)
            return
    if isinstance(document, list):
        for item in document:
            yield from objects(schema["items"], item, root)
    elif isinstance(document, dict):
        known = schema.get("properties", {})
        if known:
            yield document, schema
        for key, value in document.items():
            yield from objects(known[key] if known else schema["additionalProperties"], value, root)
