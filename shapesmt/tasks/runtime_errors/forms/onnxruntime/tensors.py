"""Forms about tensors: broadcasting, reshaping, indices, and other operators that compute few or no elements."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.tasks.runtime_errors.forms.form import Fork, Stop, in_order
from shapesmt.tasks.runtime_errors.forms.onnxruntime.says import says

__all__ = ["FORMS"]

FORMS = (
    says(r"Non concat axis dimensions must match: Axis <axis> has mismatched dimensions of <b> and <a>",
         "SM103", stop=Stop.FIRST),
    says(r"(?:BroadcastIterator::(?P<phase>Init|Append)\(ptrdiff_t, ptrdiff_t\) )?"
         r"(?:axis == <one> \|\| axis == largest was false\. )?(?:Attempting to )?"
         r"broadcast an axis by a dimension other than 1\. <low> by <high>", "SM101", "SM107", stop=Stop.LAST,
         fork=Fork.INNER),
    says(r"(?:largest <= <one> was false\. )?Can broadcast (?P<low>0) by 0 or 1\. <high> is invalid", "SM101",
         stop=Stop.LAST, fork=Fork.INNER),
    says(r"(?:== <zero> was false\. )?(?:The input tensor cannot be reshaped to the requested shape\. )?"
         r"Input shape:\{<i0>\}, requested shape:\{<e1>\}", "SM104", "SM105"),
    says(r"dimension with value zero exceeds the dimension size of the input", "SM105"),
    says(r"idx=<index> must be within the inclusive range \[<first>,<last>\]", "SM301"),
    says(r"invalid ind(?:ex|ice|ices) found, ind(?:ex|ice|ices) = <index>", "SM301", fork=Fork.EMPTY),
    says(r"(?:matmul_helper\.h:<line> Compute )?MatMul dimension mismatch", "SM102", fork=Fork.BATCHES),
    says(r"(?P<operand>left|right) operand cannot broadcast on dim <axis>", "SM101", stop=Stop.FIRST),
    *in_order(
        says(r"Gemm: Invalid bias shape for broadcast", laws.BIAS_BROADCASTS_TO_PRODUCT),
        says(r"Dimension mismatch, W: \{<i1>\} K: <a> N:<o0a1>", laws.INNER_SIZES_EQUAL),
    ),
    says(r"invalid expand shape", "SM101"),
    says(r"Axis=<own> Input shape=\{<i0>\} NumOutputs=<outputs> .{0,80} was <parts> .{0,80} was <total>",
         "SM110"),
    says(r"Input shape=\{<i0>\} Axis=<own> NumOutputs=<outputs>", "SM110"),
    says(r"Split size <part> exceeds the remaining size of the selected axis, <rest>", "SM110"),
    says(r"(?:input_shape\[i\] == <one> was false\. )?"
         r"Dimension of input <axis> must be 1 instead of <i0at>\. shape=\{<i0>\}", "SM304"),
    says(r"k argument \[<a>\] should not be greater than specified axis dim value \[<b>\]", "SM305",
         stop=Stop.FIRST),
    says(r"value of k must not be negative", laws.K_NOT_NEGATIVE),
    says(r"Depth is negative", laws.DEPTH_AT_LEAST_1),
    says(r"Matrix dimensions are not equal\. Square matrix is expected", laws.MATRICES_SQUARE),
    *in_order(
        says(r"sequence_lens shape must be \{batch_size\}\. Got:\{<i1>\}\. batch_size=<b>",
             laws.LENGTH_PER_BATCH_ELEMENT),
        says(r"Invalid sequence length: <b>\. Value must be in range \[0,<a>\]", laws.LENGTHS_INSIDE_TIME_AXIS,
             stop=Stop.FIRST),
    ),
    *in_order(
        says(r"input tensor batch dimensions cannot be zero", laws.INDEX_TUPLES_SPLIT_INTO_BATCHES, where="i0a0 == 0"),
        says(r"indices batch size \(<a>\) is not divisible by input batch size \(<b>\)",
             laws.INDEX_TUPLES_SPLIT_INTO_BATCHES, stop=Stop.FIRST),
    ),
    *in_order(
        says(r"'indices' shape should have values within bounds of 'data' shape\. Invalid value in indices shape is: "
             r"<size>", laws.INDICES_NO_LARGER_THAN_DATA, laws.LABEL_PER_SAMPLE_AND_POSITION),
        says(r"GatherElements op: Out of range value in index tensor", laws.INDICES_INSIDE_AXIS,
             laws.SOMETHING_TO_PICK),
    ),
    *in_order(
        says(r"Indices vs updates dimensions differs at position=<axis> <i1at> vs <i2at>",
             laws.UPDATES_SHAPED_AS_INDICES, stop=Stop.FIRST),
        says(r"Indices dim=<i1at> at pos=<axis> is greater than input dim=<i0at>", laws.INDICES_NO_LARGER_THAN_DATA,
             stop=Stop.FIRST),
    ),
    says(r"indices must be empty when an indexed data dimension has size (?P<b>0)", laws.INDICES_INSIDE_AXIS),
    says(r"updates tensor should have shape equal to .{0,80}updates shape: \{<i2>\}, indices shape: \{<i1>\}, "
         r"data shape: \{<i0>\}", laws.UPDATES_SHAPED_AS_INDEXED_DATA),
    *in_order(
        says(r"update sequence_length \(<b>\) exceeds max_sequence_length \(<a>\)", laws.UPDATE_NO_LONGER_THAN_CACHE,
             stop=Stop.FIRST),
        says(r"shape mismatch in dimension <axis>: past_cache=<i0at> vs update=<i1at>",
             laws.CACHE_AND_UPDATE_MATCH_OFF_SEQUENCE, stop=Stop.FIRST),
        says(r"write_indices must have shape \[batch_size\]", laws.WRITE_INDEX_PER_BATCH_ELEMENT),
    ),
    says(r"Invalid num_outputs value of <attr_num_outputs>\. Split sizes would produce a negative final split",
         laws.EQUAL_CHUNKS_COVER_AXIS),
    says(r"Cannot use '(?:reflect|edge|wrap)' mode to pad dimension with a value of 0\. Input shape:\{<i0>\}",
         "SM203", where="n0 == 0", certain=False),
    says(r"Pad: invalid mode: \d with zero effective input extent", "SM203", certain=False),
    says(r"Tensor shape\.Size\(\) must be >= <zero>", certain=False),
    says(r"Pad reflect requires axis length >= 2 after slicing\. Input shape:\{<i0>\}",
         laws.REFLECTED_PADS_SHORTER_THAN_AXIS, certain=False),
    says(r"Pad reflect: (?:pre|post)-pad \(<_>\) exceeds maximum allowed \(<_>\) for axis <_>\. Input shape:\{<i0>\}",
         laws.REFLECTED_PADS_SHORTER_THAN_AXIS),
    says(r"Scale value should be greater than 0", laws.FACTORS_POSITIVE),
    says(r"Cannot scale 0 by any factor.{0,60}Dimension: <axis> Input dim value: <i0at> Output dim value: <_>",
         "SM205"),
    *(
        says(rf"could not be broadcast together\. .{{0,80}} operand {operand} is incompatible in the dimension <_>\. "
             rf"The shape is: \{{<i{operand}>\}}Another operand has a dim value of <size>", laws.LETTER_SIZES_BROADCAST)
        for operand in (0, 1)
    ),
    says(r"axis <_> is not in valid range \[-<r0>,<_>\]", "SM302"),
    says(r"Invalid sequence index \(<_>\) specified for sequence of size \(<_>\)", laws.POSITION_INSIDE_SEQUENCE),
    says(r"sequence_lens length of <_> did not match batch size of <_>", laws.LENGTH_PER_SAMPLE),
    says(r"Invalid dim\d_offset of \d{1,9}\. Dimension \d is \d{1,9}", laws.A_SLICE, laws.BATCH_NOT_EMPTY,
         certain=False),
    says(r"Max sequence length was <_>", laws.LENGTHS_AT_MOST_SEQUENCE),
    says(r"Inconsistent shape in loop output", laws.SCAN_OUTPUT_KEEPS_SIZE, certain=False),
    says(r"At most one dimension can be -1", laws.AT_MOST_ONE_MINUS_1, certain=False),
    says(r"Pads tensor size should be equal to twice the number of", laws.TWO_PADS_PER_AXIS,
         laws.TWO_PADS_PER_COUNTED_AXIS, certain=False),
    says(r"write_indices\[<_>\] = <_> is negative", laws.WRITE_INDICES_NOT_NEGATIVE),
    says(r"write_indices\[<_>\] \+ sequence_length \(<_> \+ <_>\) exceeds max_sequence_length \(<_>\)",
         laws.WRITES_END_INSIDE_CACHE),
    says(r"Tile output tensor would require more than <_> bytes", laws.OUTPUT_IN_4_GIB),
    says(r"Failed to allocate memory for requested buffer of size <bytes>"),
    says(r"Integer division by zero", "SM404"),
    says(r"Got invalid dimensions for input: (?P<input>\S{1,500}) for the following indices\s{0,9}"
         r"index: <axis> Got: <got> Expected: <declared>"),
)  # fmt: skip
