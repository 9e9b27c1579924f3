"""Many models: named by paths, patterns and URLs, checked in several processes or on a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.lazy import lazy

if TYPE_CHECKING:
    from shapesmt.fleet.cluster import connected
    from shapesmt.fleet.many import Plan, check_all, check_many
    from shapesmt.fleet.names import is_several, models_in, shared
    from shapesmt.fleet.pages import page_paths, write_index, write_page, write_summary
    from shapesmt.fleet.task import Task

__all__ = [
    "Plan",
    "Task",
    "check_all",
    "check_many",
    "connected",
    "is_several",
    "models_in",
    "page_paths",
    "shared",
    "write_index",
    "write_page",
    "write_summary",
]

_HOMES = {
    "cluster": ["connected"],
    "many": ["Plan", "check_all", "check_many"],
    "names": ["is_several", "models_in", "shared"],
    "pages": ["page_paths", "write_index", "write_page", "write_summary"],
    "task": ["Task"],
}
__getattr__ = lazy(__name__, _HOMES)
