"""Windows over images, resizing, sampling, recurrent layers and spectra."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod

import numpy as np

from tests.oracle.second.node import Node, Operators, T, Undecided, counted, need

op = Operators()

# Windows


def windows(n: Node, sizes: Sequence[int], kernel: Sequence[int], ceil: bool = False) -> tuple[int, ...]:
    """How many places a window has on each axis: `floor((size + pads - reach) / stride + 1)`."""
    count = len(sizes)
    strides, dilations = n.get("strides") or [1] * count, n.get("dilations") or [1] * count
    pads, auto = n.get("pads") or [0] * (2 * count), n.get("auto_pad", "NOTSET")
    need(len(kernel) == len(strides) == len(dilations) == count and len(pads) == 2 * count, "a number for each axis")
    need(min([*strides, *dilations, *kernel], default=1) >= 1 and min(pads, default=0) >= 0, "numbers are positive")
    found = []
    for i, size in enumerate(sizes):
        reach = (kernel[i] - 1) * dilations[i] + 1
        if auto in ("SAME_UPPER", "SAME_LOWER"):
            found.append(-(-size // strides[i]))
            continue
        around = 0 if auto == "VALID" else pads[i] + pads[count + i]
        room = size + around - reach
        places = -(-room // strides[i]) + 1 if ceil else room // strides[i] + 1
        need(places >= 0, "the window is larger than the padded axis")
        if ceil and (places - 1) * strides[i] >= size + pads[i]:  # it would begin in the padding behind
            places -= 1
        found.append(places)
    return tuple(found)


def _convolved(n: Node, x: T, w: T, bias: int) -> T:
    group, kernel = n.get("group", 1), n.get("kernel_shape") or list(w.shape[2:])
    need(x.rank >= 3 and w.rank == x.rank, "images and filters have one rank")
    need(list(w.shape[2:]) == list(kernel), "kernel_shape is that of the filters")
    need(group >= 1 and x.shape[1] == w.shape[1] * group and w.shape[0] % group == 0, "channels and groups")
    need(not n.has(bias) or n[bias].shape == (w.shape[0],), "a bias for each filter")
    return T(x.dtype, (x.shape[0], w.shape[0], *windows(n, x.shape[2:], kernel)))


@op("Conv")
def conv(n: Node) -> T:
    """A convolution."""
    return _convolved(n, n[0], n[1], 2)


@op("ConvInteger")
def conv_integer(n: Node) -> T:
    """A convolution of integers."""
    return _convolved(n, n[0], n[1], 9)._replace(dtype="int32")


@op("QLinearConv")
def qlinear_conv(n: Node) -> T:
    """A convolution of quantized images."""
    return _convolved(n, n[0], n[3], 8)._replace(dtype=n[7].dtype)


@op("ConvTranspose")
def conv_transpose(n: Node) -> T:
    """`stride * (size - 1) + output_padding + reach - pads`, or the output's shape that is asked for."""
    x, w, group, count = n[0], n[1], n.get("group", 1), n[0].rank - 2
    need(x.rank >= 3 and w.rank == x.rank and group >= 1, "images and filters have one rank")
    need(x.shape[1] == w.shape[0] and w.shape[0] % group == 0, "channels and groups")
    channels = w.shape[1] * group
    need(not n.has(2) or n[2].shape == (channels,), "a bias for each channel")
    kernel = n.get("kernel_shape") or list(w.shape[2:])
    need(list(w.shape[2:]) == list(kernel), "kernel_shape is that of the filters")
    strides, dilations = n.get("strides") or [1] * count, n.get("dilations") or [1] * count
    more, pads = n.get("output_padding") or [0] * count, n.get("pads") or [0] * (2 * count)
    need(len(kernel) == len(strides) == len(dilations) == len(more) == count and len(pads) == 2 * count, "lengths")
    auto, asked = n.get("auto_pad", "NOTSET"), n.get("output_shape")
    if asked:
        return T(x.dtype, (x.shape[0], channels, *asked[-count:]))
    sizes = []
    for i, size in enumerate(x.shape[2:]):
        around = 0 if auto == "VALID" else pads[i] + pads[count + i]
        full = strides[i] * (size - 1) + more[i] + (kernel[i] - 1) * dilations[i] + 1
        sizes.append(size * strides[i] if auto.startswith("SAME") else full - around)
    need(min(sizes, default=0) >= 0, "a size is negative")
    return T(x.dtype, (x.shape[0], channels, *sizes))


