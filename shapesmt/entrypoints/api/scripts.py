"""Texts for other programs: the complete system for a solver, and a script that shows a failure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from shapesmt.analysis import diagnose
from shapesmt.analysis.analysis import analyse
from shapesmt.analysis.verify import TIMEOUT, Question, pose
from shapesmt.base.errors import one_frame
from shapesmt.frontends import Model, load, load_protobuf
from shapesmt.network.declarations import RangeLike, ShapeLike, ValueLike, unknown_name
from shapesmt.prover.algebra import one_call


@one_frame
def encode(
    model: Model,
    node: str | None = None,
    *,
    dims: Mapping[str, RangeLike] | None = None,
    shapes: Mapping[str, ShapeLike] | None = None,
    values: Mapping[str, ValueLike] | None = None,
    assume: Iterable[str] | None = None,
    guards: str = "check",
    timeout: float = TIMEOUT,
) -> str:
    """Return the complete system as SMT-LIB 2 text, before any presolve: it is satisfiable if some node can fail.

    For one node, return its part of the system: satisfiable if the node can fail while the nodes before it run.

    Raises:
        OutOfTimeError: The system isn't complete when the timeout ends.
    """
    return answer_encode(model, Question(dims, shapes, values, assume, timeout, guards=guards), node)


@one_frame
def repro(
    model: Model,
    node: str | None = None,
    *,
    dims: Mapping[str, RangeLike] | None = None,
    shapes: Mapping[str, ShapeLike] | None = None,
    values: Mapping[str, ValueLike] | None = None,
    assume: Iterable[str] | None = None,
    timeout: float = TIMEOUT,
) -> str | None:
    """Return a Python script that shows a failure on ONNX Runtime: that of `node`, or the first; None if there is none.

    The script needs numpy, onnx and onnxruntime. It has the part of the model that fails, without weights.
    """
    return answer_repro(model, node, Question(dims, shapes, values, assume, timeout))


@one_call()
def answer_encode(model: Model, question: Question, node: str | None = None) -> str:
    """Return the answer of `encode`."""
    graph, deadline = question.read(lambda: load(model)), question.deadline
    return deadline.require(lambda: diagnose.system_text(pose(graph, question), node), "the system isn't complete")


@one_call()
def answer_repro(model: Model, node: str | None, question: Question) -> str | None:
    """Return the answer of `repro`."""
    from shapesmt.tasks.replay import script_for

    proto, graph = question.read(lambda: load_protobuf(model))
    names = [n.name for n in graph.nodes]
    if node is not None and node not in names:
        raise unknown_name("node", node, names, graph.source)
    a = analyse(graph, question)
    return a.judge.deadline.require(lambda: script_for(proto, graph, a.findings, node), "no script is made")
