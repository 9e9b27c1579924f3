"""How many inputs and outputs TensorFlow's operators have, and what the outputs are called.

Inside a function, nodes are read by the names of their outputs. Saved models tell of each operator that they use; other
files don't.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shapesmt.frontends.tensorflow.protos import Proto

__all__ = ["Operator", "Output", "known", "named"]

_OUTPUTS = """
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
y batch_mean batch_variance reserve_space_1 reserve_space_2 reserve_space_3: FusedBatchNormV3 _FusedBatchNormEx
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


_INPUTS = """
0: FakeParam HashTable HashTableV2 MutableHashTable MutableHashTableV2 NoOp StatelessRandomGetAlg
1: Abs Acos Acosh Angle ApproxTopK AsString Asin Asinh Atan Atanh AudioSpectrogram AvgPool AvgPool3D BesselI0
1: BesselI0e BesselI1 BesselI1e BesselJ0 BesselJ1 BesselK0 BesselK0e BesselK1 BesselK1e BesselY0 BesselY1 Bitcast
1: Bucketize Cast Ceil CheckNumerics Cholesky ComplexAbs Conj Cos Cosh DataFormatVecPermute Dawsn DecodeBase64
1: DecodeBmp DecodeImage DecodeJpeg DecodePng DecodeWav DepthToSpace Diag DiagPart Digamma DisableCopyOnRead Eig Elu
1: Empty EncodeBase64 EnsureShape Erf Erfc Erfinv Exp Expint Expm1 ExtractImagePatches FFT FFT2D FFT3D
1: FakeQuantWithMinMaxArgs Floor FractionalAvgPool FractionalMaxPool FresnelCos FresnelSin GuaranteeConst HSVToRGB
1: IFFT IFFT2D IFFT3D Identity Imag Inv Invert InvertPermutation IsFinite IsInf IsNan IteratorGetNext
1: IteratorGetNextSync L2Loss LRN LeakyRelu Lgamma Log Log1p LogMatrixDeterminant LogSoftmax LogicalNot
1: LookupTableExportV2 LookupTableSize LookupTableSizeV2 Lu MatrixDeterminant MatrixDiag MatrixDiagPart MatrixInverse
1: MatrixLogarithm MatrixSquareRoot MaxPool MaxPool3D MaxPoolWithArgmax Ndtri Neg OnesLike OptionalGetValue
1: PopulationCount PreventGradient PrintV2 Qr QuantizeAndDequantize RGBToHSV RandomShuffle RandomStandardNormal
1: RandomUniform Rank Real Reciprocal Relu Relu6 Rint Round Rsqrt SelfAdjointEigV2 Selu Shape Sigmoid Sign Sin Sinh
1: Size Snapshot Softmax Softplus Softsign SpaceToDepth Spence Sqrt Square Squeeze StackCloseV2
1: StatelessRandomGetKeyCounter StatelessRandomGetKeyCounterAlg StaticRegexFullMatch StaticRegexReplace StopGradient
1: StringLength StringLower StringStrip StringToHashBucket StringToHashBucketFast StringToHashBucketStrong
1: StringToNumber StringUpper Svd Tan Tanh TensorArrayCloseV3 TensorArrayV3 TensorListConcat TensorListLength TopK
1: TruncatedNormal UnicodeDecode Unique UniqueWithCounts Unpack Where ZerosLike
1 N: Concat ConcatOffset ConcatV2
1 N N N: QuantizedConcat QuantizedConcatV2
1 N sparse_types N dense_types: SparseCrossV2
1 T: Assert
1 U: Print
2: Add AddV2 AdjustContrastv2 AdjustHue AdjustSaturation All Any ApproximateEqual ArgMax ArgMin AssignAddVariableOp
2: AssignSubVariableOp AssignVariableOp Atan2 BatchMatMul BatchMatMulV2 BatchMatMulV3 BatchToSpace BiasAdd BiasAddV1
2: BitwiseAnd BitwiseOr BitwiseXor BroadcastArgs BroadcastGradientArgs BroadcastTo CTCGreedyDecoder Complex
2: ConjugateTranspose Conv2D Conv3D Cross Cumprod Cumsum CumulativeLogsumexp DepthwiseConv2dNative Dilation2D Div
2: DivNoNan DynamicPartition EmptyTensorList Equal EuclideanNorm ExpandDims Fill FloorDiv FloorMod Gather GatherNd
2: Greater GreaterEqual IRFFT IRFFT2D IRFFT3D Igamma IgammaGradA Igammac InTopK LeftShift Less LessEqual ListDiff
2: LogicalAnd LogicalOr LowerBound MatMul MatrixSetDiag MatrixSolve MatrixTriangularSolve Max Maximum Mean
2: MergeV2Checkpoints Mfcc Min Minimum MirrorPad Mod Mul MulNoNan Multinomial NextAfter NotEqual NthElement Pad
2: Polygamma Pow Prod RFFT RFFT2D RFFT3D RandomGamma RandomPoisson RandomPoissonV2 RealDiv RefSwitch RegexFullMatch
2: Reshape ResizeArea ResizeBicubic ResizeBilinear ResizeNearestNeighbor ResourceGather ResourceGatherNd Reverse
2: ReverseSequence ReverseV2 RightShift SegmentMax SegmentMean SegmentMin SegmentProd SegmentSum
2: SoftmaxCrossEntropyWithLogits SpaceToBatch SparseSoftmaxCrossEntropyWithLogits Split SquaredDifference
2: StatelessRandomNormal StatelessRandomUniform StatelessRandomUniformFullInt StatelessTruncatedNormal StringSplit
2: StringSplitV2 Sub Sum Switch TensorArrayConcatV3 TensorListFromTensor TensorListPopBack TensorListPushBack
2: TensorListReserve TensorListResize TensorListStack Tile TopKV2 Transpose TruncateDiv TruncateMod UniqueV2
2: UniqueWithCountsV2 UnravelIndex UpperBound Xdivy Xlog1py Xlogy Zeta
2 TArgs num_host_args: _FusedConv2D
2 num_args: _FusedDepthwiseConv2dNative _FusedMatMul
3: BatchToSpaceND Betainc Bincount ClipByValue Conv2DBackpropInput Conv3DBackpropInputV2 DenseBincount Dequantize
3: FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsPerChannel GatherV2 ImageProjectiveTransformV2 InTopKV2 LinSpace
3: LookupTableFind LookupTableFindV2 LookupTableImportV2 LookupTableInsertV2 MatrixBandPart MatrixDiagPartV2
3: MatrixDiagPartV3 MatrixSetDiagV2 MatrixSetDiagV3 MaxPoolV2 NonMaxSuppression PadV2 QuantizeAndDequantizeV2
3: QuantizeAndDequantizeV4 QuantizeV2 QuantizedAvgPool QuantizedMaxPool RaggedRange RandomUniformInt Range
3: RegexReplace RestoreV2 Roll SampleDistortedBoundingBoxV2 ScatterNd ScatterNdNonAliasingAdd Select SelectV2 Slice
3: SpaceToBatchND SparseReorder SparseReshape SparseSegmentMean SparseSegmentSqrtN SparseSegmentSum SplitV
3: StatelessMultinomial Substr TensorListConcatV2 TensorListGather TensorListGetItem TensorListSetItem
3: TensorScatterAdd TensorScatterMax TensorScatterMin TensorScatterSub TensorScatterUpdate UnsortedSegmentMax
3: UnsortedSegmentMin UnsortedSegmentProd UnsortedSegmentSum XlaRngBitGenerator
3 dtypes: SaveV2
4: CTCLoss CTCLossV2 CropAndResize CudnnRNN CudnnRNNV2 ImageProjectiveTransformV3 NonMaxSuppressionV2 OneHot
4: QuantizeAndDequantizeV3 QuantizedReshape QuantizedResizeBilinear ScaleAndTranslate SparseFillEmptyRows
4: SparseToDense StatelessRandomNormalV2 StatelessRandomUniformFullIntV2 StatelessRandomUniformInt
4: StatelessRandomUniformV2 StatelessSampleDistortedBoundingBox StatelessTruncatedNormalV2 StridedSlice
5: BatchNormWithGlobalNormalization CudnnRNNV3 FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3 MatrixDiagV2
5: MatrixDiagV3 NonMaxSuppressionV3 NonMaxSuppressionV4 Requantize SparseSlice
5 num_side_inputs: _FusedBatchNormEx
6: CombinedNonMaxSuppression GRUBlockCell NonMaxSuppressionV5 QuantizedConv2D StatelessRandomUniformIntV2
7: SparseAdd
8: LSTMBlockCell
9: BlockLSTM BlockLSTMV2
N: AccumulateNV2 AddN Einsum Merge Pack RefMerge ShapeN StringJoin
N N: DynamicStitch ParallelDynamicStitch
N N N: SparseConcat
N sparse_types N dense_types: SparseCross
T: IdentityN
Tin: EagerPyFunc PyFunc
"""


