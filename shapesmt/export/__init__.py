"""Answers to files: one exporter per format."""

from shapesmt.export.files import write_whole

__all__ = ["write_whole"]
