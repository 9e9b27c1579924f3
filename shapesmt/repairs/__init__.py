"""Repairs: single changes of a model after which it is proved to run."""

from shapesmt.repairs.question import repair, repaired

__all__ = ["repair", "repaired"]
