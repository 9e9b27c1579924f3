"""A module exported as `torch.export` does, with what was asked of each size; PyTorch's refusal becomes one line."""

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
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any

from shapesmt.errors import ModelError, UsageError, pass_on, printable
from shapesmt.graph import Place

__all__ = ["Exported", "Request", "exported", "quiet", "request"]

_MAPPINGS = (dict, OrderedDict, defaultdict)
_MOST = 400  # characters of PyTorch's message
_SUGGESTED = "Suggested fixes:"


@dataclass(frozen=True, eq=False)
class Request:
    """A module, and the arguments with which it is exported."""

    module: Any
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    dynamic_shapes: Any = None
    """As `torch.export.export` takes them; None for `Dim.AUTO` wherever there is a size."""

    @property
    def source(self) -> str:
        """The module's name in messages."""
        return f"<{printable(type(self.module).__name__, 60)}>"


def request(module: Any, args: Any = None, kwargs: Any = None, dynamic_shapes: Any = None) -> Request:
    """The request of a caller, who may leave out the tuple around a single argument.

    Raises:
        UsageError: The keywords are no mapping.
    """
    args = () if args is None else tuple(args) if isinstance(args, (tuple, list)) else (args,)
    if kwargs is not None and not isinstance(kwargs, Mapping):
        raise UsageError(f"kwargs maps names to arguments; it isn't {printable(repr(kwargs), 60)}")
    return Request(module, args, kwargs or {}, dynamic_shapes)


@dataclass(frozen=True, eq=False)
class Exported:
    """A program, and of which sizes the request wanted that they vary."""

    program: Any
    asked: Mapping[Place, bool] = field(default_factory=dict)
    """Inputs, each with an axis, and whether the request names it."""
    request: Request | None = None
    """The module that it comes from."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """The arguments as `forward` takes them, with the name of the input at each place."""
    example: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """The sizes with which it was exported."""
    fixed: tuple[str, ...] = ()
    """The inputs with axes of which none was to vary."""


def exported(request: Request) -> Exported:
    """The program of a module.

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
        except Exception as error:  # whatever it raises is its refusal
            pass_on(error)
            raise ModelError(f"{request.source}: torch.export refuses it: {_refusal(error)}") from None
    given = shapes if isinstance(shapes, Mapping) else dict(zip(arguments, shapes or (), strict=False))
    pairs = [*_pairs(arguments, given)]
    specs = [spec.arg for spec in program.graph_signature.input_specs if spec.kind.name == "USER_INPUT"]
    inputs = [arg.name for arg in specs if type(arg).__name__ == "TensorArgument"]
    named = [(name, *pair) for name, pair in zip(inputs, pairs, strict=False)]
    fixed = [name for name, tensor, spec in named if tensor.dim() and not _wanted(spec)]
    asked = {(name, axis): request.dynamic_shapes is not None for name, _, spec in named for axis in _wanted(spec)}
    example = {name: tuple(map(int, tensor.shape)) for name, tensor, _ in named}
    return Exported(program, asked, request, _nested(arguments, iter(inputs)), example, tuple(fixed))


def _bound(request: Request) -> dict[str, Any]:
    """The arguments by the names of `forward`."""
    try:
        return dict(inspect.signature(request.module.forward).bind(*request.args, **request.kwargs).arguments)
    except TypeError as error:
        raise UsageError(
            f"{request.source}: args and kwargs are an example of what forward takes: {printable(str(error), 120)}"
        ) from None


def _everything(request: Request, arguments: Mapping[str, Any]) -> Any:
    """`Dim.AUTO` for each axis of each tensor."""
    import torch

    shapes = torch.export.ShapesCollection()
    for tensor, _ in _pairs(arguments, {}):
        if tensor.dim():
            shapes[tensor] = dict.fromkeys(range(tensor.dim()), torch.export.Dim.AUTO)
    return shapes.dynamic_shapes(request.module, request.args, dict(request.kwargs))


def _pairs(value: Any, shapes: Any) -> Iterator[tuple[Any, Any]]:
    """The tensors among arguments, each with what is asked of its sizes."""
    if hasattr(value, "dtype") and hasattr(value, "dim"):
        yield value, shapes
    for key, part in _parts(value).items():
        if isinstance(shapes, Mapping):
            yield from _pairs(part, shapes.get(key))
        else:
            listed = shapes if isinstance(shapes, Sequence) else ()
            yield from _pairs(part, listed[key] if isinstance(key, int) and key < len(listed) else None)


def _parts(value: Any) -> dict[Any, Any]:
    """The parts of an argument as PyTorch takes it apart: those of a dictionary by key, of another class by place."""
    from torch.utils import _pytree

    parts, spec = _pytree.tree_flatten(value, is_leaf=lambda part: part is not value)
    if spec.is_leaf():
        return {}
    return dict(zip(value if type(value) in _MAPPINGS else range(len(parts)), parts, strict=True))


def _nested(value: Any, names: Iterator[str]) -> Any:
    """Arguments with a name in place of each tensor, and "" in place of anything else."""
    if hasattr(value, "dtype") and hasattr(value, "dim"):
        return next(names, "")
    parts = {key: _nested(part, names) for key, part in _parts(value).items()}
    if type(value) in _MAPPINGS:
        return parts
    if isinstance(value, tuple):
        return type(value)(*parts.values()) if hasattr(value, "_fields") else tuple(parts.values())
    return [*parts.values()] if parts or isinstance(value, list) else ""


def _wanted(spec: Any) -> list[int]:
    """The axes that are to vary.

    >>> _wanted({0: 8, 1: None}), _wanted(None)
    ([], [])
    """
    pairs = spec.items() if isinstance(spec, Mapping) else enumerate(spec) if isinstance(spec, Sequence) else ()
    return [
        axis for axis, size in pairs if size is not None and not isinstance(size, int) and "STATIC" not in str(size)
    ]


@contextmanager
def quiet() -> Iterator[None]:
    """Without what PyTorch logs, prints to standard error and warns of inside."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings(), redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def _refusal(error: BaseException) -> str:
    """PyTorch's reason in one line, with the line of Python at which it stopped."""
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
    """A hint for the reason why PyTorch refused to export; "" where none is known."""
    if "data-dependent" in reason:
        return "torch.cond, torch.where or torch._check say it without reading data in Python"
    if "Constraints violated" in reason:
        again = "give an example whose sizes are 2 or more, or " if re.search(r"constant \([01]\)", reason) else ""
        return f"{again}ask shapesmt.dynamic_shapes which sizes may vary"
    return ""


def _line(error: BaseException) -> str:
    """The innermost line outside PyTorch among those that the export ran; "" where there is none."""
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
