"""Modules: which module has an operator's rules, so that only those are imported that a model needs."""

from __future__ import annotations

from collections.abc import Iterable


def _of(package: str, modules: str) -> tuple[str, ...]:
    """Return the full names of a package's modules, which `modules` lists with spaces between them."""
    return tuple(f"{package}.{module}" for module in modules.split())


_ONNX = {
    "math.elementwise": (
        "Abs Acos Acosh Add And Asin Asinh Atan Atanh BitCast BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor "
        "Cast CastLike Ceil Celu Clip Cos Cosh Div Elu Equal Erf Exp Floor Gelu Greater GreaterOrEqual "
        "HardSigmoid HardSwish IsInf IsNaN LeakyRelu Less LessOrEqual Log Max Mean Min Mish Mod Mul Neg Not Or "
        "PRelu Pow Reciprocal RegexFullMatch Relu Round Selu Shrink Sigmoid Sign Sin Sinh Softplus Softsign Sqrt "
        "StringConcat Sub Sum SwiGLU Swish Tan Tanh ThresholdedRelu Where Xor"
    ),
    "layout.joining": "Concat Pad Split",
    "windows.spatial": (
        "AveragePool Conv ConvInteger ConvTranspose GlobalAveragePool GlobalLpPool GlobalMaxPool LpPool MaxPool "
        "QLinearConv"
    ),
    "windows.resize": "Resize Upsample",
    "layout.shape": (
        "Constant Expand Flatten Identity MemcpyFromHost MemcpyToHost Shape Size Squeeze Tile Transpose Unsqueeze"
    ),
    "layout.ranges": "ConstantOfShape EyeLike Range Trilu",
    "layout.reshape": "Reshape",
    "math.linear": "Det Einsum Gemm MatMul MatMulInteger QLinearMatMul",
    "math.reduction": (
        "ArgMax ArgMin CumProd CumSum ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean "
        "ReduceMin ReduceProd ReduceSum ReduceSumSquare"
    ),
    "math.normalization": (
        "BatchNormalization Dropout GroupNormalization Hardmax InstanceNormalization LRN LayerNormalization "
        "LogSoftmax LpNormalization MeanVarianceNormalization RMSNormalization SimplifiedLayerNormalization "
        "Softmax"
    ),
    "layout.indexing": "Compress Gather GatherElements GatherND NonZero OneHot",
    "layout.slicing": "Slice",
    "math.quantization": "DequantizeLinear DynamicQuantizeLinear QuantizeLinear",
    "layout.scatter": "Scatter ScatterElements ScatterND TensorScatter",
    "layout.blocks": "CenterCropPad Col2Im DepthToSpace ReverseSequence SpaceToDepth",
    "math.attention": "Attention LinearAttention RotaryEmbedding",
    "math.random": "Bernoulli Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike",
    "windows.detection": "ImageDecoder NonMaxSuppression",
    "windows.sampling": "AffineGrid CausalConvWithState DeformConv GridSample MaxRoiPool MaxUnpool RoiAlign",
    "windows.signal": "BlackmanWindow DFT HammingWindow HannWindow MelWeightMatrix STFT",
    "math.recurrent": "GRU LSTM RNN",
    "math.loss": "NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss",
    "control.flow": "If Loop",
    "control.sequences": (
        "ConcatFromSequence SequenceAt SequenceConstruct SequenceEmpty SequenceErase SequenceInsert "
        "SequenceLength SequenceMap SplitToSequence"
    ),
    "control.optional": "Optional OptionalGetElement OptionalHasElement",
    "layout.ordering": "TopK Unique",
    "control.scan": "Scan",
    "control.text": "StringNormalizer StringSplit TfIdfVectorizer",
}
"""Modules of `shapesmt.operators.ops` with the operators of ONNX's own domain for which each has rules."""

DOMAINS: dict[str, Iterable[str]] = {
    "": _ONNX,
    "com.microsoft": (
        *_of("contrib", "quantized packed fused attention multi_head normalization other recurrent"),
        *_of("contrib", "decoding positions grouped experts"),
    ),
    "com.microsoft.nchwc": ("contrib.blocked",),
    "ai.onnx.contrib": ("extensions",),
    "ai.onnx.ml": ("ml",),
    "ai.onnx.preview": ("math.attention",),
    "ai.onnx.preview.training": ("math.training",),
    "openvino": (
        *_of("openvino", "elementwise shape indexing joining linear spatial normalization reduction"),
        *_of("openvino", "detection embedding images signal loops"),
    ),
    "tensorflow": (
        *_of("tensorflow", "elementwise shape slicing linear spatial joining indexing segments reduction random"),
        *_of("tensorflow", "images quantized other"),
        *_of("tensorflow.containers", "lists tables texts sparse ragged"),
    ),
    "torch": (
        *_of("torch", "sizes guards creation joining padding quantization reduction"),
        *_of("torch.elementwise", "single pairs choices"),
        *_of("torch.views", "reshaping axes parts repeating"),
        *_of("torch.linear", "products norms decompositions"),
        *_of("torch.layers", "normalization attention losses recurrent"),
        *_of("torch.indexing", "counting gathering ordering scattering changing"),
        *_of("torch.windows", "convolution pooling grids"),
        *_of("torch.signals", "random fourier"),
    ),
}
"""Modules of `shapesmt.operators.ops` with each domain's rules.

All rules of an operator are in one module. Modules whose operators aren't listed are imported in this order until the
operator has a rule.
"""
_HOMES = {name: (module,) for module, names in _ONNX.items() for name in names.split()}


def modules_of(domain: str, name: str) -> Iterable[str]:
    """Return the modules in which an operator's rules may be, those of any operator of the domain for the name ""."""
    return _HOMES.get(name, ()) if name and not domain else DOMAINS.get(domain, ())
