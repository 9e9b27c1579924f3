"""Constants of OpenVINO's graphs."""

from __future__ import annotations

import numpy as np
from openvino import opset15 as op


def ints(*values, dtype=np.int64):
    return op.constant(np.array(values, dtype))


def floats(*values):
    return op.constant(np.array(values, np.float32))


def scalar(value, dtype=np.int64):
    return op.constant(np.array(value, dtype))


def zeros(*shape):
    return op.constant(np.zeros(shape, np.float32))
