"""Profiles: every point run on ONNX Runtime, and every text that a parser here can read, read by it.

"points" are those of three boxes; "ort" runs with the dimensions overridden. Torch's text is executed, a module with
these inputs exported by it, and the program run at the points of the one box; OpenVINO is reshaped by its text, and its
inputs compared with `bounds`; polygraphy's own parser gives the sizes back. A dash: not installed, or no such text.
"""

from __future__ import annotations

import argparse
import importlib.util
import shlex
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx

import shapesmt
from shapesmt.reports.answers import POINTS
from tests.bench.inputs import fed
from tests.bench.models import Subject, listed, subject

HEAD = "points    ort torch openvino polygraphy  model"
BOXES = 3


def row(subject: Subject) -> str:
    """One model."""
    boxes = asked(subject, "json", profiles=BOXES).boxes
    ran = [runs(subject.model, box, point) for box in boxes for point in points_of(box)]
    checks = (onnxruntime, torch, openvino, polygraphy)
    words = [tried(check, subject) for check in checks]
    return "{:>6} {:>6} {:>5} {:>8} {:>10}  {}".format(f"{sum(ran)}/{len(ran)}", *words, subject.name)


def asked(subject: Subject, target: str, **options: Any) -> shapesmt.Profile:
    """The profile of a model, over its valid inputs."""
    about: Any = {"dims": subject.dims, "assume": subject.assume, "valid_only": True}
    return shapesmt.profile(subject.model, target, **about, **options)


def tried(check: Callable[[Subject], bool], subject: Subject) -> str:
    """What a parser says."""
    if importlib.util.find_spec(check.__name__) is None:
        return "-"
    try:
        return "yes" if check(subject) else "no"
    except shapesmt.UsageError:  # there is no such text, as a size has no end
        return "-"


def points_of(box: Any) -> list[str]:
    """The points of a box that are numbers: the greatest isn't one where a size has no end."""
    tensors = [*box.inputs.values(), *box.symbols.values()]
    return [point for point in POINTS if all(None not in t.at(point) for t in tensors)]


def runs(model: onnx.ModelProto, box: Any, point: str, options: Any = None) -> bool:
    """Whether ONNX Runtime runs a model at a point."""
    import onnxruntime as ort

    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    try:
        session.run(None, at(model, box, point))
    except Exception:  # whatever it raises
        return False
    return True


def at(model: onnx.ModelProto, box: Any, point: str) -> dict[str, np.ndarray[Any, Any]]:
    """The inputs at a point."""
    sizes = {name: t.at(point)[0] for name, t in box.symbols.items()}
    return fed(model.graph, sizes)


def onnxruntime(subject: Subject) -> bool:
    """Whether it runs with the dimensions overridden."""
    names: dict[str, Any] = {}
    profile = asked(subject, "ort")
    exec(profile.content, names)
    return runs(subject.model, profile.boxes[0], "opt", names["options"])


def openvino(subject: Subject) -> bool:
    """Whether its inputs have the sizes that `bounds` gives."""
    import openvino as ov

    bounds = shapesmt.bounds(subject.model, dims=subject.dims, assume=subject.assume)
    model = ov.Core().read_model(subject.model.SerializeToString(), b"")
    exec(asked(subject, "openvino").content, {"model": model})
    return all(
        [(d.get_min_length(), d.get_max_length()) for d in port.partial_shape]
        == [(d.min, -1 if d.max is None else d.max) for d in bounds.tensors[port.any_name].shape or ()]
        for port in model.inputs
    )


def torch(subject: Subject) -> bool:
    """Whether a module with these inputs is exported by it, and the program runs at the points, and not beyond."""
    from torch import nn, tensor as as_tensor
    from torch.export import export

    profile, names = asked(subject, "torch-export"), dict[str, Any]()
    exec(profile.content, names)
    box = profile.boxes[0]

    class Model(nn.Module):
        def forward(self, inputs: dict[str, Any]) -> list[Any]:
            return [x * 2 for x in inputs.values()]

    feeds = {point: {n: as_tensor(a) for n, a in at(subject.model, box, point).items()} for point in points_of(box)}
    program = export(Model(), (feeds["opt"],), dynamic_shapes=({**names["dynamic_shapes"]},)).module()
    for inputs in feeds.values():
        results = program(inputs)
        if [r.shape for r in results] != [x.shape for x in inputs.values()]:
            return False
    return True


def polygraphy(subject: Subject) -> bool:
    """Whether polygraphy reads the sizes of the boxes."""
    from polygraphy.common import TensorMetadata
    from polygraphy.tools.args.backend.trt.config import parse_profile_shapes

    profile = asked(subject, "polygraphy", profiles=BOXES)
    points: dict[str, list[list[str]]] = {"min": [], "opt": [], "max": []}
    words = shlex.split(profile.content)
    for word in words[words.index("--trt-min-shapes") :] if "--trt-min-shapes" in words else []:
        if word.startswith("--trt-"):
            current: list[str] = []
            points[word.split("-")[3]].append(current)
        else:
            current.append(word)
    read = parse_profile_shapes(TensorMetadata(), *points.values())
    said = [{n: (t.min, t.opt, t.max) for n, t in box.inputs.items() if not t.fixed} for box in profile.boxes]
    return said == [{n: tuple(map(tuple, sizes)) for n, sizes in one.items()} for one in read]


def add_options(_: object) -> None:
    """This table has none."""


def main(options: argparse.Namespace) -> None:
    """Print a row for each model."""
    print(HEAD)
    for path, entry in listed(options.folder, options.only):
        print(row(subject(path, entry)), flush=True)
