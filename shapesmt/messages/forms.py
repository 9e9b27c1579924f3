r"""Forms of the runtimes' error messages, as data: a row for each, with its pattern, its laws, and what it prints.

The name of a group in a pattern says what the number is:

- `name`, `op`, `input`: the node, its operator, the model's input.
- `a` and `b`: the two sizes that clash, in the order of the law if `stop` is known; `axis` is theirs.
- `low` and `high`: such sizes, the smaller one first.
- `line`: the line of a matrix product's source.
- `operand`: the operand that a product blames ("left"); `phase`: whether the first axis is broadcast ("Init").
- `i0`: the shape of the node's input 0; `i0s` without the first two axes; `i0a1` its axis 1; `at` its axis `axis`.
- `e1`: the elements of input 1; `count`: the number of input 0's elements.
- `size`: a size of one of the inputs; `last`: input 0's size along the node's own axis, minus 1; `first`: that size,
  negated; `index`: an index outside an axis; `own`: the node's own axis; `group`: its attribute of that name.
- `parts` and `total`: the number of elements of input 1, and their sum; `outputs`: the number of outputs; `part` and
  `rest`: an element of input 1, and what those before it leave of the node's own axis.
- `one`: the number 1, which the runtime prints of its own code.
- `got`, `declared`: the size of a model's input along `axis`, and the one that the file declares.

Each repetition in a pattern is of a single class of characters and bounded, so that no text takes long to read.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

__all__ = ["FORMS", "FUSED", "HEADS", "MADE", "RESHAPING", "SILENT", "UNRELATED", "Fork", "Form", "Head", "Stop"]

ORT, OPENVINO, TORCH, TENSORRT, TFLITE = "onnxruntime", "openvino", "torch", "tensorrt", "tflite"
RESHAPING = (OPENVINO, TENSORRT, TFLITE)
"""The runtimes that let their user change the sizes that a file declares."""


class Head(NamedTuple):
    """The part of a runtime's message that names the node."""

    runtime: str
    pattern: re.Pattern[str]


class Stop(Enum):
    """Which of several requirements that fail under one law a runtime reports: of those in the order of the rule."""

    FIRST = "first"
    LAST = "last"


class Fork(Enum):
    """What decides which of two lines of its source a runtime names in a message."""

    INNER = "inner"  # whether an axis after the one that clashes has several elements
    BATCHES = "batches"  # whether the last operand has several matrices
    EMPTY = "empty"  # whether the axis is empty


class Form(NamedTuple):
    """A form of a runtime's messages: its pattern, and the codes of the laws whose breach it reports.

    Attributes:
        stop: Which of several failing requirements it reports; None if that isn't known.
        fork: What decides which line of the runtime's source prints it; None if there is one.
        skips: Whether it prints numbers that aren't read.
    """

    runtime: str
    pattern: re.Pattern[str]
    codes: tuple[str, ...] = ()
    stop: Stop | None = None
    fork: Fork | None = None
    skips: bool = False


_N = r"-?\d{1,19}"
_LIST = r"[\d, .x-]{0,400}"


def _compile(text: str) -> re.Pattern[str]:
    """Return a pattern in which `<a>` is the number `a`, `<i0>` the list `i0` and `<_>` a number that isn't read."""

    def group(named: re.Match[str]) -> str:
        name = named[1]
        body = _LIST if re.fullmatch(r"i\ds?|e1", name) else _N
        return body if name == "_" else f"(?P<{name}>{body})"

    return re.compile(re.sub(r"(?<!\?P)<(\w+)>", group, text))


def _form(runtime: str, text: str, *codes: str, stop: Stop | None = None, fork: Fork | None = None) -> Form:
    return Form(runtime, _compile(text), codes, stop, fork, "<_>" in text)


