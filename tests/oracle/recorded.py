"""A PyTorch archive as an oracle: it states type, rank, sizes and strides of every tensor, and the example's numbers.

Each is compared with what the rules infer from the inputs: types and ranks as they are, sizes and strides at the
example with which the program was exported, and formulas of sizes at other sizes too that the program's guards pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from shapesmt.analysis.verify import Problem, pose
from shapesmt.frontends import load
from shapesmt.frontends.torch.archive import Archive
from shapesmt.frontends.torch.program import STRIDED, _Program
from shapesmt.frontends.torch.sizes import dtype_of
from shapesmt.network.graph import Literal
from shapesmt.operators.inference import Inference
from shapesmt.operators.ops.torch.layout import strides_of
from shapesmt.operators.rules import Elements, Tensor
from shapesmt.prover.algebra import Atom, Dim, Evaluator, Formula

POINTS, TRIES = 8, 200  # sizes beside the example's, and how many are drawn to find those that pass the guards
MOST = 40  # a size that is drawn


@dataclass
class Compared:
    """How many statements of an archive were compared, by kind, and those that the rules contradict.

    `open` counts the statements with which nothing is compared: the sizes or strides aren't known, or depend on data.
    """

    same: Counter[str] = field(default_factory=Counter)
    open: Counter[str] = field(default_factory=Counter)
    different: list[str] = field(default_factory=list)

    def add(self, kind: str, name: str, stated: object, inferred: object) -> None:
        """Count a comparison."""
        if inferred is None:
            self.open[kind] += 1
        elif stated == inferred:
            self.same[kind] += 1
        else:
            self.different.append(f"{kind} of {name}: {stated} is stated, {inferred} inferred")

    def __iadd__(self, other: Compared) -> Compared:
        self.same += other.same
        self.open += other.open
        self.different += other.different
        return self


class Here:
    """The values of expressions for some sizes."""

    def __init__(self, sizes: Mapping[Atom, int]) -> None:
        self._sizes, self._evaluator = sizes.keys(), Evaluator(sizes)

    def value(self, number: object) -> int | None:
        """The value of an expression; None if it has other symbols, or isn't an integer."""
        known = isinstance(number, Dim) and number.symbols <= self._sizes
        return int(self._evaluator.dim(number)) if known else None

    def all_hold(self, formulas: Sequence[Formula]) -> bool:
        """Whether formulas hold, as far as they are about these sizes."""
        return all(self._evaluator.formula(f) for f in formulas if f.symbols <= self._sizes)


def compared(content: bytes, name: str = "") -> Compared:
    """The statements of a program in an archive, compared with what the rules infer."""
    archive = Archive(content, "archive")
    entry = archive.programs()[name] if name else next(iter(archive.programs().values()))
    graph = archive.document(entry)["graph_module"]["graph"]
    problem = pose(load(content))
    inference, found = problem.inference, Compared()
    for application in inference.applications:
        found.different += [one.law for one in application.assumed if one.by == "archive"]
    example = _example(problem, graph["tensor_values"])
    here = Here(example)
    stated = {**Nested(archive.document(entry)).stated, **graph["tensor_values"]}
    tensors = {**_inside(inference), **inference.tensors}
    for tensor, meta in stated.items():
        t = tensors.get(f"{tensor}.{STRIDED}", tensors.get(tensor))
        if t is not None and t.shape is not None:
            _tensor(found, here, tensor, meta, t)
    for number, stated in graph["sym_int_values"].items():
        t = inference.tensors.get(number)
        value = t.value.items[0] if t is not None and isinstance(t.value, Elements) else None
        hint = _hint(stated)
        if hint is not None:
            found.add("number", number, hint, here.value(value))
    for at in _points(problem, inference, example):
        _formulas(found, problem, inference, at)
    return found


