"""Read OpenVINO's IR files."""

from shapesmt.frontends.openvino.reader import read as read
