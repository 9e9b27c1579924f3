"""The meaning of each code: a title, the law in general, a remedy, and a model that breaks it."""

from shapesmt.laws.codes.catalogue import CATALOGUE, code_of_kind
from shapesmt.laws.codes.code import Code

__all__ = ["CATALOGUE", "Code", "code_of_kind"]
