"""Forms of the messages of TensorFlow Lite (LiteRT), by its sources and public logs.

None of them has been printed by a run of the tests.
"""

from __future__ import annotations

import re
from functools import partial

from shapesmt.tasks.runtime_errors.forms.form import Head, Stop, form

__all__ = ["FORMS", "HEADS"]

RUNTIME = "tflite"
says = partial(form, RUNTIME)
HEADS = (
    Head(RUNTIME, re.compile(r"Node number \d{1,9} \((?P<op>\w{1,100})\) failed to")),
)  # fmt: skip
FORMS = (
    says(r"num_input_elements != num_output_elements \(<n0> != <target>\)", "SM104"),
    says(r"t->dims->data\[d\] != t0->dims->data\[d\] \(<b> != <a>\)", "SM103", stop=Stop.FIRST),
    says(r"Given shapes, \[<i0p>\] and \[<i1p>\], are not broadcastable", "SM101"),
    says(r"input_size != batch_size \* filter->dims->data\[1\] \(<n0> != \d{1,19}\)", "SM102", "SM104"),
    says(r"(?:Dimension|dimension).{0,80}\(<a> != <b>\)", "SM103", "SM101"),
    says(r"Cannot set tensor: Dimension mismatch\. Got <got> but expected <declared> for dimension <axis> of input"
         r" <place>"),
)  # fmt: skip
