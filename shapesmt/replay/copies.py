"""Compare changed copies of a model with it, in runs on equal random data at several sizes.

The runs are those of ONNX Runtime's default session, or of onnx's reference evaluator if that isn't installed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from shapesmt.deadline import Deadline
from shapesmt.replay.loads import NEAR as NEAR_16_BITS, same_outputs
from shapesmt.replay.run import UNABLE_TO, Drawn, Filled, Runtime
from shapesmt.replay.tasks import answer_tasks

if TYPE_CHECKING:
    import onnx

NEAR = 1e-4
"""The difference of two numbers that counts as none, as a fraction of the largest element."""
WEIGHTS = 1 << 28
"""Bytes; a model with larger weights isn't run."""
ENOUGH = 2
"""Runs of the original after which its time limit counts."""
PART = 0.15
"""The part of the seconds for all runs after which the original is run at no further size."""
INTEGERS = (1000, 60, 8)
"""Bounds below which integers are drawn; the first with which the model runs, as an index has to be in its table."""

Feeds: TypeAlias = Mapping[str, Filled]


class Copies:
    """Runs a model at several sizes, and compares changed copies of it there.

    Args:
        deadline: When to give up.
        seconds: The seconds that all runs may take; after a part of them, the original is run at no further size.
        model: The original.
        folder: The folder of its external data; None if there is none.
        feeds: Its inputs at each size.
    """

    def __init__(
        self, deadline: Deadline, seconds: float, model: onnx.ModelProto, folder: str | None, feeds: Sequence[Feeds]
    ) -> None:
        self._runtime = Runtime(deadline, "copies")
        self._deadline, self._left = deadline, seconds
        self._about = model.SerializeToString(), folder, [*feeds], seconds * PART
        self._started = False
        self.ran: list[int] = []
        """The indices of the sizes at which the original ran, with outputs that don't vary from run to run."""

    def start(self) -> None:
        """Run the original.

        Raises:
            CutError: There is no time.
            ChildProcessError: The runtime crashes.
        """
        self._started = False
        self.ran = self._ask("original", *self._about)
        self._started = True

    def compare(self, copy: onnx.ModelProto, others: Sequence[Feeds]) -> str:
        """Return how a copy differs from the original, or why it stops there or on the inputs `others`; "" if neither.

        Raises:
            CutError: There is no time.
        """
        try:
            if not self._started:
                self.start()
            return str(self._ask("copy", copy.SerializeToString(), self._about[1], [*others]))
        except ChildProcessError as ended:
            self._started = False
            return str(ended)

    def _ask(self, *task: object) -> Any:
        """Return the process's answer in the seconds that are left."""
        self._runtime.deadline, began = self._deadline.within(self._left), time.monotonic()
        try:
            return self._runtime.ask(*task)
        finally:
            self._left -= time.monotonic() - began

    def close(self) -> None:
        """End the process."""
        self._runtime.__exit__()


def with_weights(model: onnx.ModelProto, folder: str | None) -> onnx.ModelProto | None:
    """Return the model with random floats for those in external files that aren't there.

    None if it is too large to be run, or if other numbers are missing.
    """
    import numpy as np
    from onnx import external_data_helper, numpy_helper
    from onnx.helper import tensor_dtype_to_np_dtype

    copy, random = type(model)(), np.random.default_rng(0)
    if model.ByteSize() + sum(4 * prod(t.dims) for t in model.graph.initializer if t.external_data) > WEIGHTS:
        return None
    copy.CopyFrom(model)
    for tensor in copy.graph.initializer:
        if not external_data_helper.uses_external_data(tensor):
            continue
        file = external_data_helper.ExternalDataInfo(tensor).location
        if folder is not None and (Path(folder) / file).is_file():
            continue
        kind = np.dtype(tensor_dtype_to_np_dtype(tensor.data_type))
        if kind.kind != "f":
            return None
        some = (random.standard_normal(1 << 12) / 16).astype(kind)
        tensor.CopyFrom(numpy_helper.from_array(np.resize(some, tuple(tensor.dims)), tensor.name))
    return copy


def serve() -> None:
    """Run as the separate process, which keeps the original's outputs between its tasks."""
    with suppress(ImportError):
        import onnxruntime

        onnxruntime.set_default_logger_severity(4)
    worker = Worker()
    answer_tasks("copies", lambda task, *about: getattr(worker, task)(*about))


class Worker:
    """The process's side: runs the original and its copies."""

    def __init__(self) -> None:
        self._known: list[tuple[dict[str, Any], list[Any]]] = []
        self._errors: set[str] = set()

    def original(self, model: bytes, folder: str | None, feeds: Sequence[Feeds], seconds: float) -> list[int]:
        """Run the original on inputs of several sizes; return the indices of those at which it runs."""
        self._known.clear()
        self._errors.clear()
        end, ran, bounds = time.monotonic() + seconds, list[int](), dict[str, int]()
        try:
            session = _session(model, folder)
        except Exception as error:  # any exception means that it doesn't run
            self._errors.add(_text(error))
            return []
        for index, one in enumerate(feeds):
            if len(ran) >= ENOUGH and time.monotonic() > end:
                break
            runs = [*self._runs(session, one, bounds)]
            self._known += runs
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

    def copy(self, model: bytes, folder: str | None, others: Sequence[Feeds]) -> str:
        """Return how a copy differs on the original's inputs, or why it stops there or on others; "" if neither."""
        try:
            session = _session(model, folder)
            for arrays, expected in self._known:
                outputs = session.run(None, arrays)
                for name, a, b in zip(_names(session), expected, outputs, strict=True):
                    if not same_outputs(a, b, NEAR_16_BITS if _is_short(a) else NEAR):
                        return f"the output {name} differs"
            for feeds in others:
                session.run(None, _arrays(feeds, {}))
        except Exception as error:  # any exception is the result
            text = _text(error)
            return "" if text in self._errors or (UNABLE_TO.search(text) and not self._known) else text
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
