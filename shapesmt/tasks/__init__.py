"""Answer other questions than `check`: memory, sizes for compilers, smaller models, repairs, runtimes' errors, runs."""

from __future__ import annotations

from shapesmt.base.lazy import lazy_imports

with lazy_imports(__name__):
    from shapesmt.tasks.memory import Wanted as Wanted, measure as measure
    from shapesmt.tasks.profiles import (
        find_profile as find_profile,
        propose_dynamic_shapes as propose_dynamic_shapes,
    )
    from shapesmt.tasks.repair import find_repairs as find_repairs
    from shapesmt.tasks.replay import (
        replay_findings as replay_findings,
        runnable as runnable,
        script_for as script_for,
    )
    from shapesmt.tasks.runtime_errors import explain_target as explain_target
    from shapesmt.tasks.simplify import (
        write_simplified as write_simplified,
        write_tightened as write_tightened,
    )
