"""A model on onnxruntime, optimizations off: what it gives at concrete sizes, and every node that fails by itself.

Nodes for which onnxruntime has no kernel run on `onnx.reference`.

>>> from tests.oracle.graphs import generate
>>> case = generate(3)
>>> Execution(case.model).run(case.sizes).failing
()
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from math import prod
from random import Random
from typing import Any, NamedTuple

import numpy as np
import onnx
import onnxruntime
from onnx import helper
from onnx.reference import ReferenceEvaluator

from tests.oracle.faults import lenient, odd

onnxruntime.set_default_logger_severity(4)

Sizes = Mapping[str, int]
Feed = Callable[[onnx.ValueInfoProto, tuple[int, ...]], Any]
Call = Callable[[Mapping[str, Any]], list[Any]]  # feeds, of which it takes what it needs -> outputs
UNCHECKED = "unchecked"  # what `onnx.reference` runs: it is lenient where sizes differ
NO_KERNEL = ("NOT_IMPLEMENTED", "is not a registered", "ValidateOpsetForDomain", "layout == 1) are not supported")


class Run(NamedTuple):
    """What happened at one assignment.

    Attributes:
        failing: Names of the nodes that had all their inputs and failed, in order.
        missing: Names of the nodes that couldn't be tried, for lack of an input.
        shapes: Of every tensor that came to be.
        odd: Whether a runtime gave something else than ONNX defines.
    """

    failing: tuple[str, ...]
    missing: tuple[str, ...]
    shapes: dict[str, tuple[int, ...]]
    odd: bool = False


class Execution:
    """A model, ready to be run at any sizes.

    Every tensor is an output. Where the whole model runs, that is the answer. Elsewhere each node is run as a model
    of its own, on what the nodes before it gave. A node that runs though ONNX forbids it counts as failing.
    """

    def __init__(self, model: onnx.ModelProto, feed: Feed | None = None) -> None:
        self.model = onnx.ModelProto.FromString(model.SerializeToString())
        self.feed = feed or plain
        graph = self.model.graph
        for index, node in enumerate(graph.node):
            node.name = node.name or f"{node.op_type}_{index}"
        self.constants = {t.name: t for t in graph.initializer}
        self.arrays = {name: onnx.numpy_helper.to_array(t) for name, t in self.constants.items()}
        self.inputs = [i for i in graph.input if i.name not in self.constants]
        self._single: dict[object, Call | None] = {}
        self.unchecked: set[str] = set()

    def run(self, sizes: Sizes) -> Run:
        """What happens at these sizes.

        Raises:
            NoBlame: The model fails as a whole, and none of its nodes by itself.
        """
        feeds = self.feeds(sizes)
        if self.whole is not None:
            names = [o.name for o in self.whole.get_outputs()]
            try:
                made = {**feeds, **dict(zip(names, self.whole.run(None, feeds), strict=True))}
                if not any(lenient(node, {**self.arrays, **made}) for node in self.model.graph.node):
                    return Run((), (), _shapes(made), self._odd(made))
                said = "a lenient node"
            except Exception as error:
                said = str(error)
        else:
            said = self.refusal
        odd = None
        for static in (False, True):
            found = self._node_by_node(feeds, static)
            if found.failing or any(sign in said for sign in NO_KERNEL):
                return found
            odd = odd or (found if found.odd else None)
        if odd is not None:
            return odd
        raise NoBlame(f"at {dict(sizes)}: {said}")

    def feeds(self, sizes: Sizes) -> dict[str, Any]:
        """Return the array that each input gets at these sizes."""
        return {i.name: self._given(i, sizes) for i in self.inputs}

    def _given(self, info: onnx.ValueInfoProto, sizes: Sizes) -> Any:
        """What an input is fed with: the elements that the assignment names, else what the caller's feed gives."""
        shape = input_shape(info, sizes)
        given = self.feed(info, shape)
        if any(name.partition("[")[0] == info.name for name in sizes):
            names = element_names(info.name, shape)
            flat = [sizes.get(name, old) for name, old in zip(names, np.ravel(given).tolist(), strict=True)]
            return np.array(flat, np.asarray(given).dtype).reshape(shape)
        return given

    @cached_property
    def whole(self) -> onnxruntime.InferenceSession | None:
        """The model with every tensor as an output; None if it can't be loaded."""
        model = onnx.ModelProto.FromString(self.model.SerializeToString())
        present = {o.name for o in model.graph.output}
        for node in model.graph.node:
            model.graph.output.extend(onnx.ValueInfoProto(name=o) for o in node.output if o and o not in present)
        del model.graph.value_info[:]
        try:
            return session(model)
        except Exception as error:
            self.refusal = str(error)
            return None

    refusal = ""

    def _node_by_node(self, feeds: Mapping[str, Any], static: bool) -> Run:
        values = {**self.arrays, **feeds}
        failing, missing = [], []
        for node in self.model.graph.node:
            reads = list(dict.fromkeys([n for n in node.input if n] + captures(node)))
            if any(values.get(name) is None for name in reads):
                missing.append(node.name)
                continue
            call = self._call_of(node, reads, values, static) or self._call_of(node, reads, values, True)
            try:
                if call is None or f"Node ({node.name})" in self.refusal or lenient(node, values):
                    raise ValueError
                values.update(zip([o for o in node.output if o], call(values), strict=True))
            except Exception:
                failing.append(node.name)
        made = {name: v for name, v in values.items() if name not in self.arrays}
        return Run(tuple(failing), tuple(missing), _shapes(made), self._odd(made))

    def _odd(self, made: Mapping[str, Any]) -> bool:
        values = {**self.arrays, **made}
        if any(value is None for value in made.values()):  # onnxruntime leaves out some that are empty
            return True
        return any(odd(node, values) for node in self.model.graph.node if all(n in values for n in node.input if n))

    def _call_of(
        self, node: onnx.NodeProto, reads: Sequence[str], values: Mapping[str, Any], static: bool
    ) -> Call | None:
        given = {n: values[n] for n in reads if n not in self.constants}
        key = (node.name, *(str(np.shape(v)) for v in given.values() if static and not isinstance(v, list)))
        if key not in self._single:
            constants = {n: self.constants[n] for n in reads if n in self.constants}
            one = one_model([node], {**given, **constants}, constants, self.model.opset_import, static)
            one.ir_version = self.model.ir_version
            one.functions.extend(self.model.functions)
            try:
                self._single[key] = call = ready(one)
                if getattr(call, "__name__", "") == UNCHECKED:
                    self.unchecked.add(node.name)
            except Exception as error:
                if self.whole is not None and "Graph attribute inferencing failed" in str(error):
                    raise NoBlame(f"{node.name}, for a branch that it needn't take: {error}") from None
                if isinstance(error, Unsupported):  # nothing can run it, which says nothing of it
                    self.unchecked.add(node.name)
                self._single[key] = None
        return self._single[key]


