"""A model on onnxruntime, optimizations off: what it gives at concrete sizes, and every node that fails by itself.

>>> from tests.oracle.graphs import generate
>>> case = generate(3)
>>> Execution(case.model).run(case.sizes).failing
()
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import onnx
import onnxruntime
from onnx import helper

onnxruntime.set_default_logger_severity(4)

Sizes = Mapping[str, int]
Feed = Callable[[onnx.ValueInfoProto, tuple[int, ...]], Any]


class Run(NamedTuple):
    """What happened at one assignment.

    Attributes:
        failing: Names of the nodes that had all their inputs and failed, in order.
        missing: Names of the nodes that couldn't be tried, for lack of an input.
        shapes: Of every tensor that came to be.
    """

    failing: tuple[str, ...]
    missing: tuple[str, ...]
    shapes: dict[str, tuple[int, ...]]


class Execution:
    """A model, ready to be run at any sizes.

    Every tensor is an output. Where the whole model runs, that is the answer. Elsewhere each node is run as a model
    of its own, on what the nodes before it gave. A `Concat` of sizes that differ fails, as its text has it;
    onnxruntime lets it pass when a tensor is empty.
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
        self._single: dict[object, onnxruntime.InferenceSession | None] = {}

    def run(self, sizes: Sizes) -> Run:
        """What happens at these sizes.

        Raises:
            NoBlame: The model fails as a whole, and none of its nodes by itself.
        """
        feeds = {i.name: self.feed(i, input_shape(i, sizes)) for i in self.inputs}
        if self.whole is not None:
            names = [o.name for o in self.whole.get_outputs()]
            try:
                made = {**feeds, **dict(zip(names, self.whole.run(None, feeds), strict=True))}
                if not any(_lenient(node, {**self.arrays, **made}) for node in self.model.graph.node):
                    return Run((), (), {name: np.shape(value) for name, value in made.items()})
                said = "a lenient Concat"
            except Exception as error:
                said = str(error)
        else:
            said = self.refusal
        for static in (False, True):
            found = self._node_by_node(feeds, static)
            if found.failing:
                return found
        raise NoBlame(f"at {dict(sizes)}: {said}")

    @cached_property
    def whole(self) -> onnxruntime.InferenceSession | None:
        """The model with every tensor as an output; None if it can't be loaded."""
        model = onnx.ModelProto.FromString(self.model.SerializeToString())
        present = {o.name for o in model.graph.output}
        for node in model.graph.node:
            model.graph.output.extend(onnx.ValueInfoProto(name=o) for o in node.output if o and o not in present)
        del model.graph.value_info[:]
        try:
            return _session(model)
        except Exception as error:
            self.refusal = str(error)
            return None

    refusal = ""

    def _node_by_node(self, feeds: Mapping[str, Any], static: bool) -> Run:
        values = {**self.arrays, **feeds}
        failing, missing = [], []
        for node in self.model.graph.node:
            reads = list(dict.fromkeys([n for n in node.input if n] + captures(node)))
            if any(name not in values for name in reads):
                missing.append(node.name)
                continue
            session = self._session_of(node, reads, values, static)
            try:
                if session is None or _lenient(node, values):
                    raise ValueError
                wanted = {i.name for i in session.get_inputs()}
                made = session.run(None, {n: values[n] for n in reads if n in wanted})
                values.update(zip([o for o in node.output if o], made, strict=True))
            except Exception:
                failing.append(node.name)
        shapes = {name: np.shape(v) for name, v in values.items() if name not in self.arrays}
        return Run(tuple(failing), tuple(missing), shapes)

    def _session_of(
        self, node: onnx.NodeProto, reads: Sequence[str], values: Mapping[str, Any], static: bool
    ) -> onnxruntime.InferenceSession | None:
        fed = [n for n in reads if n not in self.constants]
        shapes = {n: np.shape(values[n]) if static else None for n in fed}
        key = (node.name, tuple(shapes.items()))
        if key not in self._single:
            graph = helper.make_graph(
                [node],
                "one",
                [helper.make_tensor_value_info(n, _element_type(values[n]), shapes[n]) for n in fed],
                [onnx.ValueInfoProto(name=o) for o in node.output if o],
                [self.constants[n] for n in reads if n in self.constants],
            )
            one = helper.make_model(graph, opset_imports=self.model.opset_import, ir_version=self.model.ir_version)
            one.functions.extend(self.model.functions)
            try:
                self._single[key] = _session(one)
            except Exception:
                self._single[key] = None
        return self._single[key]


class NoBlame(Exception):  # noqa: N818 - it is about the runtime, not about us
    """onnxruntime refuses a model of which it accepts every node."""


def assignments(ranges: Mapping[str, Sequence[int]]) -> Iterator[dict[str, int]]:
    """Every assignment of the symbols to values of theirs."""
    for values in product(*ranges.values()):
        yield dict(zip(ranges, values, strict=True))


def input_shape(info: onnx.ValueInfoProto, sizes: Sizes) -> tuple[int, ...]:
    """The shape of an input at these sizes."""
    dims = info.type.tensor_type.shape.dim
    return tuple(d.dim_value if d.HasField("dim_value") else sizes[d.dim_param] for d in dims)


def plain(info: onnx.ValueInfoProto, shape: tuple[int, ...]) -> Any:
    """Ones where they are floats or booleans, zeros where they are integers."""
    dtype = helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type)
    return np.zeros(shape, dtype) if dtype.kind in "iu" else np.ones(shape, dtype)


def value(text: str, sizes: Sizes) -> Any:
    """What a formula is at these sizes, by Python's own grammar and arithmetic."""
    names = {name.replace(" ", "_"): size for name, size in sizes.items()}
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


def _lenient(node: onnx.NodeProto, values: Mapping[str, Any]) -> bool:
    """Whether this joins tensors that differ off the join axis."""
    if node.op_type != "Concat":
        return False
    axis = next(a.i for a in node.attribute if a.name == "axis")
    shapes = [list(np.shape(values[name])) for name in node.input]
    for shape in shapes:
        shape[axis] = 0
    return any(shape != shapes[0] for shape in shapes)


def _code(text: str) -> str:
    parts = text.split("`")
    return "".join(part.replace(" ", "_") if i % 2 else part for i, part in enumerate(parts))


def _element_type(array: Any) -> int:
    return helper.np_dtype_to_tensor_dtype(np.asarray(array).dtype)


def _session(model: onnx.ModelProto) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_mem_pattern = options.enable_mem_reuse = False
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


__all__ = ["Execution", "NoBlame", "Run", "assignments", "captures", "input_shape", "plain", "value"]
