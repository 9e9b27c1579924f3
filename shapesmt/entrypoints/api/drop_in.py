"""A drop-in for ONNX's own shape inference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from shapesmt.analysis.analysis import analyse
from shapesmt.analysis.diagnose import refuse
from shapesmt.analysis.verify import TIMEOUT, Claims, Question, pose, shape_claims
from shapesmt.base.deadline import Deadline
from shapesmt.base.errors import one_frame
from shapesmt.operators.inference import infer
from shapesmt.operators.rules import Tensor
from shapesmt.prover.algebra import Atom, Dim, Evaluator, Formula, Kind, of_atom, one_call, substitute

if TYPE_CHECKING:
    from onnx import ModelProto


@one_frame
@one_call()
def infer_shapes(
    model: ModelProto | bytes,
    check_type: bool = False,
    strict_mode: bool = False,
    data_prop: bool = False,  # noqa: ARG001 - ONNX's signature
) -> ModelProto:
    """Return the model with `value_info` for every tensor, as `onnx.shape_inference.infer_shapes` does.

    Values are always propagated (`data_prop`). The file's `value_info` is used for tensors about which nothing can be
    inferred. With `strict_mode` or `check_type`, a node that no input can run is a `ModelError`, except for laws that
    no shape depends on; without them no solver is asked, so that this is as quick as ONNX's function. Every
    `ModelError` raised here is an `onnx.shape_inference.InferenceError` and an `onnx.checker.ValidationError` too.

    >>> import onnx
    >>> model = onnx.parser.parse_model('''<ir_version: 8, opset_import: ["":18]>
    ... g (float[n, 4] x) => (float[k, m] z) { y = Flatten <axis=0> (x) z = Exp (y) }''')
    >>> [dim.dim_param or dim.dim_value for dim in infer_shapes(model).graph.value_info[0].type.tensor_type.shape.dim]
    [1, '4*n']
    """
    from shapesmt.frontends import load_protobuf
    from shapesmt.reports.export import annotate, refusing

    with refusing():
        proto, graph = load_protobuf(model)
        if strict_mode or check_type:
            refuse(analyse(graph, Question(declared=Claims.TRUST)), types=check_type)
    problem = pose(graph)
    in_time = Deadline(TIMEOUT).require
    inference = in_time(lambda: infer(graph, problem.inputs), "shapes aren't inferred")
    if inference.unranked or any(t.shape is None for t in inference.tensors.values()):
        inference = in_time(
            lambda: infer(graph, problem.inputs, claims=shape_claims(problem)), "shapes aren't inferred"
        )
    pinned = _fixed_symbols(r.formula for a in inference.applications for r in a.requirements)
    return annotate(proto, {name: (t.dtype, _axes(t, pinned)) for name, t in inference.tensors.items()})


def _fixed_symbols(needed: Iterable[Formula]) -> dict[Atom, Dim]:
    """Return each symbol that a requirement sets to a number, with that number: `n == 4` gives `{n: 4}`."""
    pinned: dict[Atom, Dim] = {}
    for formula in needed:
        if formula.op == "eq" and formula.dim is not None and len(formula.dim.symbols) == 1:
            (atom,) = formula.dim.symbols
            for number in (of_atom(atom) - formula.dim, of_atom(atom) + formula.dim):
                if number.constant is not None and atom.kind is not Kind.AXIS:
                    pinned[atom] = number
    return pinned


def _axes(t: Tensor, pinned: Mapping[Atom, Dim]) -> list[int | str | None] | None:
    """Return a tensor's sizes as numbers, formulas or None (unknown); for a sequence, the sizes of its tensors.

    Symbols in `pinned` are replaced by their numbers. The result is None if the rank is unknown, and [] for a map.
    """
    if t.shape is None or "map(" in t.dtype:
        return [] if "map(" in t.dtype else None
    dims = t.dims[1:] if "seq(" in t.dtype else t.dims
    dims = tuple(d if d.symbols.isdisjoint(pinned) else substitute(d, pinned) for d in dims)
    varying = [any(s.kind is Kind.AXIS for s in d.symbols) for d in dims]
    return [None if v else str(d) if d.symbols else Evaluator({}).dim(d) for d, v in zip(dims, varying, strict=True)]
