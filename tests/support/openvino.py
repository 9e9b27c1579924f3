"""Compare frontend and rules with OpenVINO: it writes a model, which is run at every size in its parameters' ranges.

    agree(lambda x: op.relu(x), "[1..3,2]")

A run fails if and only if some requirement is false; outputs have the inferred shapes, types and known elements.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import openvino as ov

from shapesmt.analysis.verify.problem import pose
from shapesmt.frontends import load
from shapesmt.operators.inference import infer
from shapesmt.prover.algebra.evaluation import Evaluator
from tests.support.harness import Agreement, _compare
from tests.support.openvino_runtime import CORE, compiled

Build = Callable[..., Any]


def made(build: Build, *shapes: str, dtypes: Sequence[str] = (), names: Sequence[str] = "xyzuvw") -> ov.Model:
    """Return the model that `build` makes from parameters of these partial shapes, element types and names."""
    types = [*dtypes, *["f32"] * (len(shapes) - len(dtypes))]
    given = [
        ov.opset15.parameter(ov.PartialShape(shape), getattr(ov.Type, dtype), name=name)
        for shape, dtype, name in zip(shapes, types, names, strict=False)
    ]
    built = build(*given)
    outputs = built if isinstance(built, (list, tuple)) else built.outputs()
    results = [ov.opset15.result(o.output(0) if isinstance(o, ov.Node) else o) for o in outputs]
    return ov.Model(results, given, "made")


def saved(model: ov.Model, folder: str | Path) -> str:
    """Write the model, with its weights next to it, and return its path."""
    path = str(Path(folder, "model.xml"))
    ov.serialize(model, path)
    return path


def agree(build: Build, *shapes: str, dtypes: Sequence[str] = (), most: int | None = None) -> Agreement:
    """Assert that inference and OpenVINO's execution agree at every size, or at `most` random ones."""
    with TemporaryDirectory() as folder:
        path = saved(made(build, *shapes, dtypes=dtypes), folder)
        graph = load(path)
        model = CORE.read_model(path)
    problem = pose(graph)
    found = Agreement(infer(graph, problem.inputs), backend="openvino")
    found.tensors = found.inference.tensors
    names = list(problem.dims)
    spans = [range(problem.ranges[name].min, (problem.ranges[name].max or 3) + 1) for name in names]
    every = list(itertools.product(*spans))
    for sizes in every if most is None or len(every) <= most else some(every, most):
        atoms = {problem.dims[n].as_symbol(): size for n, size in zip(names, sizes, strict=True)}
        shaped = {name: tuple(map(Evaluator(atoms).dim, t.dims)) for name, t in problem.inputs.items()}
        result = run(model, shaped)
        where = f"at {dict(zip(names, sizes, strict=True))} (openvino)"
        _compare(found, graph.outputs, atoms, [result], where, known=True, may_fail_more=False)
    return found


def some(sizes: list[tuple[int, ...]], most: int) -> list[tuple[int, ...]]:
    """Return the smallest and the largest sizes, and random ones between them: `most` in total."""
    return [sizes[0], *Random(0).sample(sizes[1:-1], most - 2), sizes[-1]]


def run(model: ov.Model, shapes: dict[str, tuple[int, ...]]) -> list[Any] | None:
    """Return the model's outputs for inputs of these shapes, filled with ones; None if the run fails."""
    model = model.clone()
    try:
        model.reshape({name: ov.PartialShape(list(shape)) for name, shape in shapes.items()})
        types = {p.any_name: p.element_type.to_dtype() for p in model.inputs}
        given = {n: np.ones(s, types[n]) for n, s in shapes.items()}
        ready = compiled(model)
        result = ready(given)
        return [np.array(result[port]) for port in ready.outputs]
    except RuntimeError:
        return None
