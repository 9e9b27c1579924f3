"""The tools beside which shapesmt is measured, where they are installed; each infers the shapes of one model."""

from __future__ import annotations

import contextlib
import importlib
import io
import logging
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import TypeAlias

import onnx

import shapesmt
from tests.bench.models import Subject

Prepared: TypeAlias = Callable[[], object]
OURS = ("check", "bounds")
SLOW = ("ORT symbolic",)  # some take minutes for a large model


def ours(verb: str, subject: Subject) -> Prepared:
    """One of our questions about a model, with its ranges."""
    return lambda: getattr(shapesmt, verb)(subject.model, dims=subject.dims, assume=subject.assume)


def of_onnx(subject: Subject) -> Prepared:
    """ONNX's own inference, which takes no ranges."""
    return lambda: onnx.shape_inference.infer_shapes(subject.model, data_prop=True)


def of_symbolic(subject: Subject) -> Prepared:
    """ONNX Runtime's symbolic inference, in Python."""
    from onnxruntime.tools.symbolic_shape_infer import SymbolicShapeInference

    def infer() -> object:
        with contextlib.redirect_stdout(io.StringIO()):
            return SymbolicShapeInference.infer_shapes(_copy(subject), auto_merge=True)

    return infer


def of_openvino(subject: Subject) -> Prepared:
    """OpenVINO's inference for intervals: the model with the ranges as its partial shapes."""
    import openvino

    model = openvino.Core().read_model(subject.model.SerializeToString())
    ranges = {name: (lo, -1 if hi is None else hi) for name, (lo, hi) in subject.dims.items()}
    sizes = {
        info.name: [_size(dim, ranges) for dim in info.type.tensor_type.shape.dim] for info in subject.model.graph.input
    }
    shapes = {port: openvino.PartialShape(sizes[port.any_name]) for port in model.inputs}
    return lambda: model.reshape(shapes)


def of_inference_package(subject: Subject) -> Prepared:
    """onnx-shape-inference, in Python."""
    import onnx_ir
    from onnx_shape_inference import infer_symbolic_shapes

    logging.getLogger("onnx_shape_inference").setLevel(logging.CRITICAL)
    return lambda: infer_symbolic_shapes(onnx_ir.from_proto(subject.model), warn_on_missing=False)


PEERS: dict[str, tuple[str, str, Callable[[Subject], Prepared]]] = {
    "ONNX": ("onnx", "onnx", of_onnx),
    "ORT symbolic": ("onnxruntime.tools.symbolic_shape_infer", "onnxruntime", of_symbolic),
    "OpenVINO": ("openvino", "openvino", of_openvino),
    "onnx-shape-inf.": ("onnx_shape_inference", "onnx-shape-inference", of_inference_package),
}
"""Of each its module, which may need more than its package, the package, and what prepares a model for it."""


def installed() -> dict[str, str]:
    """The versions of shapesmt and of the peers that are there."""
    found = {"shapesmt": shapesmt.__version__}
    for name, (module, package, _) in PEERS.items():
        with contextlib.suppress(ImportError, PackageNotFoundError):
            importlib.import_module(module)
            found[name] = version(package)
    return found


def _size(dim: onnx.TensorShapeProto.Dimension, ranges: dict[str, tuple[int, int]]) -> tuple[int, int] | int:
    return ranges.get(dim.dim_param, -1) if dim.dim_param else dim.dim_value  # type: ignore[return-value]


def _copy(subject: Subject) -> onnx.ModelProto:
    copy = onnx.ModelProto()
    copy.CopyFrom(subject.model)
    return copy
