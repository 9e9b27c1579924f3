"""Build graphs by hand in Python."""

from shapesmt.entrypoints.builder.builder import GraphBuilder as GraphBuilder
