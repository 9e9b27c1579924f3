"""Explain why a requirement isn't proved, for which inputs, and what would help."""

from __future__ import annotations

from shapesmt.base.lazy import lazy_imports

with lazy_imports(__name__):
    from shapesmt.analysis.diagnose.absent import absent_files as absent_files
    from shapesmt.analysis.diagnose.certificate import (
        system_text as system_text,
        system_verdict as system_verdict,
    )
    from shapesmt.analysis.diagnose.explanation import explanation_of as explanation_of
    from shapesmt.analysis.diagnose.findings import (
        finding_at as finding_at,
        findings_of as findings_of,
        guard_region as guard_region,
        precondition as precondition,
        refuse as refuse,
    )
    from shapesmt.analysis.diagnose.groups import group_findings as group_findings
    from shapesmt.analysis.diagnose.mixed import (
        sample_findings as sample_findings,
        samples_asked as samples_asked,
    )
    from shapesmt.analysis.diagnose.page.content import page_content as page_content
    from shapesmt.analysis.diagnose.remedies.release import find_release as find_release
    from shapesmt.analysis.diagnose.remedies.remedy import find_remedy as find_remedy
    from shapesmt.analysis.diagnose.warnings import (
        assumptions_of as assumptions_of,
        declarations as declarations,
        fixed_sizes as fixed_sizes,
        hints_of as hints_of,
        hurried_static_axes as hurried_static_axes,
        model_warnings as model_warnings,
        refuse_declarations as refuse_declarations,
        stated_of as stated_of,
        static_axes as static_axes,
    )
