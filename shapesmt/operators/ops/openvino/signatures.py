"""Signatures of OpenVINO's operators: element types and ranks of inputs, and allowed words of attributes.

A line names operators, then each input: a letter for its element type, `=` or `~` if all inputs with that mark have the
same one, `:` and the allowed ranks (`2+`: at least 2; omitted: any), `?` if the input may be omitted, `*` if it may be
repeated.

    TopK : n:1+ i:0          numbers of rank 1 or more, and one integer
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, wraps
from typing import Any, NamedTuple

from shapesmt.network import laws
from shapesmt.operators.ops.shared.bridge import require_one_type
from shapesmt.operators.rules import AnyApply, RuleContext, Tensor, rule

DOMAIN = "openvino"

TYPES = {
    "a": ("any", ".*"),
    "n": ("numeric", r"(b?float|u?int)\d.*"),
    "f": ("a float", r"b?float\d.*"),
    "h": ("float16, float32 or bfloat16", "float16|float32|bfloat16"),
    "i": ("an integer", r"u?int\d+"),
    "j": ("int32 or int64", "int32|int64"),
    "k": ("an integer of 32 or 64 bits", "u?int(32|64)"),
    "w": ("an integer or bool", r"u?int\d+|bool"),
    "l": ("a float, bool or of 8 bits", r"b?float\d.*|bool|u?int8"),
    "b": ("bool", "bool"),
    "c": ("uint8 or a float", r"uint8|b?float\d.*"),
    "m": ("any but int32", "(?!int32$).*"),
    "x": ("a float or bool", r"b?float\d.*|bool"),
    "u": ("uint8", "uint8"),
    "s": ("string", "string"),
}

TABLE = """
Abs Acos Acosh Asin Asinh Atan Atanh Ceiling Clamp Cos Cosh Erf Exp Floor HSigmoid HSwish : n
Log Negative ReLU Relu Sigmoid Sign Sin Sinh Sqrt Tan Tanh LogSoftmax : n
ErfInv Gelu IsFinite IsInf IsNaN Mish SoftPlus SoftSign : f
Convert Elu Identity LogicalNot NonZero Round ShapeOf ShapeOf-1 SoftMax Softmax Result : a
BitwiseNot : w
SoftMax-1 : a:1+
ConvertLike ConvertPromoteTypes : a a
Add Divide FloorMod Maximum Minimum Mod Multiply Power SquaredDifference Subtract : n= n=
Equal Greater GreaterEqual Less LessEqual NotEqual : a= a=
BitwiseAnd BitwiseOr BitwiseXor : w= w=
BitwiseLeftShift BitwiseRightShift : i= i=
LogicalAnd LogicalOr LogicalXor : b b
Select : b a= a=
HardSigmoid : a= a=:0 a=:0
Selu : f= f= f=
Swish : f= f=:0?
PReLU PRelu : a a
ReduceL1 ReduceL2 ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum : n i:01
ReduceLogicalAnd ReduceLogicalOr : b i:01
LRN : a:2345 i:1
MVN : a n:1
MVN-2 : a:12345
NormalizeL2 : l n:01
GRN : a:234
GroupNormalization : f:2+ a:1 a:1
BatchNormInference : f=:2+ f=:1 f=:1 f=:1 f=:1
BatchNormInference-1 : f=:1 f=:1 f=:2+ f=:1 f=:1
FakeQuantize : m a a a a
FakeConvert : f= f= f=?
CumSum : a k:0
Bucketize : n n:1
SearchSorted : n=:1+ n=
Roll : a j:01 j:01
Reverse : a a:1
ReverseSequence : a:2+ n:1
Reshape : a i:1
Squeeze : a n:01?
Unsqueeze : a n:01
Transpose : a i:1
Broadcast Broadcast-1 : a i:1 i:1?
Tile : a i:1
Range : n:0 n:0 n:0
Range-1 : n=:0 n=:0 n=:0
Eye : j:01 j:01 j:01 j:1?
OneHot : k i:0 a=:0 a=:0
RandomUniform : j:1 n=:01 n=:01
Concat : a=*
Split : a:1+ i:0
VariadicSplit : a:1+ n:01 n:1
Pad : a= i:1 i:1 a=:0?
ShuffleChannels : a:1+
DepthToSpace SpaceToDepth : a:3+
BatchToSpace : a j=:1 j=:1 j=:1
SpaceToBatch : a j:1 i:1 i:1
Einsum : n=*
Slice : a:1+ i:1 i:1 i:1 i:1?
StridedSlice : a i:1 i:1 n:1?
SliceScatter : a a i:1 i:1 i:1 i:1?
Gather : a:1+ i i:01
GatherElements : a:1+ j:1+
GatherND GatherND-5 : a:1+ i:1+
GatherTree : n=:3 n=:3 n=:1 n=:0
ScatterUpdate : a= i a= i:01
ScatterElementsUpdate : a=:1+ w a= i:01
ScatterNDUpdate : a=:1+ j:1+ a=
TopK : a:1+ i:0
Unique : a j:01?
NonMaxSuppression : h:3 h:3 n:01? h:01? h:01? h:01?
NonMaxSuppression-1 NonMaxSuppression-3 NonMaxSuppression-4 : h:3 h:3 n:0? h:0? h:0?
NMSRotated : f:3 f:3 i:01 f:01 f:01
MatrixNms : h=:3 h=:3
MulticlassNms : h=:3 h=:23 j:1?
MatMul : a=:1+ a=:1+
GroupedMatMul : n=:23 n=:23 i:1?
LSTMCell LSTMCell-1 : n=:2 n=:2 n=:2 n=:2 n=:2 n=:1? n=:1?
GRUCell RNNCell : n=:2 n=:2 n=:2 n=:2 n=:1?
LSTMSequence : n=:3 n=:3 n=:3 n:1 n=:3 n=:3 n=:2
GRUSequence RNNSequence : n=:3 n=:3 n:1 n=:3 n=:3 n=:2
ScaledDotProductAttention : f=:3+ f=:3+ f=:3+ x? f=:01? f?
Convolution : n=:345 n=:345
GroupConvolution : n=:345 n=:456
ConvolutionBackpropData : n=:345 n=:345 i:1?
GroupConvolutionBackpropData : n=:345 n=:456 i:1?
BinaryConvolution : n:4 a:4
DeformableConvolution : n=:4 n=:4 n=:4 n:4?
MaxPool MaxPool-1 AvgPool : a:345
AdaptiveAvgPool AdaptiveMaxPool : a:345 n:1
Interpolate-1 : n k:1
Interpolate-4 : n k h k:1?
Interpolate : n n:1 k:1?
GridSample : a:4 f:4
ROIPooling : f=:4 f=:2
ROIAlign ROIAlignRotated : f=:4 f=:2 i:1
PSROIPooling : f:4 f:2
DeformablePSROIPooling : a:4 a:2 a:4?
ExtractImagePatches ReorgYolo : a:4
RegionYolo : f:4
NV12toRGB NV12toBGR : c=:4 c=:4?
I420toRGB I420toBGR : c=:4 c=:4? c=:4?
Col2Im : a:23 j~:1 j~:1
DFT IDFT IRDFT : h:2+ j:1 j:1?
RDFT : h:1+ j:1 j:1?
STFT : f=:12 f=:1 j:0 j:0
ISTFT : f=:34 f=:1 j:0 j:0 j:01?
EmbeddingBagOffsetsSum EmbeddingBagOffsets : a=:1+ j~:1 j~:1 j~:0? a=:1?
EmbeddingBagPackedSum EmbeddingBagPacked : a=:1+ j:2 a=:2?
EmbeddingSegmentsSum : a=:1+ j~:1 j~:1 j~:0 j~:0? a=:1?
CTCLoss : f:3 i:1 i:2 i:1 i:0?
CTCGreedyDecoder : f:3 f:2
CTCGreedyDecoderSeqLen : f:3 k:1 i:01?
PriorBox PriorBoxClustered : i~:1 i~:1
Proposal Proposal-1 : f:4 f:4 f:1
DetectionOutput DetectionOutput-1 : f=:2 f=:2 f:3 f=:2? f=:2?
ExperimentalDetectronDetectionOutput : f=:2 f=:2 f=:2 f=:2
ExperimentalDetectronGenerateProposalsSingleImage : f=:1 f=:2 f=:3 f=:3
ExperimentalDetectronPriorGridGenerator : f=:2 f=:4 f=:4
ExperimentalDetectronROIFeatureExtractor : f=:2 f=:4 f=:4*
ExperimentalDetectronTopKROIs : f=:2 f=:1
GenerateProposals : a:2 a:4 a:4 a:4
SegmentMax : a:1+ j:1 j:0?
SparseFillEmptyRows : a:1 j~:1 j~:2 a:0
StringTensorUnpack : s
StringTensorPack : j~ j~ u:1
Inverse : f:2+
Multinomial : f:2 i:01
ReadValue : a?
Assign : a
"""

WORDS = {
    "auto_broadcast": "none numpy pdpd explicit",
    "auto_pad": "explicit notset valid same_upper same_lower",
    "rounding_type": "floor ceil ceil_torch",
    "direction": "forward reverse bidirectional",
    "sort": "none index value",
    "box_encoding": "corner center",
    "padding_mode": "zeros border reflection",
    "shape_calculation_mode": "sizes scales",
    "nearest_mode": "round_prefer_floor round_prefer_ceil floor ceil simple",
    "coordinate_transformation_mode": "half_pixel pytorch_half_pixel asymmetric tf_half_pixel_for_nn align_corners",
    "eps_mode": "add max inside_sqrt outside_sqrt",
    "approximation_mode": "erf tanh",
    "pad_mode": "constant edge reflect symmetric",
    "alignment": "tensorflow pytorch",
    "negative_indices_mode": "ignore_negative normalize",
    "fill_mode": "zero lowest",
    "sort_result_type": "classid score none",
    "decay_function": "gaussian linear",
    "aligned_mode": "asymmetric half_pixel_for_nn half_pixel",
    "code_type": "caffe.priorboxparameter.corner caffe.priorboxparameter.center_size",
    "framework": "tensorflow",
    "weights_format": "fico icof ifco ifoc iofc",
    "activations": "sigmoid tanh relu",
    "Interpolate-1.mode": "nearest linear cubic area",
    "DeformablePSROIPooling.mode": "bilinear_deformable",
    "Round.mode": "half_to_even half_away_from_zero",
    "Reverse.mode": "index mask",
    "DepthToSpace.mode": "blocks_first depth_first",
    "SpaceToDepth.mode": "blocks_first depth_first",
    "TopK.mode": "max min",
    "GridSample.mode": "bilinear bicubic nearest",
    "Broadcast.mode": "numpy explicit pdpd bidirectional",
    "Broadcast-1.mode": "numpy explicit pdpd",
    "ExtractImagePatches.auto_pad": "valid same_upper same_lower",
    "ROIAlign.mode": "avg max",
    "BinaryConvolution.mode": "xnor-popcount",
    "Interpolate.mode": "nearest linear linear_onnx cubic bilinear_pillow bicubic_pillow",
    "Interpolate-4.mode": "nearest linear linear_onnx cubic",
    "ScatterElementsUpdate.reduction": "none sum prod min max mean",
    "ScatterNDUpdate.reduction": "none sum sub prod min max",
    "EmbeddingBagOffsets.reduction": "sum mean",
    "EmbeddingBagPacked.reduction": "sum mean",
}


class Slot(NamedTuple):
    """The element types and ranks that an operator accepts for one input.

    Attributes:
        letter: The element types, a key of `TYPES`.
        group: "=" or "~", inputs with the same mark have the same type; "" for no such condition.
        ranks: The accepted ranks; () for any.
        least: Whether ranks above the first of `ranks` are accepted too.
        optional: Whether the input may be omitted.
        repeated: Whether the input may be repeated.
    """

    letter: str
    group: str
    ranks: tuple[int, ...]
    least: bool
    optional: bool
    repeated: bool

    def at(self, rank: int) -> bool:
        """Whether the operator accepts that rank."""
        return not self.ranks or rank in self.ranks or (self.least and rank > self.ranks[0])


def _slot(text: str) -> Slot:
    match = re.fullmatch(r"([a-z])([=~]?)(?::(\d+)(\+?))?(\??)(\*?)", text)
    assert match is not None, text
    letter, group, ranks, least, optional, repeated = match.groups()
    return Slot(letter, group, tuple(map(int, ranks or "")), bool(least), bool(optional), bool(repeated))


@cache
def signatures() -> dict[str, tuple[Slot, ...]]:
    """Return the slots of each operator's inputs, read from `TABLE`."""
    lines = [line.split(" : ") for line in TABLE.strip().splitlines()]
    return {name: tuple(map(_slot, slots.split())) for names, slots in lines for name in names.split()}


