"""OpenVINO's reductions against its own execution, over all small sizes."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("openvino", reason="openvino (extra `peers`) isn't installed")

from openvino import opset15 as op

from tests.support.openvino_values import ints, scalar

FOLDS = ["reduce_l1", "reduce_l2", "reduce_max", "reduce_mean", "reduce_min", "reduce_prod", "reduce_sum"]


@pytest.mark.parametrize("name", FOLDS)
def test_folds(name, agree):
    fold = getattr(op, name)
    agree(lambda x: fold(x, ints(0, -1), True), "[1..2,1..3,2]")
    agree(lambda x: fold(x, scalar(1), False), "[1..2,1..3,2]")


def test_folds_of_truths(agree):
    agree(lambda x: op.reduce_logical_and(x, ints(1), False), "[1..2,1..3]", dtypes=["boolean"])
    agree(lambda x: op.reduce_logical_or(x, ints(1), True), "[1..2,1..3]", dtypes=["boolean"])


def test_nothing_to_fold(agree):
    agree(lambda x: op.reduce_mean(x, op.constant(np.zeros(0, np.int64)), True), "[1..2,1..3]")