def one_model(
    nodes: Sequence[onnx.NodeProto],
    values: Mapping[str, Any],
    constants: Mapping[str, onnx.TensorProto],
    opsets: Sequence[onnx.OperatorSetIdProto],
    static: bool = False,
) -> onnx.ModelProto:
    """A model of these nodes alone, fed with what they read."""
    inputs = [_info(name, value, static) for name, value in values.items() if name not in constants]
    outputs = [onnx.ValueInfoProto(name=o) for node in nodes for o in node.output if o]
    graph = helper.make_graph(list(nodes), "one", inputs, outputs, list(constants.values()))
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def ready(model: onnx.ModelProto) -> Call:
    """The model on onnxruntime, or on `onnx.reference` where that has no kernel.

    Raises:
        Unsupported: Neither has one.
        Exception: onnxruntime refuses it.
    """
    try:
        runs = session(model)
    except Exception as error:
        if not any(sign in str(error) for sign in NO_KERNEL):
            raise
        return _reference(model)
    wanted = [i.name for i in runs.get_inputs()]
    return lambda values: list(runs.run(None, {n: values[n] for n in wanted}))


def _reference(model: onnx.ModelProto) -> Call:
    try:
        evaluator = ReferenceEvaluator(model)
    except Exception as error:
        raise Unsupported(str(error)) from error
    names = [i.name for i in model.graph.input]

    def unchecked(values: Mapping[str, Any]) -> list[Any]:
        given = [values[n] for n in names]
        doubles = any(getattr(v, "dtype", None) == np.float64 for v in given)
        with np.errstate(all="ignore"):
            made = evaluator.run(None, dict(zip(names, given, strict=True)))
        return [np.float32(v) if getattr(v, "dtype", None) == np.float64 and not doubles else v for v in made]

    return unchecked


