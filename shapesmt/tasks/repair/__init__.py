"""Repairs: single changes of a model after which it is proved to run."""

from shapesmt.tasks.repair.question import answer_repair, repair

__all__ = ["answer_repair", "repair"]
