"""Every law once: its sentence, its code, its remedy, and a model that breaks it."""

from shapesmt.laws.catalogue import CATALOGUE, code_of_kind, coded

__all__ = ["CATALOGUE", "code_of_kind", "coded"]
