"""Adapt models to single compilers: which shapes are written into them, and the form of their nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from shapesmt.base.errors import UsageError
from shapesmt.network.declarations import quote

if TYPE_CHECKING:
    import onnx

    from shapesmt.reports.answers import TensorBounds

TARGETS = ("ort", "openvino", "iree", "tensorrt")
FITTED = ("openvino", "iree")
"""Targets that need some nodes in another form."""
BOUNDED = ("openvino",)
"""Targets whose form contains upper bounds: simplification for these always relies on the declared ranges."""
WRITTEN = ("all", "outputs", "none")


def tensors_to_write(
    proto: onnx.ModelProto, tensors: Mapping[str, TensorBounds], target: str | None = None, which: str | None = None
) -> dict[str, TensorBounds]:
    """Return the tensors whose shapes are written into the model: "all", "outputs" or "none" of them (`which`).

    By default all, but only the outputs for ONNX Runtime: it reuses buffers by the names of sizes, and plans worse if
    intermediate tensors have shapes. It can then need twice the memory.

    Raises:
        UsageError: There is no such target, or choice.
    """
    require(target)
    require(which, WRITTEN)
    which = which or ("outputs" if target == "ort" else "all")
    names = {output.name for output in proto.graph.output}
    return {name: t for name, t in tensors.items() if which == "all" or (which == "outputs" and name in names)}


def require(word: str | None, words: Sequence[str] = TARGETS) -> None:
    """Refuse a word that isn't in the list.

    Raises:
        UsageError: The word isn't in the list.
    """
    if word and word not in words:
        raise UsageError(f"expected one of {', '.join(words)}, not {quote(word)}")


def fit_model(
    proto: onnx.ModelProto,
    tensors: Mapping[str, TensorBounds],
    target: str | None,
    inner: Callable[[], Mapping[str, TensorBounds]] = dict,
    earlier: Callable[[], Mapping[str, TensorBounds]] = dict,
) -> onnx.ModelProto:
    """Return the model with its nodes in the form that the target needs; the same model if it needs none.

    `inner` returns the bounds of tensors inside branches and loops. `earlier` returns the bounds of inputs, and of
    tensors before nodes that may fail, over all inputs that a caller declares. Both are called only if needed.
    """
    if target == "iree":
        from shapesmt.reports.export.targets.iree import without_zeros

        return without_zeros(proto, tensors)
    if target == "openvino":
        from shapesmt.reports.export.targets.openvino import with_ends

        return with_ends(proto, tensors, inner(), earlier())
    return proto
