"""Read files into graphs: one frontend per format, and a common entry point."""

from shapesmt.frontends.beside import SideRead as SideRead, side_reads as side_reads
from shapesmt.frontends.files import (
    ModelFile as ModelFile,
    content_digest as content_digest,
    is_folder as is_folder,
    is_url as is_url,
    list_models as list_models,
    model_file as model_file,
)
from shapesmt.frontends.formats import (
    Format as Format,
    Model as Model,
    ModelSource as ModelSource,
    OpenedModel as OpenedModel,
    load as load,
    load_protobuf as load_protobuf,
    open_model as open_model,
    program_or_model as program_or_model,
)
from shapesmt.frontends.recognize import SUFFIXES as SUFFIXES
