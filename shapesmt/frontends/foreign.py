"""Recognise files and objects of other tools without a readable graph, and advise how to get a readable file."""

from __future__ import annotations

import os
import re

from shapesmt.base.errors import ModelError, printable

_TORCH = 'torch.onnx.export(model, args, "model.onnx", dynamo=True, dynamic_shapes=...)'
_KERAS = "keras.models.load_model(FILE).export(FOLDER)"
_PICKLE = f"a PyTorch file, which holds weights or code; load the model in Python and call {_TORCH}"
_WEIGHTS = f"weights without a graph; call {_TORCH} in Python, or optimum-cli export onnx --model FOLDER OUT"
_SAVED = f"a Keras file; call {_KERAS} in Python, and check that folder"
_LITE = "a TensorFlow Lite model; convert it: python -m tf2onnx.convert --tflite FILE --output model.onnx"
_CODE = (
    "Python code, not a model; call shapesmt.check(module, args=...) in Python, or check a file of torch.export.save"
)
_ENGINE = "a TensorRT engine, built for one kind of GPU; check the ONNX file that it was built from"
_ORT = "a model in ONNX Runtime's own format; check the .onnx file that it was converted from"
_CORE_ML = "a Core ML model; check the ONNX file or the PyTorch program that it was converted from"
_SUFFIXES = {
    ".py": _CODE,
    ".pt": _PICKLE,
    ".pth": _PICKLE,
    ".ckpt": _PICKLE,
    ".safetensors": _WEIGHTS,
    ".keras": _SAVED,
    ".h5": _SAVED,
    ".hdf5": _SAVED,
    ".tflite": _LITE,
    **dict.fromkeys((".engine", ".plan", ".trt"), _ENGINE),
    ".ort": _ORT,
    ".mlmodel": _CORE_ML,
}
_POINTER = "a Git LFS pointer, not the model; git lfs pull fetches it"
_PAGE = "a web page, not a model; the download may need a login, or another address"
_BEGINNINGS = (
    (re.compile(rb"version https://git-lfs\.github\.com/spec/"), _POINTER),
    (re.compile(rb"\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE), _PAGE),
    (re.compile(rb"PK\x03\x04.{26}[^/]{1,200}/data\.pkl", re.DOTALL), _PICKLE),
    (re.compile(rb"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"), _PICKLE),
    (re.compile(rb"\x89HDF\r\n\x1a\n"), _SAVED),
    (re.compile(rb".{4}TFL3", re.DOTALL), _LITE),
    (re.compile(rb".{4}ORTM", re.DOTALL), _ORT),
    (re.compile(rb"ptrt", re.DOTALL), _ENGINE),
    (re.compile(rb'.{6}\x00\x00\{\s*"', re.DOTALL), _WEIGHTS),
)
_CLASSES = {
    ("torch", "Module"): "has no graph yet; give an example of its arguments: args=(...), or kwargs={...}",
    ("keras", "Model"): "is not read; call model.export(FOLDER), and check the folder",
}
_TORCH_CLASSES = ("ExportedProgram", "ONNXProgram", "Module")


def refuse_suffix(path: str) -> None:
    """Refuse a file by its name before it is read, since weights are large.

    Raises:
        ModelError: The file exists, and belongs to another tool.
    """
    what = _SUFFIXES.get(os.path.splitext(path)[1].lower())  # noqa: PTH122 - as the caller splits it
    if what is not None and os.path.isfile(path):  # noqa: PTH113 - an unreadable file is refused as such
        raise ModelError(f"{printable(path)} is {what}")


def refuse_content(content: bytes, source: str) -> None:
    r"""Refuse a file by its first bytes.

    Raises:
        ModelError: The file belongs to another tool.

    >>> refuse_content(b"\x1c\x00\x00\x00TFL3", "net")
    Traceback (most recent call last):
    shapesmt.base.errors.ModelError: net is a TensorFlow Lite model; convert it: python -m tf2onnx.convert ...
    """
    what = next((what for beginning, what in _BEGINNINGS if beginning.match(content)), None)
    if what is not None:
        raise ModelError(f"{source} is {what}")


def how_to_export(model: object) -> str:
    """Return advice for an object of another tool, by the classes that it inherits; "" for any other object."""
    for kind in type(model).__mro__:
        advice = _CLASSES.get((_library(kind), kind.__name__))
        if advice is not None:
            return f"a {kind.__name__} of {_library(kind)}, {printable(type(model).__name__, 60)}, {advice}"
    return ""


def torch_class(model: object) -> str:
    """Return "Module", "ExportedProgram" or "ONNXProgram" for an instance of that PyTorch class; "" for other objects.

    PyTorch isn't imported.
    """
    names = (kind.__name__ for kind in type(model).__mro__ if _library(kind) == "torch")
    return next((name for name in names if name in _TORCH_CLASSES), "")


def _library(kind: type) -> str:
    return kind.__module__.partition(".")[0]