@op("MaxPool", "AveragePool", "LpPool")
def pool(n: Node) -> list[T]:
    """A window over each channel."""
    need(n[0].rank >= 3, "images have 3 axes or more")
    kernel = n.get("kernel_shape")
    need(kernel is not None and len(kernel) == n[0].rank - 2, "a size for each axis")
    places = windows(n, n[0].shape[2:], kernel, n.get("ceil_mode", 0) == 1)
    shape = (*n[0].shape[:2], *places)
    return [T(n[0].dtype, shape), T("int64", shape)]


@op("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
def global_pool(n: Node) -> T:
    """One place for each channel."""
    need(n[0].rank >= 3, "images have 3 axes or more")
    return T(n[0].dtype, n[0].shape[:2] + (1,) * (n[0].rank - 2))


@op("Col2Im")
def columns_to_image(n: Node) -> T:
    """`[n, c * block, places]` becomes `[n, c, *image]`."""
    image, block = n.numbers(1) or [], n.numbers(2) or []
    need(n[0].rank == 3 and len(image) == len(block) and min([*image, *block], default=1) >= 1, "columns")
    batch, channels, count = n[0].shape
    need(channels % prod(block) == 0, "channels split into blocks")
    need(prod(windows(n, image, block)) == count, "a column for each place")
    return T(n[0].dtype, (batch, channels // prod(block), *image))


# Sizes and samples


@op("Resize", "Upsample")
def resize(n: Node) -> T:
    """`floor(size * scale)`, in the float32 of the scales, or the sizes that are asked for."""
    x = n[0]
    old = n.op == "Upsample" or n.version < 11
    scales = n[1 if old else 2] if n.has(1 if old else 2) and n[1 if old else 2].shape != (0,) else None
    axes = [counted(a, x.rank) for a in n.get("axes", range(x.rank))]
    shape = list(x.shape)
    if scales is None and "scales" not in n.attributes:
        sizes = n.numbers(3)
        need(sizes is not None and len(sizes) == len(axes), "a size for each axis")
        if n.get("keep_aspect_ratio_policy", "stretch") != "stretch":
            sizes = _kept_ratio(n, sizes or [], [x.shape[a] for a in axes])
        for axis, size in zip(axes, sizes or [], strict=True):
            need(size >= 0 and (size == 0 or x.shape[axis] > 0), "a size out of nothing")
            shape[axis] = size
        return T(x.dtype, tuple(shape))
    need(not n.has(3) or n[3].shape == (0,), "scales and sizes together")
    if scales is not None and scales.value is None:
        raise Undecided("the scales")
    factors = n.attributes["scales"] if scales is None else np.ravel(scales.value).tolist()
    need(len(factors) == len(axes) and all(f > 0 for f in factors), "a positive scale for each axis")
    for axis, factor in zip(axes, factors, strict=True):
        shape[axis] = int(np.float32(factor) * np.float32(x.shape[axis]))
    return T(x.dtype, tuple(shape))


def _kept_ratio(n: Node, sizes: Sequence[int], before: Sequence[int]) -> list[int]:
    need(all(before), "a ratio of nothing")
    ratios = [Fraction(a, b) for a, b in zip(sizes, before, strict=True)]
    scale = min(ratios) if n.get("keep_aspect_ratio_policy") == "not_larger" else max(ratios)
    return [int(scale * b + Fraction(1, 2)) for b in before]


@op("GridSample")
def grid_sample(n: Node) -> T:
    """`[n, c, ...]` sampled at `[n, ..., axes]`."""
    need(n[1].rank == n[0].rank >= 3 and n[1].shape[-1] == n[0].rank - 2, "a place on each axis")
    need(n[0].shape[0] == n[1].shape[0], "batches differ")
    return T(n[0].dtype, n[0].shape[:2] + n[1].shape[1:-1])


@op("RoiAlign")
def roi_align(n: Node) -> T:
    """`[regions, c, height, width]`."""
    need(n[0].rank == 4 and n[1].rank == 2 and n[1].shape[1] == 4 and n[2].shape == n[1].shape[:1], "regions")
    images = [] if n[2].value is None else np.ravel(n[2].value).tolist()
    need(all(0 <= image < n[0].shape[0] for image in images), "a region is in an image")
    size = n.get("output_height", 1), n.get("output_width", 1)
    need(min(*size, n.get("sampling_ratio", 0)) >= 0, "a number is negative")
    return T(n[0].dtype, (n[1].shape[0], n[0].shape[1], *size))


@op("MaxRoiPool")
def max_roi_pool(n: Node) -> T:
    """`[regions, c, *pooled_shape]`."""
    need(n[0].rank == 4 and n[1].rank == 2 and n[1].shape[1] == 5, "regions")
    size = n.get("pooled_shape")
    need(size is not None, "the size of a region is given")
    return T(n[0].dtype, (n[1].shape[0], n[0].shape[1], *size))


@op("AffineGrid")
def affine_grid(n: Node) -> T:
    """`[n, ..., axes]` for a size `[n, c, ...]`."""
    size = n.numbers(1) or []
    need(len(size) in (4, 5) and n[0].shape == (size[0], len(size) - 2, len(size) - 1), "a transform for each image")
    return T(n[0].dtype, (size[0], *size[2:], len(size) - 2))


# Recurrent layers


@op("LSTM", "GRU", "RNN")
def recurrent(n: Node) -> list[T]:
    """`[time, batch, input]`: all states, and the last ones."""
    gates, cell = {"LSTM": 4, "GRU": 3, "RNN": 1}[n.op], n.op == "LSTM"
    directions = 2 if n.get("direction", "forward") == "bidirectional" else 1
    hidden, layout = n.get("hidden_size"), n.get("layout", 0)
    need(n[0].rank == n[1].rank == n[2].rank == 3 and hidden, "the rank is 3")
    time, batch, width = (n[0].shape[1], n[0].shape[0], n[0].shape[2]) if layout else n[0].shape
    need(n[1].shape == (directions, gates * hidden, width), "W")
    need(n[2].shape == (directions, gates * hidden, hidden), "R")
    need(not n.has(3) or n[3].shape == (directions, 2 * gates * hidden), "B")
    need(not n.has(4) or n[4].shape == (batch,), "a length for each sample")
    if n.has(4) and n[4].value is not None:
        need(((n[4].value >= 0) & (n[4].value <= time)).all(), "a length is outside the time")
    state = (batch, directions, hidden) if layout else (directions, batch, hidden)
    need(all(n[i].shape == state for i in ((5, 6) if cell else (5,)) if n.has(i)), "an initial state")
    need(not n.has(7) or n[7].shape == (directions, 3 * hidden), "P")
    every = (batch, time, directions, hidden) if layout else (time, directions, batch, hidden)
    return [T(n[0].dtype, every), *[T(n[0].dtype, state)] * (2 if cell else 1)]


# Spectra


@op("DFT")
def spectrum(n: Node) -> T:
    """Pairs of numbers along a last axis; one axis gets another length, or half of it."""
    x = n[0]
    need(x.rank >= 2 and x.shape[-1] in (1, 2), "the last axis holds one number or two")
    axis = n.number(2, -2) if n.version >= 20 else n.get("axis", 1)
    axis = counted(axis, x.rank)
    need(axis != x.rank - 1, "the axis isn't that of the pairs")
    length = n.number(1) if n.has(1) else x.shape[axis]
    one, back = n.get("onesided", 0), n.get("inverse", 0)
    if one and (back or x.shape[-1] == 2):
        raise Undecided("a half of what has no symmetry")
    need(length >= 1, "the length is positive")
    return T(x.dtype, (*x.shape[:axis], length // 2 + 1 if one else length, *x.shape[axis + 1 : -1], 2))


@op("STFT")
def short_spectra(n: Node) -> T:
    """`[n, frames, bins, 2]` of signals `[n, length, 1 or 2]`."""
    x, step = n[0], n.number(1)
    need(x.rank == 3 and x.shape[2] in (1, 2), "signals")
    width = n.number(3) if n.has(3) else n[2].shape[0]
    need(not n.has(2) or n[2].shape == (width,), "the window is as long as a frame")
    need(step >= 1 and 1 <= width <= x.shape[1], "a frame fits the signal")
    bins = width // 2 + 1 if n.get("onesided", 1) else width
    return T(x.dtype, (x.shape[0], (x.shape[1] - width) // step + 1, bins, 2))
