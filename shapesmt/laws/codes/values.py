"""SM4xx and SM5xx: single numbers, control flow, assertions, types and attributes."""

from __future__ import annotations

from shapesmt.laws.codes.code import Code

CODES = (
    Code(
        "SM401", "how many numbers",
        "An input that is one number has one element; one that lists numbers has as many as the node needs.",
        "Pass a scalar, or reduce, gather or squeeze to one element beforehand.",
        "g (int64[n] limit) => (int64[a] y)\n<int64 zero = {0}, int64 one = {1}>\n{ y = Range (zero, limit, one) }",
    ),
    Code(
        "SM402", "loop state",
        "What a loop carries keeps its shape from trip to trip, and each trip makes outputs of one shape.",
        "Use a Loop, whose carried tensors may grow, or make what grows a scan output; build a sequence where the "
        "trips make outputs of different shapes.",
        "g (float[k] start, float[n, m] x) => (float[a] end)\n"
        "{ end = Scan <num_scan_inputs = 1, body = b (float[c] s, float[m] e) => (float[d] t)\n"
        "    { t = Concat <axis = 0> (s, e) }> (start, x) }",
    ),
    Code(
        "SM403", "subgraph signature",
        "The body of an If, Loop or Scan, or of a function, takes and makes what the node hands over.",
        "Count the inputs and outputs of the body: states first, then what is scanned.",
        "g (float[n, m] x) => (float[n, m] y)\n"
        "{ y = Scan <num_scan_inputs = 1, body = b (float[m] e, float[m] f) => (float[m] h) { h = Add (e, f) }> (x) }",
    ),
    Code(
        "SM404", "integer arithmetic",
        "An integer isn't divided by zero, no result needs more than 64 bits, and a Tile's output no more than 4 GiB.",
        "Declare a dimension that divides from 1 on, or keep the divisor at least 1 by Max; narrow what overflows.",
        "g (float[n] x) => (int64[1] y)\n<int64[1] four = {4}>\n{ n = Shape (x)\n  y = Div (four, n) }",
        dims={"n": "0..4"},
    ),
    Code(
        "SM405", "inputs given together",
        "Required inputs are given, and those that belong together come together.",
        "Connect the missing input, or drop its partner.",
        "g (float[n, 4] x) => (float[n, 4] y) { y = MatMul (x) }",
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
    ),
    Code(
        "SM407", "guard",
        "Inputs pass the guards that PyTorch wrote into the program when it was exported, and checks before it runs.",
        "Ask what the nodes need by themselves with --guards ignore, as where the program is lowered and nothing "
        "checks them; to have other sizes accepted, export again with dynamic_shapes that say so.",
        '<ir_version: 10, opset_import: ["": 18, "torch": 1]>\n'
        'g (float[n, 4] x) => (float[n, 4] y)\n{ y = Abs (x)\n  = torch._guards_fn <guards = ["i0_1 == 3"]> (x) }',
    ),
    Code(
        "SM408", "file that isn't loaded",
        "ONNX Runtime loads the file: operators are of an imported opset, names are unique, types are as declared, and "
        "no node contradicts declared shapes, in functions and in branches that never run, too.",
        "Look at the node with `onnx.checker.check_model(path, full_check=True)`, and mend the program that wrote it.",
        "g (float[n] x) => (float[n] y)\n{ a = Exp (x)\n  true = Constant <value = bool {1}> ()\n"
        "  y = If <then_branch = t () => (float[n] b) { a = Abs (x) b = Neg (a) },\n"
        "          else_branch = e () => (float[n] c) { c = Log (x) }> (true) }",
    ),
    Code(
        "SM501", "element type",
        "Inputs have element types that the operator takes, equal ones where it says so.",
        "Insert a Cast before the node; float and int constants mixed by hand are the usual cause.",
        "g (float[n] x, int64[n] y) => (float[n] z) { z = Add (x, y) }",
    ),
    Code(
        "SM502", "attribute",
        "An attribute has the type and one of the values that the operator defines.",
        "Correct the attribute where the model is made; the report names the values that are possible.",
        "g (float[n, 4] x) => (float[n, 4] y) { y = LpNormalization <p = 3> (x) }",
    ),
)  # fmt: skip
