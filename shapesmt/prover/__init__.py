"""Decide conditions over integers, without a model: expressions, a judge, regions, exact bounds, Z3."""

from __future__ import annotations

from shapesmt.base.lazy import lazy_imports

with lazy_imports(__name__):
    from shapesmt.prover.algebra import (
        Dim as Dim,
        Evaluator as Evaluator,
        Formula as Formula,
        Verdict as Verdict,
        all_of as all_of,
        any_of as any_of,
        as_dim as as_dim,
        at_least as at_least,
        at_most as at_most,
        equal as equal,
        maximum as maximum,
        negate as negate,
        symbol as symbol,
    )
    from shapesmt.prover.judge import (
        Judge as Judge,
    )
    from shapesmt.prover.presolve import (
        Decision as Decision,
        Domain as Domain,
    )
    from shapesmt.prover.regions import (
        Region as Region,
    )
