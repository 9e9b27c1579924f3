"""Write profiles as the text that each compiler takes: one small function for each."""

from __future__ import annotations

from collections.abc import Callable

from shapesmt.base.errors import UsageError
from shapesmt.network.declarations import quote
from shapesmt.reports.answers import Profile
from shapesmt.reports.export.profiles import python, ranges, tensorrt
from shapesmt.reports.export.profiles.sizes import joined as joined
from shapesmt.reports.export.profiles.tensorrt import is_batched as is_batched
from shapesmt.reports.render import comment, to_json

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
"""Formats that take an interval for every size and no points."""

ONE_BOX = (*INTERVALS, "coreml", "torch-trt")
"""Formats that hold one box, and no conditions on the inputs in it."""

_COMMENTS = {"ovms": "", "stablehlo": "//"}
"""How a comment begins in the text of each such format where it isn't `#`; "" if there are none."""

TAKES_INNER = ("ort-trt", "triton", "json")


def require_target(target: str, *, hull: bool = False) -> None:
    """Refuse an unknown format and, with `hull`, one that holds several boxes.

    Raises:
        UsageError: There is no such format, or it needs no hull.
    """
    if hull and target in TARGETS and target not in ONE_BOX:
        raise UsageError(f"a hull is for formats that hold one box ({', '.join(ONE_BOX)}), not for {target}")
    if target not in TARGETS:
        raise UsageError(f"a profile is for one of {', '.join(TARGETS)}, not {quote(target)}")


def export_profile(profile: Profile, target: str) -> str:
    """Return the profile as text to paste.

    Raises:
        UsageError: The format can't express the profile.
    """
    if any(box.inner for box in profile.boxes) and target not in TAKES_INNER:
        raise UsageError(f"{target} takes sizes of inputs only; those of inner tensors go to {', '.join(TAKES_INNER)}")
    content = TARGETS[target](profile)
    start = _COMMENTS.get(target, "#") if profile.hull and profile.assume else ""
    said = f"some inputs inside fail: only those with {' and '.join(profile.assume)} are valid"
    return f"{comment(said, start)}\n{content}" if start else content
