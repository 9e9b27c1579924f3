"""The questions about a model: read `opened.py` first.

    Source ─load─▶ Graph ─pose─▶ Problem ─examine─▶ Examination ─▶ Report, Bounds, Explanation, ...
                                    └─infer, node by node─┘

`open` returns a model as an `Opened`, whose methods are the questions. `analyse` takes these steps and returns an
`Analysis`, which finds each part of the answers when it is first read.

Every function takes a model and the options that `check` describes, opens it and asks one question. It raises
`ModelError` if the model can't be read, and `UsageError` if the options don't fit it. Settings in a file are read only
when asked for: `shapesmt.Config` returns them as these options.
"""

from __future__ import annotations

from shapesmt.base.lazy import lazy_imports

with lazy_imports(__name__):
    from shapesmt.entrypoints.api.drop_in import infer_shapes as infer_shapes
    from shapesmt.entrypoints.api.functions import (
        assert_proved as assert_proved,
        bounds as bounds,
        check as check,
        dataflow as dataflow,
        explain as explain,
        explain_code as explain_code,
        inspect as inspect,
        memory as memory,
        open as open,  # noqa: A004 - as `io.open`
        page as page,
    )
    from shapesmt.entrypoints.api.inspection import (
        load_graph as load_graph,
        save_graph as save_graph,
        supported_ops as supported_ops,
    )
    from shapesmt.entrypoints.api.opened import Opened as Opened
    from shapesmt.entrypoints.api.options import (
        FileOptions as FileOptions,
        asks as asks,
        require_known as require_known,
    )
    from shapesmt.entrypoints.api.writing import (
        dynamic_shapes as dynamic_shapes,
        encode as encode,
        encoding as encoding,
        profile as profile,
        repair as repair,
        repro as repro,
        simplify as simplify,
        tighten as tighten,
    )
