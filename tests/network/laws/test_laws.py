"""Laws: each once, each under a code of the catalogue, and none of them a plain text in our own rules."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path
from string import Formatter

import pytest

import shapesmt
from shapesmt.network import laws
from shapesmt.network.laws import CATALOGUE, OWN, Law
from shapesmt.network.laws.shape_functions import __dict__ as of_shape_functions

PACKAGE = Path(shapesmt.__file__).parent
LAWS = {name: law for name, law in vars(laws).items() if isinstance(law, Law)}
STATING = [
    file for folder in ("ops", "rules", "inference") for file in sorted((PACKAGE / "operators" / folder).rglob("*.py"))
]


def test_every_law_is_stated_once():
    assert len(LAWS) > 900
    repeated = Counter(law.sentence for law in LAWS.values())
    assert [sentence for sentence, count in repeated.items() if count > 1] == []


def test_every_law_has_a_code_of_the_catalogue():
    """`SM199` is for users' rules, and so for TensorFlow's interface, which states laws in its own words."""
    assert {law.code for law in LAWS.values()} <= CATALOGUE.keys()
    assert [name for name, law in LAWS.items() if law.code == OWN and name not in of_shape_functions] == []


@pytest.mark.parametrize("code", CATALOGUE)
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


def test_every_law_is_stated_somewhere():
    sources = " ".join(file.read_text() for file in sorted(PACKAGE.rglob("*.py")))
    stated = set(re.findall(r"\blaws\.([A-Z0-9_]+)", sources))
    assert sorted(LAWS.keys() - stated) == []


@pytest.mark.parametrize("file", STATING, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_our_own_rules_state_no_plain_texts(file):
    calls = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call)]
    texts = [
        ast.unparse(argument)
        for call in calls
        if getattr(call.func, "attr", getattr(call.func, "id", "")) in TAKING_LAWS
        for argument in [*call.args, *(keyword.value for keyword in call.keywords)]
        if isinstance(argument, ast.JoinedStr) or (isinstance(argument, ast.Constant) and " " in str(argument.value))
    ]
    assert texts == []


TAKING_LAWS = {
    node.name
    for file in STATING
    for node in ast.walk(ast.parse(file.read_text()))
    if isinstance(node, ast.FunctionDef)
    and any(argument.arg == "law" for argument in (*node.args.args, *node.args.kwonlyargs))
}
"""The functions to which a law is given."""
