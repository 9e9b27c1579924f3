"""Build graphs by hand in Python."""

from shapesmt.frontends.builder.builder import GraphBuilder as GraphBuilder
