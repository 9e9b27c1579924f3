"""The command line and its configuration."""

from __future__ import annotations

from shapesmt.cli.main import main as main
from shapesmt.lazy import lazy_imports

with lazy_imports(__name__):
    from shapesmt.cli.config import Config as Config
