"""Answers as frozen data, in words and pages, and written into models."""

from __future__ import annotations

from shapesmt.base.lazy import lazy_imports

with lazy_imports(__name__):
    from shapesmt.reports.answers import (
        Bounds as Bounds,
        ErrorCode as ErrorCode,
        ErrorOrigin as ErrorOrigin,
        Explanation as Explanation,
        Finding as Finding,
        Memory as Memory,
        Precondition as Precondition,
        Profile as Profile,
        Remedy as Remedy,
        Report as Report,
    )
    from shapesmt.reports.export import (
        annotate as annotate,
        write_whole as write_whole,
    )
    from shapesmt.reports.render import (
        html_page as html_page,
        json_text as json_text,
        lines as lines,
    )