class Unsupported(Exception):  # noqa: N818 - it is about the runtimes, not about us
    """No runtime has a kernel."""


class NoBlame(Exception):  # noqa: N818 - it is about the runtime, not about us
    """onnxruntime refuses a model of which it accepts every node."""


def assignments(ranges: Mapping[str, Sequence[int]]) -> Iterator[dict[str, int]]:
    """Every assignment of the symbols to values of theirs."""
    for values in product(*ranges.values()):
        yield dict(zip(ranges, values, strict=True))


def input_shape(info: onnx.ValueInfoProto, sizes: Sizes) -> tuple[int, ...]:
    """The shape of an input at these sizes."""
    dims = info.type.tensor_type.shape.dim
    return tuple(d.dim_value if d.HasField("dim_value") else _size(d.dim_param, sizes) for d in dims)


def _size(name: str, sizes: Sizes) -> int:
    return sizes[name] if name in sizes else int(value(name, sizes))


def element_names(name: str, shape: tuple[int, ...]) -> list[str]:
    """The names that the elements of a small input have."""
    return [name] if prod(shape) == 1 else [f"{name}[{','.join(map(str, at))}]" for at in np.ndindex(*shape)]


def plain(info: onnx.ValueInfoProto, shape: tuple[int, ...]) -> Any:
    """Ones where they are floats or booleans, zeros where they are integers."""
    dtype = helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type)
    return np.zeros(shape, dtype) if dtype.kind in "iu" else np.ones(shape, dtype)


def varied(name: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Any:
    """Small numbers of either sign, zero among them; integers are one, or zero where the name says so."""
    if dtype.kind == "f":
        drawn = Random(f"{name}{shape}").choices([-1, 0, 1, 2], k=prod(shape))
        return np.array(drawn, dtype).reshape(shape)
    return np.full(shape, "a" if dtype.kind == "O" else not name.startswith("zero")).astype(dtype)


def value(text: str, sizes: Sizes) -> Any:
    """What a formula is at these sizes, by Python's own grammar and arithmetic."""
    names = {_plain(name): size for name, size in sizes.items()}
    return eval(_code(text), {"__builtins__": {}, "min": min, "max": max, "abs": abs}, names)


def captures(node: onnx.NodeProto) -> list[str]:
    """Names that the node's subgraphs take from around it."""
    found: list[str] = []
    for attribute in node.attribute:
        graphs = [*attribute.graphs, *([attribute.g] if attribute.HasField("g") else [])]
        for graph in graphs:
            made = {t.name for t in graph.initializer} | {i.name for i in graph.input}
            made |= {o for inner in graph.node for o in inner.output}
            read = [n for inner in graph.node for n in [*inner.input, *captures(inner)]]
            found += [n for n in [*read, *(o.name for o in graph.output)] if n and n not in made]
    return found


def _code(text: str) -> str:
    parts = text.split("`")
    return "".join(_plain(part) if i % 2 else part for i, part in enumerate(parts))


def _plain(name: str) -> str:
    return name if name.isidentifier() else re.sub(r"\W", "_", name)


def _info(name: str, value: Any, static: bool) -> onnx.ValueInfoProto:
    array = np.asarray(value if not isinstance(value, list) else value[0] if value else np.float32(0))
    kind = onnx.TensorProto.STRING if array.dtype.kind in "OU" else helper.np_dtype_to_tensor_dtype(array.dtype)
    if isinstance(value, list):
        return helper.make_tensor_sequence_value_info(name, kind, None)
    return helper.make_tensor_value_info(name, kind, array.shape if static else None)


def _shapes(values: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """Of every tensor its sizes; sequences are left to what is made of them."""
    return {name: np.shape(v) for name, v in values.items() if v is not None and not isinstance(v, list)}


def session(model: onnx.ModelProto) -> onnxruntime.InferenceSession:
    """The model on onnxruntime as it is written: not optimized, on one thread."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_mem_pattern = options.enable_mem_reuse = False
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


__all__ = [
    *("Execution", "NoBlame", "Run", "Unsupported", "assignments", "captures", "element_names", "input_shape"),
    *("one_model", "plain", "ready", "session", "value", "varied"),
]
