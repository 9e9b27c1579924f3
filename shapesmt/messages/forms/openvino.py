"""Forms of the messages of OpenVINO."""

from __future__ import annotations

import re
from functools import partial

from shapesmt.messages.forms.form import NAME, Head, form

__all__ = ["FORMS", "HEADS"]

RUNTIME = "openvino"
says = partial(form, RUNTIME)
HEADS = (
    Head(RUNTIME, re.compile(rf"\[CPU\] (?P<op>\w{{1,100}}) node with name '(?P<name>{NAME})'")),
    Head(RUNTIME, re.compile(r"While (?:validating|shape inferring) node '(?:opset\d{1,2}::)?"
                             r"(?P<op>\w{1,100}) (?P<name>[^' \n]{1,500})")),
)  # fmt: skip
FORMS = (
    says(r"the shape of input data \(<i0>\) conflicts with the reshape pattern \(<e1>\)", "SM104", "SM105"),
    says(r"batch channel count \(<i0a1>\) does not match filter input channel count \(<i1a0>\)", "SM106"),
    says(r"Input and filter channels must match", "SM106"),
    says(r"Total length of splits: <_> must match the length of the chosen axis: <size>", "SM110"),
    says(r"along 'axis': <size> must be evenly divisible", "SM110"),
    says(r"Input shape dimension equal <size> cannot be broadcasted", "SM101"),
    says(r"Eltwise shape infer input shapes dim index: <_> mismatch", "SM101"),
    says(r"the model input \(shape=\[[^\]\n]{0,200}\]\) and the tensor \(shape=\(<_>"),
)  # fmt: skip
