"""Codes of undecided nodes (SM6xx), of mixed samples (SM7xx), and of warnings, which aren't failures (SM9xx).

Each has its kind, not a law of a node.
"""

from __future__ import annotations

from shapesmt.network.laws.law import Code

SM601 = Code(
    "SM601", "no rule",
    "Every operator has a rule, or stands for operators that have one.",
    "Give it a rule of a few lines with @shapesmt.rule, found through the entry-point group shapesmt.rules, or "
    "export it as a function of ONNX operators.",
    '<ir_version: 8, opset_import: ["": 18, "com.example": 1]>\n'
    "g (float[n] x) => (float[m] y) { y = com.example.Sparsify (x) }",
    kind="unsupported",
)  # fmt: skip
SM602 = Code(
    "SM602", "unknown rank",
    "The ranks of a node's inputs are known.",
    "Say what shape the input has (--shape \"x=[n,4]\"), or declare it when exporting.",
    "g (float[] x, float[3] y) => (float[] z) { z = Add (x, y) }",
    kind="rank",
)  # fmt: skip
SM603 = Code(
    "SM603", "numbers not followed",
    "Numbers that decide sizes or indices are known unless data decides them: what is computed from sizes is "
    "followed on its way, and constants are read.",
    "Make the numbers that the node reads constants, or compute them from sizes with operators that are followed: "
    "those of integers, and of floats +, -, *, /, floor, ceil, round and sqrt. Where the sentence is about what ONNX "
    "Runtime doesn't check, see to it where the model is made.",
    "g (float[n] x) => (float[m] y)\n"
    "{ size = Shape (x)\n  real = Cast <to = 1> (size)\n  grown = Exp (real)\n"
    "  shape = Cast <to = 7> (grown)\n  y = Expand (x, shape) }",
    dims={"n": "1..4"},
    kind="elements",
)  # fmt: skip
SM604 = Code(
    "SM604", "out of time",
    "All nodes are looked at in the time given.",
    "Allow more time (--timeout), or find the node whose sizes grow from step to step: the first one that isn't "
    "looked at often tells.",
    kind="timeout",
)  # fmt: skip
SM605 = Code(
    "SM605", "external data",
    "Constants that decide sizes are read, also those in external files next to the model.",
    "Put the external file next to the model, under the name that the model has for it.",
    'g (float[n, 4] x) => (float[m, k] y)\n<int64[2] sizes = ["location": "weights.data"]>\n{ y = Reshape (x, sizes) }',
    kind="external",
)  # fmt: skip
SM606 = Code(
    "SM606", "layout not followed",
    "It is known how a tensor is in memory of which PyTorch makes a view: views and copies are followed, and the "
    "kernels whose layout PyTorch's own code tells.",
    "Have the elements copied: write reshape instead of view, or contiguous() before it. Attention's result has a "
    "known layout if its mask is boolean, which needs no gradient.",
    kind="layout",
)  # fmt: skip
SM607 = Code(
    "SM607", "counted indices",
    "Indices that are counted along an axis, such as the positions of what a mask marks, are inside the table that "
    "they look up, also where all is marked.",
    "Limit the length that is counted to the rows of the table, or make the table longer. Whether a longer input fails "
    "depends on its mask.",
    "g (int64[batch, seq] mask, float[128, 8] table) => (float[batch, seq, 8] y)\n"
    "<int64 last = {1}>\n{ count = CumSum (mask, last)\n  y = Gather (table, count) }",
    kind="count",
)  # fmt: skip
SM701 = Code(
    "SM701", "mixed samples",
    "The samples of a batch stay apart: each index along an axis of an output depends on one sample of the inputs.",
    "Keep the batch as an axis of its own where elements are reshaped or reduced: a Reshape whose sizes are written "
    "for one sample, or whose -1 isn't the batch, reads several samples as one.",
    "g (float[batch, 8] x) => (float[4, m] y)\n<int64[2] sizes = {4, -1}>\n{ y = Reshape (x, sizes) }",
    kind="samples",
    samples="batch",
)  # fmt: skip
SM901 = Code(
    "SM901", "size-1 broadcast",
    "Two sizes that are meant to be equal also pass where one of them is 1: the result is then broadcast.",
    "State that they are equal (--assume \"n == 3\"), or declare them from 2 on where 1 can't occur.",
    "g (float[n] x) => (float[3] y)\n<float[3] mean = {1, 2, 3}>\n{ y = Sub (x, mean) }",
    dims={"n": "1..3:2"},
    kind="broadcast",
)  # fmt: skip
SM902 = Code(
    "SM902", "contradicted declaration",
    "A shape that the file declares of an inner tensor or an output is the one that its nodes make.",
    "Export again, or run `shapesmt tighten`, which writes the shapes that are right; a runtime that trusts the "
    "wrong one may allocate too little.",
    "g (float[n] x) => (float[4] y) { y = Concat <axis = 0> (x, x) }",
    kind="declaration",
)  # fmt: skip
SM903 = Code(
    "SM903", "unreachable branch",
    "Each branch of an If is taken for some admissible input, and the body of each Loop runs for some.",
    "Remove the branch by exporting with the condition as a constant, or widen the ranges that exclude it.",
    "g (float[n] x) => (float[n] y)\n<int64[1] hundred = {100}>\n"
    "{ size = Shape (x)\n  long = Greater (size, hundred)\n"
    "  y = If <then_branch = t () => (float[n] a) { a = Exp (x) },\n"
    "          else_branch = e () => (float[n] b) { b = Log (x) }> (long) }",
    dims={"n": "1..64"},
    kind="unreachable",
)  # fmt: skip
SM904 = Code(
    "SM904", "vacuous range",
    "Of a range that holds several values, the assumptions leave more than one.",
    "Widen the range, or declare the one value (--dim n=64) if it is the only one that is meant.",
    "g (float[n] x) => (float[n] y) { y = Exp (x) }",
    dims={"n": "1..64"},
    assume=("n % 64 == 0",),
    kind="range",
)  # fmt: skip
SM905 = Code(
    "SM905", "too many elements",
    "A tensor has at most 2147483647 elements, beyond which many kernels' 32-bit indices overflow.",
    "Narrow the ranges to what is really fed, or process it in pieces.",
    "g (float[n, m] x) => (float[n, m] y) { y = Exp (x) }",
    dims={"n": "1..65536", "m": "1..65536"},
    kind="size",
)  # fmt: skip
SM906 = Code(
    "SM906", "unused symbol",
    "Every named dimension is read by some node.",
    "Drop the input or the name; a dimension that nothing reads often belongs to an input left over from training.",
    "g (float[n] x, float[m] unused) => (float[n] y) { y = Exp (x) }",
    kind="symbol",
)  # fmt: skip
SM907 = Code(
    "SM907", "sizes without names",
    "A name that several dimensions share means one size; `?`, `*`, `-1` and `None` are no names.",
    "Name the dimensions when exporting; sizes that share a name are equal for every input.",
    "g (float[None, None] x) => (float[m, n] y) { y = Exp (x) }",
    kind="placeholder",
)  # fmt: skip
SM908 = Code(
    "SM908", "static size",
    "A size that was to vary when a PyTorch program was exported varies in the program.",
    "Change the node that needs the number; where only the trace does, export with an example of another size, "
    "or without the Python code that reads it, such as `int(x.shape[1])`. Weights fix the number of channels.",
    kind="static",
)  # fmt: skip
SM909 = Code(
    "SM909", "another session",
    "ONNX Runtime's default session, which rewrites some nodes, runs at the sizes at which the file's nodes run, and "
    "gives outputs of the same shape.",
    "Narrow the ranges to the sizes at which both run; where the other sizes are meant, change the node, since other "
    "runtimes, and ONNX Runtime without optimizations, fail there.",
    "g (float[n] x) => (int64[m] y)\n<int64[4] table = {1, 2, 3, 4}, int64 zero = {0}, int64 one = {1}>\n"
    "{ shape = Shape (x)\n  size = Squeeze (shape)\n  first = Neg (size)\n"
    "  last_rows = Range (first, zero, one)\n  y = Gather (table, last_rows) }",
    dims={"n": "1..4"},
    kind="session",
)  # fmt: skip
SM910 = Code(
    "SM910", "reshaped batch",
    "The axis that counts the samples stays an axis of its own where a tensor is reshaped, and no reshape shares out a "
    "constant among the samples.",
    "Write the sizes of a reshape for any batch, with 0 or -1 for the batch, and expand a constant that all samples "
    "need; `check --samples` tells what mixes and at which sizes.",
    "g (float[n, 8] x) => (float[4, m] y)\n<int64[2] sizes = {4, -1}>\n{ y = Reshape (x, sizes) }",
    kind="reshaped",
)  # fmt: skip
