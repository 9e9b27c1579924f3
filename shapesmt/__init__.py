"""shapesmt proves tensor shapes for all inputs at once: `check`, `explain`, `bounds`, `tighten`, `simplify`."""

from __future__ import annotations

from shapesmt.base.lazy import lazy_imports
from shapesmt.base.version import __version__ as __version__

with lazy_imports(__name__):
    from shapesmt.base.errors import (
        InternalError as InternalError,
        ModelError as ModelError,
        ShapeMismatch as ShapeMismatch,
        ShapesmtError as ShapesmtError,
        SizeOverflowError as SizeOverflowError,
        UsageError as UsageError,
    )
    from shapesmt.entrypoints.api import (
        Opened as Opened,
        assert_proved as assert_proved,
        bounds as bounds,
        check as check,
        dataflow as dataflow,
        dynamic_shapes as dynamic_shapes,
        encode as encode,
        encoding as encoding,
        explain as explain,
        explain_code as explain_code,
        infer_shapes as infer_shapes,
        inspect as inspect,
        load_graph as load_graph,
        memory as memory,
        open as open,  # noqa: A004 - as `io.open`
        page as page,
        profile as profile,
        repair as repair,
        repro as repro,
        save_graph as save_graph,
        simplify as simplify,
        supported_ops as supported_ops,
        tighten as tighten,
    )
    from shapesmt.entrypoints.builder import GraphBuilder as GraphBuilder
    from shapesmt.entrypoints.cli import Config as Config
    from shapesmt.entrypoints.fleet import check_many as check_many
    from shapesmt.network.declarations import Dimension as Dimension, PartialShape as PartialShape, Rank as Rank
    from shapesmt.network.graph import Graph as Graph, Node as Node, networkx_graph as networkx_graph
    from shapesmt.operators.rules import (
        InferenceContext as InferenceContext,
        Keeps as Keeps,
        Tensor as Tensor,
        Traits as Traits,
        rule as rule,
    )
    from shapesmt.prover.algebra import Dim as Dim, Verdict as Verdict, forget as forget
    from shapesmt.reports.answers import (
        Bounds as Bounds,
        ErrorCode as ErrorCode,
        ErrorOrigin as ErrorOrigin,
        Explanation as Explanation,
        Finding as Finding,
        Memory as Memory,
        Profile as Profile,
        Report as Report,
    )
    from shapesmt.reports.render import schema as schema
