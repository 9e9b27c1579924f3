"""Answers to files: one exporter per format."""