def operator(*names: str, **options: Any) -> Callable[[AnyApply], AnyApply]:
    """Register a rule for OpenVINO operators; it checks their signature first. `options` are those of `rule`."""

    def register(apply: AnyApply) -> AnyApply:
        @wraps(apply)
        def checked(ctx: RuleContext) -> object:
            require_signature(ctx)
            return apply(ctx)

        registered = rule(*names, **{"domain": DOMAIN, **options})
        registered(checked)  # type: ignore[type-var]  # wraps() keeps the type, which the checker can't see
        return apply

    return register


AT_MOST_INPUTS = laws.SM405.law("it has at most {most} inputs, not {count}")
AT_LEAST_INPUTS = laws.SM405.law("it has at least {least} inputs, not {count}")


def require_signature(ctx: RuleContext) -> None:
    """Require that inputs and attributes match the operator's signature."""
    slots = signatures().get(ctx.node.op)
    if slots is not None:
        count, least = len(ctx.inputs), sum(not s.optional for s in slots)
        ctx.check(slots[-1].repeated or count <= len(slots), AT_MOST_INPUTS.of(most=len(slots), count=count))
        ctx.check(count >= least, AT_LEAST_INPUTS.of(least=least, count=count))
        slots += slots[-1:] * (count - len(slots))
        filled = [(s, x) for s, x in zip(slots, ctx.inputs, strict=False) if x is not None]
        for s, x in filled:
            _require_slot(ctx, s, x)
        for group in "=~":
            require_one_type(ctx, [x for s, x in filled if s.group == group])
    for name, value in ctx.attributes.items():
        words = WORDS.get(f"{ctx.node.op}.{name}") or WORDS.get(name)
        law = laws.ATTRIBUTE_ONE_OF.of(name=name, values=words, value=value)
        text = "" if words is None or value == () else str(value).lower()
        ctx.check(all(word in (words or "").split() for word in text.replace(",", " ").split()), law)


def _require_slot(ctx: RuleContext, slot: Slot, x: Tensor) -> None:
    """Require an element type and a rank of `x` that its slot accepts."""
    what, pattern = TYPES[slot.letter]
    ctx.check(not x.dtype or bool(re.fullmatch(pattern, x.dtype)), laws.ELEMENT_TYPE.of(expected=what, dtype=x.dtype))
    if x.shape is not None:
        ranks = "at least " * slot.least + " or ".join(map(str, slot.ranks))
        ctx.check(slot.at(x.rank), laws.RANK.of(expected=ranks, rank=x.rank))
    elif len(slot.ranks) == 1 and not slot.least:
        ctx.require_rank(x, slot.ranks[0])
