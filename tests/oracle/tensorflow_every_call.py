"""Calls of TensorFlow's operators on what isn't a plain tensor of floats: sparse ones, texts, quantized numbers."""

from __future__ import annotations

from tests.oracle.tensorflow_calls import (
    COMMON,
    IMAGE,
    f,
    i,
    j,
    k,
    op,
    s,
    text,
    told,
    x,
)

OTHER = [
    *op("LSTMBlockCell", x(2, 3), x(2, 4), x(2, 4), x(7, 16), x(4), x(4), x(4), x(16)),
    *op("BlockLSTM BlockLSTMV2", j(5), x(5, 2, 3), x(2, 4), x(2, 4), x(7, 16), x(4), x(4), x(4), x(16)),
    *op("GRUBlockCell", x(2, 3), x(2, 4), x(7, 8), x(7, 4), x(8), x(4)),
    *op("AudioSpectrogram", x(16, 2), window_size=4, stride=2),
    *op("Mfcc", x(2, 5, 9), k(16000)),
    *op("Assert", k(True, "bool"), (x(2),)),
    *op("FakeParam", dtype="float32", shape=[2, 3]),
]

A = (j([[0, 1], [2, 0]]), x(2), j([3, 2]))  # a sparse matrix
Z = (j([[0, 0], [2, 0]]), x(2), j([3, 2]))
ENDS = (f(0.0), f(1.0))
MATRICES = (x(2, 3, dtype="quint8"), x(3, 4, dtype="quint8"))
DENSE = {"dense_shapes": [[2, 3]]}

SPARSE = [
    *op("SparseReorder SparseSoftmax", *A),
    *op("SparseDenseCwiseAdd SparseDenseCwiseDiv SparseDenseCwiseMul", *A, x(3, 2)),
    *op("SparseTensorDenseAdd", *A, x(3, 2)),
    *op("SparseTensorDenseMatMul", *A, x(2, 4)),
    *op("SparseTensorDenseMatMul", *A, x(4, 3), adjoint_a=True, adjoint_b=True),
    *op("SparseAdd", *A, *Z, x()),
    *op("SparseSparseMaximum SparseSparseMinimum", *A, *Z),
    *op("SparseConcat", (A[0], Z[0]), (A[1], Z[1]), (A[2], Z[2]), concat_dim=0),
    *op("SparseSlice", *A, j([0, 0]), j([2, 2])),
    *op("SparseReshape", j([[0, 1], [2, 0]]), j([3, 2]), j([2, 3])),
    *op("SparseReduceMax SparseReduceSum", *A, k([1])),
    *op("SparseReduceSum", *A, k([-1, 0]), keep_dims=True),
    *op("SparseFillEmptyRows", *A, x()),
    *op(
        "SparseSegmentMeanWithNumSegments SparseSegmentSqrtNWithNumSegments SparseSegmentSumWithNumSegments",
        *(x(3, 2), k([0, 2]), k([0, 1]), k(3)),
    ),
    *op("DenseToDenseSetOperation", i(2, 3), i(2, 4), set_operation="union"),
    *op("DenseToSparseSetOperation", i(3, 3), j([[0, 1], [2, 0]]), i(2), j([3, 2]), set_operation="union"),
    *op(
        "SparseToSparseSetOperation",
        *(j([[0, 1], [2, 0]]), i(2), j([3, 2]), j([[0, 0], [1, 0]]), i(2), j([3, 2])),
        set_operation="union",
    ),
    *op("RaggedRange", k([0, 1]), k([2, 5]), k([1, 2])),
    *op("RaggedTensorToSparse", (j([0, 2, 3]),), x(3)),
]

DECODING = [
    *op("CTCGreedyDecoder", x(4, 2, 3), k([4, 2])),
    *op("CTCBeamSearchDecoder", x(4, 2, 3), k([4, 2]), beam_width=2, top_paths=2),
    *op("CTCLoss", x(4, 2, 3), told([[0, 0], [1, 0]], "int64"), told([0, 1]), k([4, 2])),
    *op(
        "ParseExample",
        told(["", ""], "string"),
        s(0),
        (text("a"),),
        (text("b"),),
        (x(2, 3),),
        sparse_types=["int64"],
        **DENSE,
    ),
    *op(
        "ParseSingleExample",
        *(told("", "string"), (x(2, 3),)),
        num_sparse=1,
        sparse_keys=["a"],
        dense_keys=["b"],
        sparse_types=["int64"],
        **DENSE,
    ),
    *op("StringSplit StringSplitV2", s(2), s()),
    *op("DecodeRaw", told(["abcd", "efgh"], "string"), out_type="int32"),
    *op("HistogramFixedWidth", x(2, 3), f([0.0, 1.0]), k(4)),
]

