"""A call that TensorFlow runs, of each operator that has a rule: what the oracle's siblings are made from."""

from __future__ import annotations

from typing import Any

import numpy as np

from shapesmt.operators.ops.tensorflow.elementwise import DIVISIONS, KEPT, LOOSE
from shapesmt.operators.ops.tensorflow.reduction import FOLDS
from tests.oracle.tensorflow_peer import Argument, Call

Given = Argument | Call | tuple[Argument, ...]


def x(*shape: int, dtype: str = "float32") -> Argument:
    """Data."""
    return Argument(dtype, shape)


def i(*shape: int) -> Argument:
    """Data that are integers."""
    return Argument("int32", shape)


def b(*shape: int) -> Argument:
    """Data that are truths."""
    return Argument("bool", shape)


def s(*shape: int) -> Argument:
    """Data that are texts."""
    return Argument("string", shape)


def k(values: Any, dtype: str = "int32") -> Argument:
    """A constant."""
    return Argument(dtype, np.shape(values), values)


def j(values: Any) -> Argument:
    """A constant of 64 bits."""
    return k(values, "int64")


def f(values: Any) -> Argument:
    """A constant of floats."""
    return k(values, "float32")


def text(values: Any) -> Argument:
    """A constant of texts."""
    return k(values, "string")


def told(values: Any, dtype: str = "int32") -> Argument:
    """Data that are these values when they run."""
    return Argument(dtype, np.shape(values), values, hidden=True)


def op(names: str, *arguments: Given, **attributes: Any) -> list[Call]:
    """The same call of each of some operators."""
    return [Call(name, arguments, tuple(attributes.items())) for name in names.split()]


def made(name: str, *arguments: Given, **attributes: Any) -> Call:
    """What another operator makes: a list of tensors, a table."""
    return Call(name, arguments, tuple(attributes.items()))


def some(names: object) -> str:
    """Names as one text."""
    return " ".join(names)  # type: ignore[call-overload]  # names


UNARY = """Abs Acos Acosh Asin Asinh Atan Atanh Ceil Cos Cosh Elu Erf Exp Floor Inv IsFinite IsInf IsNan LeakyRelu Log
Neg Reciprocal Relu Rint Round Selu Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Square Tan Tanh ZerosLike OnesLike
Identity GuaranteeConst PreventGradient Snapshot StopGradient L2Loss RandomShuffle Shape Size Rank"""
NOT_FLOAT = {
    *("Conj", "DecodeBase64", "EncodeBase64", "RegexReplace", "StaticRegexReplace", "StringLower", "StringStrip"),
    *("StringUpper",),
}
BINARY = """Add AddV2 Sub Mul Maximum Minimum SquaredDifference Equal NotEqual Greater GreaterEqual Less LessEqual Pow
Xdivy Xlog1py Xlogy Zeta RealDiv Complex"""
ONES = {"strides": [1, 1, 1, 1]}
IMAGE = {**ONES, "padding": "VALID"}
POOL = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
PATCHES = {"ksizes": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "rates": [1, 1, 1, 1], "padding": "VALID"}
CUBE = {"strides": [1, 1, 1, 1, 1], "padding": "VALID"}
LAYOUT = {"data_format": "NHWC"}

