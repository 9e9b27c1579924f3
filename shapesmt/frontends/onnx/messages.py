"""ONNX's protobuf messages, loaded without the rest of its package unless that is imported already."""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import cache
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

if TYPE_CHECKING:
    from types import ModuleType

    import onnx

_GENERATED = "onnx.onnx_ml_pb2"
"""The module that protobuf's compiler generates from ONNX's definitions; it loads in a fifth of the package's time."""


def is_model(value: object) -> TypeGuard[onnx.ModelProto]:
    """Whether the value is an `onnx.ModelProto`; only if onnx is imported can it be one."""
    return "onnx" in sys.modules and isinstance(value, _messages().ModelProto)


def from_bytes(content: bytes) -> onnx.ModelProto:
    """Parse the model in a binary file.

    Raises:
        google.protobuf.message.DecodeError: It is damaged.
    """
    model: onnx.ModelProto = _messages().ModelProto.FromString(content)
    return model


@cache
def _messages() -> ModuleType:
    """Return the module of the messages; protobuf has one class for each, however often the module is executed."""
    package = None if "onnx" in sys.modules else find_spec("onnx")
    if package is not None and package.origin is not None:
        spec = spec_from_file_location(_GENERATED, Path(package.origin).with_name("onnx_ml_pb2.py"))
        if spec is not None and spec.loader is not None:
            module = module_from_spec(spec)
            with suppress(FileNotFoundError):
                spec.loader.exec_module(module)
                return module
    from onnx import onnx_ml_pb2

    return onnx_ml_pb2
