"""Answers as frozen data."""

# ruff: noqa: F403 - a name is its module's, whichever that is
from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.lazy import all_lazy

if TYPE_CHECKING:
    from shapesmt.report.batch import *
    from shapesmt.report.bounds import *
    from shapesmt.report.catalogue import *
    from shapesmt.report.data import *
    from shapesmt.report.dynamic import *
    from shapesmt.report.explanation import *
    from shapesmt.report.finding import *
    from shapesmt.report.memory import *
    from shapesmt.report.page import *
    from shapesmt.report.profile import *
    from shapesmt.report.report import *
    from shapesmt.report.simplified import *
else:
    __getattr__, __all__ = all_lazy(
        __name__,
        {
            "batch": [
                "AnyResult",
                "BatchReport",
                "Exported",
                "Marks",
                "Tally",
                "Tallying",
                "Times",
                "Unchecked",
                "reports_in",
                "unchecked_in",
            ],
            "bounds": ["Bounds", "CaseBounds", "DimBounds", "Share", "TensorBounds"],
            "catalogue": ["DimensionFacts", "ErrorCode", "ModelFacts", "Operator", "Operators", "TensorFacts"],
            "data": ["Answer", "later", "unread"],
            "dynamic": ["DynamicShapes", "StaticAxis"],
            "explanation": ["Condition", "Explanation", "Fact", "NodeConstraints", "Proof", "Variable"],
            "finding": [
                "Cause",
                "Clash",
                "Counterexample",
                "Finding",
                "FindingKind",
                "Group",
                "Guarded",
                "ModelWarning",
                "Replay",
                "Side",
                "Source",
                "SymbolRange",
                "WarningKind",
            ],
            "memory": ["Budget", "Chart", "Greatest", "HeldTensor", "IndexLimit", "Memory", "Peak", "PeakAt"],
            "page": [
                "Axis",
                "Calculator",
                "CauseGraph",
                "Cell",
                "Elements",
                "Link",
                "NumberLine",
                "PageData",
                "PlacedNode",
                "Raster",
                "Run",
                "Shape",
                "Size",
                "Slider",
                "Step",
                "TensorData",
            ],
            "profile": ["Box", "POINTS", "Profile", "ProfileSize", "TensorProfile"],
            "report": ["Counts", "Precondition", "Release", "Remedy", "Report"],
            "simplified": ["Rewritten", "Simplified", "Tightened"],
        },
    )
