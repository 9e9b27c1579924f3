"""One rule for each operator, what rules read and state, and their way along the graph."""

from __future__ import annotations

from shapesmt.base.lazy import lazy_imports

with lazy_imports(__name__):
    from shapesmt.operators.inference import (
        Inference as Inference,
        Operators as Operators,
        infer as infer,
        start as start,
    )
    from shapesmt.operators.rules import (
        Application as Application,
        Elements as Elements,
        InferenceContext as InferenceContext,
        Keeps as Keeps,
        Requirement as Requirement,
        Rule as Rule,
        RuleContext as RuleContext,
        Tensor as Tensor,
        Traits as Traits,
        Unjudged as Unjudged,
        rule as rule,
        tensor as tensor,
    )
