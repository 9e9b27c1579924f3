"""Profiles as they are written: no admissible input inside fails, in any format, or the conditions exclude it."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import onnx
import pytest
from onnx import parser

import shapesmt
from shapesmt.base.errors import UsageError
from shapesmt.prover.algebra import Verdict
from shapesmt.reports.answers import Profile
from shapesmt.reports.export.profiles import ONE_BOX
from tests.oracle.runner import Execution, NoBlame, assignments, input_shape, value
from tests.oracle.test_execution import _values, posed

Range = tuple[int, float]
Shapes = dict[str, tuple[int, ...]]
Written = Sequence[Callable[[Shapes], bool]]
"""For each box of a text, whether it has the inputs of these shapes."""

HEAD = '<ir_version: 8, opset_import: ["" : 18]> g '
MODELS: dict[str, tuple[str, dict[str, str]]] = {
    "multiples": (
        "(float[n, h] x) => (y) <float[2] s = {1, 2}> { p = Transpose <perm = [0, 1]> (x) sh = Shape (x) "
        "k = Constant <value_ints = [-1, 4]> () y = Reshape (p, k) }",
        {"n": "1..3", "h": "1..9"},
    ),
    "pairs": ("(float[n] x, float[m] z) => (y) { y = Add (x, z) }", {"n": "2..6", "m": "2..6"}),
    "a sum": (
        "(float[p] x, float[s] z) => (y) <float[5] t = {0, 1, 2, 3, 4}> { c = Concat <axis = 0> (x, z) n = Shape (c) "
        "z0 = Constant <value_ints = [0]> () one = Constant <value_int = 1> () k = Squeeze (n) "
        "l = Sub (k, one) y = Gather (t, l) }",
        {"p": "1..6", "s": "0..6"},
    ),
    "a table": ("(float[n, s] x) => (y) <float[2, 1] t = {0, 1}> { y = MatMul (x, t) }", {"n": "1..3", "s": "1..4"}),
    "not from the start": (
        "(float[n] x) => (y) <int64[1] a = {3}, int64[1] b = {-2}> { y = Slice (x, a, b) e = Shape (y) "
        "t = Constant <value_ints = [-1, 2]> () z = Reshape (y, t) }",
        {"n": "1..9"},
    ),
    "a name that TVM can't have": (
        "(float[n, 3] x, float[m, 3] z) => (y) { y = Add (x, z) }",
        {"n": "1..4", "m-0": "1..4"},
    ),
    "a product": (
        "(float[h, w] x) => (y) { t = Constant <value_ints = [12]> () y = Reshape (x, t) }",
        {"h": "1..6", "w": "1..6"},
    ),
    "a branch": (
        "(float[n, 1] x, int64[1] k) => (y) { y = Expand (x, k) t = Constant <value_ints = [-1, 2]> () "
        "z = Reshape (y, t) }",
        {"n": "1..4", "k": "1..4"},
    ),
}


def _sizes(text: str, between: str) -> list[Range]:
    """Return the ranges of sizes in a text such as `1..4,3`."""
    ends = [part.split(between) for part in text.split(",") if part]
    return [
        (0, float("inf")) if e == ["-1"] else (int(e[0]), float("inf") if e[-1] == "" else int(e[-1])) for e in ends
    ]


def _box(ranges: Mapping[str, Sequence[Range]]) -> Callable[[Shapes], bool]:
    def has(shapes: Shapes) -> bool:
        sides = [(size, side) for name, sides in ranges.items() for size, side in zip(shapes[name], sides, strict=True)]
        return all(low <= size <= high for size, (low, high) in sides)

    return has


def _of_corners(least: Mapping[str, Sequence[int]], most: Mapping[str, Sequence[int]]) -> Callable[[Shapes], bool]:
    return _box({name: list(zip(sizes, most[name], strict=True)) for name, sizes in least.items()})


def _shapes(text: str) -> list[tuple[str, list[int]]]:
    """Return the shapes in `x:1x4,z:2`."""
    pairs = [part.rpartition(":") for part in text.split(",") if part]
    return [(name, [int(n) for n in shape.split("x") if n]) for name, _, shape in pairs]


def trtexec(profile: Profile, _: onnx.ModelProto) -> Written:
    words = [word.partition("=") for word in shlex.split(profile.content)]
    corners = {point: [dict(_shapes(v)) for k, _, v in words if k == f"--{point}Shapes"] for point in ("min", "max")}
    return [_of_corners(least, most) for least, most in zip(corners["min"], corners["max"], strict=True)]


def ort_trt(profile: Profile, _: onnx.ModelProto) -> Written:
    read = json.loads(profile.content)
    every = {point: _shapes(read[f"trt_profile_{point}_shapes"]) for point in ("min", "max")}
    count = len({name for name, _ in every["min"]}) or 1
    parts = range(0, len(every["min"]), count)
    return [_of_corners(*(dict(every[point][i : i + count]) for point in ("min", "max"))) for i in parts]


def openvino(profile: Profile, _: onnx.ModelProto) -> Written:
    rows = re.findall(r'"(.+)": ov\.PartialShape\("\[(.*)\]"\)', profile.content)
    return [_box({name: _sizes(sizes, "..") for name, sizes in rows})]


def ovms(profile: Profile, model: onnx.ModelProto) -> Written:
    said = shlex.split(profile.content)[1]
    by_name = json.loads(said) if said.startswith("{") else {model.graph.input[0].name: said}
    return [_box({name: _sizes(sizes[1:-1], ":") for name, sizes in by_name.items()})]


def tvm(profile: Profile, model: onnx.ModelProto) -> Written:
    ends = {k: json.loads(d) for k, d in re.findall(r"tir_var_(\w+)_bound\", (\{.*\})\)", profile.content)}
    inputs = {i.name: [d.dim_param or d.dim_value for d in i.type.tensor_type.shape.dim] for i in model.graph.input}

    def side(name: str | int) -> Range:
        return ends.get("lower", {}).get(name, 0), ends.get("upper", {}).get(name, float("inf"))

    return [_box({name: [side(axis) for axis in axes] for name, axes in inputs.items()})]


def stablehlo(profile: Profile, _: onnx.ModelProto) -> Written:
    found = {}
    for name, sizes, bounds in re.findall(
        r"%(\w+): tensor<((?:[?0-9]+x)*)\w+(?:, #stablehlo.bounds<(.*)>)?>", profile.content
    ):
        shape, most = sizes.split("x")[:-1], bounds.split(", ") if bounds else []
        ends = [*most, *["?"] * (len(shape) - len(most))]
        found[name] = [
            (int(s), int(s)) if s != "?" else (0, float("inf") if e == "?" else int(e))
            for s, e in zip(shape, ends, strict=True)
        ]
    return [_box(found)]


class Dim:
    """PyTorch's `Dim` times a number plus a number: the sizes that it stands for."""

    def __init__(self, _: str, *, factor: int = 1, offset: int = 0, **ends: float) -> None:
        self.ends, self.factor, self.offset = ends, factor, offset

    def __rmul__(self, factor: int) -> Dim:
        return Dim("", factor=factor * self.factor, offset=factor * self.offset, **self.ends)

    def __add__(self, offset: int) -> Dim:
        return Dim("", factor=self.factor, offset=self.offset + offset, **self.ends)

    def __sub__(self, offset: int) -> Dim:
        return self + -offset

    def has(self, size: int) -> bool:
        root, rest = divmod(size - self.offset, self.factor)
        return not rest and self.ends.get("min", 0) <= root <= self.ends.get("max", root)