ELEMENTWISE = [
    *op(UNARY, x(2, 3)),
    *op(some(n for n in KEPT if n not in NOT_FLOAT), x(2, 3)),
    *op("Conj Angle ComplexAbs Imag Real", x(2, 3, dtype="complex64")),
    *op("StringLower StringStrip StringUpper EncodeBase64 StringLength", s(2, 3)),
    *op("StringToHashBucketFast StringToHashBucket", s(2, 3), num_buckets=3),
    *op("StringToHashBucketStrong", s(2, 3), num_buckets=3, key=[1, 2]),
    *op("StaticRegexFullMatch", s(2, 3), pattern="a"),
    *op("StaticRegexReplace", s(2, 3), pattern="a", rewrite="b"),
    *op("RegexReplace", s(2, 3), s(), s()),
    *op("RegexFullMatch", s(2, 3), s()),
    *op("AsString", x(2, 3)),
    *op("PopulationCount Invert", i(2, 3)),
    *op("LogicalNot", b(2, 3)),
    *op("CheckNumerics", x(2, 3), message="m"),
    *op("IdentityN", (x(2, 3), i(2))),
    *op("Print", x(2, 3), (x(2), i(1))),
    *op("Cast", x(2, 3), DstT="int32"),
    *op("Bitcast", x(2, 2), type="float64"),
    *op("Bitcast", x(2, 2), type="uint8"),
    *op(BINARY, x(2, 3), x(2, 3)),
    *op(some(n for n in LOOSE), x(2, 3), x(2, 3)),
    *op(some(n for n in DIVISIONS if n not in ("TruncateMod", "TruncateDiv")), x(2, 3), x(2, 3)),
    *op(some(DIVISIONS), i(2, 3), k([1, 2, 3])),
    *op("Pow", i(2, 3), k([1, 2, 3])),
    *op("BitwiseAnd BitwiseOr BitwiseXor LeftShift RightShift", i(2, 3), i(2, 3)),
    *op("LogicalAnd LogicalOr", b(2, 3), b(2, 3)),
    *op("ApproximateEqual", x(2, 3), x(2, 3)),
    *op("BiasAdd", x(2, 3, 4), x(4)),
    *op("BiasAdd", x(2, 3, 4, 5), x(3), data_format="NCHW"),
    *op("BiasAddV1", x(2, 3, 4), x(4)),
    *op("AddN", (x(2, 3), x(2, 3))),
    *op("AccumulateNV2", (x(2, 3), x(2, 3)), shape=[2, 3]),
    *op("Select", b(2, 3), x(2, 3), x(2, 3)),
    *op("Select", b(2), x(2, 3), x(2, 3)),
    *op("Select", b(), x(2, 3), x(2, 3)),
    *op("SelectV2", b(2, 1), x(2, 3), x(3)),
    *op("ClipByValue", x(2, 3), x(), x()),
    *op("ClipByValue", x(2, 3), x(2, 3), x(2, 3)),
    *op("StringJoin", (s(2), s(2), s())),
    *op("Substr", s(2, 3), i(2, 3), i(2, 3)),
    *op("Betainc", x(2), x(2), x(2)),
    *op("FakeQuantWithMinMaxVars", x(2, 3), f(-1.0), f(1.0)),
    *op("FakeQuantWithMinMaxVars", x(2, 3), x(), f(2.0)),
    *op("FakeQuantWithMinMaxVarsPerChannel", x(2, 3), f([-1.0, -1.0, -1.0]), f([1.0, 1.0, 1.0])),
    *op("Bucketize", x(2, 3), boundaries=[0.0, 1.0]),
    *op("Softmax LogSoftmax", x(2, 3)),
    *op("SoftmaxCrossEntropyWithLogits", x(2, 3), x(2, 3)),
    *op("SparseSoftmaxCrossEntropyWithLogits", x(2, 3), i(2)),
    *op("QuantizeV2", x(2, 3), f(-1.0), f(1.0), T="quint8"),
    *op("QuantizeV2", x(2, 3), f([-1.0] * 3), f([1.0] * 3), T="quint8", axis=1),
    *op("Dequantize", x(2, 3, dtype="quint8"), f(-1.0), f(1.0)),
    *op("Dequantize", x(2, 3, dtype="quint8"), f([-1.0] * 3), f([1.0] * 3), axis=1),
    *op("QuantizeAndDequantizeV2", x(2, 3), f(-1.0), f(1.0), range_given=True),
    *op("QuantizeAndDequantizeV2", x(2, 3), f(-1.0), f(1.0)),
    *op("QuantizeAndDequantizeV2", x(2, 3), f([-1.0] * 3), f([1.0] * 3), axis=1),
    *op("QuantizeAndDequantizeV3", x(2, 3), f([-1.0] * 3), f([1.0] * 3), k(8), axis=1),
    *op("QuantizeAndDequantizeV3", x(2, 3), f(-1.0), f(1.0), k(8)),
    *op("QuantizeAndDequantizeV4", x(2, 3), f(-1.0), f(1.0), range_given=True),
]

