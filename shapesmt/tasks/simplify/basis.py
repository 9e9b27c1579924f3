"""Basis: the model to be written, and the inputs for which its rewrites have to hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from shapesmt.analysis.analysis import Analysis
from shapesmt.analysis.verify import Problem, examine_problem, pinned, pose_everything
from shapesmt.base.deadline import Deadline
from shapesmt.base.errors import ModelError
from shapesmt.base.frozen import frozen
from shapesmt.frontends import Format, ModelSource, OpenedModel, load
from shapesmt.network.declarations import ADMISSIBLE, Admissible, Range, both, names_in, parse_admissible, parse_formula
from shapesmt.prover.algebra import FALSE, TRUE, Dim, as_dim, symbol
from shapesmt.tasks.simplify.declared import declare_inputs

if TYPE_CHECKING:
    from onnx import ModelProto

GRACE = 1.0  # seconds to read the declared inputs, even after the deadline, as every written model needs them
_OVERRIDABLE = 4  # first IR version in which callers may replace an initializer that is an input


@frozen(eq=False)
class Basis:
    """A model with the sizes of its inputs declared, and its analysis over the inputs for which rewrites must hold.

    Attributes:
        proto: The model to be rewritten.
        analysis: The analysis over all inputs that the model declares, or with `trusted` those that the caller admits.
        admissible: The inputs for which the written model is valid, as far as it can't declare them.
        defaults: The inputs with an initializer: any elements are possible; with `trusted`, only the initializer's.
        trusted: Whether rewrites may rest on the caller's ranges and relations.
    """

    proto: ModelProto
    analysis: Analysis
    admissible: Admissible
    defaults: tuple[str, ...]
    trusted: bool


def basis_of(proto: ModelProto, a: Analysis, folder: str | None, *, trusted: bool, claimed: bool = False) -> Basis:
    """Return a copy of the model that declares its sizes, and the analysis on which rewrites may rest.

    With `trusted`, that is `a`, the analysis over the caller's ranges; otherwise one over all inputs that the model
    declares. With `claimed`, the latter trusts declared shapes where nothing is inferred. `folder` has the external
    data; None if the model isn't a file.

    Raises:
        ModelError: The file's metadata say that it is for other inputs than the caller's.
    """
    copy = type(proto)()
    copy.CopyFrom(proto)
    stated = (r for application in a.examination.inference.applications for r in application.requirements)
    exempt = any(r.declared for r in stated)  # with these sizes declared, the runtime might refuse the model
    trusted = trusted and not exempt
    became = {} if exempt else declare_inputs(copy, pinned(a.problem, a.judge))
    noted = [parse_admissible(note.value) for note in copy.metadata_props if note.key == ADMISSIBLE]
    for admissible in [*noted[1:], *([_admissible_inputs(a.problem)] if trusted else [])]:
        noted[:1] = [both(noted[0], admissible)] if noted else [admissible]
    admissible = _rename(noted[0], became) if noted else Admissible({})
    defaults = overridable(copy)
    if not trusted:
        a = _everywhere(copy, a, defaults, folder, claimed=claimed)
    return Basis(copy, a, admissible, defaults, trusted)


def overridable(proto: ModelProto) -> tuple[str, ...]:
    """Return the names of inputs with an initializer that a caller may replace."""
    known = {t.name for t in proto.graph.initializer} | {t.values.name for t in proto.graph.sparse_initializer}
    return tuple(i.name for i in proto.graph.input if i.name in known) if proto.ir_version >= _OVERRIDABLE else ()


def _everywhere(
    proto: ModelProto, a: Analysis, defaults: tuple[str, ...], folder: str | None, *, claimed: bool
) -> Analysis:
    """Return the analysis over all inputs that a model declares, in the time that is left.

    Initializers named in `defaults` count as inputs of any elements. `claimed` and `folder` are as for `basis_of`.
    """
    graph = load(OpenedModel(Format.ONNX, proto, a.problem.graph.source, folder))
    literals = {name: literal for name, literal in graph.literals.items() if name not in defaults}
    inputs = {**graph.inputs, **{name: graph.declared[name] for name in defaults}}
    graph = replace(graph, inputs=inputs, literals=literals, ranges={}, relations=())
    enough = Deadline(max(a.judge.deadline.remaining, GRACE))
    problem = enough.require(lambda: pose_everything(graph), "the inputs aren't looked through")
    found = examine_problem(problem, a.judge, trust=claimed)
    return replace(a, problem=found.problem, examination=found.examination)


def _admissible_inputs(problem: Problem) -> Admissible:
    """Return the inputs that the caller admits."""
    fixed = {f"{name}_rank" for name, declared in problem.graph.inputs.items() if declared.shape is None}
    ranges = {n: r for n, r in problem.ranges.items() if n not in fixed or (r.min != r.max and r.source != "default")}
    return Admissible({n: Range(r.min, r.max, r.step) for n, r in ranges.items()}, problem.assumptions)


def _rename(admissible: Admissible, became: Mapping[str, str | int]) -> Admissible:
    """Return the admissible inputs by their names in the written model; `became` maps old names to new ones or numbers.

    Raises:
        ModelError: A size has become a number that isn't admitted.
    """
    relations = [_relation(text, became) for text in admissible.relations]
    renamed = Admissible({}, tuple(text for text in relations if text))
    for name, r in admissible.ranges.items():
        new = became.get(name, name)
        if isinstance(new, int):
            both(Admissible({name: Range(new, new)}), Admissible({name: r}))  # raises for a number outside the range
        else:
            renamed = both(renamed, Admissible({new: r}))
    return renamed


def _relation(text: str, became: Mapping[str, str | int]) -> str:
    """Return a relation over the names in the written model (see `_rename`); "" if it always holds there."""
    names = names_in(text)
    if names.isdisjoint(became):
        return text
    known: dict[str, Dim] = {}
    for name in names:
        new = became.get(name, name)
        known[name] = as_dim(new) if isinstance(new, int) else symbol(new, -inf, fold=False)
    formula = parse_formula(text, known)
    if formula is FALSE:
        raise ModelError(f"no input satisfies {text}, for which the file's metadata say it was written")
    return "" if formula is TRUE else str(formula)


def folder_of(model: ModelSource) -> str | None:
    """Return the folder of a model's external data; None if the model isn't a file."""
    return str(Path(model.path).resolve().parent) if model.path is not None else None
