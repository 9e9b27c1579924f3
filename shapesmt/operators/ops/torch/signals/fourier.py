"""Fourier transforms along one axis or several, or of the frames of a signal."""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.network import laws
from shapesmt.operators.ops.shared.require import complete_sizes, require_least
from shapesmt.operators.ops.torch.call import Call, operator
from shapesmt.operators.ops.torch.linear.decompositions import COMPLEX, REAL
from shapesmt.operators.rules import Tensor, tensor
from shapesmt.prover.algebra import Dim, all_of, any_of, at_least, equal

HALVED = ("rfft", "ihfft")
"""Transforms of real numbers that return only half of the symmetric last axis."""
DOUBLED = ("irfft", "hfft")
"""Inverses of the transforms in `HALVED`."""


def named_axes(call: Call, x: Tensor) -> tuple[int, ...]:
    """Return the axes in `dim`, counted from the front; they may repeat."""
    return tuple(call.ctx.normal(axis, x.rank) for axis in call.integers("dim"))


def require_signal(call: Call, x: Tensor, axes: tuple[int, ...], result: Sequence[Dim] = ()) -> None:
    """Require that the tensor which is transformed along `axes` isn't empty.

    PyTorch 2.15 and later require it only along `axes`; of a decomposed transform, only if the `result` isn't empty.
    """
    full = all_of(*(at_least(d, 1) for d in (x.dims if axes else ())))
    if result:
        needed = any_of(full, *(equal(d, 0) for d in result))
    else:
        needed = all_of(*(at_least(x[axis], 1) for axis in axes))
    old = call.before(215)
    call.ctx.require(full if old else needed, laws.SIGNAL_NOT_EMPTY)
    if old is None:
        call.open_if_broken(full, laws.SIGNAL_NOT_EMPTY)


