"""SM1xx: sizes that have to agree."""

from __future__ import annotations

from shapesmt.laws.codes.code import Code

CODES = (
    Code(
        "SM101", "broadcast",
        "Operands are aligned at their last axes; sizes that meet are equal, or one of them is 1.",
        "Give equal sizes one name, or state it (--assume \"m == n\"); slice or pad one operand; insert an axis of "
        "size 1 with Unsqueeze where an operand is aligned at the wrong end.",
        "g (float[n, 3] x, float[m, 3] y) => (float[k, 3] z) { z = Add (x, y) }",
        dims={"n": "2..8", "m": "2..8"},
    ),
    Code(
        "SM102", "inner sizes",
        "In a matrix product, the left operand has as many columns as the right one has rows.",
        "Put -1 where a size varies in a Reshape before it, or pool to a fixed size. A Flatten or Reshape often makes "
        "the last axis depend on the batch or the image; otherwise one operand has to be transposed.",
        "g (float[n, k] x, float[64, 10] w) => (float[n, 10] y) { y = MatMul (x, w) }",
        dims={"k": "32..64:32"},
    ),
    Code(
        "SM103", "join",
        "Joined tensors have the same rank, and the same sizes on every axis but the one they are joined along.",
        "Pad the input to a multiple, crop the skip connection, or resize to the other tensor's size instead of by a "
        "factor; sizes that were halved and doubled again differ by one for odd inputs.",
        "g (float[n, 1, 8] x, float[n, 2, m] y) => (float[n, 3, 8] z) { z = Concat <axis = 1> (x, y) }",
    ),
    Code(
        "SM104", "reshape",
        "A reshaped tensor keeps its number of elements, so the sizes that are given divide it.",
        "Declare that axis dynamic when exporting, compute the target from Shape, or put -1 in place of the size that "
        "varies; the target holds a size that was constant when the model was exported.",
        "g (float[n, 4] x) => (float[8, 4] y)\n<int64[2] target = {8, 4}>\n{ y = Reshape (x, target) }",
    ),
    Code(
        "SM105", "reshape target",
        "The target of a Reshape has at most one -1, nothing below it, and a 0 only where the input has that axis.",
        "Write the sizes that are known and leave one -1; set allowzero where 0 is meant as a size.",
        "g (float[n, 4] x) => (float[a, b] y)\n<int64[2] target = {-1, -1}>\n{ y = Reshape (x, target) }",
    ),
    Code(
        "SM106", "channels and groups",
        "The input has `group` times the channels of one filter, and the groups divide channels and filters.",
        "The layer before makes another number of channels than these weights are made for: compare both layers, look "
        "for a transposed layout (NHWC instead of NCHW), and check the attribute group.",
        "g (float[n, c, 8, 8] x, float[4, 3, 3, 3] w) => (float[n, 4, 6, 6] y) { y = Conv (x, w) }",
        dims={"c": "1..4"},
    ),
    Code(
        "SM107", "same shape",
        "The tensors have one shape: this operator doesn't broadcast.",
        "Give dimensions that have to agree one name, or bring the smaller tensor to the shape with Expand.",
        "g (float[8] x, int64[n] places, float[m] new) => (float[8] y) { y = ScatterElements (x, places, new) }",
    ),
    Code(
        "SM108", "parameters",
        "Biases, scales and means have the length that the weights or the normalized axis have.",
        "The parameters belong to another layer, or the axis isn't the one that they are made for: compare their "
        "length with the input's channels.",
        "g (float[n, c, 8] x, float[4] scale, float[4] b, float[4] mean, float[4] var) => (float[n, c, 8] y)\n"
        "{ y = BatchNormalization (x, scale, b, mean, var) }",
        dims={"c": "2..4"},
    ),
    Code(
        "SM109", "quantization parameters",
        "Scales and zero points are single numbers, one per position of an axis, or one per block of it.",
        "Quantize again with the granularity that the operator takes, and check the axis attribute.",
        "g (float[n, 8] x, float[4] scale) => (uint8[n, 8] y) { y = QuantizeLinear <axis = 1> (x, scale) }",
    ),
    Code(
        "SM110", "split",
        "The parts of a divided axis add up to it, or are of one size that divides it.",
        "Compute the sizes of the parts from Shape, or restrict the size to multiples (--dim n=8..64:8).",
        "g (float[n] x) => (float[a] y, float[a] z)\n<int64[2] sizes = {2, 2}>\n{ y, z = Split (x, sizes) }",
    ),
    Code(
        "SM111", "blocks",
        "Channels, or height and width, are multiples of the block that is moved between them.",
        "Pad the input to a multiple of the block, or restrict the sizes to multiples (--dim height=64..512:2).",
        "g (float[n, c, 8, 8] x) => (float[n, a, 16, 16] y) { y = DepthToSpace <blocksize = 2> (x) }",
        dims={"c": "4..8"},
    ),
    Code(
        "SM112", "attention heads",
        "The heads divide the hidden size, and those of the keys divide those of the queries.",
        "Compare num_heads, kv_num_heads and the hidden size in the configuration that the model was exported from.",
        '<ir_version: 10, opset_import: ["": 23]>\n'
        "g (float[b, s, d] q, float[b, t, d] k, float[b, t, d] v) => (float[b, s, d] y)\n"
        "{ y = Attention <q_num_heads = 4, kv_num_heads = 4> (q, k, v) }",
        dims={"d": "4..8"},
    ),
    Code(
        "SM113", "attention mask",
        "The mask has a column for each key, past ones included, and a row for each query or a single one.",
        "State how the lengths hang together (--assume \"total == past + seq\"), or give mask and tokens one name.",
        '<ir_version: 10, opset_import: ["": 23]>\n'
        "g (float[b, h, s, 8] q, float[b, h, t, 8] k, float[b, h, t, 8] v, float[s, m] mask)\n"
        "  => (float[b, h, s, 8] y)\n{ y = Attention (q, k, v, mask) }",
    ),
    Code(
        "SM114", "caches",
        "The cache holds the past and has room for what is added to it.",
        "State the capacity as a relation of the lengths (--assume \"past + seq <= capacity\"), or export with a "
        "longer cache.",
        '<ir_version: 10, opset_import: ["": 24]>\n'
        "g (float[2, 8, c, 4] cache, float[2, 8, s, 4] new) => (float[2, 8, c, 4] updated)\n"
        "{ updated = TensorScatter <axis = 2> (cache, new) }",
        dims={"c": "4..8", "s": "1..8"},
    ),
    Code(
        "SM115", "attention inputs",
        "Queries, keys and values agree in batch, length and head size, packed or apart.",
        "Look at how the three are projected and reshaped: one of them often has its axes in another order, or a "
        "length of its own.",
        '<ir_version: 10, opset_import: ["": 23]>\n'
        "g (float[b, h, s, 8] q, float[b, h, t, 8] k, float[b, h, u, 8] v) => (float[b, h, s, 8] y)\n"
        "{ y = Attention (q, k, v) }",
    ),
    Code(
        "SM116", "one for each",
        "What goes together comes in equal numbers: a batch index for each region, a length for each sample, a label "
        "for each score.",
        "Give dimensions that count the same thing one name when exporting, or state that they are equal.",
        "g (float[n, 10] scores, int64[m] labels) => (float loss)\n"
        "{ loss = SoftmaxCrossEntropyLoss (scores, labels) }",
    ),
    Code(
        "SM117", "recurrent weights",
        "The weights of a recurrent layer are `[directions, gates * hidden, ...]`.",
        "Compare hidden_size and direction with the weights, and the input's last axis with theirs.",
        "g (float[t, b, i] x, float[1, 32, 16] w, float[1, 32, 8] r) => (float[t, 1, b, 8] y)\n"
        "{ y = LSTM <hidden_size = 8> (x, w, r) }",
        dims={"i": "8..16:8"},
    ),
    Code(
        "SM199", "the operator's own law",
        "A condition of an operator with a rule of your own, which the report states in words. A law that begins with "
        "a code (\"ACME7: the last size splits into blocks of 3\") has that one instead.",
        "Read the operator's documentation next to the two sides that the report shows.",
    ),
)  # fmt: skip
