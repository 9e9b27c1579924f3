"""A second opinion: the shapes that ONNX's operators make of concrete shapes, written from their specification.

It is slow, follows no symbols, and shares nothing with the rules that it is compared with. It says of a model at given
sizes which nodes fail, and the shape of every tensor; what hangs on elements that nobody knows stays undecided.

    evaluate(model, {"x": T("float32", (2, 3))}).tensors["y"].shape
"""

from tests.oracle.second import arithmetic, control, folding, layers, products, shaping
from tests.oracle.second.node import OPERATORS as OPERATORS, Outcome as Outcome, T as T, evaluate as evaluate

MODULES = (arithmetic, control, folding, layers, products, shaping)
for module in MODULES:
    OPERATORS.update(module.op)
assert len(OPERATORS) == sum(len(module.op) for module in MODULES), "two modules have an operator"
