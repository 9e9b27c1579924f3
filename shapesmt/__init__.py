"""shapesmt proves tensor shapes for all inputs at once: `check`, `explain`, `bounds`, `tighten`, `simplify`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.lazy import lazy
from shapesmt.version import __version__ as __version__

if TYPE_CHECKING:
    from shapesmt.algebra import Dim, Verdict, forget
    from shapesmt.api import bounds, check, dynamic_shapes, encode, explain, memory, page, repro, simplify, tighten
    from shapesmt.cli import Config
    from shapesmt.drop_in import infer_shapes
    from shapesmt.errors import InternalError, ModelError, ShapeMismatch, ShapesmtError, SizeOverflowError, UsageError
    from shapesmt.fleet import check_many
    from shapesmt.frontends.builder import GraphBuilder
    from shapesmt.graph import Graph, Node, networkx_graph
    from shapesmt.inspection import dataflow, encoding, explain_code, inspect, load_graph, save_graph, supported_ops
    from shapesmt.language import Dimension, PartialShape, Rank
    from shapesmt.profiles import profile
    from shapesmt.report import Bounds, ErrorCode, Explanation, Finding, Memory, Profile, Report
    from shapesmt.rules import InferenceContext, Tensor, rule
    from shapesmt.testing import assert_proved


_HOMES = {
    "algebra": (
        "Dim",
        "Verdict",
        "forget",
    ),
    "api": (
        "bounds",
        "check",
        "dynamic_shapes",
        "encode",
        "explain",
        "memory",
        "page",
        "repro",
        "simplify",
        "tighten",
    ),
    "cli": ("Config",),
    "drop_in": ("infer_shapes",),
    "errors": (
        "InternalError",
        "ModelError",
        "ShapeMismatch",
        "ShapesmtError",
        "SizeOverflowError",
        "UsageError",
    ),
    "fleet": ("check_many",),
    "frontends.builder": ("GraphBuilder",),
    "graph": (
        "Graph",
        "Node",
        "networkx_graph",
    ),
    "inspection": (
        "dataflow",
        "encoding",
        "explain_code",
        "inspect",
        "load_graph",
        "save_graph",
        "supported_ops",
    ),
    "language": (
        "Dimension",
        "PartialShape",
        "Rank",
    ),
    "profiles": ("profile",),
    "report": (
        "Bounds",
        "ErrorCode",
        "Explanation",
        "Finding",
        "Memory",
        "Profile",
        "Report",
    ),
    "rules": (
        "InferenceContext",
        "Tensor",
        "rule",
    ),
    "testing": ("assert_proved",),
}
__getattr__ = lazy(__name__, _HOMES)

__all__ = [
    "Bounds",
    "Config",
    "Dim",
    "Dimension",
    "ErrorCode",
    "Explanation",
    "Finding",
    "Graph",
    "GraphBuilder",
    "InferenceContext",
    "InternalError",
    "Memory",
    "ModelError",
    "Node",
    "PartialShape",
    "Profile",
    "Rank",
    "Report",
    "ShapeMismatch",
    "ShapesmtError",
    "SizeOverflowError",
    "Tensor",
    "UsageError",
    "Verdict",
    "assert_proved",
    "bounds",
    "check",
    "check_many",
    "dataflow",
    "dynamic_shapes",
    "encode",
    "encoding",
    "explain",
    "explain_code",
    "forget",
    "infer_shapes",
    "inspect",
    "load_graph",
    "memory",
    "networkx_graph",
    "page",
    "profile",
    "repro",
    "rule",
    "save_graph",
    "simplify",
    "supported_ops",
    "tighten",
]


def __dir__() -> list[str]:
    return __all__
