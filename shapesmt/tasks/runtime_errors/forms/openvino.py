"""Forms of the messages of OpenVINO.

Most of them list the shapes of all inputs before the reason, which then depends on nothing else.
"""

from __future__ import annotations

import re
from functools import partial

from shapesmt.tasks.runtime_errors.forms.form import NAME, Head, Stop, form

__all__ = ["FORMS", "HEADS"]

RUNTIME = "openvino"
says = partial(form, RUNTIME)
HEADS = (
    Head(RUNTIME, re.compile(rf"\[CPU\] (?P<op>\w{{1,100}}) node with name '(?P<name>{NAME})'")),
    Head(RUNTIME, re.compile(r"While validating ONNX node '<Node\((?P<op>\w{1,100})\): (?P<name>[^>\n]{1,500})>'")),
    Head(RUNTIME, re.compile(r"While (?:validating|shape inferring) node '(?:opset\d{1,2}::)?(?P<op>\w{1,100}) "
                             r"(?:(?P=op)_\d{1,9}|(?P<name>[^' \n]{1,500}))[ ']")),
)  # fmt: skip
FORMS = (
    says(r"Shape inference input shapes \{<inputs>\}[^\n]{0,9}\n[^\n]{0,1000}"),
    says(r"the shape of input data \(<i0>\) conflicts with the reshape pattern \(<e1>\)", "SM104", "SM105"),
    says(r"[Bb]atch channel count \(<i0a1>\) does not match filter input channel count \(<i1a0>\)", "SM106"),
    says(r"Input and filter channels must match", "SM106"),
    says(r"Matmul input shapes are incompatible shape A: \(<i0>\) shape B: \(<i1>\)", "SM102"),
    says(r"Incompatible MatMul batch dimension\. Cant merge the first input dimension=<a> with second input"
         r" dimension=<b> at index=<axis>", "SM101", stop=Stop.FIRST),
    says(r"Eltwise shape infer input shapes dim index: <short_axis> mismatch", "SM101", stop=Stop.FIRST),
    says(r"Argument shapes are inconsistent", "SM101", "SM103", "SM107"),
    says(r"Input shape dimension equal <a> cannot be broadcasted(?: \(numpy mode\))? to <b>", "SM101", stop=Stop.FIRST),
    says(r"Total length of splits: <_> must match the length of the chosen axis: <size>", "SM110"),
    says(r"along 'axis': <size> must be evenly divisible by 'num_splits' attribute value: <outputs>", "SM110"),
    says(r"Kernel after dilation has size \(dim: <_>\) larger than the data shape after padding \(dim: <_>\) at"
         r" axis <_>", "SM201", "SM204"),
    says(r"(?:Channel count|Batch size) is zero", "SM204"),
    says(r"padding mode requires an input of dimension of at least \d{1,3} at each spatial axis", "SM203"),
    says(r"K \(<_>\) exceeds the axis dimension \(<size>\)", "SM305"),
    says(r"Can not clone with new dims\. Descriptor's shape: \{[^}\n]{0,200}\} is incompatible with provided"
         r" dimensions: \{<_>"),
    says(r"input tensor with index: <place>, because the model input \(shape=\[<declared>\]\) and the tensor"
         r" \(shape=\(<got>\)\) are incompatible"),
)  # fmt: skip
