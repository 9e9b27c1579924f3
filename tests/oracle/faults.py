"""Where a runtime departs from the text: what it accepts that the text forbids, and what it gives wrongly.

Each entry quotes the sentence that decides, word by word from the operator's documentation as it is installed
(`[...]` stands for what is left out); a test looks every quotation up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import onnx

from tests.support.versions import NEW

Values = Mapping[str, Any]
DOMAINS = ("", "ai.onnx", "com.microsoft")  # a function of another domain may have the name of an operator
FOLDS = ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare")


class Fault(NamedTuple):
    """Of these operators, whether a node shows the fault with these values; and what ONNX says instead."""

    ops: frozenset[str]
    shown: Callable[[onnx.NodeProto, Values], bool]
    text: str


def _shapes(node: onnx.NodeProto, values: Values) -> list[tuple[int, ...]]:
    return [np.shape(values[name]) for name in node.input if name]


def _attribute(node: onnx.NodeProto, name: str, default: Any) -> Any:
    return next((onnx.helper.get_attribute_value(a) for a in node.attribute if a.name == name), default)


def _axis_outside(node: onnx.NodeProto, values: Values) -> bool:
    rank = len(np.shape(values[node.input[0]]))
    return any(not -rank <= axis < rank for axis in _folded(node, values))


def _folded(node: onnx.NodeProto, values: Values) -> list[int]:
    if node.op_type.startswith("Arg"):
        return [_attribute(node, "axis", 0)]
    given = values[node.input[1]] if len(node.input) > 1 and node.input[1] else _attribute(node, "axes", ())
    return [int(axis) for axis in given]


def _rank(*allowed: int) -> Callable[[onnx.NodeProto, Values], bool]:
    return lambda node, values: len(_shapes(node, values)[0]) not in allowed


def _lengths_differ(node: onnx.NodeProto, values: Values) -> bool:
    return len({np.shape(values[name])[:2] for i, name in enumerate(node.input) if name and i != 3}) > 1


def _state_misfits(node: onnx.NodeProto, values: Values) -> bool:
    heads = [_attribute(node, f"{kind}_num_heads", 1) for kind in ("q", "kv", "kv")]
    (batch, _, _), *_ = shapes = [np.shape(values[name]) for name in node.input[:3]]
    q, k, v = (shape[2] // count for shape, count in zip(shapes, heads, strict=True))
    past = node.input[3] if len(node.input) > 3 else ""
    return not node.domain and (q != k or (past != "" and np.shape(values[past]) != (batch, heads[1], k, v)))


def _batches_clash(node: onnx.NodeProto, values: Values) -> bool:
    a, b = _shapes(node, values)
    try:
        np.broadcast_shapes(a[:-2], b[:-2])
    except ValueError:
        return True
    return False


def _not_reduced(node: onnx.NodeProto, values: Values) -> bool:
    x, y = np.shape(values[node.input[0]]), np.shape(values[node.output[0]])
    axes = _folded(node, values) or ([] if _attribute(node, "noop_with_empty_axes", 0) == 1 else range(len(x)))
    kept = _attribute(node, "keepdims", 1) == 1
    folded = {axis % len(x) for axis in axes if x}
    return tuple(1 if i in folded else d for i, d in enumerate(x) if kept or i not in folded) != y


def _other_than_numpy(node: onnx.NodeProto, values: Values) -> bool:
    a, b = _shapes(node, values)
    return np.shape(values[node.output[0]])[:-2] != np.broadcast_shapes(a[:-2], b[:-2]) and min(len(a), len(b)) > 1


def _no_trips(node: onnx.NodeProto, values: Values) -> bool:
    return any(np.shape(values[o])[:1] == (0,) for o in node.output if o and not isinstance(values[o], list))


def _state_changes(node: onnx.NodeProto, values: Values) -> bool:
    given = node.input[-len(_attribute(node, "body", None).input) :]  # in opset 8, lengths come before them
    pairs = zip(given[: len(given) - _attribute(node, "num_scan_inputs", 0)], node.output, strict=False)
    return any(np.shape(values[i]) != np.shape(values[o]) for i, o in pairs if o)


LENIENT = (
    Fault(
        frozenset({"Constant"}),
        lambda node, _: len(node.attribute) != 1,
        "Exactly one of the provided attributes [...] must be specified.",
    ),
    Fault(
        frozenset({"Pad"}),
        lambda node, values: len(node.input) > 1 and np.ndim(values[node.input[1]]) != 1,
        "`pads` should be a 1D tensor of shape [2 * num_axes]",
    ),
    Fault(
        frozenset({"ConstantOfShape"}),
        lambda node, values: np.ndim(values[node.input[0]]) != 1,
        "1D tensor. The shape of the expected output tensor.",
    ),
    Fault(
        frozenset({"Expand"}),
        lambda node, values: np.ndim(values[node.input[1]]) != 1,
        "A 1-D tensor indicates the shape you want to expand to",
    ),
    Fault(
        frozenset({"MaxUnpool"}),
        lambda node, _: min(_attribute(node, "pads", [0])) < 0,
        "it can take any value greater than or equal to 0.",
    ),
    Fault(
        frozenset({"GatherND"}),
        lambda node, _: _attribute(node, "batch_dims", 0) < 0,
        "The number of batch dimensions.",
    ),
    Fault(
        frozenset({"SplitToSequence"}),
        lambda node, values: len(node.input) > 1 and np.ndim(values[node.input[1]]) > 1,
        "It can be either a scalar(tensor of empty shape), or a 1-D tensor.",
    ),
    Fault(
        frozenset({"SequenceAt", "SequenceErase"}),
        lambda node, values: len(node.input) > 1 and np.size(values[node.input[1]]) != 1,
        "It must be a scalar(tensor of empty shape).",
    ),
    Fault(
        frozenset({"DFT"}),
        lambda node, values: len(node.input) > 2 and np.size(values[node.input[2]]) != 1,
        "The axis as a scalar on which to perform the DFT.",
    ),
    Fault(
        frozenset({"SequenceAt", "SequenceErase", "SequenceInsert"}),
        lambda node, values: any(np.size(values[n]) != 1 for n in node.input[1 + (node.op_type == "SequenceInsert") :]),
        "It must be a scalar(tensor of empty shape).",
    ),
    Fault(
        frozenset({"NonMaxSuppression"}),
        lambda node, values: any(np.size(values[n]) != 1 for n in node.input[2:5] if n),
        "It is a scalar.",
    ),
    Fault(
        frozenset({"Softmax", "LogSoftmax", "Hardmax"}),
        lambda node, values: (
            abs(_attribute(node, "axis", 0) + 0.5) > max(len(_shapes(node, values)[0]), 1)
            and 0 not in _shapes(node, values)[0]  # nothing to normalize, along whichever axis
        ),
        "Accepted range is [-r, r-1] where r = rank(input).",
    ),
    Fault(
        frozenset({"ArgMax", "ArgMin", *(f"Reduce{fold}" for fold in FOLDS)}),
        _axis_outside,
        "Accepted range is [-r, r-1] where r = rank(data).",
    ),
    Fault(
        frozenset({"STFT"}),
        _rank(3),
        "For real input, the following shape is expected: [batch_size][signal_length][1].",
    ),
    Fault(
        frozenset({"CumProd", "CumSum"}),
        lambda node, values: np.ndim(values[node.input[1]]) > 1,
        "A 0-D tensor.",
    ),
    Fault(
        frozenset({"ReverseSequence"}),
        lambda node, _: {_attribute(node, "time_axis", 0), _attribute(node, "batch_axis", 1)} != {0, 1},
        "Specify which axis is time axis. Must be one of 0 (default), or 1.",
    ),
    Fault(frozenset({"MatMul"}), _batches_clash, "Matrix product that behaves like [numpy.matmul]"),
    Fault(
        frozenset({"LinearAttention"}),
        _lengths_differ,
        "The query, key, value, and (where applicable) decay/beta inputs use 3D packed format [B, T, H*D]",
    ),
    Fault(
        frozenset({"LinearAttention"}),
        _state_misfits,
        "The optional past_state and present_state are 4D with shape (B, H_kv, d_k, d_v).",
    ),
)
OLDER: Mapping[str, Callable[[onnx.NodeProto, Values], bool]] = {
    "MatMulNBits": lambda node, values: 0 in _shapes(node, values)[1],
}
"""What ONNX Runtime 1.31 refuses and 1.32 runs, of which nothing is forbidden: answers hold for both."""
ODD = (
    Fault(
        frozenset({"ArgMax", "ArgMin", *(f"Reduce{fold}" for fold in FOLDS)}),
        _not_reduced,
        "[...] has the same rank as the input if [...] keepdims [...] then the resulting tensor has the reduced "
        "dimension pruned.",
    ),
    Fault(frozenset({"MatMul"}), _other_than_numpy, "Matrix product that behaves like [numpy.matmul]"),
    Fault(  # without iterations, the sizes of one are those of no tensor
        frozenset({"Loop"}),
        _no_trips,
        "Each scan_output is created by concatenating the value of the specified output value at the end of each "
        "iteration of the loop.",
    ),
    Fault(
        frozenset({"Scan"}),
        _state_changes,
        "All the output tensors (state_variables as well as scan_output_element tensors) are required to have the same "
        "shape in each iteration of the loop",
    ),
)


def _by_operator(faults: tuple[Fault, ...]) -> dict[str, list[Fault]]:
    """The faults of each operator, as most nodes have none."""
    return {op: [fault for fault in faults if op in fault.ops] for op in set[str]().union(*(f.ops for f in faults))}


_OF_LENIENT, _OF_ODD = _by_operator(LENIENT), _by_operator(ODD)


def lenient(node: onnx.NodeProto, values: Values, version: int = 99) -> bool:
    """Whether this ran though ONNX or the older of two supported runtimes forbids it, or a node in a branch taken."""
    if node.op_type == "If":
        branch = _attribute(node, "then_branch" if np.all(values[node.input[0]]) else "else_branch", None)
        return any(lenient(n, values) for n in branch.node if all(i in values for i in n.input if i))
    if node.domain not in DOMAINS or _is_free(node, values, version):
        return False
    if NEW and node.op_type in OLDER and OLDER[node.op_type](node, values):
        return True
    return any(fault.shown(node, values) for fault in _OF_LENIENT.get(node.op_type, ()))


def _is_free(node: onnx.NodeProto, values: Values, version: int) -> bool:
    """Whether a scalar is folded before ONNX's inference looked at axes: there is no range, and nothing reads them."""
    op = node.op_type
    folds = op.startswith(("Arg", "Reduce")) and version < (12 if op in ("ReduceMax", "ReduceMin") else 11)
    return folds and np.ndim(values[node.input[0]]) == 0


def odd(node: onnx.NodeProto, values: Values) -> bool:
    """Whether what this gave isn't what ONNX defines, or what a loop in one of its branches gave."""
    op = node.op_type
    if op == "If" and "Loop" in {n.op_type for attribute in node.attribute for n in attribute.g.node}:
        op = "Loop"
    faults = _OF_ODD.get(op, ()) if node.domain in DOMAINS else ()
    return any(all(o in values for o in node.output if o) and fault.shown(node, values) for fault in faults)
