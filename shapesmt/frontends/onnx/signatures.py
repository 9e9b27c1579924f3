"""Defaults of attributes and numbers of inputs by ONNX's schemas, for those that have no graph."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from shapesmt.frontends.onnx.reader import schemas
from shapesmt.graph import AttributeValue


def default_attributes(domain: str, op: str, version: int) -> Mapping[str, AttributeValue]:
    """The default values of the attributes that a node may leave out.

    >>> default_attributes("", "Gemm", 13)["alpha"]
    1.0
    """
    return schemas().defaults(domain, op, version)


def input_counts(domain: str, op: str, version: int) -> tuple[float, float]:
    """The least and the greatest number of inputs; (1, inf) for an operator that ONNX doesn't define.

    >>> input_counts("", "Conv", 11), input_counts("com.example", "Mine", 1)
    ((2, 3), (1, inf))
    """
    parameters = schemas().parameters(domain, op, max(version, schemas().since.get((domain, op), 1)))
    return (1, inf) if parameters is None else parameters.inputs
