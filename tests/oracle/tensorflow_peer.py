"""One call of a TensorFlow operator, run by TensorFlow in a process of its own and judged by shapesmt.

A call is an operator with its arguments: a tensor of data, or a constant. Its siblings are the same call with one thing
changed: a rank, a size, a constant or an attribute.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import graph_pb2, node_def_pb2
from tensorflow.python.framework import op_def_registry

import shapesmt
from shapesmt.frontends import load
from tests.oracle.forked import results
from tests.support import tensorflow_settings as _settings  # noqa: F401 - before anything runs

ONLY_HERE = (
    "CPU",
    "only supports NHWC",
    "required but could not be found",
    "Not enough time",
)  # what other devices, or other data, may do
HIDDEN = 40  # how many values are tried of what an input hides
RANKS = 10  # a tensor of that many axes is more than most operators take


@dataclass(frozen=True)
class Argument:
    """A tensor that is given: its elements are data unless there are `values`, which may be `hidden` in a file."""

    dtype: str
    shape: tuple[int, ...]
    values: Any = None
    hidden: bool = False

    @property
    def fed(self) -> bool:
        """Whether it is an input of the file."""
        return self.values is None or self.hidden


@dataclass(frozen=True)
class Call:
    """An operator on arguments, some of them lists, with attributes; `changed` says what its siblings differ in.

    An argument may be a call as well, whose first output it is: a list of tensors or a table.
    """

    op: str
    arguments: tuple[Argument | Call | tuple[Argument, ...], ...]
    attributes: tuple[tuple[str, Any], ...] = ()
    changed: str = ""

    @property
    def flat(self) -> list[Argument | Call]:
        """The arguments one by one."""
        return [a for given in self.arguments for a in (given if isinstance(given, tuple) else (given,))]

    @property
    def dtype(self) -> str:
        """The type of its first output, where the operator has only one: "variant" for a list of tensors."""
        return tf.as_dtype(op_def_registry.get(self.op).output_arg[0].type).name

    def leaves(self, under: str = "in") -> Iterator[tuple[str, Argument]]:
        """The tensors that are given to it and to the calls among its arguments, by the names of their nodes."""
        for i, a in enumerate(self.flat):
            if isinstance(a, Call):
                yield from a.leaves(f"{under}{i}_")
            else:
                yield f"{under}{i}", a

    def __str__(self) -> str:
        shown = [
            str(a)
            if isinstance(a, Call)
            else f"{a.dtype}{list(a.shape)}" + ("" if a.values is None else f"={a.values}" + "?" * a.hidden)
            for a in self.flat
        ]
        return f"{self.op}({', '.join(shown)}; {dict(self.attributes)}) with {self.changed or 'nothing changed'}"


# Files


def graph_of(call: Call, told: str = "sizes") -> graph_pb2.GraphDef:
    """The call as a graph, which TensorFlow and shapesmt read; it tells "sizes", "ranks" or nothing."""
    graph = graph_pb2.GraphDef()
    graph.versions.producer = min(op_def_registry.get(call.op).deprecation.version or 2000, 2000) - 1
    for name, a in call.leaves():
        node = graph.node.add(name=name, op="Placeholder" if a.fed else "Const")
        node.attr["dtype"].type = tf.as_dtype(a.dtype).as_datatype_enum
        if not a.fed:
            made = np.array(a.values, object if a.dtype == "string" else tf.as_dtype(a.dtype).as_numpy_dtype)
            node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(made, a.dtype, a.shape))
        else:
            node.attr["shape"].shape.unknown_rank = not told
            for size in a.shape if told else ():
                node.attr["shape"].shape.dim.add(size=size if told == "sizes" else -1)
    graph.node.extend(_nodes_of(call, "out", "in"))
    return graph


def _nodes_of(call: Call, name: str, under: str) -> Iterator[node_def_pb2.NodeDef]:
    """The operator's node behind those of the calls among its arguments, its types those of the arguments."""
    for i, a in enumerate(call.flat):
        if isinstance(a, Call):
            yield from _nodes_of(a, f"{under}{i}", f"{under}{i}_")
    found = op_def_registry.get(call.op)
    node = node_def_pb2.NodeDef(name=name, op=call.op, input=[f"{under}{i}" for i in range(len(call.flat))])
    for arg, given in zip(found.input_arg, call.arguments, strict=True):
        listed = given if isinstance(given, tuple) else (given,)
        types = [tf.as_dtype(a.dtype).as_datatype_enum for a in listed]
        if arg.number_attr:
            node.attr[arg.number_attr].i = len(listed)
        if arg.type_list_attr:
            node.attr[arg.type_list_attr].list.type[:] = types
        elif arg.type_attr and types:
            node.attr[arg.type_attr].type = types[0]
    kinds = {a.name: a.type for a in found.attr}
    for attribute, value in call.attributes:
        _set(node.attr[attribute], kinds[attribute], value)
    yield node


