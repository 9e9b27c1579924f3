"""Compare rules with TensorFlow: it traces a function, which is run at every size in its arguments' ranges.

    agree(lambda x: tf.nn.relu(x), "1..3,2")

A run fails if and only if some requirement is false; outputs have the inferred shapes, types and known elements.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import tensorflow as tf

import shapesmt
from shapesmt.analysis.verify.problem import pose
from shapesmt.frontends import load
from shapesmt.network.graph.graph import Graph
from shapesmt.network.graph.literal import Declared
from shapesmt.operators.inference import infer
from shapesmt.prover.algebra.evaluation import Evaluator
from shapesmt.prover.algebra.formula import FALSE
from tests.support import tensorflow_settings as _settings  # noqa: F401 - before anything runs
from tests.support.harness import Agreement, _compare

SAMPLED = 12  # sizes of each test that are run without --full

Build = Callable[..., Any]
Feed = Callable[[tuple[int, ...]], Any]


def traced(build: Build, shapes: Sequence[str], dtypes: Sequence[str]) -> tuple[Any, bool]:
    """Return the function traced with arguments of these shapes, and whether TensorFlow accepts their fixed sizes.

    If it refuses them, the function is traced for any ranks. Sizes with a range are unknown in the trace.
    """
    made = tf.function(lambda *xs: tf.nest.flatten(build(*xs)), autograph=False)
    given = [*zip(map(sizes_of, shapes), dtypes, "xyzuvwabcd", strict=False)]
    told = [[None if ".." in s else int(s) for s in sizes] for sizes, *_ in given]
    try:
        specs = [tf.TensorSpec(t, dtype, name) for t, (_, dtype, name) in zip(told, given, strict=True)]
        return made.get_concrete_function(*specs), True
    except ValueError:
        possible = not any(size is not None for sizes in told for size in sizes)  # it wasn't told anything
        return made.get_concrete_function(*(tf.TensorSpec(None, dtype, name) for _, dtype, name in given)), possible


def sizes_of(shape: str) -> list[str]:
    """Return the sizes of an argument, numbers and ranges: "1..3,2" -> `["1..3", "2"]`."""
    return [size for size in shape.split(",") if size]


def graph_of(function: Any, shapes: Sequence[str]) -> Graph:
    """Return the traced function as a graph whose inputs have these sizes."""
    graph = load(function.graph.as_graph_def().SerializeToString())
    inputs, ranges = {}, {}
    for argument, shape in zip(function.inputs, shapes, strict=True):
        name, sizes = argument.op.name, sizes_of(shape)
        if name in graph.inputs:
            dims = tuple(f"{name}{i}" if ".." in s else int(s) for i, s in enumerate(sizes))
            inputs[name] = Declared(graph.inputs[name].dtype, dims)
            ranges |= {f"{name}{i}": s for i, s in enumerate(sizes) if ".." in s}
    outputs = [t.name.removesuffix(":0") for t in function.outputs]
    return replace(graph, inputs=inputs, outputs=outputs, ranges=ranges)


def agree(
    build: Build,
    *shapes: str,
    dtypes: Sequence[str] = (),
    feeds: Mapping[str, Feed] | None = None,
    most: int | None = None,
    known: bool = True,
    may_fail_more: bool = False,
    avoid: Callable[[dict[str, int]], bool] | None = None,
    instead: Build | None = None,
) -> Agreement:
    """Assert that inference and TensorFlow's execution agree at every size, or at `most` random ones.

    Args:
        build: Computes the outputs from the arguments x, y, z, ...
        shapes: The sizes of each argument: numbers and ranges.
        dtypes: Element types; by default float32.
        feeds: For each argument, a function from its shape to its elements; by default all elements are 1.
        most: The maximum number of sizes that are tried; None tries all.
        known: Whether inference has to know every rank and type.
        may_fail_more: Whether runs may fail for reasons that the rule omits.
        avoid: Whether to skip sizes, because running them would end the process.
        instead: A function to run instead of `build`.
    """
    types = [*dtypes, *["float32"] * (len(shapes) - len(dtypes))]
    function, possible = traced(build, shapes, types)
    graph = graph_of(function, shapes)
    runner, possible = traced(instead, shapes, types) if instead else (function, possible)
    problem = pose(graph)
    found = Agreement(infer(graph, problem.inputs), backend="tensorflow")
    found.tensors = found.inference.tensors
    unjudged = [u for application in found.inference.applications for u in application.unjudged]
    refused = any(r.formula is FALSE for a in found.inference.applications for r in a.requirements)
    assert not (known and unjudged and not refused), f"nothing is said of {unjudged}"
    names = list(problem.dims)
    spans = [range(problem.ranges[name].min, (problem.ranges[name].max or 3) + 1) for name in names]
    every = [
        sizes for sizes in itertools.product(*spans) if not (avoid and avoid(dict(zip(names, sizes, strict=True))))
    ]
    runs = []
    for sizes in every if most is None or len(every) <= most else Random(0).sample(every, most):
        atoms = {problem.dims[n].as_symbol(): size for n, size in zip(names, sizes, strict=True)}
        shaped = {name: tuple(map(Evaluator(atoms).dim, t.dims)) for name, t in problem.inputs.items()}
        given = [fed(n, shaped[n], t, feeds or {}) for n, t in zip(shaped, types, strict=True)]
        result = run(runner, given) if possible else None
        where = f"at {dict(zip(names, sizes, strict=True))} (tensorflow)"
        _compare(found, graph.outputs, atoms, [result], where, known, may_fail_more)
        runs.append(None if result is None else list(map(np.shape, result)))
    if most is None and known and not may_fail_more and avoid is None:
        judge(graph, found, runs)
    return found


def judge(graph: Graph, found: Agreement, runs: Sequence[list[tuple[int, ...]] | None]) -> None:
    """Assert that the verdict and the bounds over the ranges match the runs at all sizes."""
    applications = found.inference.applications
    if any(s.kind == "data" for a in applications for r in a.requirements for s in r.formula.symbols):
        return
    expected = "FAILS" if not found.ran else "DEPENDS" if found.failed else "PROVED"
    assert shapesmt.check(graph).verdict.name == expected
    made = [shapes for shapes in runs if shapes is not None]
    tensors = shapesmt.bounds(graph, *graph.outputs).tensors if made else {}
    for name, *shapes in zip(graph.outputs, *made, strict=True) if made else ():
        dims = tensors[name].shape
        if tensors[name].cases:
            ranks = {len(shape) for shape in tensors[name].shapes}
            assert ranks == {len(sizes) for sizes in shapes}, f"ranks of '{name}'"
            continue
        free = any(s.kind == "data" for d in found.tensors[name].dims for s in d.symbols)
        intervals = [(min(sizes), max(sizes)) for sizes in zip(*shapes, strict=True)]
        assert free or intervals == [(d.min, d.max) for d in dims or ()], f"bounds of '{name}'"


def fed(name: str, shape: tuple[int, ...], dtype: str, feeds: Mapping[str, Feed]) -> Any:
    """Return the elements of an argument."""
    made = feeds[name](shape) if name in feeds else np.full(shape, "a") if dtype == "string" else np.ones(shape)
    return tf.cast(made, dtype) if dtype != "string" else tf.constant(made, tf.string, shape)


def run(function: Any, given: Sequence[Any]) -> list[Any] | None:
    """Return the function's results for these arguments; None if it fails."""
    try:
        return [t.numpy() if isinstance(t, tf.Tensor) else t for t in tf.nest.flatten(function(*given))]
    except (tf.errors.OpError, ValueError):
        return None


# What tests build with


def ints(*values: int, dtype: Any = tf.int64) -> Any:
    """Return a constant list of integers."""
    return tf.constant(values, dtype, [len(values)])


def floats(*values: float) -> Any:
    """Return a constant list of floats."""
    return tf.constant(values, tf.float32, [len(values)])


def scalar(value: Any, dtype: Any = tf.int32) -> Any:
    """Return a constant scalar."""
    return tf.constant(value, dtype)


def length(x: Any, at: int = 0) -> Any:
    """Return the size of axis `at` as a tensor of the graph."""
    return tf.shape(x)[at]


def zeros(*shape: int) -> Any:
    """Return a constant tensor of zeros."""
    return tf.constant(np.zeros(shape, np.float32))


def named(name: str) -> Callable[..., Any]:
    """Return a function that applies the operator of that name, with its inputs as positional arguments."""
    made = getattr(tf.raw_ops, name)
    parameters = list(inspect.signature(made).parameters)
    return lambda *xs, **attributes: made(**dict(zip(parameters, xs, strict=False)), **attributes)
