"""Repairs: single changes of a model after which it is proved to run."""

from shapesmt.tasks.repair.question import find_repairs as find_repairs
