"""Calls to judge: those that PyTorch's own tests make of its operators, valid and refused, recorded as they run."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch._dispatch.python import enable_pre_dispatch, enable_python_dispatcher
from torch.fx.experimental.proxy_tensor import ProxyTorchDispatchMode, PythonKeyTracer
from torch.utils._pytree import tree_leaves

from tests.oracle.torch.calls import Call, Fed, bound
from tests.oracle.torch.written import DIRECT, WRITTEN

FEW = 64  # elements that a call keeps
DTYPES = (torch.float32, torch.int64, torch.bool, torch.complex64)


class Recorder(ProxyTorchDispatchMode):
    """Keeps each operator that is called, with its arguments, as an export sees them."""

    def __init__(self) -> None:
        super().__init__(PythonKeyTracer(), "real", pre_dispatch=True)
        self.calls: list[Call] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        call = _call(func, args, kwargs or {})
        result = None
        try:
            result = func(*args, **(kwargs or {}))
        finally:
            if call is not None:
                self.calls.append(_counted(call, result))
        return result


def recorded(run: Callable[[], Any]) -> list[Call]:
    """The calls that a function makes until it ends, or fails."""
    recorder = Recorder()
    try:
        with warnings.catch_warnings(), enable_python_dispatcher(), enable_pre_dispatch(), recorder:
            warnings.simplefilter("ignore")
            run()
    except Exception:
        return recorder.calls
    return recorder.calls


def _call(func: Any, args: Any, kwargs: Mapping[str, Any]) -> Call | None:
    op = str(func)
    arguments = bound(op, args, kwargs)
    if arguments is None:
        return None
    try:
        return Call(op, {name: plain(value) for name, value in arguments.items() if value is not None})
    except TypeError:
        return None


def plain(value: Any) -> Any:
    """An argument without anything of PyTorch's."""
    if isinstance(value, torch.Tensor):
        whole = not value.is_floating_point() and not value.is_complex()
        kept = (
            tuple(value.flatten().tolist())
            if whole and value.layout is torch.strided and value.numel() <= FEW
            else None
        )
        return Fed(named(value.dtype), tuple(value.shape), kept)
    if isinstance(value, (list, tuple)):
        return tuple(map(plain, value))
    if isinstance(value, (bool, int, float, str)) or value is None:
        return value
    if isinstance(value, (torch.dtype, torch.memory_format, torch.layout)):
        return str(value).removeprefix("torch.")
    if isinstance(value, torch.device):
        return value.type
    raise TypeError(f"{type(value).__name__} is no argument of a program")


def named(dtype: torch.dtype) -> str:
    """The name of an element type."""
    return str(dtype).removeprefix("torch.")


def _counted(call: Call, result: Any) -> Call:
    """The call with the number of tensors that it gives; one where it fails."""
    count = len(tree_leaves(result))
    return Call(call.op, call.arguments, count) if count else call


def written() -> Iterator[Call]:
    """The calls written by hand."""
    yield from itertools.chain(*(recorded(call) for call in WRITTEN), DIRECT)


def sampled(name: str, most: int = 1000) -> Iterator[Call]:
    """The calls of PyTorch's samples and examples of errors of an operator, at most so many of each element type."""
    from torch.testing._internal.common_methods_invocations import op_db

    for info in op_db:
        if info.name == name:
            yield from _of_info(info, most)


def samples(info: Any, most: int) -> Iterator[Any]:
    """The arguments of PyTorch's samples of an operator, at most so many of each element type."""
    torch.manual_seed(0)
    for dtype in DTYPES:
        if dtype in info.supported_dtypes("cpu"):
            yield from itertools.islice(_tried(lambda d=dtype: info.sample_inputs("cpu", d)), most)


def _of_info(info: Any, most: int) -> Iterator[Call]:
    ways = [way for way in (info.op, info.method_variant, info.inplace_variant) if way is not None]
    for sample in samples(info, most):
        for way in ways:
            yield from recorded(lambda w=way, s=sample: w(s.input, *s.args, **s.kwargs))
    if info.error_inputs_func is not None:
        for error in _tried(lambda: info.error_inputs("cpu")):
            s = error.sample_input
            yield from recorded(lambda s=s: info.op(s.input, *s.args, **s.kwargs))


def _tried(make: Callable[[], Any]) -> Iterator[Any]:
    """What a generator gives until it fails."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield from make()
    except Exception:
        return
