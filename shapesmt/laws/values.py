"""SM4xx and SM5xx: single numbers, control flow, assertions, types and attributes."""

from __future__ import annotations

from shapesmt.laws.code import Code

CODES = (
    Code(
        "SM401", "how many numbers",
        "An input that is one number has one element; one that lists numbers has as many as the node needs.",
        "Pass a scalar, or reduce, gather or squeeze to one element beforehand.",
        "g (int64[n] limit) => (int64[a] y)\n<int64 zero = {0}, int64 one = {1}>\n{ y = Range (zero, limit, one) }",
        ("one number", "single number", "is a scalar", "are scalars", "one element", "a single one", "holds two",
         "is [height, width]", "list of", ", not ", "vectors have", "a seed is", "one text each", "two columns",
         "has two ends", "three diagonals", "an image has height"),
    ),
    Code(
        "SM402", "loop state",
        "What a loop carries keeps its shape from trip to trip, and each trip makes outputs of one shape.",
        "Use a Loop, whose carried tensors may grow, or make what grows a scan output; build a sequence where the "
        "trips make outputs of different shapes.",
        "g (float[k] start, float[n, m] x) => (float[a] end)\n"
        "{ end = Scan <num_scan_inputs = 1, body = b (float[c] s, float[m] e) => (float[d] t)\n"
        "    { t = Concat <axis = 0> (s, e) }> (start, x) }",
        ("from trip to trip", "every trip makes a scan output"),
    ),
    Code(
        "SM403", "subgraph signature",
        "The body of an If, Loop or Scan, or of a function, takes and makes what the node hands over.",
        "Count the inputs and outputs of the body: states first, then what is scanned.",
        "g (float[n, m] x) => (float[n, m] y)\n"
        "{ y = Scan <num_scan_inputs = 1, body = b (float[m] e, float[m] f) => (float[m] h) { h = Add (e, f) }> (x) }",
        ("the body", "'scan_", "every output of its function"),
    ),
    Code(
        "SM404", "integer arithmetic",
        "An integer isn't divided by zero, and no result needs more than 64 bits.",
        "Declare the dimension from 1 on, or keep the divisor at least 1 with Max.",
        "g (float[n] x) => (int64[1] y)\n<int64[1] four = {4}>\n{ n = Shape (x)\n  y = Div (four, n) }",
        ("divided by zero", "overflow"),
        {"n": "0..4"},
    ),
    Code(
        "SM405", "inputs given together",
        "Required inputs are given, and those that belong together come together.",
        "Connect the missing input, or drop its partner.",
        "g (float[n, 4] x) => (float[n, 4] y) { y = MatMul (x) }",
        ("come together", "given together", "comes with", "comes without", "is given", "value to fill in",
         "it has at most", "it has at least", "number of inputs", "handle shapes"),
    ),
    Code(
        "SM406", "assertion",
        "What the model itself asserts of its sizes holds.",
        "Keep to the inputs for which it holds (the report gives the condition for --assume), or drop the assertion "
        "where the model is made.",
        '<ir_version: 10, opset_import: ["": 18, "tensorflow": 1]>\n'
        "g (float[n, 4] x) => (float[n, 4] y)\n<int64 axis = {1}, int64 three = {3}>\n"
        "{ shape = Shape (x)\n  width = Gather (shape, axis)\n  same = Equal (width, three)\n"
        "  = tensorflow.Assert (same)\n  y = Abs (x) }",
        ("the assertion",),
    ),
    Code(
        "SM501", "element type",
        "Inputs have element types that the operator takes, equal ones where it says so.",
        "Insert a Cast before the node; float and int constants mixed by hand are the usual cause.",
        "g (float[n] x, int64[n] y) => (float[n] z) { z = Add (x, y) }",
        ("element type", "is of type", "of type ", "have the type", "has the type", "makes one tensor",
         "output's type", "keeps the element", "fmod"),
    ),
    Code(
        "SM502", "attribute",
        "An attribute has the type and one of the values that the operator defines.",
        "Correct the attribute where the model is made; the report names the values that are possible.",
        "g (float[n, 4] x) => (float[n, 4] y) { y = LpNormalization <p = 3> (x) }",
        ("weights are for sums", "mask lists", "masks are", "are -1 or more", "nms_eta", "a ratio isn't",
         "the method is", "attribute", "^mode ", "the mode is", "the norm is", "is positive", "is at least",
         "the activation is", "pixel format", "IoU threshold", "is odd, not", "bits, not", "^'", "n-grams have",
         "numbers are quantized to", "the key is two", "ascending order", "between 0 and 1", "the algorithm is",
         "three or four channels", "rounds half", "aren't in blocks", "frequencies are a range", "the beam is",
         "labels are data", "ranks of dense features", "noise that is", "has seeds", "ratio of at least",
         "there is a channel for", "a number of channels", "that is asked for has 0", "no step is 0",
         "nms_count are", "padded are listed in order", "a place and a size", "a list that is followed",
         "kinds that go together", "a power of two", "stay empty", "made by the model", "look different",
         "is a character", "neighbours are joined", "character is between", "multiple of that of a number",
         "columns are read", "one value, or none", "one of Unicode's"),
    ),
)  # fmt: skip