def _set(attribute: Any, kind: str, value: Any) -> None:
    if kind.startswith("list("):
        kind = kind[5:-1]
        attribute.list.SetInParent()
        for one in value:
            if kind == "shape":
                attribute.list.shape.append(tf.TensorShape(one).as_proto())
            else:
                getattr(attribute.list, _FIELDS[kind]).append(_plain(kind, one))
    elif kind == "shape":
        attribute.shape.CopyFrom(tf.TensorShape(value).as_proto())
    else:
        setattr(attribute, _FIELDS[kind], _plain(kind, value))


_FIELDS = {"int": "i", "float": "f", "bool": "b", "string": "s", "type": "type"}


def _plain(kind: str, value: Any) -> Any:
    if kind == "type":
        return tf.as_dtype(value).as_datatype_enum
    return value.encode() if kind == "string" else value


# TensorFlow


@dataclass(frozen=True)
class Run:
    """What TensorFlow makes of a call: the shapes of its outputs, or why it refuses."""

    shapes: tuple[tuple[int, ...], ...] = ()
    refused: str = ""


def outcomes(calls: Sequence[Call]) -> Iterator[Run]:
    """What TensorFlow makes of each call."""
    for run in results(attempt, calls):
        yield run or Run(refused="the process died")


def attempt(call: Call) -> Run:
    """The call run with sizes that TensorFlow learns when it runs, and then told them beforehand."""
    found = None
    for feeds, told in itertools.product(_feeds(call), ("ranks", "")):  # some shape functions break at sizes of -1
        run = _executed(call, feeds, told)
        found = found or run
        if not run.refused:
            found = run
            break
    if found is None or found.refused:
        return found or Run(refused="it takes nothing")
    try:
        with tf.Graph().as_default():
            tf.import_graph_def(graph_of(call), name="")
    except ValueError as error:
        return Run(found.shapes, f"beforehand: {error}")
    return found


def _feeds(call: Call) -> Iterator[dict[str, Any]]:
    """What the inputs may hold: one, zero, and where values are hidden these and others like them."""
    inputs = {f"{name}:0": a for name, a in call.leaves() if a.fed}
    integers = any("int" in a.dtype for a in inputs.values())
    for fill in (1, 0) if integers else (1,):
        yield {name: _fed(a, fill) for name, a in inputs.items()}
    hidden = [name for name, a in inputs.items() if a.hidden]
    for trial in range(HIDDEN) if hidden else ():
        random = Random(trial)
        feeds = {name: _fed(a, trial % 2) for name, a in inputs.items()}
        for name in hidden:
            feeds[name] = np.reshape([random.randint(-1, 6) for _ in range(feeds[name].size)], feeds[name].shape)
        yield feeds


def _executed(call: Call, feeds: dict[str, Any], told: str) -> Run:
    try:
        with tf.Graph().as_default() as g:
            tf.import_graph_def(graph_of(call, told), name="")
            config = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
            config.graph_options.rewrite_options.disable_meta_optimizer = True
            with tf.compat.v1.Session(graph=g, config=config) as session:
                out = g.get_operation_by_name("out")
                _, made = session.run([out, out.outputs], feeds)
    except (tf.errors.OpError, ValueError) as error:
        said = str(error).replace("Graph execution error:", "").split("\n\t [[")[0]
        return Run(refused=" ".join(said.split()[-30:]))
    return Run(tuple(np.shape(t) for t in made))


def _fed(a: Argument, fill: int) -> Any:
    if a.values is not None:
        return np.array(a.values, tf.as_dtype(a.dtype).as_numpy_dtype).reshape(a.shape)
    if a.dtype == "string":
        return np.full(a.shape, "a", object)
    return np.full(a.shape, fill if "int" in a.dtype else 1, tf.as_dtype(a.dtype).as_numpy_dtype)


# shapesmt


def compare(call: Call, run: Run) -> str:
    """What is wrong with the verdict and the shapes; "" where nothing is."""
    try:
        graph = load(graph_of(call).SerializeToString())
    except shapesmt.ModelError as error:
        return "" if run.refused else f"{error}, and TensorFlow makes {run.shapes}"
    if not graph.nodes:  # it makes nothing
        return ""
    report = shapesmt.check(graph)
    verdict = report.verdict.name
    if run.refused:
        if any(sign in run.refused for sign in ONLY_HERE):
            return ""
        return f"PROVED, and TensorFlow refuses: {run.refused[:150]}" if verdict == "PROVED" else ""
    if verdict == "FAILS":
        return f"FAILS, and TensorFlow makes {run.shapes}: {report.findings[0].law}"
    if verdict == "UNKNOWN":
        return f"UNKNOWN, and TensorFlow makes {run.shapes}" if not call.changed else ""
    inferred = shapesmt.bounds(graph).tensors
    for i, shape in enumerate(run.shapes):
        found = inferred.get("out" if i == 0 else f"out:{i}")
        if found is None or found.shape is None:
            continue
        ends = [(d.min, d.max) for d in found.shape]
        fits = len(ends) == len(shape) and all(
            lo <= size and (hi is None or size <= hi) for (lo, hi), size in zip(ends, shape, strict=True)
        )
        if not fits:
            return f"output {i} is {ends}, and TensorFlow makes {shape}"
    return ""