def torch_export(profile: Profile, _: onnx.ModelProto) -> Written:
    """The sizes that aren't named are those of the example that is exported: here those of the profile."""
    names: dict[str, Any] = {"Dim": Dim}
    exec(profile.content.replace("from torch.export import Dim", ""), names)
    dims = {(n, axis): dim for n, t in names["dynamic_shapes"].items() for axis, dim in (t or {}).items()}
    fixed = [
        (n, a, size) for n, t in profile.boxes[0].inputs.items() for a, size in enumerate(t.opt) if (n, a) not in dims
    ]
    return [
        lambda shapes: (
            all(dim.has(shapes[n][a]) for (n, a), dim in dims.items())
            and all(shapes[n][a] == size for n, a, size in fixed)
        )
    ]


def coreml(profile: Profile, _: onnx.ModelProto) -> Written:
    def ranged(low: int, high: int, _usual: int) -> Range:
        return low, high

    def one(sizes: Sequence[Range | int]) -> list[list[Range]]:
        return [[s if isinstance(s, tuple) else (s, s) for s in sizes]]

    def listed(shapes: Sequence[Sequence[int]], default: object) -> list[list[Range]]:
        assert default in shapes
        return [[(s, s) for s in shape] for shape in shapes]

    ct = SimpleNamespace(
        RangeDim=ranged, Shape=one, EnumeratedShapes=listed, TensorType=lambda name, shape: (name, shape)
    )
    names: dict[str, Any] = {"ct": ct}
    exec(profile.content.replace("import coremltools as ct", ""), names)

    def has(inputs: Sequence[tuple[str, list[list[Range]]]]) -> Callable[[Shapes], bool]:
        return lambda shapes: all(any(_box({n: box})(shapes) for box in boxes) for n, boxes in inputs)

    return [has(names["inputs"])]


