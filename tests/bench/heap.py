"""The bytes that ONNX Runtime has on the heap while it runs a model, counted by a preloaded library.

Optimizations, the arena and the memory pattern are off and nodes run in the file's order, so that what is counted is
what tensors and kernels take; else the session is as users have it. Without a compiler for C, or elsewhere than on
Linux, nothing is measured.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
import onnx

from tests.bench.inputs import Sizes, fed

SOURCE = Path(__file__).with_name("heap.c")
_WORKER = "from tests.bench.heap import serve; serve()"


def measurable() -> bool:
    """Whether the heap can be measured here."""
    return sys.platform == "linux" and shutil.which("cc") is not None


class Heap:
    """A model in a process of its own, which says what a run takes.

    Attributes:
        default: Whether the session is as users have it, and runs four times.
    """

    def __init__(self, model: onnx.ModelProto, *, default: bool = False) -> None:
        self._model, self._default = model, default

    def __enter__(self) -> Heap:
        self._folder = tempfile.TemporaryDirectory()
        library = Path(self._folder.name, "heap.so")
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", str(library), str(SOURCE)], check=True)
        environment = {**os.environ, "LD_PRELOAD": str(library)}
        self._process = subprocess.Popen(
            [sys.executable, "-c", _WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        self._send((self._model.SerializeToString(), self._default))
        return self

    def __exit__(self, *_: object) -> None:
        cast("IO[bytes]", self._process.stdin).close()
        self._process.wait()
        self._folder.cleanup()

    def _send(self, task: object) -> None:
        pickle.dump(task, cast("IO[bytes]", self._process.stdin))
        cast("IO[bytes]", self._process.stdin).flush()

    def most(self, sizes: Sizes) -> int | None:
        """The most bytes while it runs at these sizes; None where it refuses them."""
        self._send(dict(sizes))
        return cast("int | None", pickle.load(cast("IO[bytes]", self._process.stdout)))


def serve() -> None:
    """Run the model that comes first at the sizes that follow."""
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)
    heap: Any = ctypes.CDLL(None)
    heap.heap_reset.restype = heap.heap_most.restype = ctypes.c_longlong
    data, default = pickle.load(sys.stdin.buffer)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    if not default:
        options.enable_cpu_mem_arena = options.enable_mem_pattern = False
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.execution_order = onnxruntime.ExecutionOrder.PRIORITY_BASED  # that of the file
    session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    graph = onnx.load_model_from_string(data).graph
    while True:
        try:
            sizes = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        most = _most(session, fed(graph, sizes), heap, 4 if default else 1)
        pickle.dump(most, sys.stdout.buffer)
        sys.stdout.buffer.flush()


def _most(session: Any, feeds: dict[str, np.ndarray[Any, Any]], heap: Any, runs: int) -> int | None:
    before = heap.heap_reset()
    try:
        for _ in range(runs):
            session.run(None, feeds)
    except Exception:  # what ONNX Runtime refuses, it refuses in many ways
        return None
    return int(heap.heap_most() - before)
