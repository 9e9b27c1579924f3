"""The question posed, every node judged, every size bounded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.lazy import all_lazy

if TYPE_CHECKING:
    from shapesmt.examine.analysis import Analysis as Analysis
    from shapesmt.examine.analysis import analysed as analysed
    from shapesmt.examine.analysis import analysed_protobuf as analysed_protobuf
    from shapesmt.examine.bounds import inner_bounds as inner_bounds
    from shapesmt.examine.bounds import tensor_bounds as tensor_bounds
    from shapesmt.examine.bounds import unbounded as unbounded
    from shapesmt.examine.declarations import PLACEHOLDERS as PLACEHOLDERS
    from shapesmt.examine.declarations import placeholders as placeholders
    from shapesmt.examine.examination import Examination as Examination
    from shapesmt.examine.examination import Judgement as Judgement
    from shapesmt.examine.examine import claimed as claimed
    from shapesmt.examine.examine import is_open as is_open
    from shapesmt.examine.inputs import DEFAULT as DEFAULT
    from shapesmt.examine.inputs import case_text as case_text
    from shapesmt.examine.judge import Judge as Judge
    from shapesmt.examine.narrowing import Narrowing as Narrowing
    from shapesmt.examine.problem import Problem as Problem
    from shapesmt.examine.problem import names_of as names_of
    from shapesmt.examine.problem import pose as pose
    from shapesmt.examine.question import GUARDS as GUARDS
    from shapesmt.examine.question import TIMEOUT as TIMEOUT
    from shapesmt.examine.question import Claims as Claims
    from shapesmt.examine.question import Question as Question
    from shapesmt.examine.share import valid_share as valid_share
    from shapesmt.examine.stages import examined as examined
    from shapesmt.examine.stages import posed as posed
else:
    __getattr__, __all__ = all_lazy(
        __name__,
        {
            "analysis": ["Analysis", "analysed", "analysed_protobuf"],
            "bounds": ["inner_bounds", "tensor_bounds", "unbounded"],
            "declarations": ["PLACEHOLDERS", "placeholders"],
            "examination": ["Examination", "Judgement"],
            "examine": ["claimed", "is_open"],
            "inputs": ["DEFAULT", "case_text"],
            "judge": ["Judge"],
            "narrowing": ["Narrowing"],
            "problem": ["Problem", "names_of", "pose"],
            "question": ["GUARDS", "TIMEOUT", "Claims", "Question"],
            "share": ["valid_share"],
            "stages": ["examined", "posed"],
        },
    )
