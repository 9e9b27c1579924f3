"""Answer other questions than `check`: memory, sizes for compilers, smaller models, repairs, runtimes' errors, runs."""

from __future__ import annotations

from shapesmt.base.lazy import lazy_imports

with lazy_imports(__name__):
    from shapesmt.tasks.memory import (
        Wanted as Wanted,
        answer_memory as answer_memory,
    )
    from shapesmt.tasks.profiles import (
        answer_dynamic_shapes as answer_dynamic_shapes,
        answer_profile as answer_profile,
        dynamic_shapes as dynamic_shapes,
        profile as profile,
    )
    from shapesmt.tasks.repair import (
        answer_repair as answer_repair,
    )
    from shapesmt.tasks.replay import (
        replay_findings as replay_findings,
        runnable as runnable,
        script_for as script_for,
    )
    from shapesmt.tasks.runtime_errors import (
        answer_error as answer_error,
    )
    from shapesmt.tasks.simplify import (
        annotate_model as annotate_model,
        answer_simplify as answer_simplify,
    )