_NAME = r"[^'\n]{0,500}"
HEADS = (
    Head(ORT, re.compile(rf"while running (?P<op>\S{{1,100}}) node\. Name:\s?'(?P<name>{_NAME})'")),
    Head(ORT, re.compile(r"Node ?\((?P<name>[^()\n]{0,500})\) Op ?\((?P<op>\w{1,100})\)")),
    Head(OPENVINO, re.compile(rf"\[CPU\] (?P<op>\w{{1,100}}) node with name '(?P<name>{_NAME})'")),
    Head(OPENVINO, re.compile(r"While (?:validating|shape inferring) node '(?:opset\d{1,2}::)?"
                              r"(?P<op>\w{1,100}) (?P<name>[^' \n]{1,500})")),
    Head(TENSORRT, re.compile(r"(?:\[E\] |Error Code )[^\n]{0,200}?(?P<name>/[^\s:]{1,300}): ")),
    Head(TFLITE, re.compile(r"Node number \d{1,9} \((?P<op>\w{1,100})\) failed to")),
)  # fmt: skip
"""Where a message begins; the first one of a log counts."""

FORMS = (
    _form(ORT, r"Non concat axis dimensions must match: Axis <axis> has mismatched dimensions of <b> and <a>", "SM103",
          stop=Stop.FIRST),
    _form(ORT, r"(?:BroadcastIterator::(?P<phase>Init|Append)\(ptrdiff_t, ptrdiff_t\) )?"
          r"(?:axis == <one> \|\| axis == largest was false\. )?(?:Attempting to )?"
          r"broadcast an axis by a dimension other than 1\. <low> by <high>", "SM101", "SM107", stop=Stop.LAST),
    _form(ORT, r"Can broadcast (?P<low>0) by 0 or 1\. <high> is invalid", "SM101", stop=Stop.LAST, fork=Fork.INNER),
    _form(ORT, r"Input shape:\{<i0>\}, requested shape:\{<e1>\}", "SM104", "SM105"),
    _form(ORT, r"dimension with value zero exceeds the dimension size of the input", "SM105"),
    _form(ORT, r"idx=<index> must be within the inclusive range \[<first>,<last>\]", "SM301"),
    _form(ORT, r"invalid indi?[ce]{1,2}x? found, indi?[ce]{1,2}x? = <index>", "SM301", fork=Fork.EMPTY),
    _form(ORT, r"C: <i0a1> kernel channels: <i1a1> group: <group>", "SM106"),
    _form(ORT, r"filter_number: <i1a0> num_input_channels: <i0a1>", "SM106"),
    _form(ORT, r"Invalid input shape: \{<i0s>\}", "SM201", "SM204"),
    _form(ORT, r"Only N can be zero\. Got:\{<i0>\}", "SM204"),
    _form(ORT, r"Calculated output dimension is negative", "SM201"),
    _form(ORT, r"Computed output dimension is <= 0 for dim <_>\. Input shape: \{<i0s>\}", "SM204", "SM201"),
    _form(ORT, r"(?:matmul_helper\.h:<line> Compute )?MatMul dimension mismatch", "SM102", fork=Fork.BATCHES),
    _form(ORT, r"(?P<operand>left|right) operand cannot broadcast on dim <axis>", "SM101", stop=Stop.FIRST),
    _form(ORT, r"Dimension mismatch, W: \{<i1>\} K: <size> N:<_>", "SM102"),
    _form(ORT, r"invalid expand shape", "SM101"),
    _form(ORT, r"Axis=<own> Input shape=\{<i0>\} NumOutputs=<outputs> .{0,80} was <parts> .{0,80} was <total>",
          "SM110"),
    _form(ORT, r"Input shape=\{<i0>\} Axis=<own> NumOutputs=<outputs>", "SM110"),
    _form(ORT, r"Split size <part> exceeds the remaining size of the selected axis, <rest>", "SM110"),
    _form(ORT, r"Dimension of input <axis> must be 1 instead of <at>\. shape=\{<i0>\}", "SM304"),
    _form(ORT, r"k argument \[<a>\] should not be greater than specified axis dim value \[<b>\]", "SM305",
          stop=Stop.FIRST),
    _form(ORT, r"Cannot scale 0 by any factor.{0,60}Dimension: <axis> Input dim value: <at> Output dim value: <_>"),
    _form(ORT, r"Integer division by zero", "SM404"),
    _form(ORT, r"Got invalid dimensions for input: (?P<input>\S{1,500}) for the following indices\s{0,9}"
          r"index: <axis> Got: <got> Expected: <declared>"),
    _form(OPENVINO, r"the shape of input data \(<i0>\) conflicts with the reshape pattern \(<e1>\)", "SM104", "SM105"),
    _form(OPENVINO, r"batch channel count \(<i0a1>\) does not match filter input channel count \(<i1a0>\)", "SM106"),
    _form(OPENVINO, r"Input and filter channels must match", "SM106"),
    _form(OPENVINO, r"Total length of splits: <_> must match the length of the chosen axis: <size>", "SM110"),
    _form(OPENVINO, r"along 'axis': <size> must be evenly divisible", "SM110"),
    _form(OPENVINO, r"Input shape dimension equal <size> cannot be broadcasted", "SM101"),
    _form(OPENVINO, r"Eltwise shape infer input shapes dim index: <_> mismatch", "SM101"),
    _form(OPENVINO, r"the model input \(shape=\[[^\]\n]{0,200}\]\) and the tensor \(shape=\(<_>"),
    _form(TORCH, r"size of tensor a \(<a>\) must match the size of tensor b \(<b>\) at non-singleton"
          r" dimension <axis>", "SM101", "SM107", stop=Stop.LAST),
    _form(TORCH, r"must match except in dimension <_>\. Expected size <a> but got size <b> for tensor number", "SM103"),
    _form(TORCH, r"shape '\[<e1>\]' is invalid for input of size <count>", "SM104"),
    _form(TORCH, r"shapes cannot be multiplied \(<_>x<a> and <b>x<_>\)", "SM102"),
    _form(TORCH, r"Kernel size: \([\dx ]{1,60}\)\. Kernel size can't be greater than actual input size", "SM201"),
    _form(TORCH, r"weight of size \[<i1>\], expected input\[<i0>\] to have", "SM106"),
    _form(TORCH, r"sum exactly to <size> \(input tensor's size at dimension <_>\)", "SM110"),
    _form(TORCH, r"index out of range in self", "SM301"),
    _form(TENSORRT, r"dimensions not compatible for elementwise.{0,40}violated: <a> != <b>", "SM101"),
    _form(TENSORRT, r"all concat input tensors must have the same dimensions.{0,80}violated: <a> != <b>", "SM103"),
    _form(TENSORRT, r"reshape changes volume from \[<i0>\] to \[<_>", "SM104"),
    _form(TFLITE, r"num_input_elements != num_output_elements \(<a> != <b>\)", "SM104"),
    _form(TFLITE, r"(?:Dimension|dimension).{0,80}\(<a> != <b>\)", "SM103", "SM101"),
)  # fmt: skip
"""The forms of messages. If several match, the one that comes first in the text counts."""

