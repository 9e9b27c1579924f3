"""Forms of the messages of TensorRT 7 to 10, by public logs: none of them has been printed by a run of the tests."""

from __future__ import annotations

import re
from functools import partial

from shapesmt.tasks.runtime_errors.forms.form import Head, form

__all__ = ["FORMS", "HEADS"]

RUNTIME = "tensorrt"
says = partial(form, RUNTIME)
_LAYER = r"(?<![^\s:(])(?P<name>[^\s:()\[\]]{1,300})"
_SAID = (
    r"reshaping failed for tensor|reshape changes volume|dimensions not compatible|broadcast dimensions must|"
    r"elementwise inputs must|all concat input tensors|(?:second to )?last dimension of input0"
)
_CHECKED = r"(?: Instruction: CHECK_[A-Z_]{1,30} [\d ]{1,60})?"
HEADS = (
    Head(RUNTIME, re.compile(r"\bI[A-Z][A-Za-z]{1,40}Layer (?P<name>[^\s:()]{1,300}): ")),
    Head(RUNTIME, re.compile(rf"{_LAYER}: (?={_SAID})")),
    Head(RUNTIME, re.compile(r"(?:\[E\] |Error Code )[^\n]{0,200}?(?P<name>/[^\s:]{1,300}): ")),
    Head(RUNTIME, re.compile(r"\(Unnamed Layer\* \d{1,9}\) \[(?P<op>[^\]\n]{1,60})\]: ")),
    Head(RUNTIME, re.compile(r'While parsing node number \d{1,9} \[(?P<op>\w{1,100}) -> "(?P<name>[^"\n]{1,300})"\]')),
)  # fmt: skip
FORMS = (
    says(rf"dimensions not compatible for elementwise(?:.{{0,40}}violated: <a> != <b>\.?{_CHECKED})?", "SM101"),
    says(r"broadcast dimensions must be (?:conformable|positive|non-negative)", "SM101"),
    says(r"broadcast with incompatible dimensions", "SM101"),
    says(r"elementwise inputs must have same dimensions or follow broadcast rules"
         r" \(input dimensions were \[<i0p>\] and \[<i1p>\]\)", "SM101"),
    says(rf"all concat input tensors must have the same dimensions.{{0,80}}violated: <a> != <b>\.?{_CHECKED}", "SM103"),
    says(r"all concat input tensors must have the same dimensions except on the concatenation axis(?: \(<own>\),"
         r" but dimensions mismatched (?:at input \d{1,3} )?at index <axis>\."
         r" Input 0 shape: \[<i0>\], Input <number> shape: \[<that>\])?", "SM103"),
    says(r"dimensions not compatible for concatenation", "SM103"),
    says(r"reshape changes volume from \[<i0>\] to \[<_>", "SM104"),
    says(r"reshape changes volume", "SM104"),
    says(r"would change volume(?: <n0> to <target>)?"
         r"(?:\.? Instruction: RESHAPE\w{0,40}\{<i0>\} \{[\d -]{1,100}\})?", "SM104"),
    says(r"last dimension of input0 = <a> and (?:second to )?last dimension of input1 = <b> but must match", "SM102"),
    says(r"Static dimension mismatch while setting input shape(?: for (?P<input>\S{1,300})\. Set dimensions are"
         r" \[<got>\]\. Expected dimensions are \[<declared>\])?"),
    says(r"Supplied binding dimension \[[\d, ]{1,100}\] for bindings\[<place>\] exceed min ~ max range at index <axis>,"
         r" maximum dimension in profile is <most>, minimum dimension in profile is <least>, but supplied dimension is"
         r" <got>"),
    says(r"(?P<input>[^\s:()]{1,300}): for dimension number <axis> in profile \d{1,3} does not match network definition"
         r" \(got min=<got>, opt=\d{1,9}, max=\d{1,9}\), expected min=opt=max=<declared>"),
)  # fmt: skip
