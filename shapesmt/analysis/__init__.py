"""Pose the question, judge every node, and say why one isn't proved; the complete system of constraints."""

from __future__ import annotations

from shapesmt.base.lazy import lazy_imports

with lazy_imports(__name__):
    from shapesmt.analysis.analysis import Analysis as Analysis, analyse as analyse
    from shapesmt.analysis.diagnose import (
        explanation_of as explanation_of,
        find_remedy as find_remedy,
        finding_at as finding_at,
        precondition as precondition,
    )
    from shapesmt.analysis.encoding import (
        Encoding as Encoding,
        certify_system as certify_system,
        encode_graph as encode_graph,
    )
    from shapesmt.analysis.verify import (
        Examination as Examination,
        Examined as Examined,
        Judgement as Judgement,
        Problem as Problem,
        Question as Question,
        pose as pose,
        tensor_bounds as tensor_bounds,
    )
