"""Python's arithmetic on sizes, held against Python at every value of a small range."""

from __future__ import annotations

import itertools
import math
import operator

import pytest

from shapesmt.network.graph import Attributes, Declared, Graph, Node
from shapesmt.operators.inference import infer
from shapesmt.operators.rules import tensor
from shapesmt.prover.algebra import Dim, Evaluator, symbol

SIZES = range(5)
WHOLE = ("add", "sub", "mul", "floordiv", "mod", "eq", "ne", "lt", "le", "gt", "ge")


def inferred(op, b=None, after=None):
    """The number that an operator makes of two sizes, or of one and a constant; another operator may follow."""
    attributes = {"@a": 0} | ({"@b": 1} if b is None else {"b": b})
    names = ("a", "b") if b is None else ("a",)
    nodes = [
        Node("aten.sym_size.int", "torch", n, (f"{n}_in",), (n,), Attributes({"@self": 0, "dim": 0})) for n in names
    ]
    nodes.append(Node(op, "torch", "made", names, ("made",), Attributes(attributes)))
    if after:
        key = "x" if after.startswith("math.") else "a"
        nodes.append(Node(after, "torch", "after", ("made",), ("after",), Attributes({f"@{key}": 0})))
    inputs = {f"{n}_in": Declared("float32", (n,)) for n in names}
    graph = Graph("g", inputs, [nodes[-1].outputs[0]], nodes, opsets={"torch": 1, "": 22})
    symbols = {n: symbol(n, SIZES[0], SIZES[-1]) for n in names}
    inference = infer(graph, {f"{n}_in": tensor("float32", [d]) for n, d in symbols.items()})
    return inference, inference.tensors[nodes[-1].outputs[0]], symbols


def agrees(inference, output, symbols, function):
    """Whether the number is what Python makes at every size, and a requirement is broken where Python raises."""
    for values in itertools.product(SIZES, repeat=len(symbols)):
        here = Evaluator({d.as_symbol(): v for d, v in zip(symbols.values(), values, strict=True)})
        holds = all(here.formula(r.formula) for a in inference.applications for r in a.requirements)
        try:
            expected = function(*values)
        except ZeroDivisionError:
            assert not holds
            continue
        item = output.value.items[0]
        assert holds
        assert (here.dim(item) if isinstance(item, Dim) else item.value(here)) == expected, values


@pytest.mark.parametrize("name", WHOLE)
def test_two_sizes(name):
    agrees(*inferred(f"_operator.{name}"), getattr(operator, name))


@pytest.mark.parametrize("name", ["add", "sub", "mul", "floordiv", "mod"])
@pytest.mark.parametrize("constant", [-3, 2])
def test_a_size_and_a_constant(name, constant):
    agrees(*inferred(f"_operator.{name}", constant), lambda a: getattr(operator, name)(a, constant))


@pytest.mark.parametrize("after", ["math.trunc", "math.ceil", "math.floor", "torch.sym_int"])
def test_a_quotient_rounded(after):
    function = getattr(math, after.removeprefix("math."), int)
    agrees(*inferred("_operator.truediv", 2, after), lambda a: function(a / 2))
    agrees(*inferred("_operator.mul", 0.7, after), lambda a: function(a * 0.7))


def test_a_root():
    agrees(*inferred("_operator.pow", 0.5, "math.floor"), lambda a: math.floor(a**0.5))
    assert inferred("_operator.pow", 0.5)[1].dtype == "float64"
    assert not isinstance(inferred("_operator.pow", 0.5)[1].value.items[0], Dim)


@pytest.mark.parametrize(("name", "function"), [("torch.sym_max", max), ("torch.sym_min", min)])
def test_extremes(name, function):
    agrees(*inferred(name), function)


def test_a_condition_denied():
    agrees(*inferred("_operator.lt", 3, "torch.sym_not"), lambda a: not a < 3)
