"""Calls that break one law each, of PyTorch's operators: signals."""

from __future__ import annotations

from tests.oracle.torch.calls import b, c, f, i, op
from tests.support import laws

ROWS = [
    (laws.SIGNAL_NOT_EMPTY, op("fft_hfftn.default", self=f(1))),
    (laws.SIZE_PER_RESIZED_AXIS, op("fft_rfft2.default", self=i(5, 6, 7), s=(6,))),
    (laws.A_TRANSFORMED_AXIS, op("fft_hfftn.default", self=f())),
    (laws.FRAME_NOT_EMPTY, op("stft.default", self=f(110), n_fft=0, normalized=False, return_complex=False)),
    (laws.FRAME_STEP_POSITIVE, op("stft.default", self=f(110), n_fft=3, normalized=False, return_complex=False)),
    (
        laws.WINDOW_NO_LONGER_THAN_FRAME,
        op("stft.default", self=f(40), n_fft=8, hop_length=2, win_length=-2, window=f(8), return_complex=True),
    ),
    (
        laws.WINDOW_HAS_ITS_LENGTH,
        op("stft.default", self=f(40), n_fft=8, hop_length=2, win_length=3, window=f(8), return_complex=True),
    ),
    (
        laws.HALVED_FREQUENCIES_OF_REAL_SIGNALS,
        op("stft.default", self=c(40), n_fft=8, normalized=False, onesided=True, return_complex=True),
    ),
    (laws.ATTRIBUTE_GIVEN, op("stft.default", self=f(40), n_fft=8, normalized=False)),
    (laws.ELEMENT_TYPE, op("multinomial.default", self=i(2, 3), num_samples=2)),
    (laws.CLASSES_TO_DRAW_FROM, op("multinomial.default", self=f((1 << 24) + 1), num_samples=2)),
    (laws.RANK_1_OR_2, op("stft.default", self=f(), n_fft=10, normalized=False, return_complex=False)),
    (laws.FRAME_FITS_SIGNAL, op("stft.default", self=f(1), n_fft=10, normalized=False, return_complex=False)),
    (laws.RANK_2_OR_3, op("istft.default", self=c(), n_fft=10, center=True, normalized=False, onesided=True)),
    (laws.SIGNAL_NOT_EMPTY, op("istft.default", self=c(6, 0), n_fft=10, center=True, normalized=False, onesided=True)),
    (
        laws.BINS_AS_MANY_AS_FRAME_HAS,
        op("istft.default", self=c(6, 4), n_fft=9, center=True, normalized=False, onesided=True),
    ),
    (laws.PLACE_PER_SAMPLE, op("cumulative_trapezoid.x", y=f(2, 3), x=f(2), dim=1)),
    (laws.SIZES_NOT_NEGATIVE, op("randn.default", size=(3, -2), dtype="float32")),
    (laws.RANK_1_OR_2, op("multinomial.default", self=f(dtype="float64"), num_samples=3)),
    (laws.A_NUMBER, op("multinomial.default", self=f(2, dtype="float64"), num_samples=0)),
    (laws.K_AT_MOST_AXIS, op("multinomial.default", self=f(2, dtype="float64"), num_samples=3)),
    (laws.A_CLASS_TO_DRAW, op("multinomial.default", self=f(0), num_samples=2, replacement=True)),
    (
        laws.REFLECTED_PADS_SHORTER_THAN_AXIS,
        op(
            "stft.center",
            self=f(2, 20),
            n_fft=99,
            hop_length=4,
            win_length=8,
            window=f(8),
            center=True,
            pad_mode="reflect",
            normalized=False,
            onesided=True,
            return_complex=True,
        ),
    ),
    (laws.DEVIATION_NOT_NEGATIVE, op("normal.float_float", mean=0.0, std=-1.0, size=(3,))),
    (laws.SIZES_NOT_NEGATIVE, op("randperm.default", n=-1)),
    (laws.NAMED_ATTRIBUTE_NOT_NEGATIVE, op("diff.default", self=f(3), n=-1)),
    (laws.JOINED_MATCH_OFF_AXIS, op("diff.default", self=f(2, 3), prepend=f(3, 1))),
    (laws.ATTRIBUTE_ONE_OF, op("gradient.scalarint", 1, self=f(4), edge_order=3)),
    (laws.NUMBER_PER_AXIS, op("gradient.scalarrayarray", 2, self=f(4, 4), spacing=(1.0,), dim=(0, 1))),
    (laws.SAMPLES_FOR_SLOPE, op("gradient.scalarint", 1, self=f(1))),
    (laws.SAMPLES_ARE_NUMBERS, op("trapezoid.dx", y=b(3))),
    (laws.PLACE_PER_SAMPLE, op("trapezoid.x", y=f(2, 3), x=f(2))),
    (laws.PARAMETER_POSITIVE, op("cauchy_.default", self=f(3), median=0.0, sigma=0.0)),
    (laws.CHANCE_FROM_0_TO_1, op("bernoulli.p", self=f(3), p=1.5)),
    (laws.CHANCE_FROM_0_TO_1, op("geometric_.default", self=f(3), p=1.0)),
    (laws.RANGE_ENDS_NO_LOWER, op("uniform_.default", self=f(3), **{"from": 2.0, "to": 1.0})),
    (laws.A_NUMBER_TO_DRAW, op("randint.default", high=0, size=(3,))),
]

OLDER_ROWS = [
    (
        laws.SIGNAL_NOT_EMPTY,
        op("stft.default", self=f(0, 100), n_fft=16, hop_length=4, normalized=False, return_complex=True),
    ),
    (laws.LENGTH_POSITIVE, op("_fft_c2r.default", self=c(4), dim=(0,), normalization=0, last_dim_size=0)),
]
"""Calls that PyTorch 2.15 and later run."""
