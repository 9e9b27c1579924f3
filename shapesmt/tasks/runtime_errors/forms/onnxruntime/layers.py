"""Forms about layers: convolution, pooling, normalization, quantization, sampling, and those of classic learning."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.tasks.runtime_errors.forms.form import Stop, in_order
from shapesmt.tasks.runtime_errors.forms.onnxruntime.says import says

__all__ = ["FORMS"]

WINDOWS = (
    *in_order(
        says(r"C: <i0a1> kernel channels: <i1a1> group: <group>", "SM106"),
        says(r"bias must be a 1D tensor of size output_channels \(<i1a0>\)", laws.BIAS_PER_FILTER),
        (
            says(r"Dilation not supported for AutoPadType::SAME_UPPER or AutoPadType::SAME_LOWER",
                 laws.SAME_PADDING_WITHOUT_DILATION),
            says(r"Invalid input shape: \{<i0s>\}", "SM201", "SM204"),
        ),
    ),
    says(r"filter_number: <i1a0> num_input_channels: <i0a1>", "SM106"),
    *in_order(
        says(r"Only N can be zero\. Got:\{<i0>\}", laws.ONLY_BATCH_EMPTY),
        (
            says(r"padding values must be non-negative", laws.NO_STRIDE_SKIPS_END),
            says(r"Calculated output dimension is negative", "SM201"),
        ),
    ),
    says(r"Output channels M is not divisible by group\. M: <i1a0> group: <group>", laws.GROUP_DIVIDES_FILTERS),
    says(r"Bias shape is not compatible with number of output channels\. .{0,90} Bias: \{<i2>\}",
         laws.BIAS_PER_FILTER, certain=False),
    says(r"kernel_shape is not compatible with W shape\. kernel_shape: \{[\d,]{0,90}\} W: \{<i1>\}",
         laws.KERNEL_SHAPE_IS_WEIGHTS),
    says(r"output_padding\[<_>\] \(<_>\) must be less than max\(stride, dilation\)", laws.OUTPUT_PADDING_BELOW_STRIDE,
         laws.OUTPUT_PADDING_BELOW_STRIDE_OR_DILATION),
    says(r"output_padding \(<_>\) may be too large for stride \(<_>\)\. Expected input size <_> but got <size>",
         laws.OUTPUT_PADDING_BELOW_STRIDE, laws.OUTPUT_PADDING_BELOW_STRIDE_OR_DILATION,
         laws.OUTPUT_PADDING_INPUT_NOT_EMPTY),
    says(r"(?:Explicit output|Kernel) size must be positive\. Got: <_>", "SM202", "SM204"),
    says(r"Offset spatial (?:height|width) must match output o[HW]\.", "SM206", "SM204", certain=False),
    says(r"Explicit output_shape is inconsistent .{0,90} Expected input size <_> but got <size> ", "SM201", "SM202"),
    says(r"Input spatial dimension must be positive\. Got: (?P<size>0)", laws.INPUT_NOT_EMPTY),
    says(r"Computed output dimension is <= 0 for dim <_>\. Input shape: \{<i0s>\}", "SM204", "SM201"),
    says(r"Input dimension cannot be less than 3\.", laws.RANK_3_4_OR_5),
    *in_order(
        says(r"Padded image extent is smaller than the dilated kernel for spatial dimension <_>\.",
             laws.DILATED_BLOCK_FITS),
        says(r"'input' dim\[1\] \(<i0a1>\) must be a positive multiple of prod\(block_shape\) \(<p2>\)",
             laws.CHANNELS_MULTIPLE_OF_BLOCK),
        says(r"'input' dim\[2\] \(<a>\) does not match the number of sliding blocks \(<b>\) implied by",
             laws.COLUMN_PER_BLOCK_PLACE, stop=Stop.FIRST),
    ),
    says(r"dimsize:<a> is less than unfold size:<b>", laws.SLICE_FITS_AXIS, stop=Stop.FIRST),
    *in_order(
        says(r"frame_length == window_length was false\. If both frame_length and window are set",
             laws.WINDOW_AS_LONG_AS_FRAME),
        says(r"window_size <= signal_size was false\. Ensure that the dft size", laws.FRAME_FITS_SIGNAL),
    ),
    *in_order(
        says(r"dft_length must be greater than zero", laws.LENGTH_POSITIVE),
        says(r"DFT input signal dimension must be greater than zero", laws.SIGNAL_NOT_EMPTY),
    ),
    *in_order(
        says(r"SpaceToDepth requires input height to be a multiple of block_size",
             laws.HEIGHT_AND_WIDTH_SPLIT_INTO_BLOCKS, where="i0a2 % attr_blocksize != 0"),
        says(r"SpaceToDepth requires input width to be a multiple of block_size",
             laws.HEIGHT_AND_WIDTH_SPLIT_INTO_BLOCKS, where="i0a3 % attr_blocksize != 0"),
    ),
    says(r"DepthToSpace requires input depth to be a multiple of \(block_size", laws.CHANNELS_SPLIT_INTO_BLOCKS),
)  # fmt: skip
NORMALIZATIONS = (
    *in_order(
        says(r"Size of X\.shape\[axis:\] must be at least 1, got 0", laws.NORMALIZED_HAS_ELEMENT),
        says(r"Scale and \(optional\) bias must match X\.shape\[axis:\] or be NumPy-broadcastable to it\. "
             r"X\.shape=\{<i0>\} scale\.shape=\{<i1>\} bias\.shape=\{<i2>\} and axis=<own>",
             laws.SCALE_AND_BIAS_BROADCAST_TO_INPUT),
    ),
    says(r"Invalid input data: number of dimensions is less than 3: <r0>", laws.RANK_AT_LEAST),
    *in_order(
        says(r"size of scale != input channel count <i1a0> vs\. <i0a1>", laws.PARAMETERS_PER_CHANNEL,
             where="i1a0 != i0a1"),
        says(r"size of B != input channel count <i2a0> vs\. <i0a1>", laws.PARAMETERS_PER_CHANNEL,
             where="i2a0 != i0a1"),
    ),
    *in_order(
        says(r"Invalid input scale: 0th dimension != <channels>", laws.PARAMETERS_PER_CHANNEL,
             where="i1a0 != i0a1_or_1", channels="i0a1_or_1"),
        says(r"Invalid input B: 0th dimension != <channels>", laws.PARAMETERS_PER_CHANNEL,
             where="i2a0 != i0a1_or_1", channels="i0a1_or_1"),
        says(r"Invalid input mean: 0th dimension != <channels>", laws.PARAMETERS_PER_CHANNEL,
             where="i3a0 != i0a1_or_1", channels="i0a1_or_1"),
        says(r"Invalid input var: 0th dimension != <channels>", laws.PARAMETERS_PER_CHANNEL,
             where="i4a0 != i0a1_or_1", channels="i0a1_or_1"),
    ),
    *in_order(
        says(r"input is expected to have 3 or 2 dimensions, got <r0>", laws.INPUT_BATCHED_OR_TOKENS),
        says(r"hidden_size must be positive and no greater than 2147483647\. Got <i0z1>", laws.A_HIDDEN_FEATURE,
             laws.SKIP_RANK_OF_INPUT_OR_SAMPLE, where="i0z1 == 0"),
        says(r"skip is expected to have 3 or 2 dimensions, got <r1>", laws.SKIP_RANK_OF_INPUT_OR_SAMPLE),
        (
            says(r"last two dimensions of skip needs to be same as input", laws.SKIP_SHAPED_AS_INPUT_OR_SAMPLE,
                 where="i1z1 != i0z1 or i1z2 != i0z2", certain=False),
            says(r"skip is expected to have same shape as input or, a batch size of 1 or no batch size",
                 laws.SKIP_SHAPED_AS_INPUT_OR_SAMPLE, certain=False),
        ),
        says(r"Last dimension of gamma and input does not match", laws.PARAMETERS_PER_HIDDEN_FEATURE,
             where="i2z1 != i0z1"),
        (
            says(r"Last dimension of beta and input does not match", laws.PARAMETERS_PER_HIDDEN_FEATURE,
                 where="i3z1 != i0z1"),
            says(r"Last dimension of bias and input does not match", laws.PARAMETERS_PER_HIDDEN_FEATURE),
        ),
    ),
    says(r"Input 1 dimension 0 should have same length as the last dimension of input 0",
         laws.BIAS_PER_LAST_AXIS_POSITION),
)  # fmt: skip
QUANTIZED = (
    says(r"For per axis quantization, scale must be 1D tensor with size <b>",
         laws.ONE_SCALE_AND_ZERO_POINT_OR_PER_POSITION, stop=Stop.FIRST),
    says(r"input1 zero point must be a scalar or 1D tensor of size 1", laws.FIRST_OPERAND_HAS_ONE_SCALE_AND_ZERO_POINT),
    says(r"QLinearMatmul : input (?:scale|zero point) must be a scalar",
         laws.FIRST_OPERAND_HAS_ONE_SCALE_AND_ZERO_POINT, certain=False),
    says(r"QLinearMatmul : result (?:scale|zero point) must be a scalar", laws.OUTPUT_HAS_ONE_SCALE_AND_ZERO_POINT,
         certain=False),
    says(r"MatmulInteger : B zero point is not valid", laws.ONE_SCALE_AND_ZERO_POINT_OR_PER_COLUMN, certain=False),
    says(r"IsScalarOr1ElementVector\(W_Zero_Point\) was false", laws.ONE_ZERO_POINT_OR_PER_FILTER, certain=False),
    says(r"(?:quantize axis for blocked quantization|x_zero_point and x_scale must)",
         laws.SCALE_AND_ZERO_POINT_PER_AXIS_BLOCK, certain=False),
)  # fmt: skip
RECURRENT = (
    says(r"Input W must have shape \{\d,\d{1,9},<i0a2>\}\. Actual:\{<i1>\}", laws.W_DIRECTIONS_GATES_HIDDEN_INPUT,
         certain=False),
    says(r"Input R must have shape \{[\d,*]{0,90}\}\. Actual:\{<i2>\}", laws.R_DIRECTIONS_GATES_HIDDEN_HIDDEN,
         certain=False),
    says(r"Input B must have shape \{[\d,*]{0,90}\}\. Actual:\{<i3>\}", laws.B_DIRECTIONS_2_GATES_HIDDEN,
         laws.B_DIRECTIONS_8_HIDDEN, certain=False),
    says(r"Input sequence_lens must have shape \{<i0a1>\}\. Actual:\{<i4>\}", laws.SEQUENCE_LENGTH_PER_SAMPLE),
    says(r"Input initial_h must have shape \{\d,<i0a1>,\d{1,9}\}\. Actual:\{<i5>\}", laws.STATE_DIRECTIONS_BATCH_HIDDEN,
         certain=False),
    says(r"Input P must have shape \{[\d,*]{0,90}\}\. Actual:\{<i7>\}", laws.P_DIRECTIONS_3_HIDDEN, certain=False),
)  # fmt: skip
SAMPLED = (
    *in_order(
        says(r"size\[0\] \(<a>\) must equal theta batch dimension \(<b>\)", laws.SIZE_AND_THETA_SAME_BATCH,
             stop=Stop.FIRST),
        says(r"size\[2\] \([HD]=<e1a2>\) must be positive", laws.GRID_NOT_EMPTY, where="e1a2 < 1"),
        says(r"size\[3\] \([HW]=<e1a3>\) must be positive", laws.GRID_NOT_EMPTY, where="e1a3 < 1"),
        says(r"size\[4\] \(W=<e1a4>\) must be positive", laws.GRID_NOT_EMPTY, where="e1a4 < 1"),
    ),
    says(r"theta shape must be \[N, \d, \d\] for \dD, got \[<i0>\]", "SM206", certain=False),
    says(r"output_shape batch and channel dimensions must match input\. Expected \[<i0a0>, <i0a1>\], got \[<_>, <_>\]",
         laws.OUTPUT_SHAPE_KEEPS_BATCH_AND_CHANNELS),
    says(r"output_shape is smaller than minimum required\.", laws.OUTPUT_SHAPE_HAS_POOLED_ELEMENTS, certain=False),
    says(r"'(?:Linear|Cubic)' mode only supports: {1,30}\* \d-D inputs", laws.INTERPOLATION_KEEPS_BATCH_AND_CHANNELS,
         certain=False),
    *in_order(
        says(r"Only 4-D or 5-D tensor is supported", laws.SAME_RANK_4_OR_5),
        *(
            says(rf"Dimension {axis} has size <i0a{axis}>", laws.IMAGE_NOT_EMPTY, laws.CUBIC_FOR_RANK_4,
                 where=f"i0a{axis} == 0")
            for axis in (2, 3, 4)
        ),
        says(r"Grid batch size <i1a0> does not match input batch size <i0a0>", laws.IMAGE_AND_GRID_SAME_BATCH,
             laws.CUBIC_FOR_RANK_4, where="i0a0 != i1a0"),
        says(r"Only support GridSample Cubic mode in 4-D cases", laws.CUBIC_FOR_RANK_4),
    ),
    *in_order(
        says(r"boxes and scores should have same num_batches", laws.BOXES_AND_SCORES_SAME_BATCH),
        says(r"boxes and scores should have same spatial_dimension", laws.SCORE_PER_BOX_AND_CLASS, laws.SCORE_PER_BOX),
        says(r"The most inner dimension in boxes must have 4 data", laws.BOX_4_COORDINATES),
    ),
    *in_order(
        says(r"Second dimension for rois should be exactly 4", laws.REGION_4_COORDINATES),
        says(r"First dimension \(num_rois\) of batch_indices and rois don't match", laws.BATCH_INDEX_PER_REGION,
             laws.IMAGE_INDEX_PER_BOX),
        says(r"batch_indices value <e2at> at index <place> is out of range \[0, <top>\)",
             laws.REGIONS_IN_IMAGE_OF_BATCH, laws.BOX_IN_IMAGE_OF_BATCH, top="i0a0"),
    ),
    *in_order(
        says(r"roi_pool\.cc:\d{1,5} .{0,300} == 5 was false", laws.REGION_BATCH_INDEX_AND_COORDINATES),
        says(r"roi_batch_id < batch_size was false", laws.REGIONS_IN_IMAGE_OF_BATCH),
    ),
)  # fmt: skip
LEARNED = (
    *in_order(
        says(r"The first input of CDist kernel has wrong shape: \{<i0>\}", laws.VECTORS_NOT_EMPTY),
        says(r"Input shape dimensions mismatch:\{<i0>\} and \{<i1>\}", laws.VECTORS_OF_ONE_LENGTH),
    ),
    says(r"All inputs to FeatureVectorizer must have the same batch size\. Input 0 batch size: <b>, "
         r"input <_> batch size: <a>\.", laws.INPUTS_SAME_SAMPLE_COUNT, stop=Stop.FIRST),
    says(r"Either both scale and offset can be of feature size \(<a>\) or 1", laws.OFFSET_AND_SCALE_PER_FEATURE_OR_ALL),
    says(r"Rank of input to Normalized must be less than 2\. Got <r0>", laws.INPUT_FEATURES_OR_SAMPLES),
    says(r"Input shape had more than 2 dimension\. Dims=<r0>", laws.INPUT_FEATURES_OR_SAMPLES),
    says(r"coefficients length \(<a>\) must be at least targets \(<attr_targets>\) \* features \(<i0z1>\)",
         laws.WEIGHT_PER_TARGET_AND_FEATURE),
    says(r"index is out of range: Y\[<place>\] \(<e1at>\) must be in \[0, <top>\)", laws.CHOSEN_COLUMNS_IN_INPUT,
         top="i0z1"),
    says(r"Input shape must have either \[C\] or \[B,C\] dimensions with B > 0", laws.A_ROW),
    *in_order(
        says(r"batch_size is < 1", laws.A_ROW_TO_DRAW_FOR),
        says(r"num_classes is < 1", laws.A_CLASS_TO_DRAW),
    ),
    says(r"running Arg(?:Max|Min) node\. Name:\s?'[^'\n]{0,500}' Status Message:\s{0,3}\Z",
         laws.EXTREME_AXIS_HAS_ELEMENT),
    says(r"lrn\.cc:\d{1,5} .{0,300} == 4 was false", laws.RANK_4),
)  # fmt: skip
FORMS = (*WINDOWS, *NORMALIZATIONS, *QUANTIZED, *RECURRENT, *SAMPLED, *LEARNED)
