"""Sliding windows along one axis, for the convolutions, pools and patches of every domain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import NamedTuple

from shapesmt.network import laws
from shapesmt.operators.rules import RuleContext
from shapesmt.prover.algebra import (
    MAX,
    ONE,
    Dim,
    as_dim,
    at_least,
    beyond,
    ceil_divide,
    make_atom,
    maximum,
    minimum,
    select,
)
from shapesmt.prover.algebra.numeric import MANTISSA, from_dim

SMALL_WINDOW = 3
EXACT = 1 << MANTISSA["float32"]  # float32 represents every integer below it


class Rounding(NamedTuple):
    """A formula for the number of positions if the stride doesn't divide the distance that the window can move.

    A `strict` window fits the padded input; any other may be larger by less than two strides.
    """

    places: Callable[[Window, Dim], Dim]
    strict: bool = True


class Window(NamedTuple):
    """A sliding window along one axis: on 9 elements, a kernel of 3 with stride 2 has 4 positions, at 0, 2, 4 and 6.

    `head` and `tail` are the padding before and after the axis. With `same`, the padding is such that an axis of
    `size` elements has `ceil(size / stride)` positions.
    """

    kernel: Dim
    stride: int
    dilation: int
    head: int
    tail: Dim
    same: bool
    rounding: Rounding

    @property
    def extent(self) -> Dim:
        """The kernel's size with the gaps that dilation inserts."""
        return (self.kernel - 1) * self.dilation + 1

    def span(self, size: Dim) -> Dim:
        """Return how far the window can move over an input of size `size`; negative if it doesn't fit."""
        return size + (self.head + self.tail) - self.extent

    def places(self, size: Dim) -> Dim:
        """Return the number of positions along an axis of size `size`, if the window fits."""
        return ceil_divide(size, self.stride) if self.same else self.rounding.places(self, size)

    def positions(self, ctx: RuleContext, size: Dim, law: laws.Law = laws.WINDOW_FITS) -> Dim:
        """Return the number of positions along an axis of size `size`; require that the window fits."""
        if not self.same:
            slack = 0 if self.rounding.strict else 2 * self.stride - 1
            ctx.require_at_least(size + (self.head + self.tail), self.extent - slack, law)
        return self.places(size)

    def reach(self, size: Dim) -> Dim:
        """Return how many elements `size` positions cover: the output size of an unpadded transposed convolution."""
        return (size - 1) * self.stride + self.extent


def _down(window: Window, size: Dim) -> Dim:
    return window.span(size) // window.stride + 1


def _up(window: Window, size: Dim) -> Dim:
    return ceil_divide(window.span(size), window.stride) + 1


def _up_inside(window: Window, size: Dim) -> Dim:
    count = _up(window, size)
    behind = at_least((count - 1) * window.stride, size + window.head)
    return select(behind, count - 1, count)


def _up_before_end(window: Window, size: Dim) -> Dim:
    span, stride, edge = window.span(size), window.stride, size + window.head
    near = minimum(ceil_divide(span, stride), (edge - 1) // stride) + 1
    if exact(span):
        return near
    steps = quotient(maximum(span, EXACT), stride, up=True)
    return select(at_least(span, EXACT), select(at_least(steps * stride, edge), steps, steps + 1), near)


def quotient(span: Dim, step: Dim | int, *, up: bool = False) -> Dim:
    """Return `span / step` rounded down, or up, as runtimes compute it in float32."""
    near = ceil_divide(span, step) if up else span // step
    if exact(span):
        return near
    share = from_dim(maximum(span, EXACT), "float32") / from_dim(step, "float32")
    return select(at_least(span, EXACT), (share.ceil() if up else share.floor()).to_int(), near)


def exact(span: Dim) -> bool:
    """Whether float32 represents every value of `span`; True also if `span` has no upper bound."""
    return span.hi < EXACT or span.hi == inf


def _towards_zero(window: Window, size: Dim) -> Dim:
    """Return `span / stride + 1`: a window that is too large by less than a stride still has one position.

    Inputs below their declared range run too. For a window of more than 3 the formula covers them; for smaller ones,
    which shrink a map step by step, it stays short.
    """
    span, stride = window.span(size), window.stride
    if span.lo >= 0 and (window.kernel.constant or 0) > SMALL_WINDOW and -stride < beyond(span).lo < 0:
        return make_atom(MAX, (span // stride + 1, ONE))
    return maximum(span // stride + 1, minimum(ceil_divide(span, stride) + 1, 1))


DOWN = Rounding(_down)
UP = Rounding(_up)  # the last window may stick out
UP_INSIDE = Rounding(_up_inside)  # as UP, but a window begins inside the input or the padding before it
UP_BEFORE_END = Rounding(_up_before_end, strict=False)  # as UP_INSIDE, as ONNX Runtime's pools compute it
TOWARDS_ZERO = Rounding(_towards_zero, strict=False)
OR_NONE = Rounding(lambda window, size: maximum(_down(window, size), 0), strict=False)  # none if the window doesn't fit


def sliding(
    kernel: Sequence[Dim | int],
    strides: Sequence[int],
    dilations: Sequence[int],
    pads: tuple[Sequence[int], Sequence[int]] | None = None,
    rounding: Rounding = DOWN,
    *,
    same: bool = False,
) -> list[Window]:
    """Return the window along each axis; `pads` has the padding before and after each axis, 0 if it is None."""
    heads, tails = pads or ([0] * len(kernel), [0] * len(kernel))
    each = zip(map(as_dim, kernel), strides, dilations, heads, map(as_dim, tails), strict=True)
    return [Window(*axis, same, rounding) for axis in each]
