"""shapesmt proves tensor shapes for all inputs at once: `check`, `explain`, `bounds`, `tighten`, `simplify`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.lazy import all_lazy
from shapesmt.version import __version__ as __version__

if TYPE_CHECKING:
    from shapesmt.algebra import Dim as Dim
    from shapesmt.algebra import Verdict as Verdict
    from shapesmt.algebra import forget as forget
    from shapesmt.api import bounds as bounds
    from shapesmt.api import check as check
    from shapesmt.api import dynamic_shapes as dynamic_shapes
    from shapesmt.api import encode as encode
    from shapesmt.api import explain as explain
    from shapesmt.api import memory as memory
    from shapesmt.api import page as page
    from shapesmt.api import repro as repro
    from shapesmt.api import simplify as simplify
    from shapesmt.api import tighten as tighten
    from shapesmt.cli import Config as Config
    from shapesmt.drop_in import infer_shapes as infer_shapes
    from shapesmt.errors import InternalError as InternalError
    from shapesmt.errors import ModelError as ModelError
    from shapesmt.errors import ShapeMismatch as ShapeMismatch
    from shapesmt.errors import ShapesmtError as ShapesmtError
    from shapesmt.errors import SizeOverflowError as SizeOverflowError
    from shapesmt.errors import UsageError as UsageError
    from shapesmt.fleet import check_many as check_many
    from shapesmt.frontends.builder import GraphBuilder as GraphBuilder
    from shapesmt.graph import Graph as Graph
    from shapesmt.graph import Node as Node
    from shapesmt.graph import networkx_graph as networkx_graph
    from shapesmt.inspection import dataflow as dataflow
    from shapesmt.inspection import encoding as encoding
    from shapesmt.inspection import explain_code as explain_code
    from shapesmt.inspection import inspect as inspect
    from shapesmt.inspection import load_graph as load_graph
    from shapesmt.inspection import save_graph as save_graph
    from shapesmt.inspection import supported_ops as supported_ops
    from shapesmt.language import Dimension as Dimension
    from shapesmt.language import PartialShape as PartialShape
    from shapesmt.language import Rank as Rank
    from shapesmt.profiles import profile as profile
    from shapesmt.report import Bounds as Bounds
    from shapesmt.report import ErrorCode as ErrorCode
    from shapesmt.report import Explanation as Explanation
    from shapesmt.report import Finding as Finding
    from shapesmt.report import Memory as Memory
    from shapesmt.report import Profile as Profile
    from shapesmt.report import Report as Report
    from shapesmt.rules import InferenceContext as InferenceContext
    from shapesmt.rules import Tensor as Tensor
    from shapesmt.rules import rule as rule
    from shapesmt.testing import assert_proved as assert_proved
else:
    __getattr__, __all__ = all_lazy(
        __name__,
        {
            "algebra": ["Dim", "Verdict", "forget"],
            "api": [
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
            ],
            "cli": ["Config"],
            "drop_in": ["infer_shapes"],
            "errors": [
                "InternalError",
                "ModelError",
                "ShapeMismatch",
                "ShapesmtError",
                "SizeOverflowError",
                "UsageError",
            ],
            "fleet": ["check_many"],
            "frontends.builder": ["GraphBuilder"],
            "graph": ["Graph", "Node", "networkx_graph"],
            "inspection": [
                "dataflow",
                "encoding",
                "explain_code",
                "inspect",
                "load_graph",
                "save_graph",
                "supported_ops",
            ],
            "language": ["Dimension", "PartialShape", "Rank"],
            "profiles": ["profile"],
            "report": ["Bounds", "ErrorCode", "Explanation", "Finding", "Memory", "Profile", "Report"],
            "rules": ["InferenceContext", "Tensor", "rule"],
            "testing": ["assert_proved"],
        },
    )

    def __dir__() -> list[str]:
        return __all__
