"""The command line and its configuration."""

from __future__ import annotations

from shapesmt.base.lazy import lazy_imports
from shapesmt.entrypoints.cli.main import main as main

with lazy_imports(__name__):
    from shapesmt.entrypoints.cli.config import Config as Config
