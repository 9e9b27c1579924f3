"""Write profiles for compilers that take an interval for every size."""

from __future__ import annotations

from shapesmt.base.errors import UsageError
from shapesmt.network.declarations import quote
from shapesmt.reports.answers import Profile, TensorProfile
from shapesmt.reports.export.profiles.sizes import one_box
from shapesmt.reports.render import comment, json_text, mlir, python, shell

_MLIR = {
    **{f"int{bits}": f"i{bits}" for bits in (2, 4, 8, 16, 32, 64)},
    **{f"uint{bits}": f"ui{bits}" for bits in (2, 4, 8, 16, 32, 64)},
    "bool": "i1",
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
    "complex64": "complex<f32>",
    "complex128": "complex<f64>",
    "float8e4m3fn": "f8E4M3FN",
    "float8e5m2": "f8E5M2",
}


def openvino(profile: Profile) -> str:
    """Return the call that reshapes an OpenVINO model, and its converter's command as a comment."""
    shapes = {name: _intervals(t, "..", "..") for name, t in one_box(profile).inputs.items()}
    command = shell("ovc", profile.model, "--input", ",".join(f"{name}[{s}]" for name, s in shapes.items()))
    rows = [f'    {python(name)}: ov.PartialShape("[{shape}]"),' for name, shape in shapes.items()]
    return "\n".join([comment(command), "import openvino as ov", "", "model.reshape({", *rows, "})"])


def model_server(profile: Profile) -> str:
    """Return the option `--shape` for OpenVINO's model server."""
    shapes = {name: f"({_intervals(t, ':', None)})" for name, t in one_box(profile).inputs.items()}
    text = json_text(shapes) if len(shapes) > 1 else next(iter(shapes.values()), "")
    return shell("--shape", text)


def _intervals(t: TensorProfile, between: str, endless: str | None) -> str:
    """Return sizes as intervals with `between` between the bounds: `1..32,3`, where a constant size is one number.

    An unbounded size is its minimum and `endless` (`1..`), or -1 if `endless` is None.
    """
    texts = []
    for low, high in zip(t.min, t.max, strict=True):
        if high is None:
            texts.append("-1" if endless is None else f"{low}{endless}")
        else:
            texts.append(str(low) if low == high else f"{low}{between}{high}")
    return ",".join(texts)


def stablehlo(profile: Profile) -> str:
    """Return the type of each input, with upper bounds as its encoding; a name that MLIR can't have is in a comment."""
    names: dict[str, str] = {}
    for name in (inputs := one_box(profile).inputs):
        own = mlir(name)
        while own in names.values():
            own += "_"
        names[name] = own
    told = {name: "" if own == name else f"  {comment(name, '//')}" for name, own in names.items()}
    return "\n".join(f"%{names[name]}: {_type(name, t)}{told[name]}" for name, t in inputs.items())


def _type(name: str, t: TensorProfile) -> str:
    if t.dtype not in _MLIR:
        raise UsageError(f"StableHLO has no type for {t.dtype}, that of {quote(name)}")
    ends = list(zip(t.min, t.max, strict=True))
    shape = "".join(f"{low if low == high else '?'}x" for low, high in ends)
    bounds = ["?" if high is None or low == high else str(high) for low, high in ends]
    known = any(bound != "?" for bound in bounds)
    return f"tensor<{shape}{_MLIR[t.dtype]}{', #stablehlo.bounds<' + ', '.join(bounds) + '>' if known else ''}>"
