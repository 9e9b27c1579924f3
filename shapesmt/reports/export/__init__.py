"""Write answers to files: one exporter per format."""

from __future__ import annotations

from shapesmt.base.lazy import lazy_imports
from shapesmt.prover.expression_trees import Trees as Trees
from shapesmt.reports.export import targets as targets
from shapesmt.reports.export.files import (
    begin_whole as begin_whole,
    hidden_start as hidden_start,
    only_writer as only_writer,
    replacing as replacing,
    write_all as write_all,
    write_whole as write_whole,
)

with lazy_imports(__name__):
    from shapesmt.reports.export.onnx import (
        CONSTANT as CONSTANT,
        annotate as annotate,
        axes_of as axes_of,
        complaint as complaint,
        keep_together as keep_together,
        refusing as refusing,
        save as save,
    )
