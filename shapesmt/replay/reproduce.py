"""Reproduce: a finding as a script that shows it to others, who have neither the model nor shapesmt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.replay.cut import Cut, CutError, at, cut
from shapesmt.replay.script import script
from shapesmt.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    import onnx

    from shapesmt.graph import Graph
    from shapesmt.report import Finding

__all__ = ["reproduced"]

READABLE = 60  # nodes; of longer ways to the failure only its end is shown
SMALL = 128  # bytes of a constant that is written out


def reproduced(
    proto: onnx.ModelProto, graph: Graph, findings: Sequence[Finding], node: str | None = None
) -> str | None:
    """The script for the first finding with a counterexample (of `node`); None where there is none.

    It has all that leads to the node where that is readable, else the node alone.

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