class Nested(_Program):
    """A program read once more for what it states of the tensors in graphs inside nodes, by their names here."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        super().__init__(document, self, "archive")
        self.stated: dict[str, Mapping[str, Any]] = {}
        self.graph()

    def literal(self, *_: Any) -> Literal:
        """Return a constant that isn't looked at."""
        return Literal("", ())

    def output(self, name: str, names: dict[str, str]) -> str:
        """Return the tensor for a node's output, and keep what is stated of it."""
        made = super().output(name, names)
        if self.depth and name in self.metas:
            self.stated[made] = self.metas[name]
        return made


def _inside(inference: Inference) -> dict[str, Tensor]:
    """Return the tensors of graphs inside nodes."""
    bodies = (body for application in inference.applications for body in application.bodies)
    return {name: t for body in bodies for name, t in body.tensors.items()}


def _tensor(found: Compared, here: Here, name: str, meta: Mapping[str, Any], t: Tensor) -> None:
    sizes = [_hint(size) for size in meta["sizes"]]
    found.add("type", name, dtype_of(meta), t.dtype or None)
    found.add("rank", name, len(sizes), t.rank)
    if len(sizes) != t.rank:
        return
    for axis, (stated, d) in enumerate(zip(sizes, t.dims, strict=True)):
        found.add("size", f"{name} on axis {axis}", stated, None if stated is None else here.value(d))
    steps, strides = [_hint(step) for step in meta.get("strides", [])], strides_of(t)
    matter = [i for i, size in enumerate(sizes) if size != 1]  # PyTorch ignores the others
    if len(steps) == len(sizes) and None not in (*steps, *sizes) and 0 not in sizes:
        ours = None if strides is None else [here.value(strides[i]) for i in matter]
        found.add("strides", name, [steps[i] for i in matter], None if ours is None or None in ours else ours)


def _formulas(found: Compared, problem: Problem, inference: Inference, at: Here) -> None:
    """Compare the stated formulas of sizes at sizes that pass the guards."""
    texts = {**problem.stated_sizes, **problem.dims}
    for name, declared in problem.graph.declared.items():
        t = inference.tensors.get(name)
        if t is None or t.shape is None or declared.shape is None or len(declared.shape) != t.rank:
            continue
        for stated, inferred in zip(declared.shape, t.dims, strict=True):
            known = stated if isinstance(stated, int) else at.value(texts.get(stated or ""))
            if known is not None:
                found.add("formula", f"{name} ({stated}, {inferred})", known, at.value(inferred))


def _hint(size: Mapping[str, Any]) -> int | None:
    """A size, or its value for the example; None for one that data decide."""
    [(kind, content)] = size.items()
    hint = content if kind == "as_int" else (content.get("hint") or {}).get("as_int")
    return hint if isinstance(hint, int) else None


def _example(problem: Problem, metas: Mapping[str, Any]) -> dict[Atom, int]:
    """The example's sizes, for each symbol of the inputs."""
    sizes = {}
    for name, t in problem.inputs.items():
        stated = [_hint(size) for size in metas[name]["sizes"]] if name in metas else []
        pairs = zip(t.shape or (), stated, strict=False)
        sizes |= {s: size for d, size in pairs if (s := d.as_symbol()) is not None and size is not None}
    return sizes


def _points(problem: Problem, inference: Inference, example: Mapping[Atom, int]) -> Iterator[Here]:
    """Sizes for which all nodes run and all guards hold; none if guards are missing or can't be read."""
    unread = any(u.branch.op == "true" for a in inference.applications for u in a.unjudged)
    formulas = [r.formula for a in inference.applications for r in a.requirements]
    if problem.graph.missing or unread or not example:
        return
    draw, left = Random(0), POINTS
    for _ in range(TRIES):
        drawn = {s: draw.choice((n, n + draw.randint(-3, 3), 2 * n, draw.randint(1, MOST))) for s, n in example.items()}
        if min(drawn.values()) > 0 and (at := Here(drawn)).all_hold(formulas):
            yield at
            left -= 1
        if not left:
            return
