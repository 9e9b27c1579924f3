"""Imports that wait until a name is used."""

from __future__ import annotations

import builtins
import sys
from threading import Barrier, Thread
from types import ModuleType

import pytest

import shapesmt
from shapesmt.base.lazy import lazy_imports

TEXT = """
with lazy_imports(__name__):
    import json
    from fractions import Fraction as Fraction
    from decimal import Decimal as Decimal
"""


def module(name: str) -> ModuleType:
    sys.modules[name] = made = ModuleType(name)
    made.lazy_imports = lazy_imports
    exec(TEXT, vars(made))
    return made


def test_a_name_is_imported_when_it_is_used_and_then_a_plain_attribute():
    made = module("lazy_example")
    assert "Fraction" not in vars(made)
    assert dir(made) == made.__all__ == ["Decimal", "Fraction"]
    assert made.Fraction(1, 2) == made.Fraction(2, 4)
    assert "Fraction" in vars(made)
    assert "Decimal" not in vars(made)


def test_only_names_taken_from_a_module_wait():
    assert module("lazy_example").json is sys.modules["json"]


def test_a_name_that_its_module_lacks_is_an_error_when_it_is_used():
    made = ModuleType("lazy_example")
    sys.modules["lazy_example"] = made
    exec(
        "from shapesmt.base.lazy import *\nwith lazy_imports(__name__):\n    from json import none as none", vars(made)
    )
    with pytest.raises(AttributeError, match="none"):
        made.none  # noqa: B018


def test_the_import_statement_is_as_before_when_a_block_ends_or_fails():
    before = builtins.__import__
    with pytest.raises(ValueError, match="stop"), lazy_imports("tests"):
        raise ValueError("stop")
    assert builtins.__import__ is before


def test_threads_may_import_lazily_at_once():
    before, many = builtins.__import__, 8
    start, made = Barrier(many), []

    def run(number: int) -> None:
        start.wait()
        made.extend(module(f"lazy_example_{number}_{i}") for i in range(200))

    threads = [Thread(target=run, args=(n,)) for n in range(many)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert builtins.__import__ is before
    assert len(made) == many * 200
    assert all(m.__all__ == ["Decimal", "Fraction"] for m in made)


def test_the_public_names_are_all_there():
    names: dict[str, object] = {}
    exec("from shapesmt import *", names)
    assert dir(shapesmt) == shapesmt.__all__
    assert names.keys() >= {"check", "bounds", "Report", *shapesmt.__all__}


def test_an_import_statement_that_the_program_puts_there_meanwhile_stays():
    before, calls = builtins.__import__, []

    def watched(name, *more, **named):
        calls.append(name)
        return ours(name, *more, **named)

    try:
        made = sys.modules["lazy_example"] = ModuleType("lazy_example")
        made.lazy_imports = lazy_imports
        with lazy_imports("lazy_example"):
            ours, builtins.__import__ = builtins.__import__, watched
        assert builtins.__import__ is watched
        exec("from fractions import Fraction", vars(made))  # of the module whose imports waited before
        assert made.Fraction(1, 2).denominator == 2
        assert calls == ["fractions"]
        with lazy_imports("lazy_example"):
            pass
        assert builtins.__import__ is watched
    finally:
        builtins.__import__ = before


def test_a_block_may_import_a_module_that_has_one():
    made = sys.modules["lazy_example"] = ModuleType("lazy_example")
    made.lazy_imports, made.nested = lazy_imports, lambda: module("lazy_other")
    exec("with lazy_imports(__name__):\n    nested()\n    from json import dumps as dumps", vars(made))
    assert made.dumps([1]) == "[1]"
    assert made.__all__ == ["dumps"]
