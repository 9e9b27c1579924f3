"""Write profiles as the text that each compiler takes: one small function for each."""

from __future__ import annotations

from collections.abc import Callable

from shapesmt.errors import UsageError
from shapesmt.export.profiles import python, ranges, tensorrt
from shapesmt.language import quote
from shapesmt.render import to_json
from shapesmt.report import Profile

TARGETS: dict[str, Callable[[Profile], str]] = {
    "trtexec": tensorrt.trtexec,
    "polygraphy": tensorrt.polygraphy,
    "ort-trt": tensorrt.onnxruntime,
    "torch-trt": python.torch_tensorrt,
    "torch-export": python.torch_export,
    "openvino": ranges.openvino,
    "ovms": ranges.model_server,
    "ort": python.onnxruntime,
    "tvm": python.tvm,
    "stablehlo": ranges.stablehlo,
    "coreml": python.coreml,
    "triton": tensorrt.triton,
    "json": lambda profile: to_json(profile.to_dict()).rstrip(),
}
"""The function for each format."""

INTERVALS = ("openvino", "ovms", "stablehlo", "torch-export", "tvm")
"""Formats that take an interval for every size and no points; it contains the sizes of all valid inputs."""

TAKES_INNER = ("ort-trt", "triton", "json")


def require_target(target: str) -> None:
    """Refuse an unknown format.

    Raises:
        UsageError: There is no such format.
    """
    if target not in TARGETS:
        raise UsageError(f"a profile is for one of {', '.join(TARGETS)}, not {quote(target)}")


def export_profile(profile: Profile, target: str) -> str:
    """Return the profile as text to paste.

    Raises:
        UsageError: The format can't express the profile.
    """
    if any(box.inner for box in profile.boxes) and target not in TAKES_INNER:
        raise UsageError(f"{target} takes sizes of inputs only; those of inner tensors go to {', '.join(TAKES_INNER)}")
    return TARGETS[target](profile)
