"""The process that runs models and returns ONNX Runtime's messages. It imports little, since each replay starts it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shapesmt.tasks.replay.loads import WRITTEN, session_of, short
from shapesmt.tasks.replay.outputs import Drawn, Filled, same_outputs
from shapesmt.tasks.replay.tasks import answer_tasks


def serve() -> None:
    """Run as the separate process: read models and inputs from standard input, write the runtime's messages."""
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)
    kinds: dict[int, Callable[..., str]] = {2: _complaint, 3: _refusal, 4: _complaint}
    answer_tasks(f"onnxruntime {onnxruntime.__version__}", lambda *task: kinds.get(len(task), _difference)(*task))


def _complaint(model: bytes, feeds: dict[str, Filled] | None, folder: str | None = None, session: str = WRITTEN) -> str:
    """Return the error of a session; "" if the model runs (without feeds: if it is loaded)."""
    if feeds is None:
        return _loading_error(model, folder)
    try:
        _outputs(model, feeds, folder, session)
    except Exception as error:  # any exception is the result
        return f"{type(error).__name__}: {error}" if isinstance(error, MemoryError) else str(error) or repr(error)
    return ""


def _refusal(copy: bytes, original: bytes, folder: str | None) -> str:
    """Return the runtime's error on loading `copy`; "" if it loads it, or refuses `original` too."""
    reason = _loading_error(copy, folder)
    return "" if not reason or _loading_error(original, folder) else reason


def _loading_error(model: bytes, folder: str | None) -> str:
    try:
        session_of(model, folder)
    except Exception as error:  # any exception is the result
        return short(str(error))
    return ""


def _difference(model: bytes, copy: bytes, feeds: dict[str, Filled], folder: str | None, near: float) -> str:
    """Return how a model's copy differs from it on the same inputs; "" if both give the same bits, or both fail.

    With `near`, numbers may differ by this fraction of the largest one.
    """
    before, after = _run_or_error(model, feeds, folder), _run_or_error(copy, feeds, folder)
    if isinstance(before, str) or isinstance(after, str):
        same = isinstance(before, str) and isinstance(after, str)
        return "" if same else f"only one of the two runs: {before if isinstance(before, str) else after}"
    names = [name for name, a in before.items() if not same_outputs(a, after[name], near)]
    again = _run_or_error(model, feeds, folder) if names else before
    if not isinstance(again, dict) or not all(same_outputs(a, again[name]) for name, a in before.items()):
        return ""  # the model's outputs vary: it has random operators or reads uninitialised memory
    return f"the output {names[0]} differs" if names else ""


def _run_or_error(model: bytes, feeds: dict[str, Filled], folder: str | None) -> dict[str, Any] | str:
    """Return the model's outputs, or the runtime's error."""
    try:
        return _outputs(model, feeds, folder)
    except Exception as error:  # any exception is the result
        return short(str(error))


def _outputs(model: bytes, feeds: dict[str, Filled], folder: str | None = None, kind: str = WRITTEN) -> dict[str, Any]:
    """Return the model's outputs, in the default session if asked; external data is in `folder`."""
    import numpy as np

    session = session_of(model, folder, kind)
    arrays = {}
    for name, (dtype, shape, content) in feeds.items():
        if dtype == "string":
            arrays[name] = np.full(shape, "a", object)
        elif isinstance(content, Drawn):
            numbers = np.random.default_rng(content.seed)
            drawn = numbers.standard_normal(shape) if "float" in dtype else numbers.integers(0, 2, shape)
            arrays[name] = drawn.astype(dtype)
        elif isinstance(content, tuple):
            arrays[name] = np.array(content, dtype).reshape(shape)
        else:
            arrays[name] = np.full(shape, content, dtype)
    return dict(zip([o.name for o in session.get_outputs()], session.run(None, arrays), strict=True))
