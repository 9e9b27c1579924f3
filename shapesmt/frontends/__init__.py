"""Read files into graphs: one frontend per format, and a common entry point."""

from shapesmt.frontends.beside import SideRead, side_reads
from shapesmt.frontends.files import ModelFile, content_digest, is_folder, is_url, listed, model_file
from shapesmt.frontends.formats import Format, Model, OpenedModel, asked, load, load_protobuf, opened
from shapesmt.frontends.recognize import SUFFIXES

__all__ = [
    "SUFFIXES",
    "Format",
    "Model",
    "ModelFile",
    "OpenedModel",
    "SideRead",
    "asked",
    "content_digest",
    "is_folder",
    "is_url",
    "listed",
    "load",
    "load_protobuf",
    "model_file",
    "opened",
    "side_reads",
]
