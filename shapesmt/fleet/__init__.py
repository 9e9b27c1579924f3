"""Many models: named by paths, patterns and URLs, checked in several processes or on a cluster."""

# ruff: noqa: F403 - a name is its module's, whichever that is
from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.lazy import all_lazy

if TYPE_CHECKING:
    from shapesmt.fleet.cluster import *
    from shapesmt.fleet.many import *
    from shapesmt.fleet.names import *
    from shapesmt.fleet.pages import *
    from shapesmt.fleet.task import *
else:
    __getattr__, __all__ = all_lazy(
        __name__,
        {
            "cluster": ["connected"],
            "many": ["Plan", "check_all", "check_many"],
            "names": ["is_several", "models_in", "shared"],
            "pages": ["page_paths", "summary_path", "write_index", "write_page", "write_summary"],
            "task": ["Task"],
        },
    )
