"""Why a requirement isn't proved, for which inputs, and what would help."""

from shapesmt.diagnose.explanation import explanation
from shapesmt.diagnose.findings import findings, precondition, refuse
from shapesmt.diagnose.page.calculator import calculator
from shapesmt.diagnose.page.cause_graph import cause_graphs
from shapesmt.diagnose.page.raster import valid_regions
from shapesmt.diagnose.remedy import remedy
from shapesmt.diagnose.warnings import declarations, model_warnings, refuse_declarations

__all__ = [
    "calculator",
    "cause_graphs",
    "declarations",
    "explanation",
    "findings",
    "model_warnings",
    "precondition",
    "refuse",
    "refuse_declarations",
    "remedy",
    "valid_regions",
]