def transform(call: Call, x: Tensor, axes: tuple[int, ...], sizes: list[Dim]) -> Tensor:
    """Return the transform of `x` along `axes`, each cut or padded to its entry in `sizes` first."""
    name = call.ctx.node.op.split(".")[1].removeprefix("fft_").rstrip("2n")
    for axis, size in zip(axes, sizes, strict=True):
        x = x.replace(axis, size)
    require_signal(call, x, axes)
    if name in HALVED and axes:
        x = x.replace(axes[-1], sizes[-1] // 2 + 1)
    dtype = {"int64": "float32", "bool": "float32"}.get(x.dtype, x.dtype)
    return tensor(REAL.get(dtype, dtype) if name in DOUBLED else COMPLEX.get(dtype, dtype), x.dims)


def own_size(call: Call, x: Tensor, axis: int, *, last: bool = True) -> Dim:
    """Return the size of `axis`; for the last axis of a half spectrum, the size of the whole: `2*(n - 1)`."""
    name = call.ctx.node.op.split(".")[1].removeprefix("fft_").rstrip("2n")
    return 2 * (x[axis] - 1) if name in DOUBLED and last else x[axis]


@operator(*(f"fft_{name}.default" for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")))
def fft(call: Call) -> Tensor:
    """Compute the Fourier transform along one axis."""
    x = call.tensor("self")
    axis = call.ctx.normal(call.integer("dim"), x.rank)
    [size] = complete_sizes(call.ctx, [call.size("n")]) if "n" in call else [own_size(call, x, axis)]
    return transform(call, x, (axis,), [size])


A_TRANSFORMED_AXIS = laws.SM405.law("there is an axis to transform")


@operator(*(f"fft_{name}{many}.default" for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft") for many in "2n"))
def fftn(call: Call) -> Tensor:
    """Compute the Fourier transform along several axes: the axes in `dim`, the last ones with sizes `s`, or all."""
    ctx, x = call.ctx, call.tensor("self")
    asked = call.sizes("s") if "s" in call else []
    listed = call.integers("dim") if "dim" in call else tuple(range(-len(asked) if asked else -x.rank, 0))
    axes = ctx.normals(listed, x.rank)
    ctx.check(len(asked) in (0, len(axes)), laws.SIZE_PER_RESIZED_AXIS)
    if not axes:
        ctx.check("rfft" not in ctx.node.op and "hfft" not in ctx.node.op, A_TRANSFORMED_AXIS)
    own = [own_size(call, x, axis, last=i == len(axes) - 1) for i, axis in enumerate(axes)]
    given = [size if size is None or size.constant != -1 else own[i] for i, size in enumerate(asked)]
    return transform(call, x, axes, complete_sizes(ctx, given) if asked else own)


@operator("fft_fftshift.default", "fft_ifftshift.default", "_fft_c2c.default")
def complex_to_complex(call: Call) -> Tensor:
    """Transform complex numbers, or reorder the frequencies; the shape is unchanged."""
    x = call.tensor("self")
    axes = named_axes(call, x)
    if "c2c" in call.ctx.node.op:
        require_signal(call, x, axes, x.dims)
    return tensor(x.dtype, x.dims)


# Decomposed transforms


@operator("_fft_r2c.default")
def real_to_complex(call: Call) -> Tensor:
    """Transform real numbers; one-sided results keep half of the last axis."""
    x = call.tensor("self")
    axes = named_axes(call, x)
    dims = x.replace(axes[-1], x[axes[-1]] // 2 + 1).dims if call.flag("onesided") and axes else x.dims
    require_signal(call, x, axes, dims)
    return tensor(COMPLEX.get(x.dtype, x.dtype), dims)


@operator("_fft_c2r.default")
def complex_to_real(call: Call) -> Tensor:
    """Transform complex numbers to real ones; the last axis gets the requested size."""
    x, [size] = call.tensor("self"), complete_sizes(call.ctx, [call.size("last_dim_size")])
    axes = named_axes(call, x)
    if not axes:
        call.open("dim")
    call.require_if(call.before(215), at_least(size, 1), laws.LENGTH_POSITIVE)
    last, dims = x[axes[-1]], x.replace(axes[-1], size).dims
    require_signal(call, x, axes, dims)
    empty = [equal(d, 0) for d in dims] if call.since(215) else []
    fits = any_of(equal(last, size), equal(last, size // 2 + 1), *empty)
    call.open_if_broken(fits, laws.BINS_AS_MANY_AS_FRAME_HAS)
    return tensor(REAL.get(x.dtype, x.dtype), dims)


# Short-time transforms, which split signals into frames


WINDOW_HAS_ITS_LENGTH = laws.SM201.law("the window has the length that is given")


def steps_of(call: Call) -> tuple[int, int]:
    """Return the length of a frame and the step between frames; require that the window fits a frame."""
    length = call.integer("n_fft")
    step = call.integer("hop_length") if "hop_length" in call else length // 4
    size = call.integer("win_length") if "win_length" in call else length
    call.ctx.check(length > 0, laws.FRAME_NOT_EMPTY)
    call.ctx.check(step > 0, laws.FRAME_STEP_POSITIVE)
    call.ctx.check(0 < size <= length, laws.WINDOW_NO_LONGER_THAN_FRAME)
    call.require_vector("window", size, WINDOW_HAS_ITS_LENGTH)
    return length, step


HALVED_FREQUENCIES_OF_REAL_SIGNALS = laws.SM207.law("half of the frequencies is enough for real signals only")


def frequency_count(call: Call, length: int, *, real: bool) -> int:
    """Return the number of frequencies of `length` elements: `length // 2 + 1` if one-sided, the default for `real`."""
    onesided = call.flag("onesided") if "onesided" in call else real
    call.ctx.check(real or not onesided, HALVED_FREQUENCIES_OF_REAL_SIGNALS)
    return length // 2 + 1 if onesided else length


@operator("stft.default", "stft.center")
def stft(call: Call) -> Tensor:
    """Transform frames: `[n, samples] -> [n, frequencies, frames]`; `center` pads half a frame on both sides."""
    ctx, x, (length, step) = call.ctx, call.tensor("self"), steps_of(call)
    ctx.check(x.rank in (1, 2), laws.RANK_1_OR_2.of(rank=x.rank))
    samples: Dim = x[-1]
    centered = "center" in call and call.flag("center")
    reflected = centered and call.text("pad_mode") == "reflect"
    call.require_if(x.rank == 1 or reflected or call.before(215), at_least(x[0], 1), laws.SIGNAL_NOT_EMPTY)
    if centered:
        if reflected:
            ctx.require_at_least(samples, length // 2 + 1, laws.REFLECTED_PADS_SHORTER_THAN_AXIS)
        samples = samples + 2 * (length // 2)
    ctx.require_at_least(samples, length, laws.FRAME_FITS_SIGNAL)
    if "align_to_window" in call and call.flag("align_to_window"):
        call.open("align_to_window")
    window = call.optional("window")
    real = all(t is None or t.dtype not in REAL for t in (x, window))
    shape: list[Dim | int] = [*x.dims[:-1], frequency_count(call, length, real=real), (samples - length) // step + 1]
    ctx.check("return_complex" in call or not real, laws.ATTRIBUTE_GIVEN.of(name="return_complex"))
    whole = call.flag("return_complex") if "return_complex" in call else True
    return tensor(COMPLEX.get(x.dtype, x.dtype), shape) if whole else tensor(REAL.get(x.dtype, x.dtype), [*shape, 2])


@operator("istft.default")
def istft(call: Call) -> Tensor:
    """Invert frames: `[n, frequencies, frames] -> [n, samples]`; undecided, as it depends on the window's elements."""
    ctx, x, (length, _) = call.ctx, call.tensor("self"), steps_of(call)
    ctx.check(x.rank in (2, 3), laws.RANK_2_OR_3.of(rank=x.rank))
    require_least(ctx, x.dims, 1, laws.SIGNAL_NOT_EMPTY)
    onesided = call.flag("onesided") if "onesided" in call else True
    ctx.require_equal(x[-2], length // 2 + 1 if onesided else length, laws.BINS_AS_MANY_AS_FRAME_HAS)
    call.open("window")
