"""Calls that break one law each, of PyTorch's operators: windows that slide."""

from __future__ import annotations

from shapesmt import laws
from tests.oracle.torch.calls import b, c, f, i, op

ROWS = [
    (laws.RANK_WITH_OR_WITHOUT_BATCH, op("adaptive_max_pool1d.default", self=f(), output_size=(-1,))),
    (laws.ONLY_BATCH_EMPTY, op("adaptive_avg_pool2d.default", self=f(1, 8, 0, 8), output_size=(5, 7))),
    (laws.ATTRIBUTE_ENTRIES, op("adaptive_max_pool1d.default", self=f(1, 1, 1), output_size=())),
    (laws.SIZES_NOT_NEGATIVE, op("adaptive_max_pool1d.default", self=f(0, 1, 1), output_size=(-1,))),
    (
        laws.ATTRIBUTE_ENTRIES,
        op("im2col.default", self=f(0, 1, 5, 5), kernel_size=(2, 2), dilation=(1, 1), padding=(1, 1), stride=(1, 1, 1)),
    ),
    (
        laws.KERNEL_NOT_EMPTY,
        op("im2col.default", self=f(0, 1, 5, 5), kernel_size=(2, -1), dilation=(1, 1), padding=(1, 1), stride=(1, 1)),
    ),
    (
        laws.STRIDES_AND_DILATIONS_POSITIVE,
        op("im2col.default", self=f(0, 1, 5, 5), kernel_size=(2, 2), dilation=(1, 1), padding=(1, 1), stride=(1, -2)),
    ),
    (
        laws.PADDING_NOT_NEGATIVE,
        op("im2col.default", self=f(0, 1, 5, 5), kernel_size=(2, 2), dilation=(1, 1), padding=(-1, 1), stride=(1, 1)),
    ),
    (
        laws.WINDOW_HAS_POSITION,
        op("im2col.default", self=c(0, 1, 5, 5), kernel_size=(2, 9), dilation=(1, 1), padding=(0, 0), stride=(1, 1)),
    ),
    (
        laws.RANK_WITH_OR_WITHOUT_BATCH,
        op("im2col.default", self=f(1, 0, 1, 5, 5), kernel_size=(2, 2), dilation=(1, 1), padding=(1, 1), stride=(1, 1)),
    ),
    (
        laws.ONLY_BATCH_EMPTY,
        op("im2col.default", self=f(0, 1, 5), kernel_size=(2, 2), dilation=(1, 1), padding=(1, 1), stride=(1, 1)),
    ),
    (
        laws.SIZE_HEIGHT_WIDTH,
        op(
            "col2im.default",
            self=f(1, 4, 4),
            output_size=(3, 3, 3),
            kernel_size=(2, 2),
            dilation=(1, 1),
            padding=(0, 0),
            stride=(1, 1),
        ),
    ),
    (
        laws.CHANNELS_SPLIT_INTO_WINDOWS,
        op(
            "col2im.default",
            self=f(1, 4, 4),
            output_size=(3, 3),
            kernel_size=(3, 2),
            dilation=(1, 1),
            padding=(0, 0),
            stride=(1, 1),
        ),
    ),
    (
        laws.COLUMN_WHERE_WINDOW_STANDS,
        op(
            "col2im.default",
            self=f(1, 4, 1),
            output_size=(3, 3),
            kernel_size=(2, 2),
            dilation=(1, 1),
            padding=(0, 0),
            stride=(1, 1),
        ),
    ),
    (
        laws.SAME_RANK_4_OR_5,
        op(
            "grid_sampler_3d.default",
            input=f(1, 2, 2, 2),
            grid=f(1, 1, 1, 1, 3),
            interpolation_mode=0,
            padding_mode=0,
            align_corners=False,
        ),
    ),
    (
        laws.CUBIC_FOR_RANK_4,
        op(
            "grid_sampler_3d.default",
            input=f(1, 1, 2, 2, 2),
            grid=f(1, 1, 1, 1, 3),
            interpolation_mode=2,
            padding_mode=0,
            align_corners=False,
        ),
    ),
    (
        laws.IMAGE_AND_GRID_SAME_BATCH,
        op(
            "grid_sampler_3d.default",
            input=f(2, 1, 2, 2, 2),
            grid=f(1, 1, 1, 1, 3),
            interpolation_mode=0,
            padding_mode=0,
            align_corners=False,
        ),
    ),
    (
        laws.GRID_COORDINATE_PER_AXIS,
        op(
            "grid_sampler_3d.default",
            input=f(1, 1, 2, 2, 2),
            grid=f(1, 1, 1, 1, 4),
            interpolation_mode=0,
            padding_mode=0,
            align_corners=False,
        ),
    ),
    (
        laws.IMAGE_NOT_EMPTY,
        op(
            "grid_sampler_3d.default",
            input=f(1, 1, 2, 0, 2),
            grid=f(1, 1, 1, 1, 3),
            interpolation_mode=0,
            padding_mode=0,
            align_corners=False,
        ),
    ),
    (
        laws.SIZE_4_OR_5_ELEMENTS_COUNTED,
        op("affine_grid_generator.default", theta=f(2, 2, 3), size=(), align_corners=False),
    ),
    (
        laws.SIZE_AND_THETA_SAME_BATCH,
        op("affine_grid_generator.default", theta=f(2, 2, 3), size=(0, 1, 3, 3), align_corners=False),
    ),
    (
        laws.THETA_ROW_PER_AXIS,
        op("affine_grid_generator.default", theta=f(2, 2, 3), size=(2, 1, 3, 3, 3), align_corners=False),
    ),
    (
        laws.THETA_COLUMN_PER_AXIS_AND_SHIFT,
        op("affine_grid_generator.default", theta=f(2, 2, 0), size=(2, 1, 3, 3), align_corners=False),
    ),
    (laws.FACTORS_POSITIVE, op("pixel_shuffle.default", self=b(1, 0, 1, 1), upscale_factor=0)),
    (laws.CHANNELS_SPLIT_INTO_BLOCKS, op("pixel_shuffle.default", self=c(1, 9, 2, 2), upscale_factor=2)),
    (laws.FACTORS_POSITIVE, op("pixel_unshuffle.default", self=i(1, 0, 1, 1), downscale_factor=0)),
    (laws.HEIGHT_AND_WIDTH_SPLIT_INTO_BLOCKS, op("pixel_unshuffle.default", self=i(1, 0, 1, 1), downscale_factor=2)),
    (laws.GROUP_POSITIVE, op("channel_shuffle.default", self=f(2, 6, 8, 8), groups=-2)),
    (laws.GROUPS_DIVIDE_CHANNELS, op("channel_shuffle.default", self=f(6, 8, 8), groups=3)),
    (
        laws.RANK_WITH_OR_WITHOUT_BATCH,
        op(
            "avg_pool2d.default",
            self=f(3, 3),
            kernel_size=(2, 2),
            stride=(),
            padding=(0, 0),
            ceil_mode=False,
            count_include_pad=True,
            divisor_override=2,
        ),
    ),
    (
        laws.ONLY_BATCH_EMPTY,
        op("avg_pool1d.default", self=f(1, 3, 0), kernel_size=(6,), stride=(3,), padding=(2,), ceil_mode=True),
    ),
    (
        laws.KERNEL_NOT_EMPTY,
        op(
            "avg_pool2d.default",
            self=f(3, 3, 3),
            kernel_size=(-1, 2),
            stride=(),
            padding=(0, 0),
            ceil_mode=False,
            count_include_pad=True,
            divisor_override=2,
        ),
    ),
    (
        laws.STRIDES_AND_DILATIONS_POSITIVE,
        op("avg_pool1d.default", self=f(1, 3, 9), kernel_size=(6,), stride=(-5,), padding=(2,), ceil_mode=True),
    ),
    (
        laws.PADDING_NOT_NEGATIVE,
        op(
            "avg_pool2d.default",
            self=f(3, 3, 3),
            kernel_size=(2, 2),
            stride=(),
            padding=(0, -2),
            ceil_mode=False,
            count_include_pad=True,
            divisor_override=2,
        ),
    ),
    (
        laws.PADDING_HALF_OF_KERNEL,
        op(
            "avg_pool2d.default",
            self=f(3, 3, 3),
            kernel_size=(2, 2),
            stride=(),
            padding=(0, 3),
            ceil_mode=False,
            count_include_pad=True,
            divisor_override=2,
        ),
    ),
    (
        laws.WINDOW_FITS_UNPADDED,
        op(
            "avg_pool3d.default",
            self=f(1, 2, 5, 1, 5),
            kernel_size=(2, 3, 4),
            stride=(1, 2, 2),
            padding=(0, 1, 2),
            ceil_mode=True,
            count_include_pad=True,
            divisor_override=2,
        ),
    ),
    (
        laws.WINDOW_HAS_POSITION,
        op(
            "avg_pool2d.default",
            self=f(3, 1, 3),
            kernel_size=(2, 2),
            stride=(),
            padding=(0, 0),
            ceil_mode=False,
            count_include_pad=True,
            divisor_override=2,
        ),
    ),
    (
        laws.WINDOW_FITS,
        op(
            "fractional_max_pool2d.default",
            2,
            self=f(1, 3, 9, 9),
            kernel_size=(3, 3),
            output_size=(9, 2),
            random_samples=f(1, 3, 2),
        ),
    ),
    (
        laws.SAMPLE_PER_CHANNEL_AND_AXIS,
        op(
            "fractional_max_pool2d.default",
            2,
            self=f(1, 3, 9, 9),
            kernel_size=(3, 3),
            output_size=(2, 2),
            random_samples=f(1, 3, 1),
        ),
    ),
    (
        laws.VALUES_AND_INDICES_SAME_SHAPE,
        op("max_unpool2d.default", self=f(1, 2, 1, 2), indices=i(1, 2, 1, 0), output_size=(3, 6)),
    ),
    (
        laws.ATTRIBUTE_ENTRIES,
        op("max_unpool2d.default", self=f(1, 2, 2, 4), indices=i(1, 2, 2, 4), output_size=(3, 6, 6)),
    ),
    (
        laws.SIZE_PER_RESIZED_AXIS,
        op("upsample_trilinear3d.vec", input=f(2, 3, 4, 4, 4), output_size=(5, 5, 5, 5), align_corners=True),
    ),
    (
        laws.ONLY_BATCH_EMPTY,
        op("upsample_trilinear3d.vec", input=f(2, 3, 0, 4, 4), output_size=(5, 5, 5), align_corners=True),
    ),
    (
        laws.FACTOR_PER_RESIZED_AXIS,
        op("_upsample_bilinear2d_aa.vec", input=f(6, 3, 10, 20), align_corners=False, scale_factors=()),
    ),
    (
        laws.DIVISOR_NOT_0,
        op(
            "avg_pool3d.default",
            self=f(1, 1, 7, 5, 7),
            kernel_size=(6, 3, 4),
            stride=(2, 3, 2),
            padding=(3, 1, 0),
            ceil_mode=False,
            count_include_pad=False,
            divisor_override=0,
        ),
    ),
    (
        laws.PADDING_HALF_OF_KERNEL,
        op("avg_pool1d.default", self=f(0, 3, 9), kernel_size=(2,), stride=(3,), padding=(2,)),
    ),
    (
        laws.WINDOW_HAS_POSITION,
        op(
            "max_pool3d.default",
            self=f(1, 2, 3, 6, 5),
            kernel_size=(99, 3, 3),
            stride=(2, 1, 2),
            padding=(1, 1, 1),
            dilation=(1, 2, 1),
        ),
    ),
    (laws.SCALES_OR_SIZES, op("upsample_nearest2d.vec", input=f(1, 1, 2, 2))),
]
