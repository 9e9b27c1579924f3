"""Content: all parts of a page; a part that the deadline cuts off stays empty."""

from __future__ import annotations

from dataclasses import replace

from shapesmt.analysis.diagnose.page.calculator import calculator_of, running_inputs
from shapesmt.analysis.diagnose.page.cause_graph import cause_graphs
from shapesmt.analysis.diagnose.page.raster import valid_regions
from shapesmt.analysis.verify import Examined, empty_bounds
from shapesmt.reports.answers import Bounds, Calculator, CauseGraph, NumberLine, PageData, Raster, Report

__all__ = ["page_content"]


def page_content(a: Examined, report: Report, sizes: Bounds) -> PageData:
    """Return the report and the bounds with the causes of each failure, the valid regions and the formulas."""
    if not sizes.valid:
        sizes = replace(sizes, tensors=empty_bounds(a.examination))
    nowhere: tuple[NumberLine | Raster, ...] = ()
    none: dict[int, CauseGraph] = {}
    in_time = a.judge.deadline.attempt
    graphs = in_time(lambda: cause_graphs(report.judged, a.examination), none)
    regions = in_time(lambda: valid_regions(a, report.precondition), nowhere)
    calculator = in_time(lambda: calculator_of(a), Calculator())
    running = running_inputs(report.remedy, sizes)
    return PageData(report, sizes, graphs, regions, replace(calculator, running=running))
