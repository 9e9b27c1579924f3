"""Where users come in: the functions of Python, the command line, many models at once, graphs by hand."""

from __future__ import annotations

from shapesmt.base.lazy import lazy_imports

with lazy_imports(__name__):
    from shapesmt.entrypoints.api import (
        Opened as Opened,
        assert_proved as assert_proved,
        bounds as bounds,
        check as check,
        encode as encode,
        explain as explain,
        infer_shapes as infer_shapes,
        inspect as inspect,
        memory as memory,
        open as open,  # noqa: A004 - as `io.open`
        page as page,
        profile as profile,
        repair as repair,
        repro as repro,
        simplify as simplify,
        tighten as tighten,
    )
    from shapesmt.entrypoints.builder import (
        GraphBuilder as GraphBuilder,
    )
    from shapesmt.entrypoints.cli import (
        Config as Config,
    )
    from shapesmt.entrypoints.fleet import (
        check_many as check_many,
    )
    from shapesmt.reports.render import (
        schema as schema,
    )
