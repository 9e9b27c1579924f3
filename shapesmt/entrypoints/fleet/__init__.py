"""Many models: named by paths, patterns and URLs, checked in several processes or on a cluster."""

from __future__ import annotations

from shapesmt.base.lazy import lazy_imports

with lazy_imports(__name__):
    from shapesmt.entrypoints.fleet.baseline import Baseline as Baseline
    from shapesmt.entrypoints.fleet.many import Plan as Plan, check_all as check_all, check_many as check_many
    from shapesmt.entrypoints.fleet.names import (
        is_several as is_several,
        models_in as models_in,
        options_for_all as options_for_all,
    )
    from shapesmt.entrypoints.fleet.pages import (
        page_paths as page_paths,
        summary_path as summary_path,
        write_index as write_index,
        write_page as write_page,
        write_summary as write_summary,
    )
    from shapesmt.entrypoints.fleet.task import Task as Task
    from shapesmt.entrypoints.fleet.workers.cluster import connect as connect
