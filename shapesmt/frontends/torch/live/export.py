"""Export a module by `torch.export`, and record which sizes were to vary; PyTorch's refusal becomes one line."""

from __future__ import annotations

import inspect
import io
import linecache
import logging
import os
import re
import traceback
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr
from dataclasses import field
from itertools import takewhile
from pathlib import Path
from typing import Any

from shapesmt.base.errors import ModelError, UsageError, pass_on, printable
from shapesmt.base.frozen import frozen
from shapesmt.network.graph import Place

_MAPPINGS = (dict, OrderedDict, defaultdict)
_MOST = 400  # characters of PyTorch's message that are shown
_SUGGESTED = "Suggested fixes:"


@frozen(eq=False)
class Request:
    """A module, and the arguments for its export."""

    module: Any
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    dynamic_shapes: Any = None
    """The value for `torch.export.export`; None for `Dim.AUTO` on every axis."""

    @property
    def source(self) -> str:
        """The module's name in messages."""
        return f"<{printable(type(self.module).__name__, 60)}>"


def request(module: Any, args: Any = None, kwargs: Any = None, dynamic_shapes: Any = None) -> Request:
    """Return an export request; `args` that is no tuple or list is taken as the only argument.

    Raises:
        UsageError: `kwargs` isn't a mapping.
    """
    args = () if args is None else tuple(args) if isinstance(args, (tuple, list)) else (args,)
    if kwargs is not None and not isinstance(kwargs, Mapping):
        raise UsageError(f"kwargs maps names to arguments; it isn't {printable(repr(kwargs), 60)}")
    return Request(module, args, kwargs or {}, dynamic_shapes)


@frozen(eq=False)
class Exported:
    """A program, and the sizes that the request wanted to vary."""

    program: Any
    asked: Mapping[Place, bool] = field(default_factory=dict)
    """Inputs and axes that were to vary, with whether the request names them."""
    request: Request | None = None
    """The request that it comes from; None if the program was given."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """The arguments as `forward` takes them, with the name of the input in place of each tensor."""
    example: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """The sizes with which it was exported."""
    fixed: tuple[str, ...] = ()
    """The inputs that have axes, but none that was to vary."""


def export_module(request: Request) -> Exported:
    """Export a module to a program.

    Raises:
        ModelError: PyTorch refuses to export it.
        UsageError: The arguments aren't those of its `forward`.
    """
    import torch

    arguments = _bound(request)
    shapes = request.dynamic_shapes
    if shapes is None:
        shapes = _everything(request, arguments)
    with quiet():
        try:
            program = torch.export.export(
                request.module, request.args, dict(request.kwargs), dynamic_shapes=shapes, strict=False
            )
        except Exception as error:  # any exception is a refusal
            pass_on(error)
            raise ModelError(f"{request.source}: torch.export refuses it: {_refusal(error)}") from None
    given = shapes if isinstance(shapes, Mapping) else dict(zip(arguments, shapes or (), strict=False))
    pairs = [*_pairs(arguments, given)]
    specs = [spec.arg for spec in program.graph_signature.input_specs if spec.kind.name == "USER_INPUT"]
    inputs = [arg.name for arg in specs if type(arg).__name__ == "TensorArgument"]
    named = [(name, *pair) for name, pair in zip(inputs, pairs, strict=False)]
    fixed = [name for name, tensor, spec in named if tensor.dim() and not _varying_axes(spec)]
    asked = {
        (name, axis): request.dynamic_shapes is not None for name, _, spec in named for axis in _varying_axes(spec)
    }
    example = {name: tuple(map(int, tensor.shape)) for name, tensor, _ in named}
    return Exported(program, asked, request, _names_in_place(arguments, iter(inputs)), example, tuple(fixed))


def _bound(request: Request) -> dict[str, Any]:
    """Return the arguments by the names of `forward`."""
    try:
        return dict(inspect.signature(request.module.forward).bind(*request.args, **request.kwargs).arguments)
    except TypeError as error:
        raise UsageError(
            f"{request.source}: args and kwargs are an example of what forward takes: {printable(str(error), 120)}"
        ) from None


def _everything(request: Request, arguments: Mapping[str, Any]) -> Any:
    """Return `Dim.AUTO` for each axis of each tensor."""
    import torch

    shapes = torch.export.ShapesCollection()
    for tensor, _ in _pairs(arguments, {}):
        if tensor.dim():
            shapes[tensor] = dict.fromkeys(range(tensor.dim()), torch.export.Dim.AUTO)
    return shapes.dynamic_shapes(request.module, request.args, dict(request.kwargs))


def _pairs(value: Any, shapes: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the tensors among arguments, each with its entry in `dynamic_shapes`."""
    if hasattr(value, "dtype") and hasattr(value, "dim"):
        yield value, shapes
    for key, part in _parts(value).items():
        if isinstance(shapes, Mapping):
            yield from _pairs(part, shapes.get(key))
        else:
            listed = shapes if isinstance(shapes, Sequence) else ()
            yield from _pairs(part, listed[key] if isinstance(key, int) and key < len(listed) else None)


