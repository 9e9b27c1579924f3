"""Write answers to files: one exporter per format."""

from __future__ import annotations

from shapesmt.export import targets as targets
from shapesmt.export.files import (
    begin_whole as begin_whole,
    hidden_start as hidden_start,
    only_writer as only_writer,
    replacing as replacing,
    write_all as write_all,
    write_whole as write_whole,
)
from shapesmt.export.trees import Trees as Trees
from shapesmt.lazy import lazy_imports

with lazy_imports(__name__):
    from shapesmt.export.onnx import (
        CONSTANT as CONSTANT,
        annotate as annotate,
        axes_of as axes_of,
        complaint as complaint,
        keep_together as keep_together,
        refusing as refusing,
        save as save,
    )
