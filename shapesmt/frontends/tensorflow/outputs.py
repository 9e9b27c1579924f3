"""What the outputs of TensorFlow's operators are called: inside a function, a node is read by their names.

Nearly all operators have one output. Saved models tell of each operator that they use; other files don't.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shapesmt.frontends.tensorflow.protos import Proto

__all__ = ["Output", "known", "named"]

_KNOWN = """
output*num_split: Split SplitV
output*num: Unpack
output*T: IdentityN
output*Tout: PyFunc EagerPyFunc
output*N: ShapeN
offset*N: ConcatOffset
outputs*num_partitions: DynamicPartition
components*output_types: IteratorGetNext IteratorGetNextSync OptionalGetValue
tensors*dtypes: RestoreV2
values indices: TopK TopKV2 ApproxTopK
y idx: Unique UniqueV2
y idx count: UniqueWithCounts UniqueWithCountsV2
out idx: ListDiff
y batch_mean batch_variance reserve_space_1 reserve_space_2: FusedBatchNorm FusedBatchNormV2
y batch_mean batch_variance reserve_space_1 reserve_space_2 reserve_space_3: FusedBatchNormV3
output argmax: MaxPoolWithArgmax
output row_pooling_sequence col_pooling_sequence: FractionalMaxPool FractionalAvgPool
selected_indices selected_scores valid_outputs: NonMaxSuppressionV5
selected_indices valid_outputs: NonMaxSuppressionV4
nmsed_boxes nmsed_scores nmsed_classes valid_detections: CombinedNonMaxSuppression
loss backprop: SoftmaxCrossEntropyWithLogits SparseSoftmaxCrossEntropyWithLogits
loss gradient: CTCLoss CTCLossV2
decoded_indices decoded_values decoded_shape log_probability: CTCGreedyDecoder
s u v: Svd
q r: Qr
lu p: Lu
e v: Eig SelfAdjointEigV2
sign log_abs_determinant: LogMatrixDeterminant
r0 r1: BroadcastGradientArgs
output_false output_true: Switch RefSwitch
output value_index: Merge RefMerge
handle flow: TensorArrayV3
value lengths: TensorArrayConcatV3
tensor lengths: TensorListConcat TensorListConcatV2
output_handle tensor: TensorListPopBack
i cs f o ci co h: LSTMBlockCell BlockLSTM BlockLSTMV2
r u c h: GRUBlockCell
output output_h output_c reserve_space: CudnnRNN
output output_h output_c reserve_space host_reserved: CudnnRNNV2 CudnnRNNV3
key counter: StatelessRandomGetKeyCounter
key counter alg: StatelessRandomGetKeyCounterAlg
output_key output: XlaRngBitGenerator
begin size bboxes: SampleDistortedBoundingBoxV2 StatelessSampleDistortedBoundingBox
output_indices output_values empty_row_indicator reverse_index_map: SparseFillEmptyRows
output_indices output_values output_shape: SparseConcat SparseSlice SparseCross SparseCrossV2
output_indices output_values: SparseReorder
output_indices output_shape: SparseReshape
sum_indices sum_values sum_shape: SparseAdd
indices values shape: StringSplit StringSplitV2
row_splits char_values: UnicodeDecode
keys values: LookupTableExportV2
rt_nested_splits rt_dense_values: RaggedRange
output min_output max_output: QuantizedConv2D QuantizedMaxPool QuantizedAvgPool
output output_min output_max: QuantizeV2 Requantize QuantizedConcat QuantizedConcatV2 QuantizedReshape
audio sample_rate: DecodeWav
resized_images out_min out_max: QuantizedResizeBilinear
: Assert AssignVariableOp AssignAddVariableOp AssignSubVariableOp DisableCopyOnRead MergeV2Checkpoints NoOp
: LookupTableImportV2 LookupTableInsertV2 PrintV2 SaveV2 StackCloseV2 TensorArrayCloseV3
"""


class Output(NamedTuple):
    """An output that an operator has, or a list of them."""

    name: str
    many: str = ""
    """The attribute that says how many there are, or lists their types; "" where it is one."""


@cache
def known() -> dict[str, tuple[Output, ...]]:
    """The operators that don't have exactly one output.

    >>> known()["Unique"], known()["Split"], known()["NoOp"]
    ((Output(name='y', many=''), Output(name='idx', many='')), (Output(name='output', many='num_split'),), ())
    """
    found = {}
    for line in _KNOWN.strip().splitlines():
        names, _, operators = line.partition(":")
        outputs = tuple(Output(*name.split("*")) for name in names.split())
        found.update(dict.fromkeys(operators.split(), outputs))
    return found


def named(operators: Iterable[Proto]) -> dict[str, tuple[Output, ...]]:
    """The same of what a file says of its operators (`OpDef`), beside those that are known."""
    said = {o.name: tuple(Output(a.name, a.number_attr or a.type_list_attr) for a in o.output_arg) for o in operators}
    return {**known(), **said}