SHAPES = [
    *op("ShapeN", (x(2, 3), x(2))),
    *op("Reshape", x(2, 3), k([3, 2])),
    *op("Reshape", x(2, 3, 4), k([4, -1])),
    *op("ExpandDims", x(2, 3), k(1)),
    *op("Squeeze", x(1, 3, 1), squeeze_dims=[0]),
    *op("Squeeze", x(1, 3, 1), squeeze_dims=[-1, 0]),
    *op("Squeeze", x(1, 3, 1)),
    *op("Transpose", x(2, 3, 4), k([2, 0, 1])),
    *op("ConjugateTranspose", x(2, 3), k([1, 0])),
    *op("InvertPermutation", k([1, 2, 0])),
    *op("EnsureShape", x(2, 3), shape=[2, None]),
    *op("DataFormatVecPermute", k([1, 2, 3, 4])),
    *op("DataFormatVecPermute", k([[1, 2], [3, 4]])),
    *op("Fill", k([2, 3]), x()),
    *op("Empty", k([2, 3]), dtype="float32"),
    *op("Range", k(0), k(5), k(2)),
    *op("Range", f(0.0), f(5.5), f(2.0)),
    *op("LinSpace", x(), x(), k(3)),
    *op("Tile", x(2, 3), k([2, 1])),
    *op("BroadcastTo", x(2, 1), k([4, 2, 3])),
    *op("BroadcastArgs", k([2, 1]), k([3])),
    *op("Concat", k(1), (x(2, 3), x(2, 4))),
    *op("ConcatV2", (x(2, 3), x(2, 4)), k(1)),
    *op("Pack", (x(2, 3), x(2, 3)), axis=1),
    *op("Unpack", x(2, 3), num=3, axis=1),
    *op("Split", k(1), x(2, 4), num_split=2),
    *op("SplitV", x(2, 4), k([1, 3]), k(1), num_split=2),
    *op("SplitV", x(2, 4), k([1, -1]), k(1), num_split=2),
    *op("Pad", x(2, 3), k([[1, 0], [2, 1]])),
    *op("PadV2", x(2, 3), k([[1, 0], [2, 1]]), x()),
    *op("MirrorPad", x(3, 3), k([[1, 0], [2, 1]]), mode="REFLECT"),
    *op("MirrorPad", x(3, 3), k([[1, 0], [2, 1]]), mode="SYMMETRIC"),
    *op("ReverseV2", x(2, 3), k([1])),
    *op("Reverse", x(2, 3), k([True, False], "bool")),
    *op("ReverseSequence", x(2, 3, 4), k([1, 2]), seq_dim=1, batch_dim=0),
    *op("Roll", x(2, 3), k(1), k(1)),
    *op("Roll", x(2, 3), k([1, 2]), k([0, 1])),
    *op("DepthToSpace", x(2, 3, 3, 8), block_size=2),
    *op("SpaceToDepth", x(2, 4, 4, 3), block_size=2),
    *op("BatchToSpace", x(4, 2, 2, 3), k([[1, 0], [0, 1]]), block_size=2),
    *op("BatchToSpaceND", x(4, 2, 2, 3), k([2, 2]), k([[1, 0], [0, 1]])),
    *op("SpaceToBatch", x(1, 3, 3, 3), k([[1, 0], [0, 1]]), block_size=2),
    *op("SpaceToBatchND", x(1, 3, 3, 3), k([2, 2]), k([[1, 0], [0, 1]])),
    *op("Slice", x(4, 5), k([1, 2]), k([2, -1])),
    *op("StridedSlice", x(4, 5, 6), k([1, 2]), k([3, 4]), k([1, 2])),
    *op("StridedSlice", x(4, 5, 6), k([1, 2]), k([3, 4]), k([1, 1]), shrink_axis_mask=2, begin_mask=1, end_mask=1),
    *op("StridedSlice", x(4, 5), k([0, 1, 0]), k([0, 3, 0]), k([1, 1, 1]), ellipsis_mask=1, new_axis_mask=4),
]

