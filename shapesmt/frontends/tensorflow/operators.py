"""The numbers of inputs and outputs of TensorFlow's operators, and the names of the outputs.

Functions use the names: a node reads `split:output:1`, output then index. Saved models define each operator that they
use; other files don't, so these tables are needed.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from math import inf
from typing import NamedTuple

from shapesmt.frontends.tensorflow.protos import Proto
from shapesmt.network.graph import AttributeValue

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
begin size bboxes: SampleDistortedBoundingBoxV2 StatelessSampleDistortedBoundingBox SampleDistortedBoundingBox
output_indices output_values empty_row_indicator reverse_index_map: SparseFillEmptyRows
output_indices output_values output_shape: SparseConcat SparseSlice SparseCross SparseCrossV2
output_indices output_values: SparseReorder SparseSparseMaximum SparseSparseMinimum
output_indices output_shape: SparseReshape
sum_indices sum_values sum_shape: SparseAdd
indices values shape: StringSplit StringSplitV2
row_splits char_values: UnicodeDecode
row_splits char_values char_to_byte_starts: UnicodeDecodeWithOffsets
keys values: LookupTableExport LookupTableExportV2
sparse_indices sparse_values sparse_shape: DeserializeManySparse DeserializeSparse
output_indices*num_split output_values*num_split output_shape*num_split: SparseSplit
output_nested_splits*OUTPUT_RAGGED_RANK output_dense_values: RaggedGather
output_nested_splits*output_ragged_rank output_dense_values: RaggedTensorFromVariant
context_sparse_indices*Ncontext_sparse context_sparse_values*context_sparse_types \
context_sparse_shapes*Ncontext_sparse context_dense_values*Tcontext_dense \
context_ragged_values*context_ragged_value_types context_ragged_row_splits*context_ragged_split_types \
feature_list_sparse_indices*Nfeature_list_sparse feature_list_sparse_values*feature_list_sparse_types \
feature_list_sparse_shapes*Nfeature_list_sparse feature_list_dense_values*feature_list_dense_types \
feature_list_dense_lengths*Nfeature_list_dense feature_list_ragged_values*feature_list_ragged_value_types \
feature_list_ragged_outer_splits*feature_list_ragged_split_types \
feature_list_ragged_inner_splits*feature_list_ragged_split_types: ParseSequenceExampleV2
rt_nested_splits rt_dense_values: RaggedRange
output min_output max_output: QuantizedConv2D QuantizedMaxPool QuantizedAvgPool
output output_min output_max: QuantizeV2 Requantize QuantizedConcat QuantizedConcatV2 QuantizedReshape
audio sample_rate: DecodeWav
resized_images out_min out_max: QuantizedResizeBilinear
decoded_indices*top_paths decoded_values*top_paths decoded_shape*top_paths log_probability: CTCBeamSearchDecoder
output*OUT_TYPE: DecodeCSV
result_indices result_values result_shape: DenseToDenseSetOperation DenseToSparseSetOperation
result_indices result_values result_shape: SparseToSparseSetOperation
sparse_indices*Nsparse sparse_values*sparse_types sparse_shapes*Nsparse \
dense_values*Tdense: ParseExample
sparse_indices*num_sparse sparse_values*sparse_types sparse_shapes*num_sparse \
dense_values*Tdense ragged_values*ragged_value_types ragged_row_splits*ragged_split_types: ParseExampleV2
sparse_indices*num_sparse sparse_values*sparse_types sparse_shapes*num_sparse \
dense_values*Tdense: ParseSingleExample
output output_min output_max: QuantizeDownAndShrinkRange
z min_z max_z: QuantizedAdd QuantizedMul
output min_out max_out: QuantizedBiasAdd
out min_out max_out: QuantizedMatMul
activations min_activations max_activations: QuantizedRelu QuantizedRelu6 QuantizedReluX
sparse_indices sparse_values sparse_dense_shape: RaggedTensorToSparse
output_min output_max: RequantizationRange
ngrams ngrams_splits: StringNGrams
: Assert AssignVariableOp AssignAddVariableOp AssignSubVariableOp DisableCopyOnRead MergeV2Checkpoints NoOp
: LookupTableImport LookupTableImportV2 LookupTableInsert LookupTableInsertV2 LookupTableRemoveV2 PrintV2 SaveV2
: StackCloseV2 TensorArrayCloseV3
"""


