"""Attribute defaults and input counts from ONNX's schemas, for callers without a graph."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from shapesmt.frontends.onnx.reader import schemas
from shapesmt.network.graph import AttributeValue


def default_attributes(domain: str, op: str, version: int) -> Mapping[str, AttributeValue]:
    """Return the default values of the attributes that a node may leave out.

    >>> default_attributes("", "Gemm", 13)["alpha"]
    1.0
    """
    return schemas().defaults(domain, op, version)


def input_counts(domain: str, op: str, version: int) -> tuple[float, float]:
    """Return the minimum and maximum number of inputs; (1, inf) for an operator that ONNX doesn't define.

    >>> input_counts("", "Conv", 11), input_counts("com.example", "Mine", 1)
    ((2, 3), (1, inf))
    """
    parameters = schemas().parameters(domain, op, max(version, schemas().since.get((domain, op), 1)))
    return (1, inf) if parameters is None else parameters.inputs
