"""Which samples the outputs of small models depend on; the expected answers were seen by running them."""

import pytest

from shapesmt.analysis.analysis import analyse
from shapesmt.analysis.samples import samples_of
from shapesmt.analysis.verify import Question

HEAD = '<ir_version: 10, opset_import: ["" : 18]> g '
X = "(float[batch, 4] x) => (y)"
ROWS = "axis 0"
ONE = "mixed: batch == 1"


def told(code: str) -> list[str]:
    """The answer about each output."""
    analysis = analyse((HEAD + code).encode(), Question())
    samples = samples_of(analysis, "batch")
    assert samples is not None
    answers = []
    for output in samples.outputs(analysis.problem.graph.outputs):
        split = f"axis {output.axis}, outer {output.outer}, inner {output.inner}"
        split = split.replace(", outer 1", "").replace(", inner 1", "") if output.axis is not None else ""
        mixed = f"mixed: {output.holds_iff}" if output.verdict == "mixed" else output.verdict
        answers.append(split if output.verdict == "apart" else mixed)
    return answers


APART = {
    "elementwise": (f"{X} {{ z = Relu(x) y = Add(z, x) }}", ROWS),
    "a matrix product with weights": ("(float[batch, 4] x, float[4, 3] w) => (y) { y = MatMul(x, w) }", ROWS),
    "a softmax over classes": (f"{X} {{ y = Softmax<axis = 1>(x) }}", ROWS),
    "windows on axis 0": (
        "(float[batch, 6, 4] x) => (y) { s = Constant<value_ints = [-1, 4]>() y = Reshape(x, s) }",
        "axis 0, inner 6",
    ),
    "a leading axis of 1": (f"{X} {{ s = Constant<value_ints = [1, -1]>() y = Reshape(x, s) }}", "axis 1, inner 4"),
    "time first": (f"{X} {{ y = Transpose<perm = [1, 0]>(x) }}", "axis 1"),
    "time and batch in one axis": (
        f"{X} {{ t = Transpose<perm = [1, 0]>(x) s = Constant<value_ints = [-1]>() y = Reshape(t, s) }}",
        "axis 0, outer 4",
    ),
    "twice the batch": (f"{X} {{ y = Concat<axis = 0>(x, x) }}", "axis 0, outer 2"),
    "twice the batch, split again": (
        f"{X} {{ z = Concat<axis = 0>(x, x) r = Relu(z) y, w = Split<axis = 0, num_outputs = 2>(r) }}",
        ROWS,
    ),
    "reversed twice": (
        f"""{X} {{
            m = Constant<value_ints = [-1]>() e = Constant<value_ints = [-9223372036854775808]>()
            a = Constant<value_ints = [0]>() z = Slice(x, m, e, a, m) r = Relu(z) y = Slice(r, m, e, a, m) }}""",
        ROWS,
    ),
    "padded and cut": (
        f"""{X} {{
            p = Constant<value_ints = [1, 0, 0, 0]>() z = Pad(x, p) r = Relu(z) s = Constant<value_ints = [1]>()
            e = Constant<value_ints = [2147483647]>() a = Constant<value_ints = [0]>() y = Slice(r, s, e, a) }}""",
        ROWS,
    ),
    "blocks across samples, elementwise": (
        """(float[batch, 1000] x) => (y) {
            s = Constant<value_ints = [-1, 64]>() z = Reshape(x, s) r = Relu(z) t = Shape(x) y = Reshape(r, t) }""",
        ROWS,
    ),
    "rows by their own indices": (
        f"""{X} {{
            a = Constant<value_int = 0>() n = Shape<start = 0, end = 1>(x) b = Squeeze(n) o = Constant<value_int = 1>()
            i = Range(a, b, o) y = Gather(x, i) }}""",
        ROWS,
    ),
    "the last step of each sample": (
        """(float[batch, s, 4] x, int64[batch] i) => (y) {
            a = Constant<value_int = 0>() n = Shape<start = 0, end = 1>(x) b = Squeeze(n) o = Constant<value_int = 1>()
            r = Range(a, b, o) m = Constant<value_ints = [1]>() u = Unsqueeze(r, m) v = Unsqueeze(i, m)
            q = Concat<axis = 1>(u, v) y = GatherND(x, q) }""",
        ROWS,
    ),
    "an embedding": ("(float[9, 4] w, int64[batch, s] x) => (y) { y = Gather(w, x) }", ROWS),
    "a recurrent layer": (
        "(float[s, batch, 4] x, float[1, 20, 4] w, float[1, 20, 5] r) => (y) { y = LSTM<hidden_size = 5>(x, w, r) }",
        "axis 2",
    ),
    "a branch that is given": (
        """(float[batch, 4] x, bool c) => (y) {
            y = If(c)<then_branch = g1 () => (a) { a = Relu(x) }, else_branch = g2 () => (b) { b = Abs(x) }> }""",
        ROWS,
    ),
    "a loop over samples": (
        f"""{X} {{
            n = Shape<start = 0, end = 1>(x) m = Squeeze(n) t = Constant<value = bool {{1}}>()
            y = Loop(m, t)<body = g1 (int64 i, bool c) => (d, z) {{
                d = Identity(c) r = Gather(x, i) z = Relu(r) }}> }}""",
        ROWS,
    ),
    "a scan over time": (
        """(float[batch, 4] s, float[6, batch, 4] x) => (y, z) {
            w, y = Scan<num_scan_inputs = 1, body = g1 (float[b, 4] p, float[b, 4] v) => (q, o) {
                q = Add(p, v) o = Relu(q) }>(s, x) z = Relu(w) }""",
        "axis 1",
    ),
    "a scan over samples": (
        """(float[batch, 4] x) => (y) {
            y = Scan<num_scan_inputs = 1, body = g1 (float[4] r) => (float[4] o) { o = Tanh(r) }>(x) }""",
        ROWS,
    ),
    "a scan over samples, back and back": (
        """(float[batch, 4] x) => (y) {
            y = Scan<num_scan_inputs = 1, scan_input_directions = [1], scan_output_directions = [1],
                body = g1 (float[4] r) => (float[4] o) { o = Tanh(r) }>(x) }""",
        ROWS,
    ),
    "copies by indices": (
        f"""{X} {{
            a = Constant<value_int = 0>() n = Shape<start = 0, end = 1>(x) b = Squeeze(n) o = Constant<value_int = 1>()
            r = Range(a, b, o) e = Constant<value_ints = [3, 1]>() t = Expand(r, e) m = Constant<value_ints = [-1]>()
            i = Reshape(t, m) y = Gather(x, i) }}""",
        "axis 0, outer 3",
    ),
    "a sequence over time": (
        """(float[batch, 4, 3] x) => (y) {
            s = SplitToSequence<axis = 1, keepdims = 1>(x) y = ConcatFromSequence<axis = 1>(s) }""",
        ROWS,
    ),
    "a type only": (
        f"""{X} {{ w = Constant<value_floats = [1.0, 2.0, 3.0, 4.0]>() y = CastLike(w, x) }}""",
        "shared",
    ),
    "sizes": (f"{X} {{ y = Shape(x) }}", "shared"),
}
MIXED = {
    "a mean over the batch": (f"{X} {{ y = ReduceMean<keepdims = 0>(x) }}", ONE),
    "a softmax over the batch": (f"{X} {{ y = Softmax<axis = 0>(x) }}", ONE),
    "a running sum over the batch": (f"{X} {{ z = Constant<value_int = 0>() y = CumSum(x, z) }}", ONE),
    "x^T x": (f"{X} {{ t = Transpose<perm = [1, 0]>(x) y = MatMul(t, x) }}", ONE),
    "each with each": (f"{X} {{ t = Transpose<perm = [1, 0]>(x) y = MatMul(x, t) }}", ONE),
    "the first row": (
        f"""{X} {{ s = Constant<value_ints = [0]>() e = Constant<value_ints = [1]>() z = Slice(x, s, e, s)
            y = Add(x, z) }}""",
        ONE,
    ),
    "reversed": (
        f"""{X} {{
            m = Constant<value_ints = [-1]>() e = Constant<value_ints = [-9223372036854775808]>()
            a = Constant<value_ints = [0]>() y = Slice(x, m, e, a, m) }}""",
        ONE,
    ),
    "an added row": (f"{X} {{ p = Constant<value_ints = [1, 0, 0, 0]>() y = Pad(x, p) }}", ONE),
    "a baked batch": (
        f"{X} {{ s = Constant<value_ints = [4, -1]>() y = Reshape(x, s) }}",
        "mixed: batch <= 2 or batch == 4",
    ),
    "a batch that is baked and left again": (
        """(float[batch, 64] x) => (y) {
            s = Constant<value_ints = [4, -1]>() z = Reshape(x, s) r = Softmax<axis = 1>(z) t = Shape(x)
            y = Reshape(r, t) }""",
        "mixed: batch <= 2 or batch == 4",
    ),
    "a -1 that another size decides": (
        "(float[batch, 3, h, w] x) => (y) { s = Constant<value_ints = [-1, 588]>() y = Reshape(x, s) }",
        "mixed: (h*w) % 196 == 0",
    ),
    "a scan over samples, back": (
        """(float[batch, 4] x) => (y) {
            y = Scan<num_scan_inputs = 1, scan_input_directions = [1],
                body = g1 (float[4] r) => (float[4] o) { o = Tanh(r) }>(x) }""",
        ONE,
    ),
    "the first rows": (
        f"{X} {{ s = Constant<value_ints = [0]>() e = Constant<value_ints = [4]>() y = Slice(x, s, e, s) }}",
        "mixed: batch <= 4",
    ),
    "rows by a caller's indices": ("(float[batch, 4] x, int64[batch] i) => (y) { y = Gather(x, i) }", ONE),
    "the range of all": (f"{X} {{ q, s, z = DynamicQuantizeLinear(x) y = Relu(s) }}", ONE),
    "a branch that samples decide": (
        f"""{X} {{
            s = ReduceSum<keepdims = 0>(x) z = Constant<value_float = 0.0>() c = Greater(s, z)
            y = If(c)<then_branch = g1 () => (a) {{ a = Relu(x) }}, else_branch = g2 () => (b) {{ b = Abs(x) }}> }}""",
        ONE,
    ),
    "a branch at one size": (
        f"""{X} {{
            n = Shape<start = 0, end = 1>(x) k = Constant<value_ints = [4]>() c = Equal(n, k)
            y = If(c)<then_branch = g1 () => (a) {{ a = Softmax<axis = 0>(x) }},
                      else_branch = g2 () => (b) {{ b = Abs(x) }}> }}""",
        "mixed: batch <= 3 or batch >= 5",
    ),
}
UNKNOWN = {
    "rows of data": (f"{X} {{ y = NonZero(x) }}", "unknown"),
    "an operator without a rule": (f"{X} {{ y = com.example.Mystery(x) }}", "unknown"),
}
CASES = {**APART, **MIXED, **UNKNOWN}


@pytest.mark.parametrize("name", CASES)
def test_the_samples_of_outputs(name: str) -> None:
    code, expected = CASES[name]
    assert told(code)[0] == expected


def test_a_node_that_mixes_is_named() -> None:
    code = f"{X} {{ z = Relu(x) [mean] m = ReduceMean<keepdims = 0>(z) y = Add(z, m) }}"
    analysis = analyse((HEAD + code).encode(), Question())
    samples = samples_of(analysis, "batch")
    assert samples is not None
    (output,) = samples.outputs(["y"])
    assert output.node == "mean"


def test_a_symbol_on_two_axes_of_an_input_is_unknown() -> None:
    assert told("(float[batch, batch] x) => (y) { y = Relu(x) }") == ["unknown"]
