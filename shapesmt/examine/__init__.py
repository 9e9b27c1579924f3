"""The question posed, every node judged, every size bounded."""

from shapesmt.examine.bounds import tensor_bounds, unbounded
from shapesmt.examine.examine import VERDICTS, Examination, Judgement, claimed, examine, is_open
from shapesmt.examine.inputs import DEFAULT, ValueLike, case_text, parse_value
from shapesmt.examine.judge import Judge
from shapesmt.examine.problem import Problem, names_of, placeholders, pose

__all__ = [
    "DEFAULT",
    "VERDICTS",
    "Examination",
    "Judge",
    "Judgement",
    "Problem",
    "ValueLike",
    "case_text",
    "claimed",
    "examine",
    "is_open",
    "names_of",
    "parse_value",
    "placeholders",
    "pose",
    "tensor_bounds",
    "unbounded",
]
