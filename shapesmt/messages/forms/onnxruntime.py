"""Forms of the messages of ONNX Runtime."""

from __future__ import annotations

import re
from functools import partial

from shapesmt.messages.forms.form import NAME, Fork, Head, Stop, form

__all__ = ["FORMS", "HEADS"]

RUNTIME = "onnxruntime"
says = partial(form, RUNTIME)
HEADS = (
    Head(RUNTIME, re.compile(rf"while running (?P<op>\S{{1,100}}) node\. Name:\s?'(?P<name>{NAME})'")),
    Head(RUNTIME, re.compile(r"Node ?\((?P<name>[^()\n]{0,500})\) Op ?\((?P<op>\w{1,100})\)")),
)  # fmt: skip
FORMS = (
    says(r"Non concat axis dimensions must match: Axis <axis> has mismatched dimensions of <b> and <a>",
         "SM103", stop=Stop.FIRST),
    says(r"(?:BroadcastIterator::(?P<phase>Init|Append)\(ptrdiff_t, ptrdiff_t\) )?"
         r"(?:axis == <one> \|\| axis == largest was false\. )?(?:Attempting to )?"
         r"broadcast an axis by a dimension other than 1\. <low> by <high>", "SM101", "SM107", stop=Stop.LAST,
         fork=Fork.INNER),
    says(r"Can broadcast (?P<low>0) by 0 or 1\. <high> is invalid", "SM101", stop=Stop.LAST, fork=Fork.INNER),
    says(r"Input shape:\{<i0>\}, requested shape:\{<e1>\}", "SM104", "SM105"),
    says(r"dimension with value zero exceeds the dimension size of the input", "SM105"),
    says(r"idx=<index> must be within the inclusive range \[<first>,<last>\]", "SM301"),
    says(r"invalid indi?[ce]{1,2}x? found, indi?[ce]{1,2}x? = <index>", "SM301", fork=Fork.EMPTY),
    says(r"C: <i0a1> kernel channels: <i1a1> group: <group>", "SM106"),
    says(r"filter_number: <i1a0> num_input_channels: <i0a1>", "SM106"),
    says(r"Invalid input shape: \{<i0s>\}", "SM201", "SM204"),
    says(r"Only N can be zero\. Got:\{<i0>\}", "SM204"),
    says(r"Calculated output dimension is negative", "SM201"),
    says(r"Computed output dimension is <= 0 for dim <_>\. Input shape: \{<i0s>\}", "SM204", "SM201"),
    says(r"(?:matmul_helper\.h:<line> Compute )?MatMul dimension mismatch", "SM102", fork=Fork.BATCHES),
    says(r"(?P<operand>left|right) operand cannot broadcast on dim <axis>", "SM101", stop=Stop.FIRST),
    says(r"Dimension mismatch, W: \{<i1>\} K: <size> N:<_>", "SM102"),
    says(r"invalid expand shape", "SM101"),
    says(r"Axis=<own> Input shape=\{<i0>\} NumOutputs=<outputs> .{0,80} was <parts> .{0,80} was <total>",
         "SM110"),
    says(r"Input shape=\{<i0>\} Axis=<own> NumOutputs=<outputs>", "SM110"),
    says(r"Split size <part> exceeds the remaining size of the selected axis, <rest>", "SM110"),
    says(r"Dimension of input <axis> must be 1 instead of <at>\. shape=\{<i0>\}", "SM304"),
    says(r"k argument \[<a>\] should not be greater than specified axis dim value \[<b>\]", "SM305",
         stop=Stop.FIRST),
    says(r"Cannot scale 0 by any factor.{0,60}Dimension: <axis> Input dim value: <at> Output dim value: <_>"),
    says(r"Failed to allocate memory for requested buffer of size <bytes>"),
    says(r"Integer division by zero", "SM404"),
    says(r"Got invalid dimensions for input: (?P<input>\S{1,500}) for the following indices\s{0,9}"
         r"index: <axis> Got: <got> Expected: <declared>"),
)  # fmt: skip
