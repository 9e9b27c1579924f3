"""The tools that are measured; of each a call from a model's file to its shapes, with the ranges if it takes any."""

from __future__ import annotations

import importlib
import logging
import shutil
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

import onnx
from onnx.external_data_helper import ExternalDataInfo

import shapesmt
from tests.bench.models import Subject

Call: TypeAlias = Callable[[], object]
OURS = ("check", "bounds")
BASE = "ONNX"


def ours(verb: str, subject: Subject) -> Call:
    """One of our questions about a model."""
    return lambda: getattr(shapesmt, verb)(subject.path, dims=subject.dims, assume=subject.assume)


def of_onnx(subject: Subject) -> Call:
    """ONNX's own inference."""
    return lambda: onnx.shape_inference.infer_shapes(onnx.load(subject.path, load_external_data=False), data_prop=True)


def of_openvino(subject: Subject) -> Call:
    """OpenVINO's inference for intervals, of a copy next to zeros as weights, without which it reads no file."""
    import openvino

    folder = TemporaryDirectory()
    copy = Path(folder.name, subject.path.name)
    shutil.copy(subject.path, copy)
    for weights in (ExternalDataInfo(t) for t in subject.model.graph.initializer if t.external_data):
        with Path(folder.name, weights.location).open("ab") as file:
            file.truncate(max(file.tell(), (weights.offset or 0) + (weights.length or 0)))
    ranges = {name: (lo, -1 if hi is None else hi) for name, (lo, hi) in subject.dims.items()}
    sizes = {
        info.name: openvino.PartialShape([_size(dim, ranges) for dim in info.type.tensor_type.shape.dim])
        for info in subject.model.graph.input
    }

    def infer(folder: object = folder) -> None:  # which is there as long as the call
        model = openvino.Core().read_model(copy)
        model.reshape({port: sizes[port.any_name] for port in model.inputs})

    return infer


def of_inference_package(subject: Subject) -> Call:
    """onnx-shape-inference, in Python."""
    import onnx_ir
    from onnx_shape_inference import infer_symbolic_shapes

    logging.getLogger("onnx_shape_inference").setLevel(logging.CRITICAL)
    return lambda: infer_symbolic_shapes(onnx_ir.load(subject.path), warn_on_missing=False)


PEERS: dict[str, tuple[str, str, Callable[[Subject], Call]]] = {
    BASE: ("onnx", "onnx", of_onnx),
    "OpenVINO": ("openvino", "openvino", of_openvino),
    "onnx-shape-inf.": ("onnx_shape_inference", "onnx-shape-inference", of_inference_package),
}
"""The tools by name: the module to import, the package that has its version, and a function that prepares a call."""


def installed() -> dict[str, str]:
    """The versions of shapesmt and of the peers that are there, which are imported."""
    found = {"shapesmt": shapesmt.__version__}
    for name, (module, package, _) in PEERS.items():
        with suppress(ImportError, PackageNotFoundError):
            importlib.import_module(module)
            found[name] = version(package)
    return found


def calls(subject: Subject) -> dict[str, Call]:
    """The calls of all tools that are installed."""
    peers = {name: PEERS[name][2](subject) for name in installed() if name in PEERS}
    return {**{verb: ours(verb, subject) for verb in OURS}, **peers}


def _size(dim: onnx.TensorShapeProto.Dimension, ranges: dict[str, tuple[int, int]]) -> tuple[int, int] | int:
    return ranges.get(dim.dim_param, -1) if dim.dim_param else dim.dim_value  # type: ignore[return-value]
