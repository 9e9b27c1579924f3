"""Write profiles for compilers that are called from Python."""

from __future__ import annotations

from collections.abc import Mapping

from shapesmt.base.errors import UsageError
from shapesmt.network.declarations import quote
from shapesmt.reports.answers import Profile, TensorProfile
from shapesmt.reports.export.profiles.sizes import joined, numbers, one_box, require_bounds
from shapesmt.reports.render import comment, identifier, python

_COREML_RANK, _COREML_SHAPES = 5, 128
"""Core ML's limits: dimensions of a tensor, and enumerated shapes of an input."""


def onnxruntime(profile: Profile) -> str:
    """Return Python code that gives ONNX Runtime the usual size of every dimension that the file names."""
    box = profile.boxes[0]
    named = [pair for t in box.inputs.values() for pair in zip(t.sizes, t.opt, strict=True)]
    fixed = {size.name: number for size, number in named if size.name}
    rows = [f"options.add_free_dimension_override_by_name({python(name)}, {n})" for name, n in fixed.items()]
    unnamed = [name for name, t in box.inputs.items() if any(not s.name and not s.fixed for s in t.sizes)]
    rows += [comment(f"{python(name)} has sizes without a name, which no override can set") for name in unnamed]
    return "\n".join(["import onnxruntime", "", "options = onnxruntime.SessionOptions()", *rows])


def tvm(profile: Profile) -> str:
    """Return Python code that states the bounds of every dimension that the file names as attributes of TVM's main."""
    ends: dict[str, dict[str, str]] = {"upper": {}, "lower": {}}
    for t in one_box(profile).inputs.values():
        for size, low, high in zip(t.sizes, t.min, t.max, strict=True):
            for end, number in (("upper", high), ("lower", low)):
                if size.name.isidentifier() and number is not None:
                    ends[end][size.name] = f"{python(size.name)}: {number}"
    rows = {end: ", ".join(texts.values()) for end, texts in ends.items() if texts}
    return "\n".join(f'mod["main"] = mod["main"].with_attr("tir_var_{e}_bound", {{{r}}})' for e, r in rows.items())


def coreml(profile: Profile) -> str:
    """Return the inputs for Core ML's converter: intervals, or valid shapes if intervals don't have all valid inputs.

    Enumerated shapes of several inputs are an alternative in the text, as only iOS 18 and later accept them.

    Raises:
        UsageError: A size is unbounded, a rank isn't 1 to 5, or an input has more than 128 shapes.
    """
    tensors, every = one_box(profile).inputs, joined(profile.boxes).inputs
    require_bounds(tensors)
    for name, t in tensors.items():
        if not 0 < (rank := len(t.opt)) <= _COREML_RANK:
            raise UsageError(f"Core ML takes tensors of 1 to {_COREML_RANK} dimensions; {quote(name)} has {rank}")
    ranges = {name: _ranges(t) for name, t in tensors.items()}
    apart = bool(profile.assume) or (profile.whole is not None and profile.whole.left_out is not None)
    listed = {name: _enumerated_shapes(name, profile) for name, t in every.items() if apart and t.min != t.max}
    if len(listed) < 2:
        return "\n".join(["import coremltools as ct", "", *_coreml_inputs("inputs", {**ranges, **listed})])
    note = "for ct.convert(..., inputs=enumerated, minimum_deployment_target=ct.target.iOS18), from iOS 18 on:"
    rows = [*_coreml_inputs("inputs", ranges), "", f"# {note}", *_coreml_inputs("enumerated", {**ranges, **listed})]
    return "\n".join(["import coremltools as ct", "", *rows])


def _coreml_inputs(variable: str, shapes: Mapping[str, str]) -> list[str]:
    """Return the lines that define a Python list of inputs named `variable`; `shapes` has a text for each input."""
    return [f"{variable} = [", *(f"    ct.TensorType({python(n)}, shape={s})," for n, s in shapes.items()), "]"]


def _enumerated_shapes(name: str, profile: Profile) -> str:
    """Return `ct.EnumeratedShapes(...)` with the shapes of an input at the points of all boxes."""
    points = [numbers({name: box.inputs[name]}, p)[name] for box in profile.boxes for p in ("min", "opt", "max")]
    shapes = [*dict.fromkeys(points)]
    if len(shapes) > _COREML_SHAPES:
        raise UsageError(f"Core ML takes {_COREML_SHAPES} shapes of an input; {quote(name)} has {len(shapes)}")
    return f"ct.EnumeratedShapes([{', '.join(map(str, shapes))}], default={points[1]})"


