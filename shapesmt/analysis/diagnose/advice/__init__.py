"""Advice: what helps against one finding, chosen by the cause of its clash.

`advice_on` tries the kinds of causes in turn, the most particular first. Where it finds none, reports show what the
catalogue says about the law.
"""

from __future__ import annotations

from shapesmt.base.lazy import lazy_imports

with lazy_imports(__name__):
    from shapesmt.analysis.diagnose.advice.advice import Case as Case, advice_on as advice_on
