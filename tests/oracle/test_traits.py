"""Traits are judged by execution: what runtimes make of random elements is what each trait says."""

from __future__ import annotations

from contextlib import suppress
from copy import deepcopy
from functools import cache
from random import Random

import numpy as np
import onnxruntime
import pytest
from onnx import NodeProto, TensorProto, numpy_helper

from shapesmt.operators.rules import Keeps, Memory, Traits, resolve, rules
from tests.support.node_cases import node_cases

OPTIONS = onnxruntime.SessionOptions()
OPTIONS.log_severity_level = 4
KEPT = [keep for keep in Keeps if keep not in (Keeps.NOTHING, Keeps.STACKED, Keeps.MIXED)]
COMPUTING = {"mode": ("linear", "cubic"), "reduction": ("add", "mul", "min", "max")}
"""Attributes with which operators that copy elements compute some (Resize, Scatter)."""

COMPUTING_NAMES = ("_add", "_reduce", "full")
"""In names of PyTorch's operators that compute some elements, or hold a number that is no input."""


def traits(model):
    """The traits of a model's only node; nothing where it has more."""
    (node, *others), versions = model.graph.node, {pair.domain: pair.version for pair in model.opset_import}
    found = None if others or model.functions else resolve(node.domain, node.op_type, versions[node.domain])
    return found.traits if found else Traits.NOTHING


@cache
def cases():
    """The node cases whose operator has traits: the model, its traits, the inputs and outputs of a run."""
    known = [(case.model, traits(case.model), *map(arrays, case.data_sets[0])) for case in node_cases()]
    return [case for case in known if case[1] != Traits.NOTHING and not computes(case[0].graph.node[0])]


def arrays(tensors):
    return [numpy_helper.to_array(t) if isinstance(t, TensorProto) else t for t in tensors]


def computes(node):
    return any(a.s.decode(errors="replace") in COMPUTING.get(a.name, ()) for a in node.attribute)


def listed(*tensors):
    """All elements of tensors, and of tensors in sequences, as texts: NaN equals itself, and -0.0 isn't 0.0."""
    found = []
    for t in tensors:
        found += listed(*t) if isinstance(t, list) else [str(e) for e in np.ravel(t).tolist()] if t is not None else []
    return found


def constants(node):
    """The elements of a node's attributes, and those that operators fill in."""
    return {
        "0",
        "0.0",
        "False",
        "1",
        "",
        *listed(*(numpy_helper.to_array(a.t) for a in node.attribute if a.HasField("t"))),
    }


def summed(node, x, axis):
    """The running sums along an axis, as the node's attributes ask for."""
    asked = {a.name for a in node.attribute if a.i}
    turned = np.flip(x, axis) if "reverse" in asked else x
    total = np.cumsum(turned, axis) - (turned if "exclusive" in asked else 0)
    return np.flip(total, axis) if "reverse" in asked else total


HOLDS = {
    Keeps.ALL: lambda _, x, y: np.shape(x[0]) == np.shape(y[0]) and listed(x[0]) == listed(y[0]),
    Keeps.ORDERED: lambda _, x, y: listed(x[0]) == listed(y[0]),
    Keeps.REARRANGED: lambda _, x, y: sorted(listed(x[0])) == sorted(listed(y[0])),
    Keeps.REPEATED: lambda _, x, y: (
        {*listed(y[0])} <= {*listed(x[0])} and (x[0].shape != y[0].shape or listed(x[0]) == listed(y[0]))
    ),
    Keeps.CONCATENATED: lambda _, x, y: (
        sorted(listed(*(t for t in x if np.ravel(t).dtype == y[0].dtype))) == sorted(listed(y[0]))
    ),
    Keeps.COPIED: lambda node, x, y: {*listed(*y)} <= {*listed(*x)} | constants(node),
    Keeps.CONVERTED: lambda _, x, y: (
        x[0].shape == y[0].shape and (x[0].dtype.kind not in "biu" or np.array_equal(x[0] != 0, y[0] != 0))
    ),
    Keeps.NEGATED: lambda _, x, y: np.array_equal(y[0], x[0] == 0),
    Keeps.COMPARED: lambda _, x, y: any(np.array_equal(f(*x), y[0]) for f in ORDERS),
    Keeps.SUMMED: lambda node, x, y: np.allclose(summed(node, x[0], int(np.ravel(x[1])[0])), y[0]),
}
ORDERS = (np.greater, np.greater_equal, np.less, np.less_equal)


@pytest.mark.parametrize("keep", KEPT, ids=lambda keep: keep.value)
def test_outputs_have_the_elements_that_their_operator_keeps(keep):
    found = [(model, x, y) for model, t, x, y in cases() if t.keeps is keep]
    assert found
    assert [model.graph.name for model, x, y in found if not HOLDS[keep](model.graph.node[0], x, y)] == []


def run(model, inputs):
    session = onnxruntime.InferenceSession(model.SerializeToString(), OPTIONS, providers=["CPUExecutionProvider"])
    return session.run(None, dict(zip([i.name for i in model.graph.input], inputs, strict=True)))[0]


def elementwise():
    """Runs of operators that may write over an input of the output's size."""
    found = [(model, x, y[0]) for model, t, x, y in cases() if t.memory is Memory.ELEMENTWISE and t.training is None]
    names = {name for name in dir(np) if isinstance(getattr(np, name), type)} - {"bytes_", "str_", "object_"}
    plain = [(m, x, y) for m, x, y in found if all(isinstance(t, np.ndarray) and t.dtype.name in names for t in x)]
    alike = [(m, x, [i for i, t in enumerate(x) if t.shape == y.shape and t.size > 1]) for m, x, y in plain]
    return {m.graph.node[0].op_type: (m, x, places) for m, x, places in alike if places}


