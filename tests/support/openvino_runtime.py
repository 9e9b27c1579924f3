"""OpenVINO on the CPU, as the tests run it."""

from __future__ import annotations

import openvino as ov

CORE = ov.Core()
SETTINGS = {"INFERENCE_PRECISION_HINT": "f32", "NUM_STREAMS": "1", "INFERENCE_NUM_THREADS": "2"}


def compiled(model: ov.Model) -> ov.CompiledModel:
    """Return the model compiled for two threads; with one, failing runs return empty tensors and raise nothing."""
    made = CORE.compile_model(model, "CPU", SETTINGS)
    assert made.get_property("INFERENCE_NUM_THREADS") > 1, "with one core OpenVINO tells no failure from a result"
    return made
