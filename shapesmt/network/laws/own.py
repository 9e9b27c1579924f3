"""The code of laws that users' rules state, and that TensorFlow's interface for shape functions states in its words."""

from __future__ import annotations

from shapesmt.network.laws.law import Code

SM199 = Code(
    "SM199", "the operator's own law",
    "A condition of an operator with a rule of your own, which the report states in words. A law that begins with "
    "a code (\"ACME7: the last size splits into blocks of 3\") has that one instead.",
    "Read the operator's documentation next to the two sides that the report shows.",
)  # fmt: skip