UNRELATED = re.compile(
    r"CUDNN_STATUS|CUDNN failure|CUDA failure|CUBLAS|cuBLAS|CUDA error|CUDA out of memory|hipError|MIOPEN|NVRTC"
    r"|Could not find an implementation|NOT_IMPLEMENTED|NotImplemented|not implemented for|is not a registered function"
    r"|Unsupported model IR version|No such file|doesn't exist|does not exist|NO_SUCHFILE|INVALID_PROTOBUF"
    r"|Protobuf parsing failed|Failed to load library|cannot open shared object|Permission denied|No space left"
    r"|Could NOT find node implementation|No importer registered|unsupported operator|Exporting the operator"
)
"""Parts of messages that aren't about shapes: devices, kernels that a build lacks, files."""
MADE = re.compile(
    r"nchwc|[Ff]us|token|[Tt]ransform|_dup|_new_|[Qq]uant|inlfunc|[Ii]nsert|Helper|Propagation|With_|Without|Unsqueeze_"
)
"""Parts of the names that a runtime's optimizer gives to the nodes it makes."""
FUSED = re.compile(
    r"Fused|Skip|Bias|Gelu|LayerNorm|RMSNorm|Attention|Gemm|Reorder|QLinear|MatMul(?:Integer|NBits)|QMoE"
)
"""Operators that stand for several nodes of the file after an optimizer's rewrite."""
SILENT = ("SM301",)
"""The laws on indices: ONNX Runtime's optimizer turns a lookup of consecutive rows into a slice, which ends where the
table does, so that a later node fails or none."""
