"""Why a requirement isn't proved, for which inputs, and what would help."""

from shapesmt.diagnose.cause_graph import chains, makers
from shapesmt.diagnose.explanation import explanation
from shapesmt.diagnose.findings import findings, precondition, refuse
from shapesmt.diagnose.raster import valid_region
from shapesmt.diagnose.remedy import remedy
from shapesmt.diagnose.warnings import cautions, declarations, refuse_declarations

__all__ = [
    "cautions",
    "chains",
    "declarations",
    "explanation",
    "findings",
    "makers",
    "precondition",
    "refuse",
    "refuse_declarations",
    "remedy",
    "valid_region",
]