def test_each_element_of_an_elementwise_operator_needs_only_its_own():
    """If the first element of an input takes another value, only the first element of the output changes."""
    wrong, runs = [], elementwise()
    for op, (model, inputs, places) in runs.items():
        try:
            before = run(model, inputs)
        except onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented:
            continue  # no kernel for these element types
        for i in places:
            changed = [t.copy() for t in inputs]
            changed[i].flat[0] = changed[i].flat[-1]
            after = run(model, changed)
            if listed(before)[1:] != listed(after)[1:]:
                wrong.append(op)
    assert len(runs) > 60
    assert wrong == []


def test_operators_that_write_over_their_first_input_keep_its_shape():
    found = [
        (m.graph.node[0].op_type, x[0].shape, y[0].shape) for m, t, x, y in cases() if t.memory is Memory.OVER_FIRST
    ]
    assert len({op for op, *_ in found}) > 4
    assert [op for op, before, after in found if before != after] == []


def drawn(torch, schema, generator):
    """Random arguments for an operator of PyTorch, most of which it refuses."""

    def tensor():
        return torch.randn(generator.choice([(3,), (2, 3), (2, 1, 3)]), generator=source)

    source = torch.Generator().manual_seed(generator.randrange(2**32))
    draw = {
        "Tensor": tensor,
        "List[Tensor]": lambda: [tensor() for _ in range(2)],
        "int": lambda: generator.randrange(4),
        "List[int]": lambda: [generator.randrange(4) for _ in range(generator.randrange(1, 4))],
        "bool": lambda: False,
        "number": lambda: 1.0,
    }
    kinds = [str(a.type) for a in schema.arguments if not a.has_default_value() and not a.kwarg_only]
    return [draw[kind]() for kind in kinds] if draw.keys() >= {*kinds} else None


def runs_of_torch(torch, name, generator):
    """Some runs of an operator of PyTorch on random tensors: its inputs and outputs."""
    packet, _, overload = name.removeprefix("aten.").partition(".")
    operator = getattr(getattr(torch.ops.aten, packet), overload)
    for _ in range(30):
        given = drawn(torch, operator._schema, generator)
        with suppress(RuntimeError, IndexError, ValueError):
            made = operator(*deepcopy(given)) if given else None
            made = [made] if isinstance(made, torch.Tensor) else made
            flat = [t for part in given or () for t in (part if isinstance(part, list) else [part])]
            inputs = [t.numpy() for t in flat if isinstance(t, torch.Tensor)]
            if made and inputs:
                yield inputs, [t.numpy() for t in made]


def test_outputs_of_pytorch_have_the_elements_that_their_operator_keeps(seeds):
    torch = pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")
    generator, wrong, judged = Random(seeds[0]), [], set()
    named = [r for r in rules() if r.name.startswith("aten.") and not any(word in r.name for word in COMPUTING_NAMES)]
    stated = [r for r in named if r.traits.keeps in HOLDS.keys() - {Keeps.SUMMED}]
    for rule in stated:
        for inputs, outputs in runs_of_torch(torch, rule.name, generator):
            judged.add(rule.name)
            if not HOLDS[rule.traits.keeps](NodeProto(), inputs, outputs):
                wrong.append((rule.name, [t.tolist() for t in (*inputs, *outputs)]))
    assert len(judged) > len(stated) // 2, len(judged)
    assert wrong == []


def runs_of_tensorflow(tf, name, generator):
    """Some runs of an operator of TensorFlow on random tensors: its inputs and outputs."""
    from tensorflow.core.framework import types_pb2
    from tensorflow.python.framework import op_def_registry

    operator = getattr(tf.raw_ops, name, None)
    defined = op_def_registry.get(name)
    if defined is None or operator is None:
        return
    numbers = np.random.default_rng(generator.randrange(2**32))

    def drawn(argument):
        if argument.type_attr == "T" or argument.type == types_pb2.DT_FLOAT:
            return numbers.normal(size=generator.choice([(3,), (2, 3), (2, 1, 3), ()])).astype("float32")
        if argument.type == types_pb2.DT_BOOL:
            return numbers.integers(0, 2, size=generator.choice([(3,), (2, 3)])).astype(bool)
        return numbers.integers(0, 4, size=generator.choice([(), (1,), (2,), (3,), (2, 2)])).astype("int32")

    for _ in range(80):
        given = {a.name: [drawn(a), drawn(a)] if a.number_attr else drawn(a) for a in defined.input_arg}
        with suppress(tf.errors.OpError, ValueError, TypeError):
            made = operator(**given, **({"DstT": tf.float64} if name == "Cast" else {}))
            inputs = [t for part in given.values() for t in (part if isinstance(part, list) else [part])]
            yield inputs, [t.numpy() for t in (made if isinstance(made, list) else [made])]


def test_outputs_of_tensorflow_have_the_elements_that_their_operator_keeps(seeds):
    tf = pytest.importorskip("tensorflow", reason="tensorflow (extra `peers`) isn't installed")
    from tests.support import tensorflow_settings as _settings  # noqa: F401 - before anything runs

    generator, wrong, judged = Random(seeds[0]), [], set()
    stated = [r for r in rules() if r.domain == "tensorflow" and r.traits.keeps in HOLDS.keys() - {Keeps.SUMMED}]
    for rule in stated:
        for inputs, outputs in runs_of_tensorflow(tf, rule.name, generator):
            judged.add(rule.name)
            if not HOLDS[rule.traits.keeps](NodeProto(), inputs, outputs):
                wrong.append((rule.name, [t.tolist() for t in (*inputs, *outputs)]))
    assert len(judged) > len(stated) // 2, len(judged)
    assert wrong == []
