"""Traits of operators, of functions and of plugins; `tests/oracle/test_traits.py` judges them by execution."""

from __future__ import annotations

import shapesmt
from shapesmt.network.graph import Attributes, Function, Node
from shapesmt.operators.inference import Operators
from shapesmt.operators.rules import Traits, resolve

FUNCTION = Function("Identity", "local", ["x"], ["y"], [], Attributes(), [], {"": 18})


def test_a_function_an_unknown_operator_and_a_plugin_that_states_nothing_have_no_traits():
    @shapesmt.rule("Identity", domain="com.example.traits")
    def identity(ctx):
        return ctx.input(0)

    operators = Operators({"": 18, "com.example.traits": 1}, {("local", "Identity"): FUNCTION})
    domains = ("", "local", "com.example.traits", "unknown")
    found = [operators.traits(Node("Identity", domain, "i", ["x"], ["y"])) for domain in domains]
    assert found == [Traits.IDENTITY, Traits.NOTHING, Traits.NOTHING, Traits.NOTHING]


def test_a_plugin_may_state_traits():
    @shapesmt.rule("Copy", domain="com.example.traits", traits=shapesmt.Traits.IDENTITY)
    def copy(ctx):
        return ctx.input(0)

    found = resolve("com.example.traits", "Copy", 1)
    assert (found.traits, found.repeats) == (Traits.IDENTITY, True)
