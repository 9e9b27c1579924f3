"""Forms of the messages of TFLite."""

from __future__ import annotations

import re
from functools import partial

from shapesmt.messages.forms.form import Head, form

__all__ = ["FORMS", "HEADS"]

RUNTIME = "tflite"
says = partial(form, RUNTIME)
HEADS = (
    Head(RUNTIME, re.compile(r"Node number \d{1,9} \((?P<op>\w{1,100})\) failed to")),
)  # fmt: skip
FORMS = (
    says(r"num_input_elements != num_output_elements \(<a> != <b>\)", "SM104"),
    says(r"(?:Dimension|dimension).{0,80}\(<a> != <b>\)", "SM103", "SM101"),
)  # fmt: skip
