"""Files to graphs: one frontend per format, one door for all of them."""

from shapesmt.frontends.files import is_folder
from shapesmt.frontends.formats import Format, Model, OpenedModel, load, load_protobuf, opened

__all__ = ["Format", "Model", "OpenedModel", "is_folder", "load", "load_protobuf", "opened"]
