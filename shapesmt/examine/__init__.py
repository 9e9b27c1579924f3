"""The question posed, every node judged, every size bounded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.examine.analysis import Analysis, analysed, analysed_protobuf
from shapesmt.examine.declarations import PLACEHOLDERS, placeholders
from shapesmt.examine.examination import Examination, Judgement
from shapesmt.examine.examine import claimed, examine, is_open
from shapesmt.examine.inputs import DEFAULT, ValueLike, case_text, parse_value
from shapesmt.examine.judge import Judge
from shapesmt.examine.narrowing import Narrowing
from shapesmt.examine.problem import Problem, names_of, pose
from shapesmt.examine.question import GUARDS, TIMEOUT, Claims, Question
from shapesmt.examine.stages import examined, posed
from shapesmt.lazy import lazy

if TYPE_CHECKING:
    from shapesmt.examine.bounds import inner_bounds, tensor_bounds, unbounded
    from shapesmt.examine.share import valid_share

__all__ = [
    "DEFAULT",
    "GUARDS",
    "PLACEHOLDERS",
    "TIMEOUT",
    "Analysis",
    "Claims",
    "Examination",
    "Judge",
    "Judgement",
    "Narrowing",
    "Problem",
    "Question",
    "ValueLike",
    "analysed",
    "analysed_protobuf",
    "case_text",
    "claimed",
    "examine",
    "examined",
    "inner_bounds",
    "is_open",
    "names_of",
    "parse_value",
    "placeholders",
    "pose",
    "posed",
    "tensor_bounds",
    "unbounded",
    "valid_share",
]

_HOMES = {
    "bounds": ["inner_bounds", "tensor_bounds", "unbounded"],
    "share": ["valid_share"],
}
__getattr__ = lazy(__name__, _HOMES)
