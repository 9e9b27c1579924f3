"""Trials: a change of the failing node itself after which it is proved to run for every input.

The node's rule is applied to the changed node: with another axis, with a flag such as `transB` turned, with two inputs
exchanged, or with the last two axes of an input exchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

from shapesmt.analysis.verify import Judgement
from shapesmt.base.errors import InternalError, ShapesmtError
from shapesmt.network.graph import Attributes, Node
from shapesmt.operators.inference import application_of
from shapesmt.operators.rules import Tensor, tensor
from shapesmt.prover.algebra import TRUE
from shapesmt.reports.answers import facts

MAX_INPUTS = 8  # nodes with more inputs aren't tried
_FLAGS = "trans"  # how the attributes begin that say whether an input is transposed


class Trial(NamedTuple):
    """A change, and what it makes of the node and of the tensors that it reads."""

    told: facts.Change
    node: Node
    tensors: Mapping[str, Tensor]


def change_that_runs(j: Judgement) -> facts.Change | None:
    """Return the first change with which a node is proved to run, or all values of that attribute; None for none."""
    node, tensors = j.node, {name: t for name in j.node.reads if (t := j.inference.tensors.get(name)) is not None}
    if node.attributes.graphs or len(node.inputs) > MAX_INPUTS:
        return None
    found = [trial.told for trial in _trials(node, tensors) if _runs(j, trial)]
    first = found[0] if found else None
    if first is None or first.kind != "attribute":
        return first
    others = [told.what[-1] for told in found if told.what[:2] == first.what[:2]]
    return first._replace(what=(*first.what[:2], *others))


def _trials(node: Node, tensors: Mapping[str, Tensor]) -> Iterator[Trial]:
    """Yield the changes that may help."""
    for name, value in node.attributes.items():
        for other in _others(name, value, tensors):
            changed = Attributes({**node.attributes, name: other})
            told = facts.Change("attribute", (name, str(value), str(other)))
            yield Trial(told, node._replace(attributes=changed), tensors)
    for a, b in combinations(range(len(node.inputs)), 2):
        inputs = list(node.inputs)
        inputs[a], inputs[b] = inputs[b], inputs[a]
        if tensors.keys() >= {inputs[a], inputs[b]} and inputs[a] != inputs[b]:
            yield Trial(facts.Change("exchange", (str(a), str(b))), node._replace(inputs=inputs), tensors)
    for name, t in tensors.items():
        sizes = t.value is not None and "int" in t.dtype  # elements of which the requirements may be
        if not sizes and t.shape is not None and len(t.shape) > 1 and t.shape[-1] is not t.shape[-2]:
            turned = tensor(t.dtype, [*t.shape[:-2], t.shape[-1], t.shape[-2]])
            told = facts.Change("transpose", (name, f"[{', '.join(map(str, t.shape))}]"))
            yield Trial(told, node, {**tensors, name: turned})


def _others(name: str, value: object, tensors: Mapping[str, Tensor]) -> Iterator[int]:
    """Yield other values of an attribute: the other axes, or the other value of a flag."""
    if not isinstance(value, int):
        return
    if name == "axis":
        rank = max((len(t.shape) for t in tensors.values() if t.shape is not None), default=0)
        yield from (axis for axis in range(rank) if axis not in (value, value + rank))
    elif name.startswith(_FLAGS) and value in (0, 1):
        yield 1 - value


def _runs(j: Judgement, trial: Trial) -> bool:
    """Whether the changed node runs for every input, as normal forms prove: trials are too many for more."""
    try:
        application = application_of(trial.node, j.inference.graph, trial.tensors)
    except (ShapesmtError, InternalError):  # a rule may break on a node that no file has
        return False
    on_data = application.decides_success - application.decides_sizes_only
    if on_data or application.unjudged or application.assumed or application.external:
        return False  # it rests on elements that aren't known
    return all(r.formula is TRUE for r in application.requirements)
