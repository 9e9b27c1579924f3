"""Pose a question as a problem, decide the requirements of every node, and bound every size."""

from __future__ import annotations

from shapesmt.base.lazy import lazy_imports

with lazy_imports(__name__):
    from shapesmt.analysis.verify.bounds import (
        earlier_bounds as earlier_bounds,
        empty_bounds as empty_bounds,
        inner_bounds as inner_bounds,
        tensor_bounds as tensor_bounds,
    )
    from shapesmt.analysis.verify.declarations import PLACEHOLDERS as PLACEHOLDERS, placeholders as placeholders
    from shapesmt.analysis.verify.examination import (
        Examination as Examination,
        Judgement as Judgement,
        Session as Session,
    )
    from shapesmt.analysis.verify.examined import (
        Examined as Examined,
        examine_problem as examine_problem,
        pinned as pinned,
        pose_problem as pose_problem,
    )
    from shapesmt.analysis.verify.examiner import is_open as is_open, shape_claims as shape_claims
    from shapesmt.analysis.verify.inputs import DEFAULT as DEFAULT, when as when
    from shapesmt.analysis.verify.narrowing import Narrowing as Narrowing
    from shapesmt.analysis.verify.problem import (
        Problem as Problem,
        names_of as names_of,
        pose as pose,
        pose_everything as pose_everything,
    )
    from shapesmt.analysis.verify.question import (
        GUARDS as GUARDS,
        NO_OPTIONS as NO_OPTIONS,
        SESSIONS as SESSIONS,
        TIMEOUT as TIMEOUT,
        Claims as Claims,
        Question as Question,
    )
    from shapesmt.analysis.verify.session import beyond as beyond, examine_session as examine_session
    from shapesmt.analysis.verify.share import share_of as share_of, valid_share as valid_share
