"""Run a counterexample, cut it out of its model, or write it as a script."""

from __future__ import annotations

from shapesmt.base.lazy import lazy_imports

with lazy_imports(__name__):
    from shapesmt.tasks.replay.both import (
        compare_runs as compare_runs,
        exact as exact,
        feeds_at as feeds_at,
        loading_error as loading_error,
        stopped as stopped,
    )
    from shapesmt.tasks.replay.copies import Copies as Copies, with_weights as with_weights
    from shapesmt.tasks.replay.cut import MEMORY as MEMORY, CutError as CutError
    from shapesmt.tasks.replay.outputs import Filled as Filled
    from shapesmt.tasks.replay.run import replay_findings as replay_findings, runnable as runnable
    from shapesmt.tasks.replay.script import script_for as script_for
    from shapesmt.tasks.replay.sizes import sample as sample