# Siblings


def hidden(call: Call) -> Iterator[Call]:
    """The same call with a constant of integers that is an input instead."""
    for i, a in enumerate(call.arguments):
        if isinstance(a, Argument) and a.values is not None and a.dtype in ("int32", "int64"):
            other = replace(a, hidden=True)
            yield replace(call, arguments=(*call.arguments[:i], other, *call.arguments[i + 1 :]))


def siblings(call: Call) -> Iterator[Call]:
    """The same call with one thing changed: the ranks and sizes of arguments, constants, attributes."""
    for i, given in enumerate(call.arguments):
        listed = isinstance(given, tuple)
        for k, a in enumerate(given if isinstance(given, tuple) else () if isinstance(given, Call) else (given,)):
            for what, other in [*_shaped(a), *_valued(a)]:
                made: Any = (*given[:k], other, *given[k + 1 :]) if isinstance(given, tuple) else other
                where = f"argument {i}" + (f"[{k}]" if listed else "")
                yield replace(
                    call,
                    arguments=(*call.arguments[:i], made, *call.arguments[i + 1 :]),
                    changed=f"{where} {what}",
                )
    kinds = {a.name: a for a in op_def_registry.get(call.op).attr}
    known = dict(call.attributes)
    for name, attribute in kinds.items():
        for value in _others(attribute, known.get(name, _default(attribute))):
            yield replace(call, attributes=tuple({**known, name: value}.items()), changed=f"{name}={value}")


def _shaped(a: Argument) -> Iterator[tuple[str, Argument]]:
    """Other ranks and sizes of data."""
    if a.values is not None and not a.hidden:
        return
    shapes = [(1, *a.shape), (*a.shape, 1), (*a.shape, *[1] * (RANKS - len(a.shape))), ()]
    shapes += [a.shape[1:], a.shape[:-1]] if a.shape else []
    for axis, size in enumerate(a.shape):
        shapes += [(*a.shape[:axis], s, *a.shape[axis + 1 :]) for s in (0, 1, size - 1, size + 1, 2 * size)]
    for shape in dict.fromkeys(shapes):
        if shape != a.shape and min(shape, default=0) >= 0:
            yield (
                f"of shape {list(shape)}",
                replace(a, shape=shape, values=_filled(a, shape)),
            )


def _filled(a: Argument, shape: tuple[int, ...]) -> Any:
    """What an argument of another shape holds."""
    return None if a.values is None else np.full(shape, "" if a.dtype == "string" else 1).tolist()


def _valued(a: Argument) -> Iterator[tuple[str, Argument]]:
    """Other constants: of other ranks, of other lengths, with other elements."""
    if a.fed:
        return
    values = np.array(a.values, object if a.dtype == "string" else None).reshape(a.shape)
    others = [values[None], values[..., None], values.reshape(-1)[:1].reshape(())] if values.size else [values[None]]
    if values.ndim:
        others += [values[:-1], np.concatenate([values, values[-1:]])]
    for at in np.ndindex(values.shape) if a.dtype != "string" else ():
        for number in {-5, -2, -1, 0, 1, 2, 3, 5, values[at] + 1, values[at] - 1}:
            if not (a.dtype == "bool" or (a.dtype.startswith("u") and number < 0)):
                changed = values.copy()
                changed[at] = number
                others.append(changed)
    for other in others:
        if other.shape != values.shape or (other != values).any():
            yield f"= {other.tolist()}", Argument(a.dtype, other.shape, other.tolist())


def _default(attribute: Any) -> Any:
    if not attribute.HasField("default_value"):
        return None
    value = attribute.default_value
    kind = attribute.type
    if kind.startswith("list("):
        return list(getattr(value.list, _FIELDS.get(kind[5:-1], "shape")))
    found = getattr(value, _FIELDS.get(kind, "shape"))
    return found.decode() if kind == "string" else found


def _others(attribute: Any, value: Any) -> list[Any]:
    """Other values of an attribute, which TensorFlow's registry may limit."""
    kind = attribute.type
    if value is None or attribute.name in ("container", "pattern", "seed", "seed2", "shared_name"):
        return []
    if kind == "int":
        return [v for v in dict.fromkeys((-3, -2, -1, 0, 1, 2, 3, 9, value + 1, value - 1)) if v != value]
    if kind == "bool":
        return [not value]
    if kind == "float":
        return [v for v in (-1.0, 0.0, 0.5, 1.0, 2.0) if v != value]
    if kind == "string":
        allowed = [s.decode() for s in attribute.allowed_values.list.s]
        return [s for s in (allowed or ["", "?"]) if s != value]
    if kind == "list(int)":
        changed = [[*value[:i], n, *value[i + 1 :]] for i, v in enumerate(value) for n in (-1, 0, 1, 2, 3) if n != v]
        return [value[:-1], [*value, 1], *changed] if value else [[0], [1], [1, 1], [-1], [5]]
    return []