FOLDING = [
    *op(some(n for n in FOLDS if n not in ("All", "Any")), x(2, 3, 4), k([1])),
    *op("Max Sum", x(2, 3, 4), k(1), keep_dims=True),
    *op("All Any", b(2, 3, 4), k([0, -1])),
    *op("ArgMax ArgMin", x(2, 3, 4), k(1)),
    *op("Cumsum Cumprod CumulativeLogsumexp", x(2, 3, 4), k(1)),
    *op("Bincount", i(4), k(3), x(4)),
    *op("Bincount", i(4), k(3), x(0)),
    *op("DenseBincount", i(2, 4), k(3), x(2, 4)),
    *op("DenseBincount", i(2, 4), k(3), x(0)),
    *op("SegmentMax SegmentMean SegmentMin SegmentProd SegmentSum", x(3, 2), k([0, 0, 1])),
    *op("SparseSegmentMean SparseSegmentSqrtN SparseSegmentSum", x(3, 2), k([0, 2]), k([0, 1])),
    *op("UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd UnsortedSegmentSum", x(3, 2), k([0, 2, 1]), k(3)),
]

INDEXING = [
    *op("Gather", x(4, 3), k([0, 2])),
    *op("GatherV2", x(4, 3), k([0, 2]), k(1)),
    *op("GatherV2", x(2, 4, 3), k([[0, 2], [1, 1]]), k(1), batch_dims=1),
    *op("GatherNd", x(4, 3), k([[0, 2], [3, 1]])),
    *op("ScatterNd", k([[0], [2]]), x(2, 3), k([4, 3])),
    *op("ScatterNdNonAliasingAdd TensorScatterUpdate TensorScatterAdd", x(4, 3), k([[0], [2]]), x(2, 3)),
    *op("TensorScatterSub TensorScatterMax TensorScatterMin", x(4, 3), k([[0], [2]]), x(2, 3)),
    *op("SparseToDense", k([[0, 1], [2, 0]]), k([3, 2]), x(2), x()),
    *op("OneHot", i(2, 3), k(4), x(), x()),
    *op("TopKV2", x(2, 3), k(2)),
    *op("SplitV", x(2, 4), k([2, 2]), Argument("int32", (1,)), num_split=2),
    *op("NthElement", x(2, 3), k(1)),
    *op("InTopK", x(2, 3), i(2), k=2),
    *op("InTopKV2", x(2, 3), i(2), k(2)),
    *op("Where", b(2, 3)),
    *op("Unique UniqueWithCounts", x(3)),
    *op("UniqueV2 UniqueWithCountsV2", x(3, 2), j([1])),
    *op("ListDiff", i(3), i(2)),
    *op("UnravelIndex", k([3, 4]), k([2, 3])),
    *op("LowerBound UpperBound", x(2, 3), x(2, 4)),
    *op("DynamicPartition", x(3, 2), k([0, 1, 1]), num_partitions=2),
    *op("DynamicStitch ParallelDynamicStitch", (k([0, 2]), k([1])), (x(2, 3), x(1, 3))),
]

