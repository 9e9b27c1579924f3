"""Loops and iterators as OpenVINO builds them."""

from __future__ import annotations

import numpy as np
from openvino import Model, opset15 as op

from tests.support.openvino_values import ints, scalar


def column(x):
    return op.squeeze(x, ints(1))


def counted_loop(trips):
    """Return a function that builds a Loop of `trips` iterations; its state grows by a row of the input in each.

    The loop also stacks the rows that it has read.
    """

    def build(x, start):
        row, grown = (op.parameter(shape, np.float32) for shape in ([-1, 1, 4], [-1, 4]))
        trip = op.parameter([1], np.int64)
        longer, again = op.concat([grown, column(row)], 0), op.unsqueeze(column(row), ints(1))
        body = Model([op.result(n) for n in (longer, again, op.constant(np.array(True)))], [row, grown, trip])
        loop = op.loop(scalar(trips), op.constant(np.array(True)))
        loop.set_function(body)
        loop.set_special_body_ports([2, 2])
        loop.set_sliced_input(row, x.output(0), 0, 1, 1, -1, 1)
        loop.set_merged_input(grown, start.output(0), longer.output(0))
        joined = loop.get_concatenated_slices(again.output(0), 0, 1, 1, -1, 1)
        return [loop.get_iter_value(longer.output(0), -1), joined]

    return build


def growing_loop(x):
    """Return the final state of a Loop of three iterations, which grows by a tensor from outside the loop in each."""
    grown, shared = (op.parameter([-1, 2], np.float32) for _ in range(2))
    longer = op.concat([grown, shared], 0)
    loop = op.loop(scalar(3), op.constant(np.array(True)))
    loop.set_function(Model([op.result(longer), op.result(op.constant(np.array(True)))], [grown, shared]))
    loop.set_special_body_ports([-1, 1])
    loop.set_merged_input(grown, x.output(0), longer.output(0))
    loop.set_invariant_input(shared, x.output(0))
    return [loop.get_iter_value(longer.output(0), -1)]


def backward_iterator(x, start):
    """Return the sum over the input's rows, from the last row to the first, and the stacked running sums."""
    row, so_far = (op.parameter(shape, np.float32) for shape in ([-1, 1, 4], [-1, 4]))
    total = op.add(so_far, column(row))
    each = op.unsqueeze(total, ints(1))
    loop = op.tensor_iterator()
    loop.set_body(Model([op.result(total), op.result(each)], [row, so_far]))
    loop.set_sliced_input(row, x.output(0), -1, -1, 1, 0, 1)
    loop.set_merged_input(so_far, start.output(0), total.output(0))
    return [loop.get_iter_value(total.output(0), -1), loop.get_concatenated_slices(each.output(0), 0, 1, 1, -1, 1)]


def partial_iterator(start, end, stride):
    """Return a function that builds a running sum over the input's rows from `start` to `end`."""

    def build(x, state):
        rows, so_far = op.parameter([-1, abs(stride), 4], np.float32), op.parameter([-1, 4], np.float32)
        total = op.add(so_far, op.reduce_sum(rows, ints(1), False))
        loop = op.tensor_iterator()
        loop.set_body(Model([op.result(total), op.result(rows)], [rows, so_far]))
        loop.set_sliced_input(rows, x.output(0), start, stride, abs(stride), end, 1)
        loop.set_merged_input(so_far, state.output(0), total.output(0))
        again = loop.get_concatenated_slices(rows.output(0), 0, abs(stride), abs(stride), -1, 1)
        return [loop.get_iter_value(total.output(0), -1), again]

    return build


def growing_iterator(x, start):
    """Return the final state of an iterator that grows by a row of the input in each iteration.

    OpenVINO doesn't always accept a state that grows.
    """
    row, grown = (op.parameter(shape, np.float32) for shape in ([-1, 1, 4], [-1, 4]))
    longer = op.concat([grown, column(row)], 0)
    loop = op.tensor_iterator()
    loop.set_body(Model([op.result(longer)], [row, grown]))
    loop.set_sliced_input(row, x.output(0), 0, 1, 1, -1, 1)
    loop.set_merged_input(grown, start.output(0), longer.output(0))
    return [loop.get_iter_value(longer.output(0), -1)]
