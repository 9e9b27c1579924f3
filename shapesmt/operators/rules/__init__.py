"""Operator rules: the context that a rule reads and states requirements on, its result, and its registration."""

from __future__ import annotations

from shapesmt.base.lazy import lazy_imports

with lazy_imports(__name__):
    from shapesmt.operators.rules.alternatives import by_case as by_case, one_of as one_of
    from shapesmt.operators.rules.application import (
        RANK_LAW as RANK_LAW,
        Application as Application,
        Assumed as Assumed,
        Body as Body,
        Decided as Decided,
        Requirement as Requirement,
        Unjudged as Unjudged,
    )
    from shapesmt.operators.rules.context import RuleContext as RuleContext
    from shapesmt.operators.rules.provenance import (
        DATA as DATA,
        DATA_CAUSE as DATA_CAUSE,
        FOLLOWED as FOLLOWED,
        STARTED as STARTED,
        Cause as Cause,
        Origin as Origin,
        argument_causes as argument_causes,
        argument_origin as argument_origin,
        bad as bad,
        combine_origins as combine_origins,
        data as data,
        of as of,
        resolve_arguments as resolve_arguments,
        title as title,
        together as together,
        unfollowed_origin as unfollowed_origin,
    )
    from shapesmt.operators.rules.registry import (
        AnyApply as AnyApply,
        Apply as Apply,
        Following as Following,
        Rule as Rule,
        has_plugins as has_plugins,
        plugins as plugins,
        remark as remark,
        resolve as resolve,
        rule as rule,
        rules as rules,
    )
    from shapesmt.operators.rules.rewrites import Made as Made, Rewrite as Rewrite, Site as Site
    from shapesmt.operators.rules.shape_functions import InferenceContext as InferenceContext
    from shapesmt.operators.rules.sources import changed_at as changed_at, plugin_sources as plugin_sources
    from shapesmt.operators.rules.tensors import (
        FLOATS as FLOATS,
        MAX_FLOATS as MAX_FLOATS,
        MAX_RANK as MAX_RANK,
        Case as Case,
        Layout as Layout,
        Shape as Shape,
        Tensor as Tensor,
        UndecidedError as UndecidedError,
        UnknownRankError as UnknownRankError,
        by_data as by_data,
        from_literal as from_literal,
        held as held,
        in_each_case as in_each_case,
        is_free_element as is_free_element,
        is_unread as is_unread,
        number as number,
        rank_symbol as rank_symbol,
        read as read,
        rewrite_tensor as rewrite_tensor,
        tensor as tensor,
    )
    from shapesmt.operators.rules.traits import (
        Follows as Follows,
        Keeps as Keeps,
        Letters as Letters,
        Memory as Memory,
        Runs as Runs,
        Traits as Traits,
    )
    from shapesmt.operators.rules.unranked import merge_rank_facts as merge_rank_facts, over_ranks as over_ranks
    from shapesmt.operators.rules.value import (
        INTEGERS as INTEGERS,
        MAX_ELEMENTS as MAX_ELEMENTS,
        WIDEST as WIDEST,
        Constants as Constants,
        Elements as Elements,
        Field as Field,
        Floats as Floats,
        Item as Item,
        Listed as Listed,
        Value as Value,
        constants as constants,
        elements as elements,
        extremes as extremes,
        field as field,
        from_array as from_array,
        integer_ends as integer_ends,
        is_irregular as is_irregular,
        move_positions as move_positions,
        numbers_at as numbers_at,
        progression as progression,
        uniform as uniform,
    )
    from shapesmt.prover.algebra import position as position, positions as positions
