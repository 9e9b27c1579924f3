"""SM3xx: indices, axes and ranks."""

from __future__ import annotations

from shapesmt.laws.codes.code import Code

CODES = (
    Code(
        "SM301", "index",
        "An index lies inside the axis, from -size to size - 1.",
        "Declare the table's length as a limit (--dim seq=1..512), or make the table longer; one of positions or "
        "embeddings is often shorter than the longest input.",
        "g (float[8] table, int64[n] x) => (float[n] y)\n"
        "{ shape = Shape (x)\n  one = Constant <value_int = 1> ()\n  last = Sub (shape, one)\n"
        "  row = Gather (table, last)\n  y = Expand (row, shape) }",
    ),
    Code(
        "SM302", "axis",
        "An axis is inside the tensor's rank, and each is named once.",
        "Count the axes again: the tensor has lost one (Squeeze, a reduction without keepdims) or never had it. Axes "
        "from the end (-1) survive a change of rank.",
        "g (float[n, 4] x) => (float[n, 4] y) { y = Softmax <axis = 2> (x) }",
    ),
    Code(
        "SM303", "rank",
        "The tensor has as many axes as the operator works on.",
        "Add the missing axis with Unsqueeze (often the batch), or remove the one too many.",
        "g (float[n, 3, h] x, float[4, 3, 3, 3] w) => (float[n, 4, a, b] y) { y = Conv (x, w) }",
    ),
    Code(
        "SM304", "squeeze",
        "An axis that is squeezed away has size 1.",
        "The axis was 1 when the model was exported (a batch of 1, a single channel): name it in the dynamic axes, and "
        "squeeze another one or use Reshape.",
        "g (float[n, 4] x) => (float[4] y)\n<int64[1] axes = {0}>\n{ y = Squeeze (x, axes) }",
    ),
    Code(
        "SM305", "top k",
        "No more elements are chosen than the axis has.",
        "Declare the axis no shorter than k, or compute k as the minimum of k and the size.",
        "g (float[n] x) => (float[5] values, int64[5] places)\n<int64[1] k = {5}>\n{ values, places = TopK (x, k) }",
    ),
    Code(
        "SM306", "index tuples",
        "A tuple of indices names leading axes of the data, and updates have the shape that is left.",
        "Check the last axis of the indices: its size is the number of axes that are indexed.",
        "g (float[n, 4] x, int64[m, k] i) => (float[a] y) { y = GatherND (x, i) }",
        dims={"k": "1..3"},
    ),
    Code(
        "SM307", "slices and ranges",
        "There are as many starts as ends, axes and steps, and no step is 0.",
        "Make the four lists equally long; leave out axes and steps only where all leading axes are meant.",
        "g (float[n, 4] x) => (float[a, b] y)\n<int64[1] starts = {0}, int64[2] ends = {1, 1}>\n"
        "{ y = Slice (x, starts, ends) }",
    ),
    Code(
        "SM308", "equation",
        "The equation of an Einsum has one term per input, with a letter for each of its axes.",
        "Count letters and axes of each term; an ellipsis stands for the axes that aren't named.",
        'g (float[i, j, k] x, float[k, l] y) => (float[i, l] z) { z = Einsum <equation = "ij,jl->il"> (x, y) }',
    ),
    Code(
        "SM309", "negative sizes",
        "A size, a length or a number of repeats isn't negative.",
        "A difference of two lengths went below zero: state which one is larger (--assume \"n >= m\"), or clamp with "
        "Max.",
        "g (int64[n] x, int64[m] y) => (float[a] z)\n"
        "{ n = Shape (x)\n  m = Shape (y)\n  d = Sub (n, m)\n  z = ConstantOfShape (d) }",
    ),
)  # fmt: skip
