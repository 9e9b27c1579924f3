"""Profiles for compilers that are called from Python."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from json import dumps

from shapesmt.errors import UsageError
from shapesmt.export.profiles.sizes import hull, numbers
from shapesmt.report import Profile, ProfileSize

__all__ = ["coreml", "onnxruntime", "torch_export", "torch_tensorrt", "tvm"]


def onnxruntime(profile: Profile) -> str:
    """One size for every dimension that the file names: the usual ones, which go together."""
    box = profile.boxes[0]
    named = [pair for t in box.inputs.values() for pair in zip(t.sizes, t.opt, strict=True)]
    fixed = {size.name: number for size, number in named if size.name}
    rows = [f"options.add_free_dimension_override_by_name({dumps(name)}, {n})" for name, n in fixed.items()]
    unnamed = [name for name, t in box.inputs.items() if any(not s.name and not s.fixed for s in t.sizes)]
    rows += [f"# {dumps(name)} has sizes without a name, which no override can set" for name in unnamed]
    return "\n".join(["import onnxruntime", "", "options = onnxruntime.SessionOptions()", *rows])


def tvm(profile: Profile) -> str:
    """The ends of every dimension that the file names, as attributes of TVM's function."""
    lows: dict[str, int | None] = {}
    highs: dict[str, int | None] = {}
    for t in hull(profile).values():
        for size, low, high in zip(t.sizes, t.min, t.max, strict=True):
            if size.name.isidentifier():
                lows[size.name], highs[size.name] = low, high
    ends = {"upper": {n: high for n, high in highs.items() if high is not None}, "lower": lows}
    rows = [f'mod["main"] = mod["main"].with_attr("tir_var_{end}_bound", {dumps(n)})' for end, n in ends.items() if n]
    return "\n".join(rows)


def coreml(profile: Profile) -> str:
    """The inputs for Core ML's converter: intervals, or the valid shapes where not every size inside is valid."""
    rows = [f"    ct.TensorType({dumps(name)}, shape={shape})," for name, shape in _coreml_shapes(profile)]
    return "\n".join(["import coremltools as ct", "", "inputs = [", *rows, "]"])


def _coreml_shapes(profile: Profile) -> Iterator[tuple[str, str]]:
    for name, t in hull(profile).items():
        if profile.assume and t.min != t.max:
            every = [
                numbers({name: box.inputs[name]}, point)[name]
                for box in profile.boxes
                for point in ("min", "opt", "max")
            ]
            shapes = ", ".join(str(shape) for shape in dict.fromkeys(every))
            yield name, f"ct.EnumeratedShapes([{shapes}], default={t.opt})"
        else:
            parts = [
                str(low) if low == high else f"ct.RangeDim({low}, {-1 if high is None else high}, {usual})"
                for low, usual, high in zip(t.min, t.opt, t.max, strict=True)
            ]
            yield name, f"ct.Shape({_tuple(parts)})"


def torch_tensorrt(profile: Profile) -> str:
    """The inputs for Torch-TensorRT."""
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
        rows.append(f"    torch_tensorrt.Input({shapes}, dtype=torch.{t.dtype}{elements}, name={dumps(name)}),")
    return "\n".join(["import torch", "import torch_tensorrt", "", "inputs = [", *rows, "]"])


def torch_export(profile: Profile) -> str:
    """`dynamic_shapes` for `torch.export`: what it can say is a multiple of a `Dim`, other sizes are left to it."""
    roots = _Roots(profile)
    rows: list[str] = []
    for name, t in hull(profile).items():
        open_axes = [(i, s) for i, (s, low, high) in enumerate(zip(t.sizes, t.min, t.max, strict=True)) if low != high]
        axes = [f"{axis}: {roots.text(size)}" for axis, size in open_axes]
        left = [size.expr for _, size in open_axes if roots.text(size) == "Dim.AUTO"]
        comment = f"  # AUTO: {', '.join(left)}" if left else ""
        rows.append(f"    {dumps(name)}: {{{', '.join(axes)}}},{comment}" if axes else f"    {dumps(name)}: None,")
    head = ["from torch.export import Dim", "", *roots.definitions()]
    return "\n".join([*head, "dynamic_shapes = {", *rows, "}"])


class _Roots:
    """The `Dim` behind each symbol: itself, or where its values are apart, `_height` of `height == 16*_height`."""

    def __init__(self, profile: Profile) -> None:
        self._ends: dict[str, tuple[int, int | None]] = {}
        self._steps: Mapping[str, int] = profile.boxes[0].steps
        for box in profile.boxes:
            for name, t in box.symbols.items():
                low, high = self._ends.get(name, (t.min[0], t.max[0]))
                tops = None if high is None or t.max[0] is None else max(high, t.max[0])
                self._ends[name] = min(low or 0, t.min[0] or 0), tops
        self._used: dict[str, str] = {}

    def text(self, size: ProfileSize) -> str:
        """A size as torch can say it."""
        step = self._steps.get(size.symbol, 1)
        if not size.symbol or size.factor < 1 or size.symbol not in self._ends:
            return "Dim.AUTO"
        rest = self._ends[size.symbol][0] % step
        name = self._variable(size.symbol, step)
        factor, offset = size.factor * step, size.factor * rest + size.offset
        return (f"{factor}*" if factor != 1 else "") + name + (f" {'+-'[offset < 0]} {abs(offset)}" if offset else "")

    def _variable(self, symbol: str, step: int) -> str:
        """The name of a symbol as Python can have it, and no other symbol has."""
        if symbol not in self._used:
            name = ("_" if step > 1 else "") + re.sub(r"\W", "_", symbol)
            name = name if name.isidentifier() else f"_{name}"
            while name in self._used.values() or name in ("Dim", "dynamic_shapes"):
                name += "_"
            self._used[symbol] = name
        return self._used[symbol]

    def definitions(self) -> Iterator[str]:
        """The lines that define what the texts use."""
        for symbol, name in self._used.items():
            (low, high), step = self._ends[symbol], self._steps.get(symbol, 1)
            end = "" if high is None else f", max={high // step}"
            yield f"{name} = Dim({dumps(name)}, min={low // step}{end})"


def _tuple(parts: list[str]) -> str:
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