LINEAR = [
    *op("MatMul", x(2, 3), x(3, 4)),
    *op("MatMul", x(3, 2), x(4, 3), transpose_a=True, transpose_b=True),
    *op("BatchMatMul BatchMatMulV2", x(5, 2, 3), x(5, 3, 4)),
    *op("BatchMatMulV3", x(5, 2, 3), x(5, 3, 4), Tout="float32"),
    *op("Einsum", (x(2, 3), x(3, 4)), equation="ab,bc->ac"),
    *op("Einsum", (x(2, 3),), equation="ab->ba"),
    *op("Einsum", (x(2, 3, 4),), equation="abc->aabbcc"),
    *op("Einsum", (x(2, 2, 2), x(3)), equation="aaa,b->abbb"),
    *op("Einsum", (x(5, 2, 3), x(3, 4)), equation="...ab,...bc->...ac"),
    *op("Cross", x(2, 3), x(2, 3)),
    *op("MatrixBandPart", x(2, 3, 4), k(1), k(2)),
    *op("Diag", x(2, 3)),
    *op("DiagPart", x(2, 3, 2, 3)),
    *op("MatrixDiag", x(2, 3)),
    *op("MatrixDiagPart", x(2, 3, 4)),
    *op("MatrixSetDiag", x(2, 3, 4), x(2, 3)),
    *op("MatrixDiagPartV2 MatrixDiagPartV3", x(2, 3, 4), k([-1, 1]), x()),
    *op("MatrixDiagV2 MatrixDiagV3", x(2, 3), k(1), k(-1), k(-1), x()),
    *op("MatrixDiagV2 MatrixDiagV3", x(2, 3, 4), k([-1, 1]), k(4), k(-1), x()),
    *op("MatrixSetDiagV2 MatrixSetDiagV3", x(2, 3, 4), x(2, 3, 3), k([-1, 1])),
    *op("MatrixSetDiagV2 MatrixSetDiagV3", x(2, 3, 4), x(2, 3), k(1)),
    *op("Cholesky", x(2, 1, 1)),
    *op("MatrixInverse Lu", x(2, 1, 1)),
    *op("MatrixDeterminant LogMatrixDeterminant", x(2, 3, 3)),
    *op("MatrixLogarithm MatrixSquareRoot", x(2, 1, 1, dtype="complex64")),
    *op("MatrixSolve MatrixTriangularSolve", x(2, 1, 1), x(2, 1, 3)),
    *op("Svd", x(2, 3, 4)),
    *op("SelfAdjointEigV2", x(2, 3, 3)),
    *op("Qr", x(2, 3, 4)),
    *op("FFT IFFT", x(2, 3, dtype="complex64")),
    *op("FFT2D IFFT2D", x(2, 3, 3, dtype="complex64")),
    *op("FFT3D IFFT3D", x(2, 3, 3, 3, dtype="complex64")),
    *op("RFFT", x(2, 4), k([4])),
    *op("RFFT2D", x(2, 4, 4), k([3, 4])),
    *op("RFFT3D", x(2, 4, 4, 4), k([2, 3, 4])),
    *op("IRFFT", x(2, 4, dtype="complex64"), k([4])),
    *op("IRFFT2D", x(2, 4, 4, dtype="complex64"), k([3, 4])),
    *op("IRFFT3D", x(2, 4, 4, 4, dtype="complex64"), k([2, 3, 4])),
    *op("RandomUniform RandomStandardNormal TruncatedNormal", k([2, 3]), dtype="float32"),
    *op("RandomUniformInt", k([2, 3]), k(0), k(3)),
    *op("StatelessRandomUniform StatelessRandomNormal StatelessTruncatedNormal", k([2, 3]), k([1, 2])),
    *op("StatelessRandomUniformInt", k([2, 3]), k([1, 2]), k(0), k(3), dtype="int32"),
    *op("StatelessRandomUniformFullInt", k([2, 3]), k([1, 2], "int32"), dtype="int32"),
    *op(
        "StatelessRandomUniformV2 StatelessRandomNormalV2 StatelessTruncatedNormalV2",
        *(k([2, 3]), k([1], "uint64"), k([1, 2], "uint64"), k(1)),
    ),
    *op("StatelessRandomUniformIntV2", k([2, 3]), k([1], "uint64"), k([1, 2], "uint64"), k(1), k(0), k(3)),
    *op("StatelessRandomUniformFullIntV2", k([2, 3]), k([1], "uint64"), k([1, 2], "uint64"), k(1), dtype="int32"),
    *op("RandomGamma RandomPoissonV2", k([2, 3]), x(4)),
    *op("Multinomial", x(2, 3), k(4)),
    *op("StatelessMultinomial", x(2, 3), k(4), k([1, 2])),
    *op("StatelessRandomGetKeyCounter StatelessRandomGetKeyCounterAlg", k([1, 2])),
]

