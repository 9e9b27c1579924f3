"""Compare changed copies of a model with it, in runs on equal random data at several sizes.

The runs are those of ONNX Runtime's default session, or of onnx's reference evaluator if that isn't installed.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shapesmt.base.deadline import Deadline, spend
from shapesmt.tasks.replay.cut import CutError
from shapesmt.tasks.replay.run import UNABLE_TO, Runtime
from shapesmt.tasks.replay.worker import Feeds

if TYPE_CHECKING:
    import onnx

WEIGHTS = 1 << 28
"""Bytes; a model with larger weights isn't run."""
PART = 0.15
"""The part of the processor time for all runs after which the original is run at no further size."""


class Copies:
    """Runs a model at several sizes, and compares changed copies of it there.

    Args:
        deadline: When to give up.
        seconds: The seconds of processor time after which no further copy is run; after a part of them, the original is
            run at no further size.
        model: The original.
        folder: The folder of its external data; None if there is none.
        feeds: Its inputs at each size.
    """

    def __init__(
        self, deadline: Deadline, seconds: float, model: onnx.ModelProto, folder: str | None, feeds: Sequence[Feeds]
    ) -> None:
        self._runtime = Runtime(deadline, "worker")
        self._left = seconds
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

    def compare(self, copy: onnx.ModelProto, others: Sequence[Feeds], but: frozenset[int] = frozenset()) -> str:
        """Return how a copy differs from the original, or why it stops there or on the inputs `others`; "" if neither.

        At the sizes of indices `but`, it only has to run.

        Raises:
            CutError: There is no time.
        """
        try:
            if not self._started:
                self.start()
            message = str(self._ask("copy", copy.SerializeToString(), self._about[1], [*others], but))
        except ChildProcessError as ended:
            self._started = False
            message = str(ended)
        return "" if UNABLE_TO.search(message) and not self.ran else message

    def _ask(self, *task: object) -> Any:
        """Return the process's answer, if processor time is left for it."""
        if self._left <= 0:
            raise CutError("no processor time is left for it")
        answer, seconds = self._runtime.ask(*task)
        self._left -= seconds
        spend(seconds)
        return answer

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