class Output(NamedTuple):
    """An output that an operator has, or a list of them."""

    name: str
    many: str = ""
    """The attribute that says how many there are, or lists their types; "" where it is one."""


class Operator(NamedTuple):
    """What is known of an operator: None where it isn't known."""

    inputs: tuple[str, ...] | None
    """The same of each input, "" where it is one."""
    outputs: tuple[Output, ...] | None


@cache
def known() -> dict[str, Operator]:
    """The operators that have a rule, and those that don't have exactly one output.

    >>> known()["Unique"].outputs, known()["ConcatV2"].inputs
    ((Output(name='y', many=''), Output(name='idx', many='')), ('', 'N'))
    """
    outputs: dict[str, tuple[Output, ...]] = {}
    for line in _OUTPUTS.strip().splitlines():
        names, _, operators = line.partition(":")
        outputs.update(dict.fromkeys(operators.split(), tuple(Output(*name.split("*")) for name in names.split())))
    inputs: dict[str, tuple[str, ...]] = {}
    for line in _INPUTS.strip().splitlines():
        counts, _, operators = line.partition(":")
        each = [[""] * int(count) if count.isdecimal() else [count] for count in counts.split()]
        inputs.update(dict.fromkeys(operators.split(), tuple(name for names in each for name in names)))
    return {name: Operator(inputs.get(name), outputs.get(name)) for name in outputs | inputs}


def named(operators: Iterable[Proto]) -> dict[str, Operator]:
    """The same of what a file says of its operators (`OpDef`), beside those that are known."""
    said = {
        o.name: Operator(
            tuple(a.number_attr or a.type_list_attr for a in o.input_arg),
            tuple(Output(a.name, a.number_attr or a.type_list_attr) for a in o.output_arg),
        )
        for o in operators
    }
    return {**known(), **said}
