"""Short-time Fourier transforms, which split signals into frames."""

from __future__ import annotations

from shapesmt import laws
from shapesmt.algebra import Dim
from shapesmt.ops.shared.require import require_least
from shapesmt.ops.torch.call import Call, operator
from shapesmt.ops.torch.linear.decompositions import COMPLEX, REAL
from shapesmt.rules import Tensor, tensor


def steps_of(call: Call) -> tuple[int, int]:
    """Return the length of a frame and the step between frames; require that the window fits a frame."""
    length = call.integer("n_fft")
    step = call.integer("hop_length") if "hop_length" in call else length // 4
    size = call.integer("win_length") if "win_length" in call else length
    call.ctx.check(length > 0, laws.FRAME_NOT_EMPTY)
    call.ctx.check(step > 0, laws.FRAME_STEP_POSITIVE)
    call.ctx.check(0 < size <= length, laws.WINDOW_NO_LONGER_THAN_FRAME)
    call.require_vector("window", size, laws.WINDOW_HAS_ITS_LENGTH)
    return length, step


def halved(call: Call, length: int, *, real: bool) -> int:
    """Return the number of frequencies; one-sided by default for real signals."""
    onesided = call.flag("onesided") if "onesided" in call else real
    call.ctx.check(real or not onesided, laws.HALVED_FREQUENCIES_OF_REAL_SIGNALS)
    return length // 2 + 1 if onesided else length


@operator("stft.default", "stft.center")
def stft(call: Call) -> Tensor:
    """Transform frames: `[n, samples] -> [n, frequencies, frames]`; `center` pads half a frame on both sides."""
    ctx, x, (length, step) = call.ctx, call.tensor("self"), steps_of(call)
    ctx.check(x.rank in (1, 2), laws.RANK_1_OR_2.of(rank=x.rank))
    samples: Dim = x[-1]
    ctx.require_at_least(x[0], 1, laws.SIGNAL_NOT_EMPTY)
    if "center" in call and call.flag("center"):
        if call.text("pad_mode") == "reflect":
            ctx.require_at_least(samples, length // 2 + 1, laws.REFLECTED_PADS_SHORTER_THAN_AXIS)
        samples = samples + 2 * (length // 2)
    ctx.require_at_least(samples, length, laws.FRAME_FITS_SIGNAL)
    if "align_to_window" in call and call.flag("align_to_window"):
        call.open("align_to_window")
    window = call.optional("window")
    real = all(t is None or t.dtype not in REAL for t in (x, window))
    shape: list[Dim | int] = [*x.dims[:-1], halved(call, length, real=real), (samples - length) // step + 1]
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
