"""Reproduce: write a finding as a script that shows it to people who have neither the model nor shapesmt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shapesmt.replay.cut import Cut, CutError, at, cut
from shapesmt.replay.script import script
from shapesmt.version import __version__

if TYPE_CHECKING:
    import onnx

    from shapesmt.graph import Graph
    from shapesmt.report import Finding

READABLE = 60  # nodes; with more before the failing one, the script has only that node
SMALL = 128  # bytes; larger constants become inputs instead of being written out


def reproduced(
    proto: onnx.ModelProto, graph: Graph, findings: Sequence[Finding], node: str | None = None
) -> str | None:
    """Return the script for the first finding with a counterexample (of `node`, if given); None if there is none.

    It includes the nodes before the failing one if they are few enough to read, else that node alone.

    Raises:
        UsageError: Neither can be cut out of the model.
    """
    shown = [f for f in findings if f.counterexample is not None and node in (None, f.node)]
    if not shown:
        return None
    finding = shown[0]
    return script(_part(proto, graph, finding), finding, graph.source, __version__)


def _part(proto: onnx.ModelProto, graph: Graph, finding: Finding) -> Cut:
    assert finding.counterexample is not None
    example = finding.counterexample
    known = at(graph, example)
    whole = len(graph.ancestors(finding.index)) < READABLE
    try:
        return cut(proto, graph, finding.index, example, known, whole=whole, keep=SMALL)
    except CutError:
        return cut(proto, graph, finding.index, example, known, whole=not whole, keep=SMALL)
