"""The command line, and its configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapesmt.cli.main import main
from shapesmt.lazy import lazy

if TYPE_CHECKING:
    from shapesmt.cli.config import Config

__all__ = ["Config", "main"]

__getattr__ = lazy(__name__, {"config": ["Config"]})
