"""Laws: each once, each under a code of the catalogue, and none of them a plain text in our own rules."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path
from string import Formatter

import shapesmt
from shapesmt.network.laws import CATALOGUE, OWN
from tests.support import laws
from tests.support.each import each

PACKAGE = Path(shapesmt.__file__).parent
LAWS = laws.every_law()
IN_TENSORFLOWS_WORDS = "operators/rules/shape_functions/"
STATING = [
    file for folder in ("ops", "rules", "inference") for file in sorted((PACKAGE / "operators" / folder).rglob("*.py"))
]


def test_every_law_is_stated_once():
    assert len(LAWS) > 900
    for repeated in (Counter(name for name, _ in laws.CONSTANTS), Counter(law.sentence for law in LAWS.values())):
        assert [each for each, count in repeated.items() if count > 1] == []


def test_every_law_is_a_constant():
    """Found by its name, at the top of a file."""
    made = {file: text.count(".law(") for file, text in laws.FILES.items() if file != "network/laws/__init__.py"}
    assert {file: count for file, count in made.items() if count} == Counter(file for _, file in laws.CONSTANTS)


def test_every_law_has_a_code_of_the_catalogue():
    """`SM199` is for users' rules, and so for TensorFlow's interface, which states laws in its own words."""
    assert {law.code for law in LAWS.values()} <= CATALOGUE.keys()
    assert [
        name for name, law in LAWS.items() if law.code == OWN and not laws.PLACES[name].startswith(IN_TENSORFLOWS_WORDS)
    ] == []


@each("code", CATALOGUE)
def test_every_code_has_a_law_or_a_kind(code):
    assert CATALOGUE[code].kind or any(law.code == code for law in LAWS.values())


def test_a_law_is_one_sentence_whose_fields_have_names():
    for law in LAWS.values():
        fields = [field for _, field, _, _ in Formatter().parse(law.sentence) if field is not None]
        assert all(field.isidentifier() for field in fields)
        assert law.sentence == law.sentence.strip()
        filled = law.of(**dict.fromkeys(fields, 7))
        assert (filled.code, filled.template, law.template) == (law.code, law.sentence, "")
        assert "{" not in filled.sentence


def test_a_law_stands_beside_its_rule_if_one_file_states_it_and_with_its_code_if_several_do():
    stating = Counter(
        name
        for file, text in laws.FILES.items()
        for name in set(re.findall(r"\b(?:laws\.|import (?:\w+, )*)([A-Z0-9_]{2,})\b", text))
    )
    shared = {name for name, file in laws.CONSTANTS if file.startswith("network/laws/")}
    assert {name for name in LAWS if stating[name] > 1} == shared
    own = [(name, laws.FILES[file]) for name, file in laws.CONSTANTS if name not in shared]
    assert [name for name, text in own if len(re.findall(rf"\b{name}\b", text)) < 2] == []


@cache
def taking_laws():
    """The functions to which a law is given."""
    defined = [node for file in STATING for node in ast.walk(ast.parse(file.read_text()))]
    functions = [(node.name, node.args) for node in defined if isinstance(node, ast.FunctionDef)]
    return {name for name, given in functions if any(a.arg == "law" for a in (*given.args, *given.kwonlyargs))}


@each("file", STATING, lambda p: p.relative_to(PACKAGE))
def test_our_own_rules_state_no_plain_texts(file):
    calls = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call)]
    texts = [
        ast.unparse(argument)
        for call in calls
        if getattr(call.func, "attr", getattr(call.func, "id", "")) in taking_laws()
        for argument in [*call.args, *(keyword.value for keyword in call.keywords)]
        if isinstance(argument, ast.JoinedStr) or (isinstance(argument, ast.Constant) and " " in str(argument.value))
    ]
    assert texts == []