_INPUTS = """
0: FakeParam HashTable HashTableV2 MutableHashTable MutableHashTableV2 NoOp StatelessRandomGetAlg
0: MutableHashTableOfTensors MutableHashTableOfTensorsV2
1: Abs Acos Acosh Angle ApproxTopK AsString Asin Asinh Atan Atanh AudioSpectrogram AvgPool AvgPool3D BesselI0 BesselI0e
1: BesselI1 BesselI1e BesselJ0 BesselJ1 BesselK0 BesselK0e BesselK1 BesselK1e BesselY0 BesselY1 Bitcast Bucketize Cast
1: Ceil CheckNumerics Cholesky ComplexAbs Conj Cos Cosh DataFormatDimMap DataFormatVecPermute Dawsn DecodeBase64
1: DecodeBmp DecodeCompressed DecodeGif DecodeImage DecodeJpeg DecodePng DecodeRaw DecodeWav DepthToSpace Diag DiagPart
1: Digamma DisableCopyOnRead Eig Elu Empty EncodeBase64 EncodeJpeg EncodePng EnsureShape Erf Erfc Erfinv Exp Expint
1: Expm1 ExtractImagePatches FFT FFT2D FFT3D FakeQuantWithMinMaxArgs Floor FractionalAvgPool FractionalMaxPool
1: FresnelCos FresnelSin GuaranteeConst HSVToRGB IFFT IFFT2D IFFT3D Identity Imag Inv Invert InvertPermutation IsFinite
1: IsInf IsNan IteratorGetNext IteratorGetNextSync L2Loss LRN LeakyRelu Lgamma Log Log1p LogMatrixDeterminant
1: LogSoftmax LogicalNot LookupTableExportV2 LookupTableSize LookupTableSizeV2 Lu MatrixDeterminant MatrixDiag
1: MatrixDiagPart MatrixExponential MatrixInverse MatrixLogarithm MatrixSquareRoot MaxPool MaxPool3D MaxPoolWithArgmax
1: Ndtri Neg OnesLike OptionalGetValue PopulationCount PreventGradient PrintV2 Qr QuantizeAndDequantize RGBToHSV
1: RandomShuffle RandomStandardNormal RandomUniform Rank Real Reciprocal Relu Relu6 Rint Round Rsqrt SelfAdjointEigV2
1: Selu Shape Sigmoid Sign Sin Sinh Size Snapshot Softmax Softplus Softsign SpaceToDepth Spence Sqrt Square Squeeze
1: StackCloseV2 StatelessRandomGetKeyCounter StatelessRandomGetKeyCounterAlg StaticRegexFullMatch StaticRegexReplace
1: StopGradient StringLength StringLower StringStrip StringToHashBucket StringToHashBucketFast StringToHashBucketStrong
1: StringToNumber StringUpper Svd Tan Tanh TensorArrayCloseV3 TensorArrayV3 TensorListConcat TensorListLength TopK
1: TruncatedNormal UnicodeDecode UnicodeTranscode Unique UniqueWithCounts Unpack Where ZerosLike
1: DecodeJSONExample DeserializeManySparse DeserializeSparse ExtractJpegShape LookupTableExport MutableDenseHashTable
1: ParseTensor RaggedTensorFromVariant SerializeTensor UnicodeDecodeWithOffsets UnicodeScript
1 N: Concat ConcatOffset ConcatV2
1 N N N: QuantizedConcat QuantizedConcatV2
1 N sparse_types N dense_types: SparseCrossV2
1 OUT_TYPE: DecodeCSV
1 T: Assert
1 Tdense: ParseSingleExample
1 U: Print
2: Add AddV2 AdjustContrastv2 AdjustHue AdjustSaturation All Any ApproximateEqual ArgMax ArgMin AssignAddVariableOp
2: AssignSubVariableOp AssignVariableOp Atan2 BatchMatMul BatchMatMulV2 BatchMatMulV3 BatchToSpace BiasAdd BiasAddV1
2: BitwiseAnd BitwiseOr BitwiseXor BroadcastArgs BroadcastGradientArgs BroadcastTo CTCBeamSearchDecoder
2: CTCGreedyDecoder Complex ConjugateTranspose Conv2D Conv3D Cross Cumprod Cumsum CumulativeLogsumexp DecodePaddedRaw
2: DenseToDenseSetOperation DepthwiseConv2dNative Dilation2D Div DivNoNan DrawBoundingBoxes DynamicPartition
2: EmptyTensorList Equal EuclideanNorm ExpandDims Fill FloorDiv FloorMod Gather GatherNd Greater GreaterEqual IRFFT
2: IRFFT2D IRFFT3D Igamma IgammaGradA Igammac InTopK LeftShift Less LessEqual ListDiff LogicalAnd LogicalOr LowerBound
2: MatMul MatrixSetDiag MatrixSolve MatrixTriangularSolve Max Maximum Mean MergeV2Checkpoints Mfcc Min Minimum
2: MirrorPad Mod Mul MulNoNan Multinomial NextAfter NotEqual NthElement Pad Polygamma Pow Prod RFFT RFFT2D RFFT3D
2: RandomCrop RandomGamma RandomPoisson RandomPoissonV2 RealDiv RefSwitch RegexFullMatch Reshape ResizeArea
2: ResizeBicubic ResizeBilinear ResizeNearestNeighbor ResourceGather ResourceGatherNd Reverse ReverseSequence ReverseV2
2: RightShift SampleDistortedBoundingBox SegmentMax SegmentMean SegmentMin SegmentProd SegmentSum
2: SoftmaxCrossEntropyWithLogits SpaceToBatch SparseMatMul SparseSoftmaxCrossEntropyWithLogits Split SquaredDifference
2: StatelessRandomNormal StatelessRandomUniform StatelessRandomUniformFullInt StatelessTruncatedNormal StringNGrams
2: StringSplit StringSplitV2 Sub Sum Switch TensorArrayConcatV3 TensorListFromTensor TensorListPopBack
2: TensorListPushBack TensorListReserve TensorListResize TensorListStack Tile TopKV2 Transpose TridiagonalSolve
2: TruncateDiv TruncateMod UniqueV2 UniqueWithCountsV2 UnravelIndex UpperBound Xdivy Xlog1py Xlogy Zeta
2: DecodeAndCropJpeg EncodeJpegVariableQuality EncodeWav LookupTableRemoveV2 MutableDenseHashTableV2 ReduceJoin
2: UnicodeEncode
2 Nsparse Ndense Tdense: ParseExample
2 TArgs num_host_args: _FusedConv2D
2 num_args: _FusedDepthwiseConv2dNative _FusedMatMul
3: BatchToSpaceND Betainc Bincount ClipByValue Conv2DBackpropInput Conv3DBackpropInputV2 DenseBincount Dequantize
3: DrawBoundingBoxesV2 ExtractGlimpse ExtractGlimpseV2 FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsPerChannel
3: GatherV2 HistogramFixedWidth ImageProjectiveTransformV2 InTopKV2 LinSpace LookupTableFind LookupTableFindV2
3: LookupTableImportV2 LookupTableInsertV2 MatrixBandPart MatrixDiagPartV2 MatrixDiagPartV3 MatrixSetDiagV2
3: MatrixSetDiagV3 MatrixSolveLs MaxPoolV2 NonMaxSuppression PadV2 QuantizeAndDequantizeV2 QuantizeAndDequantizeV4
3: QuantizeDownAndShrinkRange QuantizeV2 QuantizedAvgPool QuantizedMaxPool QuantizedRelu QuantizedRelu6 RaggedRange
3: RandomUniformInt Range RegexReplace RequantizationRange RestoreV2 Roll SampleDistortedBoundingBoxV2 ScatterNd
3: ScatterNdNonAliasingAdd Select SelectV2 Slice SpaceToBatchND SparseReorder SparseReshape SparseSegmentMean
3: SparseSegmentSqrtN SparseSegmentSum SparseSoftmax SplitV StatelessMultinomial StatelessRandomGammaV2
3: StatelessRandomPoisson Substr TensorListConcatV2 TensorListGather TensorListGetItem TensorListSetItem
3: TensorScatterAdd TensorScatterMax TensorScatterMin TensorScatterSub TensorScatterUpdate UnsortedSegmentMax
3: UnsortedSegmentMin UnsortedSegmentProd UnsortedSegmentSum XlaRngBitGenerator
3: LookupTableImport LookupTableInsert SerializeManySparse TensorListScatter TensorListScatterIntoExistingList
3: TensorListSplit
3 dtypes: SaveV2
4: CTCLoss CTCLossV2 CropAndResize CudnnRNN CudnnRNNV2 DenseToSparseSetOperation ImageProjectiveTransformV3
4: NonMaxSuppressionV2 OneHot QuantizeAndDequantizeV3 QuantizedReluX QuantizedReshape QuantizedResizeBilinear
4: ScaleAndTranslate SparseDenseCwiseAdd SparseDenseCwiseDiv SparseDenseCwiseMul SparseFillEmptyRows SparseReduceMax
4: SparseReduceSum SparseSegmentMeanWithNumSegments SparseSegmentSqrtNWithNumSegments SparseSegmentSumWithNumSegments
4: SparseTensorDenseAdd SparseTensorDenseMatMul SparseToDense StatelessRandomBinomial StatelessRandomNormalV2
4: StatelessRandomUniformFullIntV2 StatelessRandomUniformInt StatelessRandomUniformV2
4: StatelessSampleDistortedBoundingBox StatelessShuffle StatelessTruncatedNormalV2 StridedSlice
4: SparseSplit TensorListScatterV2
5: BatchNormWithGlobalNormalization CudnnRNNV3 FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3 MatrixDiagV2
5: MatrixDiagV3 NonMaxSuppressionV3 NonMaxSuppressionV4 NonMaxSuppressionWithOverlaps Requantize SparseSlice
5 Tdense: ParseExampleV2
9 Tcontext_dense: ParseSequenceExampleV2
5 num_side_inputs: _FusedBatchNormEx
6: CombinedNonMaxSuppression GRUBlockCell NonMaxSuppressionV5 QuantizedAdd QuantizedBiasAdd QuantizedConv2D
6: QuantizedMatMul QuantizedMul SparseSparseMaximum SparseSparseMinimum SparseToSparseSetOperation
6: StatelessRandomUniformIntV2
7: SparseAdd
8: LSTMBlockCell
9: BlockLSTM BlockLSTMV2
N: AccumulateNV2 AddN Einsum Merge Pack RefMerge ShapeN StringJoin
N N: DynamicStitch ParallelDynamicStitch
N N N: SparseConcat
N sparse_types N dense_types: SparseCross
RAGGED_RANK 1: RaggedTensorToSparse RaggedTensorToVariant
PARAMS_RAGGED_RANK 1 1: RaggedGather
1 1 1 num_row_partition_tensors: RaggedTensorToTensor
T: IdentityN StringFormat
Tin: EagerPyFunc PyFunc
"""


