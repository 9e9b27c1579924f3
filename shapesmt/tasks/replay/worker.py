"""Worker: the process that runs a model and its changed copies, and compares their outputs.

It imports little, since each repair starts it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from shapesmt.tasks.replay.outputs import NEAR, Drawn, Filled, same_outputs
from shapesmt.tasks.replay.tasks import answer_tasks

CLOSE = 1e-4
"""The difference of two numbers that counts as none, as a fraction of the largest element."""
ENOUGH = 2
"""Runs of the original after which its time limit counts."""
INTEGERS = (1000, 60, 8)
"""Bounds below which integers are drawn; the first with which the model runs, as an index has to be in its table."""

Feeds: TypeAlias = Mapping[str, Filled]


def serve() -> None:
    """Run as the separate process, which keeps the original's outputs between its tasks."""
    with suppress(ImportError):
        import onnxruntime

        onnxruntime.set_default_logger_severity(4)
    worker = Worker()
    answer_tasks("copies", worker.answer)


class Worker:
    """The process's side: runs the original and its copies."""

    def __init__(self) -> None:
        self._known: list[tuple[int, dict[str, Any], list[Any]]] = []
        self._errors: set[str] = set()

    def answer(self, task: str, *about: Any) -> tuple[Any, float]:
        """Return the answer to a task, and the seconds of processor time that it took."""
        began = time.process_time()
        answer = getattr(self, task)(*about)
        return answer, time.process_time() - began

    def original(self, model: bytes, folder: str | None, feeds: Sequence[Feeds], seconds: float) -> list[int]:
        """Run the original on inputs of several sizes; return the indices of those at which it runs.

        After `seconds` of processor time, it is run at no further size.
        """
        self._known.clear()
        self._errors.clear()
        end, ran, bounds = time.process_time() + seconds, list[int](), dict[str, int]()
        try:
            session = _session(model, folder)
        except Exception as error:  # any exception means that it doesn't run
            self._errors.add(_text(error))
            return []
        for index, one in enumerate(feeds):
            if len(ran) >= ENOUGH and time.process_time() > end:
                break
            runs = [*self._runs(session, one, bounds)]
            self._known += [(index, *run) for run in runs]
            ran += [index] * bool(runs)
        return ran

    def _runs(self, session: Any, feeds: Feeds, bounds: dict[str, int]) -> Iterator[tuple[dict[str, Any], list[Any]]]:
        """Yield inputs with the outputs: integers of 0 and 1, then larger ones; `bounds` remembers their bounds."""
        names = [name for name, (dtype, _, content) in feeds.items() if "int" in dtype and isinstance(content, Drawn)]
        few = self._run(session, _arrays(feeds, {}))
        if few is not None:
            yield few
        for name in names if few is not None else ():
            tried = (high for high in INTEGERS if name not in bounds)
            runs = (high for high in tried if self._run(session, _arrays(feeds, {**bounds, name: high})) is not None)
            bounds.setdefault(name, next(runs, 2))
        many = self._run(session, _arrays(feeds, bounds, 1)) if any(bounds.get(name, 2) > 2 for name in names) else None
        if many is not None:
            yield many

    def copy(self, model: bytes, folder: str | None, others: Sequence[Feeds], but: frozenset[int] = frozenset()) -> str:
        """Return how a copy differs on the original's inputs, or why it stops there or on others; "" if neither.

        On inputs of the sizes `but`, it may have other outputs.
        """
        try:
            session = _session(model, folder)
            for index, arrays, expected in self._known:
                outputs = session.run(None, arrays)
                for name, a, b in zip(_names(session), expected, outputs, strict=True):
                    if index not in but and not same_outputs(a, b, NEAR if _is_short(a) else CLOSE):
                        return f"the output {name} differs"
            for feeds in others:
                session.run(None, _arrays(feeds, {}))
        except Exception as error:  # any exception is the result
            text = _text(error)
            return "" if text in self._errors else text
        return ""

    def _run(self, session: Any, arrays: dict[str, Any]) -> tuple[dict[str, Any], list[Any]] | None:
        """Return inputs with the outputs; None if the model fails, or its outputs vary or have no finite numbers."""
        try:
            outputs, again = session.run(None, arrays), session.run(None, arrays)
        except Exception as error:  # any exception means that it doesn't run
            self._errors.add(_text(error))
            return None
        if not all(same_outputs(a, b) for a, b in zip(outputs, again, strict=True)):
            return None
        return (arrays, outputs) if any(map(_tells, outputs)) else None


def _text(error: Exception) -> str:
    return " ".join(str(error).split()) or repr(error)


def _tells(output: Any) -> bool:
    """Whether an output can differ from another one: it isn't a tensor of NaNs only."""
    import numpy as np

    return getattr(getattr(output, "dtype", None), "kind", "") != "f" or bool(np.isfinite(output).any())


def _is_short(output: Any) -> bool:
    """Whether an output has 16-bit floats."""
    return str(getattr(output, "dtype", "")) in ("float16", "bfloat16")


def _session(model: bytes, folder: str | None) -> Any:
    """Return ONNX Runtime's default session, or the reference evaluator."""
    try:
        import onnxruntime
    except ImportError:
        import onnx
        from onnx.reference import ReferenceEvaluator

        proto = onnx.load_from_string(model)
        if folder is not None:
            onnx.load_external_data_for_model(proto, folder)
        return ReferenceEvaluator(proto)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1  # threads that wait for others take processor time
    if folder is not None:
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", folder)
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _names(session: Any) -> list[str]:
    return [*session.output_names] if hasattr(session, "output_names") else [o.name for o in session.get_outputs()]


def _arrays(feeds: Feeds, bounds: Mapping[str, int], seed: int = 0) -> dict[str, Any]:
    """Return the inputs as arrays; integers are drawn below `bounds`, or are 0 and 1."""
    import numpy as np

    random, arrays = np.random.default_rng(seed), {}
    for name, (dtype, shape, content) in feeds.items():
        if dtype == "string":
            arrays[name] = np.full(shape, "a", object)
        elif isinstance(content, Drawn):
            high = min(bounds.get(name, 2), np.iinfo(dtype).max) if "int" in dtype else 2
            drawn = random.standard_normal(shape) if "float" in dtype else random.integers(0, high, shape)
            arrays[name] = drawn.astype(dtype)
        else:
            arrays[name] = np.array(content, dtype).reshape(shape)
    return arrays
