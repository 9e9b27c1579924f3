"""shapesmt proves tensor shapes for all inputs at once: `check`, `explain`, `bounds`, `tighten`, `simplify`."""

from __future__ import annotations

from shapesmt.lazy import lazy_imports
from shapesmt.version import __version__ as __version__

with lazy_imports(__name__):
    from shapesmt.algebra import Dim as Dim, Verdict as Verdict, forget as forget
    from shapesmt.api import (
        bounds as bounds,
        check as check,
        dynamic_shapes as dynamic_shapes,
        encode as encode,
        explain as explain,
        memory as memory,
        page as page,
        repair as repair,
        repro as repro,
        simplify as simplify,
        tighten as tighten,
    )
    from shapesmt.cli import Config as Config
    from shapesmt.drop_in import infer_shapes as infer_shapes
    from shapesmt.errors import (
        InternalError as InternalError,
        ModelError as ModelError,
        ShapeMismatch as ShapeMismatch,
        ShapesmtError as ShapesmtError,
        SizeOverflowError as SizeOverflowError,
        UsageError as UsageError,
    )
    from shapesmt.fleet import check_many as check_many
    from shapesmt.frontends.builder import GraphBuilder as GraphBuilder
    from shapesmt.graph import Graph as Graph, Node as Node, networkx_graph as networkx_graph
    from shapesmt.inspection import (
        dataflow as dataflow,
        encoding as encoding,
        explain_code as explain_code,
        inspect as inspect,
        load_graph as load_graph,
        save_graph as save_graph,
        supported_ops as supported_ops,
    )
    from shapesmt.language import Dimension as Dimension, PartialShape as PartialShape, Rank as Rank
    from shapesmt.profiles import profile as profile
    from shapesmt.report import (
        Bounds as Bounds,
        ErrorCode as ErrorCode,
        Explanation as Explanation,
        Finding as Finding,
        Memory as Memory,
        Profile as Profile,
        Report as Report,
    )
    from shapesmt.rules import (
        InferenceContext as InferenceContext,
        Keeps as Keeps,
        Tensor as Tensor,
        Traits as Traits,
        rule as rule,
    )
    from shapesmt.testing import assert_proved as assert_proved