class Output(NamedTuple):
    """One output of an operator, or a list of outputs."""

    name: str
    many: str = ""
    """The attribute with the number or the types of the outputs in the list; "" for a single output."""


class Operator(NamedTuple):
    """The inputs and outputs of an operator; None if unknown."""

    inputs: tuple[str, ...] | None
    """For each input, the attribute with the number or the types of its list; "" for a single input."""
    outputs: tuple[Output, ...] | None


@cache
def known_operators() -> dict[str, Operator]:
    """Return the inputs and outputs of operators that have a rule, or that don't have exactly one output.

    >>> known_operators()["Unique"].outputs, known_operators()["ConcatV2"].inputs
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


def operators_by_name(operators: Iterable[Proto]) -> dict[str, Operator]:
    """Return the known operators, and those that a file defines itself (`OpDef`)."""
    defined = {
        o.name: Operator(
            tuple(a.number_attr or a.type_list_attr for a in o.input_arg),
            tuple(Output(a.name, a.number_attr or a.type_list_attr) for a in o.output_arg),
        )
        for o in operators
    }
    return {**known_operators(), **defined}


def default_attributes(domain: str, op: str, version: int) -> dict[str, AttributeValue]:  # noqa: ARG001 - as ONNX's
    """Return the default attributes: none, as TensorFlow's files state every attribute."""
    return {}


def input_counts(domain: str, op: str, version: int) -> tuple[float, float]:  # noqa: ARG001 - as ONNX's
    """Return the minimum and maximum number of inputs.

    >>> input_counts("tensorflow", "Unique", 1), input_counts("tensorflow", "ConcatV2", 1)
    ((1, 1), (2, inf))
    """
    operator = known_operators().get(op)
    if operator is None or operator.inputs is None:
        return 1, inf
    return len(operator.inputs), inf if any(operator.inputs) else len(operator.inputs)