def torch_trt(profile: Profile, _: onnx.ModelProto) -> Written:
    def taken(*, name: str, shape: Any = None, min_shape: Any = None, max_shape: Any = None, **_more: Any) -> Any:
        return name, shape or min_shape or (), shape or max_shape or ()

    names: dict[str, Any] = {
        "torch": SimpleNamespace(float32="", int64=""), "torch_tensorrt": SimpleNamespace(Input=taken)
    }  # fmt: skip
    exec(re.sub("(?m)^import .*$", "", profile.content), names)
    return [_of_corners({n: low for n, low, _ in names["inputs"]}, {n: high for n, _, high in names["inputs"]})]


TAKES_ELEMENTS = ("trtexec", "ort-trt", "torch-trt")
READERS = {
    "trtexec": trtexec, "ort-trt": ort_trt, "openvino": openvino, "ovms": ovms, "tvm": tvm, "stablehlo": stablehlo,
    "torch-export": torch_export, "coreml": coreml, "torch-trt": torch_trt,
}  # fmt: skip


def wrong_in(
    model: onnx.ModelProto, dims: Mapping[str, str], assume: Sequence[str], profiles: int, *, hull: bool = False
) -> list[str]:
    """Return the admissible inputs inside what is written that fail, although their conditions are satisfied."""
    execution, ranges = Execution(model), {name: list(_values(text)) for name, text in dims.items()}
    admissible = [s for s in assignments(ranges) if all(value(text, s) for text in assume)]
    try:
        fails = [(s, bool(execution.run(s).failing)) for s in admissible]
    except NoBlame:
        return []
    wrong = []
    for target in ONE_BOX if hull else READERS:
        options: dict[str, Any] = {"assume": assume, "profiles": profiles, "valid_only": True}
        options |= {
            "dims": {n: r for n, r in dims.items() if n != "k"},
            "values": {n: r for n, r in dims.items() if n == "k"},
        }
        with suppress(UsageError):  # the format doesn't take such sizes
            wrong += _wrong(
                shapesmt.profile(model, target, **options, hull=hull, session="file"), execution, fails, hull
            )
    return wrong


def _wrong(
    profile: Profile, execution: Execution, fails: Sequence[tuple[dict[str, int], bool]], hull: bool
) -> list[str]:
    target, wrong = profile.target, []
    given = [{i.name: input_shape(i, sizes) for i in execution.inputs} for sizes, _ in fails]
    for number, has in enumerate(READERS[target](profile, execution.model) if profile.boxes else ()):
        named = _conditions(profile, number, hull=hull)
        for (sizes, fail), shapes in zip(fails, given, strict=True):
            elements = {n: (v,) for n, v in sizes.items() if n == "k" and target in TAKES_ELEMENTS}
            if fail and has(shapes | elements) and all(value(text, sizes) for text in named):
                wrong.append(f"{target}: {sizes} fails\n{profile.content}")
        if hull and profile.verdict is not Verdict.UNKNOWN and target not in ("coreml", "torch-trt"):
            runs = [shapes for (_, fail), shapes in zip(fails, given, strict=True) if not fail]
            wrong += [f"{target}: {shapes} isn't in the hull" for shapes in runs if not has(shapes)]
    return wrong


def _conditions(profile: Profile, number: int, *, hull: bool) -> list[str]:
    """Return the conditions that are stated for box `number`; without a hull, a format with one box has none."""
    if profile.target in ONE_BOX and not hull:
        return [text for text in profile.assume if re.search(r"\bk\b|m-0", text)]  # what the format can't state
    own = {text for box in profile.boxes for text in box.assume}
    return [text for text in profile.assume if text not in own or text in profile.boxes[number].assume or hull]


@pytest.mark.parametrize("name", MODELS)
def test_no_admissible_input_inside_fails(name: str) -> None:
    text, dims = MODELS[name]
    model = parser.parse_model(HEAD + text)
    if "m-0" in dims:
        model.graph.input[1].type.tensor_type.shape.dim[0].dim_param = "m-0"
    for profiles in (1, 3):
        assert wrong_in(model, dims, [], profiles) == []
    assert wrong_in(model, dims, [], 3, hull=True) == []


def test_no_admissible_input_inside_fails_in_random_models(seeds: range) -> None:
    asked = 0
    for seed in range(seeds.start, seeds.start + 3 * len(seeds)):
        case, dims, assume = posed(seed)
        try:
            verdict = shapesmt.check(case.model, dims=dims, assume=assume, session="file").verdict
        except UsageError:
            continue
        if verdict is Verdict.DEPENDS:
            asked += 1
            assert wrong_in(case.model, dims, assume, 1 + seed % 3, hull=seed % 4 == 0) == [], seed
    assert asked > len(seeds) // 2
