"""Repairs: single changes of a model after which it is proved to run."""
