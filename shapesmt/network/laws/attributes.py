"""Laws of a node itself: its attributes, element types, bodies and assertions; laws checked when a file is loaded."""

from __future__ import annotations

from shapesmt.network.laws.law import Code

SM402 = Code(
    "SM402", "loop state",
    "What a loop carries keeps its shape from trip to trip, and each trip makes outputs of one shape.",
    "Use a Loop, whose carried tensors may grow, or make what grows a scan output; build a sequence where the "
    "trips make outputs of different shapes.",
    "g (float[k] start, float[n, m] x) => (float[a] end)\n"
    "{ end = Scan <num_scan_inputs = 1, body = b (float[c] s, float[m] e) => (float[d] t)\n"
    "    { t = Concat <axis = 0> (s, e) }> (start, x) }",
)  # fmt: skip
STATE_KEEPS_SHAPE = SM402.law("a state keeps its shape from trip to trip")
SCAN_OUTPUT_KEEPS_SIZE = SM402.law("every trip makes a scan output of the same size")

SM403 = Code(
    "SM403", "subgraph signature",
    "The body of an If, Loop or Scan, or of a function, takes and makes what the node hands over.",
    "Count the inputs and outputs of the body: states first, then what is scanned.",
    "g (float[n, m] x) => (float[n, m] y)\n"
    "{ y = Scan <num_scan_inputs = 1, body = b (float[m] e, float[m] f) => (float[m] h) { h = Add (e, f) }> (x) }",
)  # fmt: skip
BRANCH_TAKES_NO_INPUT = SM403.law("a branch takes no input")
BODY_INPUTS_OF_DECLARED_SIZE = SM403.law("the body's inputs have their declared sizes")
BODY_TENSORS_OF_DECLARED_RANK = SM403.law("the body's tensors have their declared rank")

SM406 = Code(
    "SM406", "assertion",
    "What the model itself asserts of its sizes holds.",
    "Keep to the inputs for which it holds (the report gives the condition for --assume), or drop the assertion "
    "where the model is made.",
    '<ir_version: 10, opset_import: ["": 18, "tensorflow": 1]>\n'
    "g (float[n, 4] x) => (float[n, 4] y)\n<int64 axis = {1}, int64 three = {3}>\n"
    "{ shape = Shape (x)\n  width = Gather (shape, axis)\n  same = Equal (width, three)\n"
    "  = tensorflow.Assert (same)\n  y = Abs (x) }",
)  # fmt: skip
ASSERTION_HOLDS = SM406.law("the assertion holds", broken="the assertion fails")

SM407 = Code(
    "SM407", "guard",
    "Inputs pass the guards that PyTorch wrote into the program when it was exported, and checks before it runs.",
    "Ask what the nodes need by themselves with --guards ignore, as where the program is lowered and nothing "
    "checks them; to have other sizes accepted, export again with dynamic_shapes that say so.",
    '<ir_version: 10, opset_import: ["": 18, "torch": 1]>\n'
    'g (float[n, 4] x) => (float[n, 4] y)\n{ y = Abs (x)\n  = torch._guards_fn <guards = ["i0_1 == 3"]> (x) }',
)  # fmt: skip
GUARD_HOLDS = SM407.law(
    "the inputs pass the guards that PyTorch checks before a run", broken="PyTorch's guards refuse the input"
)

SM408 = Code(
    "SM408", "file that isn't loaded",
    "ONNX Runtime loads the file: operators are of an imported opset, names are unique, types are as declared, and "
    "no node contradicts declared shapes, in functions and in branches that never run, too.",
    "Look at the node with `onnx.checker.check_model(path, full_check=True)`, and mend the program that wrote it.",
    "g (float[n] x) => (float[n] y)\n{ a = Exp (x)\n  true = Constant <value = bool {1}> ()\n"
    "  y = If <then_branch = t () => (float[n] b) { a = Abs (x) b = Neg (a) },\n"
    "          else_branch = e () => (float[n] c) { c = Log (x) }> (true) }",
)  # fmt: skip
HOLDS_WHEN_LOADED = SM408.law("{law}, when the model is loaded, whether or not the node runs")

SM501 = Code(
    "SM501", "element type",
    "Inputs have element types that the operator takes, equal ones where it says so.",
    "Insert a Cast before the node; float and int constants mixed by hand are the usual cause.",
    "g (float[n] x, int64[n] y) => (float[n] z) { z = Add (x, y) }",
)  # fmt: skip
OPERANDS_SAME_TYPE = SM501.law("operands have the same element type, not {types}")
OPERANDS_ONE_TYPE = SM501.law("both operands have one element type")
CHANGED_HOLDS_RESULTS = SM501.law("a tensor of type {dtype} that is changed in place can hold results of type {result}")
FOLDS_FLOATS = SM501.law("what is averaged or measured are floats")
SAME_TYPE_AS_INPUT = SM501.law("the {kind} have the type of the input")
ELEMENT_TYPE = SM501.law("the element type is {expected}, not {dtype}")

SM502 = Code(
    "SM502", "attribute",
    "An attribute has the type and one of the values that the operator defines.",
    "Correct the attribute where the model is made; the report names the values that are possible.",
    "g (float[n, 4] x) => (float[n, 4] y) { y = LpNormalization <p = 3> (x) }",
)  # fmt: skip
ATTRIBUTE_ENTRIES = SM502.law("'{name}' has {count} entries")
ATTRIBUTE_AT_LEAST = SM502.law("'{name}' is at least {least}, not {value}")
ATTRIBUTE_POSITIVE = SM502.law("'{name}' is positive, not {value}")
ATTRIBUTE_GIVEN = SM502.law("attribute '{name}' is given")
ATTRIBUTE_IS_ONE_OF = SM502.law("attribute '{name}' is {values} or {last}")
NAMED_ATTRIBUTE_POSITIVE = SM502.law("attribute '{name}' is positive")
ATTRIBUTE_IS = SM502.law("attribute '{name}' {what}")
ATTRIBUTE_ONE_OF = SM502.law("attribute '{name}' is one of {values}, not {value}")
ATTRIBUTE_LISTS_INTEGERS = SM502.law("attribute '{name}' lists integers")
GROUP_POSITIVE = SM502.law("attribute 'group' is positive")
PAD_MODE_KNOWN = SM502.law("mode '{mode}' is constant, reflect, edge or wrap")
SAMPLE_RATE_POSITIVE = SM502.law("the rate of samples is positive")
SCALE_POSITIVE = SM502.law("the scale is positive")