def _parts(value: Any) -> dict[Any, Any]:
    """Return the parts of an argument as PyTorch flattens it: by key for a dictionary, else by index."""
    from torch.utils import _pytree

    parts, spec = _pytree.tree_flatten(value, is_leaf=lambda part: part is not value)
    if spec.is_leaf():
        return {}
    return dict(zip(value if type(value) in _MAPPINGS else range(len(parts)), parts, strict=True))


def _names_in_place(value: Any, names: Iterator[str]) -> Any:
    """Return the arguments with a name in place of each tensor, and "" in place of any other leaf."""
    if hasattr(value, "dtype") and hasattr(value, "dim"):
        return next(names, "")
    parts = {key: _names_in_place(part, names) for key, part in _parts(value).items()}
    if type(value) in _MAPPINGS:
        return parts
    if isinstance(value, tuple):
        return type(value)(*parts.values()) if hasattr(value, "_fields") else tuple(parts.values())
    return [*parts.values()] if parts or isinstance(value, list) else ""


def _varying_axes(spec: Any) -> list[int]:
    """Return the axes that are to vary.

    >>> _varying_axes({0: 8, 1: None}), _varying_axes(None)
    ([], [])
    """
    pairs = spec.items() if isinstance(spec, Mapping) else enumerate(spec) if isinstance(spec, Sequence) else ()
    return [
        axis for axis, size in pairs if size is not None and not isinstance(size, int) and "STATIC" not in str(size)
    ]


@contextmanager
def quiet() -> Iterator[None]:
    """Suppress PyTorch's logs, warnings and output to standard error inside the block."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings(), redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def _refusal(error: BaseException) -> str:
    """Return PyTorch's reason in one line, with the line of Python at which it stopped."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    listed = [line.removeprefix("- ") for line in lines if line.startswith("- ")]
    reason = lines[0] if lines else type(error).__name__
    if listed:
        more = f" (and {len(listed) - 1} more)" if len(listed) > 1 else ""
        reason = reason.partition("! For more")[0] + f": {listed[0]}{more}"
    suggested = [
        *takewhile(lambda line: "=" in line, lines[lines.index(_SUGGESTED) + 1 :] if _SUGGESTED in lines else [])
    ]
    parts = [reason.rstrip("."), *([f"PyTorch suggests {', '.join(suggested)}"] if suggested else []), _help(reason)]
    where = _line(error)
    return "; ".join([printable(part, _MOST) for part in parts if part] + ([where] if where else []))


def _help(reason: str) -> str:
    """Return a hint for PyTorch's reason to refuse; "" if none is known."""
    if "data-dependent" in reason:
        return "torch.cond, torch.where or torch._check say it without reading data in Python"
    if "Constraints violated" in reason:
        again = "give an example whose sizes are 2 or more, or " if re.search(r"constant \([01]\)", reason) else ""
        return f"{again}ask shapesmt.dynamic_shapes which sizes may vary"
    return ""


def _line(error: BaseException) -> str:
    """Return the innermost line outside PyTorch that the export ran; "" if there is none."""
    import torch

    library = f"{Path(torch.__file__).parent}{os.sep}"
    frames = traceback.extract_tb(error.__traceback__)
    inside = [i for i, frame in enumerate(frames) if frame.filename.startswith(library)]
    own = [f for f in frames[inside[0] if inside else 0 :] if not f.filename.startswith((library, "<"))]
    if not own:
        return ""
    last = own[-1]
    code = (last.line or linecache.getline(last.filename, last.lineno or 0)).strip()
    return f"{printable(Path(last.filename).name, 80)}:{last.lineno} in {last.name}: {printable(code, 160)}"
