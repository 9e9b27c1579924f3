"""Check the arguments of a `GraphBuilder`, and write them as values of a node-link document."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from shapesmt.base.errors import UsageError
from shapesmt.frontends.nodelink import RefusedError, attribute as value
from shapesmt.frontends.onnx import Parameters, schemas
from shapesmt.network.declarations import did_you_mean, quote
from shapesmt.network.graph import DTYPES, Document, Literal, Runtime, constant as literal
from shapesmt.operators.rules import rules

NUMBERS = {dtype: number for number, dtype in DTYPES.items() if dtype}
"""ONNX's numbers of the element types."""
_USUAL = {"float64": "float32", "int32": "int64"}  # numpy's types of Python's numbers, and the types that models use
_ENDLESS = 2**31 - 1  # ONNX's maximum for an operator whose last input or output may repeat


def check_name(name: object, what: str) -> None:
    """Refuse a name that is not a text, or is empty."""
    if not isinstance(name, str) or not name:
        raise UsageError(f"the name of {what} is a text, not {quote(name)}")


def unknown_operator(op_type: str, domain: str, version: int) -> UsageError:
    """Return the error for an operator without rule and schema, with a similar name or a domain that has it."""
    title = f"no operator {quote(op_type)} in {domain or 'ai.onnx'}, opset {version}"
    known = [*rules()]
    own = min((r.since for r in known if (r.domain, r.name) == (domain, op_type)), default=None)
    since = schemas().since.get((domain, op_type), own)
    if since is not None:
        return UsageError(f"{title}; it came with opset {since}")
    elsewhere = sorted({r.domain or "ai.onnx" for r in known if r.name == op_type})
    if elsewhere:
        return UsageError(f"{title}; {elsewhere[0]} has one: domain={elsewhere[0]!r}")
    names = sorted({r.name for r in known if r.domain == domain})
    return UsageError(
        f"{title}{did_you_mean(op_type, names)}" + ("" if names else "; give it a rule with @shapesmt.rule")
    )


def check_count(title: str, what: str, number: int, limits: tuple[int, int]) -> None:
    """Refuse a number of inputs or outputs outside the limits (minimum, maximum)."""
    least, most = limits
    if least <= number <= most:
        return
    allowed = f"{least} or more" if most >= _ENDLESS else str(least) if least == most else f"{least} to {most}"
    raise UsageError(f"{title} has {allowed} {what}{'' if allowed == '1' else 's'}, not {number}")


def check_names(title: str, attributes: Mapping[str, Any], known: Parameters) -> None:
    """Refuse an attribute that the operator doesn't have, and a missing attribute that it requires."""
    for key in attributes:
        if key not in known.attributes:
            raise UsageError(f"{title} has no attribute {quote(key)}{did_you_mean(key, known.attributes)}")
    for key in known.required:
        if key not in attributes:
            raise UsageError(f"{title} needs the attribute {quote(key)}")


def attribute(content: Any, key: str, title: str, known: Parameters | None) -> Any:
    """Return an attribute's value for a node-link document: an array becomes a list or a tensor."""
    expected = None if known is None else known.attributes.get(key)
    is_array = hasattr(content, "tolist")
    if expected == "tensor" or (expected is None and is_array and content.ndim):
        return constant(content, "")
    plain = content.tolist() if is_array else [*content] if isinstance(content, tuple) else content
    if expected == "int" and plain in NUMBERS:
        return NUMBERS[plain]
    if isinstance(plain, bool):
        plain = int(plain)
    try:
        value(plain, f"{title}: attribute {quote(key)}", expected)
    except RefusedError as error:
        raise UsageError(str(error)) from None
    return {"float": str(plain)} if isinstance(plain, float) and not math.isfinite(plain) else plain


def constant(values: Any, dtype: str) -> Document:
    """Return a constant tensor for a node-link document."""
    import numpy as np

    if dtype and dtype not in NUMBERS:
        raise UsageError(f"{quote(dtype)} is not an element type{did_you_mean(dtype, NUMBERS)}")
    try:
        array = np.asarray(values)
    except (TypeError, ValueError):  # lists of different lengths
        raise UsageError(f"a constant is a number, a list of them or an array, not {quote(values)}") from None
    own_dtype = "string" if array.dtype.kind == "U" else array.dtype.name
    dtype = dtype or (own_dtype if hasattr(values, "dtype") else _USUAL.get(own_dtype, own_dtype))
    if dtype not in NUMBERS or array.dtype.kind not in "biufU":
        raise UsageError(f"a constant is a number, a list of them or an array, not {quote(values)}")
    if array.size > Literal.LIMIT:
        return literal(Literal(dtype, array.shape))
    numbers = array.astype(bool) if dtype == "bool" else array.astype(float) if "float" in dtype else array
    if "int" in dtype and array.dtype.kind not in "iu":
        raise UsageError(f"a constant of type {dtype} holds integers, not {quote(values)}")
    return literal(Literal(dtype, array.shape, numbers.reshape(-1).tolist()))


def opset_version(version: object, domain: str) -> int:
    """Return the version of an operator set, an integer of at least 1."""
    if not isinstance(version, int) or version < 1:
        raise UsageError(f"the opset of {quote(domain or 'ai.onnx')} is a number from 1 on, not {quote(version)}")
    return version


def axis_text(part: object) -> Any:
    """Return a size that isn't an int or str as an int if it has `__index__` (numpy's integers), else as its text."""
    return str(part) if not hasattr(part, "__index__") else part.__index__()


def stated_runtime(runtime: str) -> dict[str, str]:
    """Return the runtime as a document states it: nothing for the standard, which a document without one follows.

    >>> stated_runtime("standard"), stated_runtime("openvino")
    ({}, {'runtime': 'openvino'})
    """
    names = [each.value for each in Runtime]
    if runtime not in names:
        raise UsageError(f"there is no runtime {quote(runtime)}{did_you_mean(runtime, names)}")
    return {} if runtime == Runtime.STANDARD.value else {"runtime": runtime}