def _ranges(t: TensorProfile) -> str:
    """Return the shape of an input with an interval for each size."""
    sizes = zip(t.min, t.opt, t.max, strict=True)
    parts = [str(low) if low == high else f"ct.RangeDim({low}, {high}, {usual})" for low, usual, high in sizes]
    return f"ct.Shape({_tuple(parts)})"


def torch_tensorrt(profile: Profile) -> str:
    """Return the inputs for Torch-TensorRT."""
    if len(profile.boxes) > 1:
        raise UsageError("Torch-TensorRT takes one profile")
    (box,) = profile.boxes
    rows = []
    for name, t in {**box.inputs, **box.values}.items():
        sizes = [numbers({name: t}, point)[name] for point in ("min", "opt", "max")]
        shapes = f"shape={sizes[0]}"
        if sizes[0] != sizes[2]:
            shapes = "min_shape={}, opt_shape={}, max_shape={}".format(*sizes)
        elements = ", is_shape_tensor=True" if name in box.values else ""
        rows.append(f"    torch_tensorrt.Input({shapes}, dtype=torch.{t.dtype}{elements}, name={python(name)}),")
    return "\n".join(["import torch", "import torch_tensorrt", "", "inputs = [", *rows, "]"])


def torch_export(profile: Profile) -> str:
    """Return `dynamic_shapes` for `torch.export`: multiples of a `Dim`, and a separate `Dim` for any other size.

    Torch finds by itself how such a size depends on others; `Dim.AUTO` instead would refuse sizes of 1.
    """
    roots = _Roots(profile)
    rows: list[str] = []
    for name, t in one_box(profile).inputs.items():
        axes = [
            f"{a}: {roots.text(t, a)}" for a, (low, high) in enumerate(zip(t.min, t.max, strict=True)) if low != high
        ]
        rows.append(f"    {python(name)}: {{{', '.join(axes)}}}," if axes else f"    {python(name)}: None,")
    head = ["from torch.export import Dim", "", *roots.definitions.values()]
    return "\n".join([*head, "dynamic_shapes = {", *rows, "}"])


class _Roots:
    """Defines the `Dim` for each size: `height`, or `_height` with `height == 16*_height` if values are 16 apart."""

    def __init__(self, profile: Profile) -> None:
        self._symbols, self._steps = one_box(profile).symbols, one_box(profile).steps
        self._names: dict[str, str] = {}
        self.definitions: dict[str, str] = {}
        """The line that defines each name."""

    def text(self, t: TensorProfile, axis: int) -> str:
        """Return the text for the size of a tensor on an axis, such as `16*_height`."""
        size = t.sizes[axis]
        if size.factor < 1 or size.symbol not in self._symbols:
            remark = f"  {comment(size.expr)}"
            return self._define(size.name or "size", size.expr, t.min[axis] or 0, t.max[axis], remark)
        step, ends = self._steps.get(size.symbol, 1), self._symbols[size.symbol]
        low, high = ends.min[0] or 0, ends.max[0]
        root = ("_" if step > 1 else "") + size.symbol
        name = self._define(root, size.symbol, low // step, None if high is None else high // step)
        factor, offset = size.factor * step, size.factor * (low % step) + size.offset
        return (f"{factor}*" if factor != 1 else "") + name + (f" {'+-'[offset < 0]} {abs(offset)}" if offset else "")

    def _define(self, wanted: str, expr: str, low: int, high: int | None, remark: str = "") -> str:
        """Return the name of the `Dim` for an expression: `wanted`, made a unique Python identifier.

        The first call for an expression defines the `Dim` with these bounds.
        """
        if expr not in self._names:
            name = identifier(wanted)
            while name in self.definitions or name in ("Dim", "dynamic_shapes"):
                name += "_"
            end = "" if high is None else f", max={high}"
            self._names[expr], self.definitions[name] = name, f"{name} = Dim({python(name)}, min={low}{end}){remark}"
        return self._names[expr]


def _tuple(parts: list[str]) -> str:
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
