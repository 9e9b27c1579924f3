"""Find the inputs that cause a runtime's error message, from the node that it names and the sizes that it prints."""

from __future__ import annotations

from shapesmt.base.lazy import lazy_imports

with lazy_imports(__name__):
    from shapesmt.tasks.runtime_errors.answer import explain_target as explain_target
