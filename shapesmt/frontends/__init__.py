"""Read files into graphs: one frontend per format, and a common entry point."""

from shapesmt.frontends.beside import SideRead as SideRead, side_reads as side_reads
from shapesmt.frontends.files import (
    ModelFile as ModelFile,
    content_digest as content_digest,
    is_folder as is_folder,
    is_url as is_url,
    listed as listed,
    model_file as model_file,
)
from shapesmt.frontends.formats import (
    Format as Format,
    Model as Model,
    OpenedModel as OpenedModel,
    asked as asked,
    load as load,
    load_protobuf as load_protobuf,
    opened as opened,
)
from shapesmt.frontends.recognize import SUFFIXES as SUFFIXES