IMAGES = [
    *op("Conv2D", x(2, 5, 5, 2), x(2, 2, 2, 3), **IMAGE),
    *op("Conv2D", x(2, 5, 5, 4), x(2, 2, 2, 4), strides=[1, 2, 2, 1], padding="SAME", dilations=[1, 2, 2, 1]),
    *op(
        "Conv2D",
        *(x(2, 5, 5, 2), x(2, 2, 2, 3)),
        **ONES,
        padding="EXPLICIT",
        explicit_paddings=[0, 0, 1, 1, 1, 0, 0, 0],
    ),
    *op("Conv3D", x(2, 3, 3, 3, 2), x(2, 2, 2, 2, 3), **CUBE),
    *op("DepthwiseConv2dNative", x(2, 5, 5, 2), x(2, 2, 2, 3), **IMAGE),
    *op("Conv2DBackpropInput", k([2, 5, 5, 2]), x(2, 2, 2, 3), x(2, 4, 4, 3), **IMAGE),
    *op("Conv3DBackpropInputV2", k([2, 3, 3, 3, 2]), x(2, 2, 2, 2, 3), x(2, 2, 2, 2, 3), **CUBE),
    *op("MaxPool AvgPool MaxPoolWithArgmax", x(2, 5, 5, 2), **POOL),
    *op("MaxPool AvgPool", x(2, 5, 5, 2), **{**POOL, "padding": "SAME"}),
    *op("MaxPool", x(2, 5, 5, 2), **{**POOL, "padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 1, 1, 0, 0, 0]}),
    *op("MaxPool", x(2, 4, 4, 4), ksize=[1, 1, 1, 2], strides=[1, 1, 1, 2], padding="VALID"),
    *op("MaxPool3D AvgPool3D", x(2, 5, 5, 5, 2), ksize=[1, 2, 2, 2, 1], strides=[1, 2, 2, 2, 1], padding="VALID"),
    *op("MaxPoolV2", x(2, 5, 5, 2), k([1, 2, 2, 1]), k([1, 2, 2, 1]), padding="VALID"),
    *op("MaxPoolWithArgmax", x(2, 4, 4, 4), ksize=[1, 1, 2, 1], strides=[1, 1, 2, 1], padding="SAME"),
    *op("MaxPoolV2", x(2, 4, 4, 4), k([1, 1, 1, 2]), k([1, 1, 1, 2]), padding="VALID"),
    *op("Dilation2D", x(2, 5, 5, 2), x(2, 2, 2), rates=[1, 1, 1, 1], **IMAGE),
    *op("ExtractImagePatches", x(2, 5, 5, 2), **PATCHES),
    *op("FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3", x(2, 4, 4, 3), x(3), x(3), x(3), x(3), is_training=False),
    *op("FusedBatchNorm FusedBatchNormV3", x(2, 4, 4, 3), x(3), x(3), x(0), x(0)),
    *op(
        "BatchNormWithGlobalNormalization",
        *(x(2, 4, 4, 3), x(3), x(3), x(3), x(3)),
        variance_epsilon=0.1,
        scale_after_normalization=True,
    ),
    *op("LRN", x(2, 4, 4, 3)),
    *op("ResizeArea ResizeBicubic ResizeBilinear ResizeNearestNeighbor", x(2, 4, 4, 3), k([2, 6])),
    *op("QuantizedResizeBilinear", x(2, 4, 4, 3, dtype="quint8"), k([2, 6]), f(0.0), f(1.0)),
    *op("ScaleAndTranslate", x(2, 4, 4, 3), k([2, 6]), x(2), x(2)),
    *op("ImageProjectiveTransformV2", x(2, 4, 4, 3), x(2, 8), k([2, 6]), interpolation="NEAREST", fill_mode="CONSTANT"),
    *op("ImageProjectiveTransformV3", x(2, 4, 4, 3), x(1, 8), k([2, 6]), f(0.0), interpolation="NEAREST"),
    *op("CropAndResize", x(2, 4, 4, 3), x(3, 4), k([0, 1, 0]), k([2, 6])),
    *op("AdjustContrastv2 AdjustHue AdjustSaturation", x(4, 4, 3), f(0.5)),
    *op("HSVToRGB RGBToHSV", x(4, 4, 3)),
    *op("NonMaxSuppression", x(3, 4), x(3), k(2)),
    *op("NonMaxSuppressionV2", x(3, 4), x(3), k(2), f(0.5)),
    *op("NonMaxSuppressionV3 NonMaxSuppressionV4", x(3, 4), x(3), k(2), f(0.5), f(0.0)),
    *op("NonMaxSuppressionV4", x(3, 4), x(3), k(2), f(0.5), f(0.0), pad_to_max_output_size=True),
    *op("NonMaxSuppressionV5", x(3, 4), x(3), k(2), f(0.5), f(0.0), f(0.0)),
    *op("CombinedNonMaxSuppression", x(2, 3, 1, 4), x(2, 3, 5), k(2), k(4), f(0.5), f(0.0)),
]

COMMON = [*ELEMENTWISE, *SHAPES, *FOLDING, *INDEXING, *LINEAR, *IMAGES]
