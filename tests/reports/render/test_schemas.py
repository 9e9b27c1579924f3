"""JSON schemas: they are valid, and describe all that answers can print and nothing else."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Mapping
from dataclasses import fields
from enum import Enum
from importlib import import_module
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from jsonschema import Draft202012Validator

import shapesmt
from shapesmt.prover.regions import Conjunct, Other
from shapesmt.reports import answers
from shapesmt.reports.answers import Data
from shapesmt.reports.render import to_json
from shapesmt.reports.render.schemas import SCHEMAS
from tests.support.schemas import Json, objects, validator, violations

WRONG = [[[None]]]  # no value of an answer
PLAIN = {str: "n == 1", int: 7, float: 0.5, bool: True, type(None): None, Conjunct: Other("n == 1")}


def made(kind: Any, chance: random.Random | None) -> Any:
    """A value of a type; without chance, one with as much in it as there can be."""
    inner = get_args(kind)
    if kind in PLAIN:
        empty = chance is not None and kind in (str, int, bool) and chance.random() < 0.5
        return kind() if empty else PLAIN[kind]
    if get_origin(kind) in (Union, UnionType):
        return made(chance.choice(inner) if chance else inner[-2 if inner[-1] is type(None) else -1], chance)
    many = range(chance.randrange(3) if chance else 1)
    if get_origin(kind) is tuple:
        return tuple([made(inner[0], chance) for _ in many])
    if get_origin(kind) is Mapping:
        return {f"n{i}": made(inner[1], chance) for i in many}
    if issubclass(kind, Enum):
        return chance.choice([*kind]) if chance else next(iter(kind))
    shown = [item for item in fields(kind) if item.metadata.get("omit", ()) is not None]
    hints = get_type_hints(kind)
    return kind(**{item.name: made(hints[item.name], chance) for item in shown})


def kinds(name: str) -> tuple[Any, ...]:
    """The classes whose objects a schema is about."""
    return get_args(SCHEMAS[name]) or (SCHEMAS[name],)


def documents(name: str, seeds: range) -> Iterator[Json]:
    """A document with every key, and documents at random."""
    for kind in kinds(name):
        yield from (made(kind, chance).to_dict() for chance in [None, *map(random.Random, seeds)])


@pytest.mark.parametrize("name", SCHEMAS)
def test_what_answers_can_print_follows_the_schema(name: str, seeds: range) -> None:
    Draft202012Validator.check_schema(shapesmt.schema(name))
    wrong = [(found, document) for document in documents(name, seeds) if (found := violations(document, name))]
    assert not wrong


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_refuses_broken_documents(name: str) -> None:
    """Without a key, or with a wrong type; but further keys, which a newer version may print, are allowed."""
    fits, schema = validator(name).is_valid, shapesmt.schema(name)
    for document in documents(name, range(0)):
        for at, described in objects(schema, document, schema):
            assert at.keys() == described["properties"].keys()
            whole = copy.copy(at)
            for key, value in whole.items():
                del at[key]
                assert fits(document) == (key not in described["required"]), (described["description"], key)
                at[key] = WRONG
                assert not fits(document), (described["description"], key)
                at[key] = value
            at["newer"] = WRONG
            assert fits(document)
            del at["newer"]


@pytest.mark.parametrize("name", SCHEMAS)
def test_an_absent_key_has_its_default(name: str, seeds: range) -> None:
    schema = shapesmt.schema(name)
    for kind in kinds(name):
        for document in (made(kind, random.Random(seed)).to_dict() for seed in seeds):
            filled = copy.deepcopy(document)
            for at, described in objects(schema, filled, schema):
                defaults = {key: value.get("default") for key, value in described["properties"].items()}
                at.update({key: value for key, value in defaults.items() if key not in at})
            assert kind.from_dict(filled).to_dict() == kind.from_dict(document).to_dict() == document


def test_descriptions_are_those_of_the_docstrings() -> None:
    check = shapesmt.schema("check")
    known, inner = check["properties"], check["$defs"]
    assert known["verdict"]["enum"] == ["PROVED", "UNKNOWN", "DEPENDS", "FAILS"]
    assert known["precondition"]["description"] == "The inputs for which the model runs; null if unknown."
    assert inner["Operand"]["properties"]["op_type"]["description"].startswith("The node that computes it;")
    assert inner["Precondition"]["properties"]["text"]["description"].endswith("only `False` if none is.")
    assert inner["SymbolRange"]["properties"]["from"]["type"] == "string"
    for name in SCHEMAS:
        schema = shapesmt.schema(name)
        described = [part for one in (schema, *schema["$defs"].values()) for part in one.get("anyOf", [one])]
        assert all(len(one["description"]) > 20 and ">>>" not in one["description"] for one in described)
        assert to_json(schema).isascii()


def test_every_kind_of_answer_has_a_schema() -> None:
    """Each class with a schema of its own: documents name it in `schema`."""
    for module in Path(answers.__file__).parent.glob("[a-z]*.py"):
        import_module(f"shapesmt.reports.answers.{module.stem}")

    def below(kind: type[Data]) -> Iterator[type[Data]]:
        for one in kind.__subclasses__():
            yield from (one, *below(one))

    named = {kind.schema for kind in below(Data) if kind.schema}
    assert named == {f"shapesmt/{name}/1" for name in SCHEMAS} - {"shapesmt/line/1", "shapesmt/tighten/1"}
