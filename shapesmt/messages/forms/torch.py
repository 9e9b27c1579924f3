"""Forms of the messages of PyTorch."""

from __future__ import annotations

from functools import partial

from shapesmt.messages.forms.form import Stop, form

__all__ = ["FORMS"]

RUNTIME = "torch"
says = partial(form, RUNTIME)
FORMS = (
    says(r"size of tensor a \(<a>\) must match the size of tensor b \(<b>\) at non-singleton"
         r" dimension <axis>", "SM101", "SM107", stop=Stop.LAST),
    says(r"must match except in dimension <_>\. Expected size <a> but got size <b> for tensor number", "SM103"),
    says(r"shape '\[<e1>\]' is invalid for input of size <count>", "SM104"),
    says(r"shapes cannot be multiplied \(<_>x<a> and <b>x<_>\)", "SM102"),
    says(r"Kernel size: \([\dx ]{1,60}\)\. Kernel size can't be greater than actual input size", "SM201"),
    says(r"weight of size \[<i1>\], expected input\[<i0>\] to have", "SM106"),
    says(r"sum exactly to <size> \(input tensor's size at dimension <_>\)", "SM110"),
    says(r"index out of range in self", "SM301"),
    says(r"can't allocate memory: you tried to allocate <bytes> bytes"),
)  # fmt: skip
