"""Write profiles for TensorRT: its own tools, and its use by ONNX Runtime and Triton.

TensorRT takes the minimum, usual and maximum sizes of every input that the file leaves open; for an input whose
elements decide sizes, it takes the elements.
"""

from __future__ import annotations

from collections.abc import Mapping

from shapesmt.base.errors import UsageError
from shapesmt.network.declarations import quote
from shapesmt.reports.answers import POINTS, Box, Profile, TensorProfile
from shapesmt.reports.export.profiles.sizes import joined, numbers, open_inputs
from shapesmt.reports.render import protobuf, shell, to_json

_TRITON = {
    **{f"{kind}{bits}": f"TYPE_{kind.upper()}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)},
    "bool": "TYPE_BOOL",
    "float16": "TYPE_FP16",
    "bfloat16": "TYPE_BF16",
    "float32": "TYPE_FP32",
    "float64": "TYPE_FP64",
    "string": "TYPE_STRING",
}


def trtexec(profile: Profile) -> str:
    """Return the options of `trtexec`."""
    words = []
    for number, box in enumerate(profile.boxes):
        tensors = open_inputs(box)
        if tensors and len(profile.boxes) > 1:
            words.append(f"--profile={number}")
        for point in POINTS if tensors else ():
            sizes = [f"{_escape(name)}:{_by_x(shape)}" for name, shape in numbers(tensors, point).items()]
            words.append(f"--{point}Shapes={','.join(sizes)}")
    return shell(*words)


def _escape(name: str) -> str:
    """Return a name that `trtexec` reads as one: in quotes if it has a colon."""
    return f"'{name}'" if ":" in name else name


def _by_x(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


def polygraphy(profile: Profile) -> str:
    """Return the `polygraphy` command that builds the engine."""
    stem = profile.model.rpartition(".")[0] or profile.model
    words = ["polygraphy", "convert", profile.model, "-o", f"{stem}.engine"]
    for box in profile.boxes:
        tensors = open_inputs(box)
        for point in POINTS if tensors else ():
            words.append(f"--trt-{point}-shapes")
            words += [f"{name}:[{','.join(map(str, s))}]" for name, s in numbers(tensors, point).items()]
    return shell(*words)


def onnxruntime(profile: Profile) -> str:
    """Return the options of ONNX Runtime's TensorRT provider as a dictionary; it takes intermediate tensors too."""
    return to_json(_options(profile)).rstrip()


def _options(profile: Profile) -> dict[str, str]:
    tensors = [open_inputs(box) | dict(box.inner) for box in profile.boxes]
    return {f"trt_profile_{point}_shapes": ",".join(_shapes(t, point) for t in tensors) for point in POINTS}


def _shapes(tensors: Mapping[str, TensorProfile], point: str) -> str:
    for name in tensors:
        if "," in name:
            raise UsageError(f"the name {quote(name)} has a comma, at which ONNX Runtime would cut it")
    return ",".join(f"{name}:{_by_x(shape)}" for name, shape in numbers(tensors, point).items())


def triton(profile: Profile) -> str:
    """Return the part of Triton's `config.pbtxt` about inputs, for a model that ONNX Runtime runs with TensorRT."""
    tensors, batch = joined(profile.boxes).inputs, is_batched(profile.boxes[0]) and not profile.unbatched
    most = numbers(tensors, "max")[next(iter(tensors))][0] if batch else 0
    rows = [f'platform: "onnxruntime_onnx"\nmax_batch_size: {most}\ninput [']
    rows.append(",\n".join(_triton_input(name, t, batch) for name, t in tensors.items()))
    rows.append("]\noptimization { execution_accelerators {\n  gpu_execution_accelerator : [ {")
    rows.append('    name : "tensorrt"')
    rows += [f'    parameters {{ key: "{key}" value: {protobuf(value)} }}' for key, value in _options(profile).items()]
    return "\n".join([*rows, "  } ]\n}}"])


def is_batched(box: Box) -> bool:
    """Whether all inputs begin with the same open size, along which Triton may then batch requests."""
    first = {t.sizes[0].expr if t.sizes and not t.sizes[0].fixed else "" for t in box.inputs.values()}
    return len(first) == 1 and "" not in first and not box.values


def _triton_input(name: str, t: TensorProfile, batch: bool) -> str:
    dims = [-1 if low != high else low for low, high in zip(t.min, t.max, strict=True)][batch:]
    if t.dtype not in _TRITON:
        raise UsageError(f"Triton has no type for {t.dtype}, that of {quote(name)}")
    return f"  {{ name: {protobuf(name)} data_type: {_TRITON[t.dtype]} dims: [ {', '.join(map(str, dims))} ] }}"
