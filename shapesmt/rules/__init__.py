"""What a rule reads, states and returns, and how it is registered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.lazy import all_lazy

if TYPE_CHECKING:
    from shapesmt.rules.alternatives import by_case as by_case
    from shapesmt.rules.alternatives import one_of as one_of
    from shapesmt.rules.application import BY_ALL as BY_ALL
    from shapesmt.rules.application import RANK_LAW as RANK_LAW
    from shapesmt.rules.application import Application as Application
    from shapesmt.rules.application import Body as Body
    from shapesmt.rules.application import Decided as Decided
    from shapesmt.rules.application import Requirement as Requirement
    from shapesmt.rules.application import Unjudged as Unjudged
    from shapesmt.rules.context import RuleContext as RuleContext
    from shapesmt.rules.inference_context import InferenceContext as InferenceContext
    from shapesmt.rules.provenance import DATA as DATA
    from shapesmt.rules.provenance import DATA_CAUSE as DATA_CAUSE
    from shapesmt.rules.provenance import FOLLOWED as FOLLOWED
    from shapesmt.rules.provenance import STARTED as STARTED
    from shapesmt.rules.provenance import Cause as Cause
    from shapesmt.rules.provenance import Origin as Origin
    from shapesmt.rules.provenance import bad as bad
    from shapesmt.rules.provenance import computed as computed
    from shapesmt.rules.provenance import data as data
    from shapesmt.rules.provenance import handed as handed
    from shapesmt.rules.provenance import left as left
    from shapesmt.rules.provenance import of as of
    from shapesmt.rules.provenance import passed as passed
    from shapesmt.rules.provenance import resolved as resolved
    from shapesmt.rules.provenance import title as title
    from shapesmt.rules.provenance import together as together
    from shapesmt.rules.registry import GROUP as GROUP
    from shapesmt.rules.registry import AnyApply as AnyApply
    from shapesmt.rules.registry import Apply as Apply
    from shapesmt.rules.registry import Rule as Rule
    from shapesmt.rules.registry import extended as extended
    from shapesmt.rules.registry import plugin_versions as plugin_versions
    from shapesmt.rules.registry import remark as remark
    from shapesmt.rules.registry import resolve as resolve
    from shapesmt.rules.registry import rule as rule
    from shapesmt.rules.registry import rules as rules
    from shapesmt.rules.tensors import FLOATS as FLOATS
    from shapesmt.rules.tensors import MAX_FLOATS as MAX_FLOATS
    from shapesmt.rules.tensors import MAX_RANK as MAX_RANK
    from shapesmt.rules.tensors import Case as Case
    from shapesmt.rules.tensors import Layout as Layout
    from shapesmt.rules.tensors import Shape as Shape
    from shapesmt.rules.tensors import Tensor as Tensor
    from shapesmt.rules.tensors import UndecidedError as UndecidedError
    from shapesmt.rules.tensors import UnknownRankError as UnknownRankError
    from shapesmt.rules.tensors import by_data as by_data
    from shapesmt.rules.tensors import from_literal as from_literal
    from shapesmt.rules.tensors import held as held
    from shapesmt.rules.tensors import in_each_case as in_each_case
    from shapesmt.rules.tensors import is_open_value as is_open_value
    from shapesmt.rules.tensors import number as number
    from shapesmt.rules.tensors import rank_symbol as rank_symbol
    from shapesmt.rules.tensors import read as read
    from shapesmt.rules.tensors import rewritten as rewritten
    from shapesmt.rules.tensors import tensor as tensor
    from shapesmt.rules.tensors import unread as unread
    from shapesmt.rules.unranked import joined as joined
    from shapesmt.rules.unranked import over_ranks as over_ranks
    from shapesmt.rules.value import MAX_ELEMENTS as MAX_ELEMENTS
    from shapesmt.rules.value import Elements as Elements
    from shapesmt.rules.value import Field as Field
    from shapesmt.rules.value import Floats as Floats
    from shapesmt.rules.value import Item as Item
    from shapesmt.rules.value import Listed as Listed
    from shapesmt.rules.value import Value as Value
    from shapesmt.rules.value import elements as elements
    from shapesmt.rules.value import extremes as extremes
    from shapesmt.rules.value import field as field
    from shapesmt.rules.value import from_array as from_array
    from shapesmt.rules.value import move_positions as move_positions
    from shapesmt.rules.value import position as position
    from shapesmt.rules.value import positions as positions
    from shapesmt.rules.value import uniform as uniform
else:
    __getattr__, __all__ = all_lazy(
        __name__,
        {
            "alternatives": ["by_case", "one_of"],
            "application": ["Application", "BY_ALL", "Body", "Decided", "RANK_LAW", "Requirement", "Unjudged"],
            "context": ["RuleContext"],
            "inference_context": ["InferenceContext"],
            "provenance": [
                "Cause",
                "DATA",
                "DATA_CAUSE",
                "FOLLOWED",
                "Origin",
                "STARTED",
                "bad",
                "computed",
                "data",
                "handed",
                "left",
                "of",
                "passed",
                "resolved",
                "title",
                "together",
            ],
            "registry": [
                "AnyApply",
                "Apply",
                "GROUP",
                "Rule",
                "extended",
                "plugin_versions",
                "remark",
                "resolve",
                "rule",
                "rules",
            ],
            "tensors": [
                "Case",
                "FLOATS",
                "Layout",
                "MAX_FLOATS",
                "MAX_RANK",
                "Shape",
                "Tensor",
                "UndecidedError",
                "UnknownRankError",
                "by_data",
                "from_literal",
                "held",
                "in_each_case",
                "is_open_value",
                "number",
                "rank_symbol",
                "read",
                "rewritten",
                "tensor",
                "unread",
            ],
            "unranked": ["joined", "over_ranks"],
            "value": [
                "Elements",
                "Field",
                "Floats",
                "Item",
                "Listed",
                "MAX_ELEMENTS",
                "Value",
                "elements",
                "extremes",
                "field",
                "from_array",
                "move_positions",
                "position",
                "positions",
                "uniform",
            ],
        },
    )
