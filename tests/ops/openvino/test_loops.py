"""OpenVINO's loops and iterators against its own execution, over all small sizes."""

from __future__ import annotations

import pytest

pytest.importorskip("openvino", reason="openvino (an extra) isn't installed")

from tests.support.openvino_loops import (
    backward_iterator,
    counted_loop,
    growing_iterator,
    growing_loop,
    partial_iterator,
)


@pytest.mark.parametrize(("start", "end", "stride"), [(1, -1, 1), (-2, 0, -1), (0, 2, 2), (1, -2, 2), (-1, 1, -2)])
def test_loops_over_a_part_of_an_axis(start, end, stride, agree):
    agree(partial_iterator(start, end, stride), "[2,1..5,4]", "[2,4]")


def test_a_state_of_an_iterator_keeps_its_shape(agree):
    agree(growing_iterator, "[2,2..4,4]", "[1..2,4]")
    agree(backward_iterator, "[2,1..3,4]", "[1..2,4]")


def test_loops(agree):
    agree(growing_loop, "[1..3,2]")
    agree(counted_loop(2), "[2,1..4,4]", "[1..2,4]")
    agree(backward_iterator, "[2,1..4,4]", "[2,4]")