MORE = [
    *op("NonMaxSuppressionWithOverlaps", x(3, 3), x(3), k(2), f(0.5), f(0.0)),
    *op("DrawBoundingBoxes", x(2, 4, 4, 3), x(2, 3, 4)),
    *op("DrawBoundingBoxesV2", x(2, 4, 4, 3), x(2, 3, 4), x(2, 3)),
    *op("ExtractGlimpse ExtractGlimpseV2", x(2, 4, 4, 3), k([2, 3]), x(2, 2)),
    *op("FractionalAvgPool FractionalMaxPool", x(2, 5, 6, 3), pooling_ratio=[1.0, 1.5, 1.25, 1.0]),
    *op("EncodeJpeg EncodePng", x(4, 4, 3, dtype="uint8")),
    *op("SampleDistortedBoundingBoxV2", k([4, 4, 3]), x(1, 1, 4), f(0.1)),
    *op("StatelessSampleDistortedBoundingBox", k([4, 4, 3]), x(1, 1, 4), f(0.1), k([1, 2])),
    *op("MatrixSolveLs", x(2, 4, 1), x(2, 4, 3), k(0.1, "float64")),
    *op("TridiagonalSolve", f([[0.0, 0.0], [1.0, 1.0], [0.0, 0.0]]), x(2, 3)),
    *op("Eig", x(2, 3, 3), Tout="complex64"),
    *op("SparseMatMul", x(2, 3), x(3, 4)),
    *op("RandomCrop", x(4, 4, 3), j([2, 3])),
]

QUANTIZED = [
    *op("QuantizedRelu QuantizedRelu6", x(2, 3, dtype="quint8"), *ENDS),
    *op("QuantizeDownAndShrinkRange", x(2, 3, dtype="qint32"), *ENDS, out_type="quint8"),
    *op("Requantize", x(2, 3, dtype="qint32"), *ENDS, *ENDS, out_type="quint8"),
    *op("RequantizationRange", x(2, 3, dtype="qint32"), *ENDS),
    *op("QuantizedAdd QuantizedMul", x(2, 3, dtype="quint8"), x(2, 3, dtype="quint8"), *ENDS, *ENDS),
    *op("QuantizedBiasAdd", x(2, 3, dtype="quint8"), x(3, dtype="quint8"), *ENDS, *ENDS, out_type="qint32"),
    *op("QuantizedMatMul", *MATRICES, *ENDS, *ENDS),
    *op("QuantizedConv2D", x(2, 5, 5, 2, dtype="quint8"), x(2, 2, 2, 3, dtype="quint8"), *ENDS, *ENDS, **IMAGE),
    *op("QuantizedReshape", x(2, 3, dtype="quint8"), k([3, 2]), *ENDS),
    *op(
        "QuantizedConcat",
        *(k(1), (x(2, 3, dtype="quint8"), x(2, 4, dtype="quint8")), (f(0.0), f(0.0)), (f(1.0), f(1.0))),
    ),
]

ENDING = j([0, 2, 4])
SPLITS = {"row_partition_types": ["ROW_SPLITS"]}
TEXTS_AND_ROWS = [
    *op("UnicodeDecode UnicodeDecodeWithOffsets", s(2, 3), input_encoding="UTF-8"),
    *op("UnicodeEncode", i(4), ENDING, output_encoding="UTF-8"),
    *op("UnicodeScript", i(2, 3)),
    *op("UnicodeTranscode", s(2, 3), input_encoding="UTF-8", output_encoding="UTF-16-BE"),
    *op(
        *("StringNGrams", s(4), ENDING),
        separator="",
        left_pad="",
        right_pad="",
        ngram_widths=[2],
        pad_width=0,
        preserve_short_sequences=False,
    ),
    *op("ReduceJoin", s(2, 3), k([1])),
    *op("StringFormat", (x(2),)),
    *op("SerializeTensor", x(2, 3)),
    *op("DecodePaddedRaw", s(2), k(4), out_type="float32"),
    *op("DecodeCSV", s(2), (text([""]),)),
    *op("EncodeWav", x(4, 2), k(16000)),
    *op("SerializeManySparse", j([[0, 0], [1, 2]]), x(2), j([2, 3])),
    *op("SparseSplit", j(1), j([[0, 0], [1, 2]]), x(2), j([2, 3]), num_split=2),
    *op("RaggedTensorToTensor", j(-1), x(4, 2), f(0.0), (ENDING,), **SPLITS),
    *op("RaggedTensorToTensor", j([-1, 3, -1]), x(4, 2), f([1.0, 2.0]), (ENDING,), **SPLITS),
    *op(
        *("RaggedTensorToTensor", j([-1, -1]), x(4), f(0.0), (j(2), j([0, 0, 1, 1]))),
        row_partition_types=["FIRST_DIM_SIZE", "VALUE_ROWIDS"],
    ),
    *op("RaggedGather", (ENDING,), x(4, 2), j([1, 0, 1]), OUTPUT_RAGGED_RANK=1),
    *op("RaggedGather", (ENDING, j([0, 1, 2, 2, 5])), x(5), j([[1, 0]]), OUTPUT_RAGGED_RANK=3),
]

CALLS = [*COMMON, *OTHER, *SPARSE, *DECODING, *MORE, *QUANTIZED, *TEXTS_AND_ROWS]
