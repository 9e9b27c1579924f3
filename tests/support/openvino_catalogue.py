# ruff: noqa: E501 - a case is one line
"""One valid case of each of OpenVINO's operators, a line each: the operator, its inputs, its attributes."""

from __future__ import annotations

UNARY = "Abs Acos Asin Atan Ceiling Cos Cosh Erf Exp Floor HSigmoid HSwish Log Mish Negative ReLU Sigmoid Sign Sin Sinh"
UNARY_1 = "Abs Acos Asin Atan Ceiling Cos Cosh Erf Exp Floor Log Negative ReLU Sigmoid Sign Sin Sinh Sqrt Tan Tanh"
BINARY = "Add Divide Equal FloorMod Greater GreaterEqual Less LessEqual Maximum Minimum Mod Multiply NotEqual Power"
FOLDS = "ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum"

CASES = [
    *(f"{op} 1 | f32[2,3]" for op in UNARY_1.split()),
    *(f"{op} 4 | f32[2,3]" for op in ("Acosh", "Asinh", "Atanh", "HSwish", "Mish", "SoftPlus")),
    *(
        f"{op} 1 | f32[2,3] | f32[3] | auto_broadcast=numpy"
        for op in [*BINARY.split(), "Subtract", "SquaredDifference"]
    ),
    *(f"{op} 1 | boolean[2,3] | boolean[3] | auto_broadcast=numpy" for op in ("LogicalAnd", "LogicalOr", "LogicalXor")),
    *(
        f"{op} {opset} | i32[2,3] | i32[3] | auto_broadcast=numpy"
        for op, opset in [("BitwiseAnd", 13), ("BitwiseOr", 13), ("BitwiseXor", 13), ("BitwiseLeftShift", 15)]
    ),
    *(f"{op} 1 | f32[2,3,2] | i64[2]=0,2 | keep_dims=true" for op in FOLDS.split()),
    *(f"{op} 4 | f32[2,3,2] | i64[2]=0,2 | keep_dims=false" for op in ("ReduceL1", "ReduceL2")),
    *(f"{op} 1 | boolean[2,3,2] | i64[]=1 | keep_dims=false" for op in ("ReduceLogicalAnd", "ReduceLogicalOr")),
]

CASES += """
Add 1 | f32[2,3,4] | f32[3] | auto_broadcast=pdpd auto_broadcast.auto_broadcast_axis=1
Add 1 | f32[2,3] | f32[2,3] | auto_broadcast=none
HSigmoid 5 | f32[2,3]
Round 5 | f32[2,3] | mode=half_to_even
IsFinite 10 | f32[2,3]
IsInf 10 | f32[2,3] | detect_negative=true detect_positive=true
IsNaN 10 | f32[2,3]
SoftSign 9 | f32[2,3]
LogicalNot 1 | boolean[2,3]
BitwiseNot 13 | i32[2,3]
Elu 1 | f32[2,3] | alpha=1.0
Gelu 7 | f32[2,3] | approximation_mode=ERF
Gelu 2 | f32[2,3]
HardSigmoid 1 | f32[2,3] | f32[]=0.2 | f32[]=0.5
Selu 1 | f32[2,3] | f32[1]=0.2 | f32[1]=0.5
Swish 4 | f32[2,3] | f32[]=0.5
Swish 4 | f32[2,3]
Clamp 1 | f32[2,3] | min=0.5 max=2.5
Convert 1 | f32[2,3] | destination_type=i32
ConvertLike 1 | f32[2,3] | i32[2]
ConvertPromoteTypes 14 :2 | f32[2,3] | i32[2] | promote_unsafe=true pytorch_scalar_promotion=true u64_integer_promotion_target=f32
LogSoftmax 5 | f32[2,3] | axis=-1
SoftMax 1 | f32[2,3] | axis=1
SoftMax 8 | f32[2,3] | axis=-1
LRN 1 | f32[2,3,4,4] | i64[1]=1 | alpha=1.0 beta=1.0 bias=1.0 size=3
MVN 6 | f32[2,3,4] | i64[2]=1,2 | normalize_variance=true eps=0.1 eps_mode=inside_sqrt
MVN 2 | f32[2,3,4,4] | across_channels=false normalize_variance=true eps=0.1
NormalizeL2 1 | f32[2,3,4] | i64[1]=1 | eps=0.1 eps_mode=add
GRN 1 | f32[2,3,4] | bias=1.0
PReLU 1 | f32[2,3] | f32[3]
GroupNormalization 12 | f32[2,4,3] | f32[4] | f32[4] | num_groups=2 epsilon=0.1
BatchNormInference 5 | f32[2,3,4] | f32[3] | f32[3] | f32[3] | f32[3] | epsilon=0.1
BatchNormInference 1 | f32[3] | f32[3] | f32[2,3,4] | f32[3] | f32[3] | epsilon=0.1
FakeQuantize 1 | f32[2,3] | f32[3]=1 | f32[2,1]=2 | f32[]=1 | f32[]=2 | levels=256 auto_broadcast=numpy
FakeConvert 13 | f32[2,3] | f32[]=1 | f32[]=0 | destination_type=f8e4m3
Select 1 | boolean[2,3] | f32[2,1] | f32[3] | auto_broadcast=numpy
CumSum 3 | f32[2,3] | i64[]=1 | exclusive=false reverse=false
Bucketize 3 | f32[2,3] | f32[3]=1,2,3 | output_type=i64 with_right_bound=true
SearchSorted 15 | f32[2,3] | f32[2,4] | right_mode=false output_type=i64
SearchSorted 15 | f32[3] | f32[2,4] | right_mode=false output_type=i64
Roll 7 | f32[2,3] | i64[2]=1,1 | i64[2]=0,1
Roll 7 | f32[2,3] | i64[]=1 | i64[]=1
Reverse 1 | f32[2,3] | i64[1]=1 | mode=index
Reverse 1 | f32[2,3] | boolean[2]=1,0 | mode=mask
ReverseSequence 1 | f32[2,3] | i32[2]=1,2 | batch_axis=0 seq_axis=1
ReverseSequence 1 | f32[2,3,4] | i32[3]=1,2,1 | batch_axis=1 seq_axis=-1
ShapeOf 3 | f32[2,3] | output_type=i32
ShapeOf 1 | f32[2,3]
Reshape 1 | f32[2,3,4] | i64[2]=0,-1 | special_zero=true
Reshape 1 | f32[2,3,4] | i64[3]=2,3,4 | special_zero=true
Reshape 1 | f32[2,3,4] | i64[2]=6,-1 | special_zero=false
Squeeze 1 | f32[1,3,1] | i64[1]=0
Squeeze 1 | f32[1,3,1] | i64[2]=0,-1
Squeeze 1 | f32[1,3,1]
Squeeze 15 | f32[1,3,1] | i64[2]=0,1 | allow_axis_skip=true
Squeeze 15 | f32[1,3,1] | i64[2]=0,2 | allow_axis_skip=false
Unsqueeze 1 | f32[2,3] | i64[2]=0,-1
Transpose 1 | f32[2,3,4] | i64[3]=2,0,1
Broadcast 1 | f32[3,1] | i64[3]=2,3,4 | mode=numpy
Broadcast 1 | f32[3] | i64[3]=2,3,4 | i64[1]=1 | mode=explicit
Broadcast 3 | f32[3,1] | i64[3]=2,3,4 | mode=numpy
Broadcast 3 | f32[3,2] | i64[3]=2,3,1 | mode=bidirectional
Broadcast 3 | f32[3] | i64[3]=2,3,4 | i64[1]=1 | mode=explicit
Tile 1 | f32[2,3] | i64[2]=1,2
Range 4 | i64[]=0 | i64[]=6 | i64[]=2 | output_type=i64
Range 4 | f32[]=0.9 | f32[]=10.3 | f32[]=1.7 | output_type=i32
Range 4 | f32[]=0.9 | f32[]=10.3 | f32[]=1.7 | output_type=f32
Range 1 | i64[]=0 | i64[]=6 | i64[]=2
Range 1 | f32[]=0.9 | f32[]=10.3 | f32[]=1.7
Eye 9 | i32[1]=2 | i32[1]=3 | i32[1]=0 | output_type=f32
Eye 9 | i32[]=2 | i32[]=3 | i32[]=0 | i32[2]=2,2 | output_type=f32
OneHot 1 | i64[2,3] | i64[]=3 | f32[]=1 | f32[]=0 | axis=-1
OneHot 16 | i64[2,3] | i64[]=3 | f32[]=1 | f32[]=0 | axis=-1 negative_indices_mode=ignore_negative
RandomUniform 8 | i64[2]=2,3 | f32[]=0 | f32[]=1 | output_type=f32 global_seed=1 op_seed=1 alignment=tensorflow
Concat 1 | f32[2,3] | f32[2,1] | axis=1
Split 1 :2 | f32[2,4] | i64[]=1 | num_splits=2
VariadicSplit 1 :3 | f32[2,6] | i64[]=1 | i64[3]=1,2,3
VariadicSplit 1 :3 | f32[2,6] | i64[]=1 | i64[3]=1,-1,3
Pad 1 | f32[2,3] | i64[2]=1,0 | i64[2]=0,2 | f32[]=0 | pad_mode=constant
Pad 12 | f32[2,3] | i64[2]=1,0 | i64[2]=0,2 | f32[]=0 | pad_mode=constant
Pad 12 | f32[2,3] | i64[2]=1,0 | i64[2]=0,2 | pad_mode=reflect
Pad 1 | f32[2,3] | i64[2]=1,0 | i64[2]=0,2 | pad_mode=symmetric
Pad 1 | f32[2,3] | i64[2]=1,0 | i64[2]=0,2 | pad_mode=edge
ShuffleChannels 1 | f32[2,4,3] | axis=1 group=2
DepthToSpace 1 | f32[2,8,1,3] | mode=blocks_first block_size=2
SpaceToDepth 1 | f32[2,3,4,2] | mode=blocks_first block_size=2
BatchToSpace 2 | f32[4,3,2] | i64[3]=1,2,2 | i64[3]=0,1,0 | i64[3]=0,0,1
SpaceToBatch 2 | f32[2,3,3] | i64[3]=1,2,2 | i64[3]=0,1,0 | i64[3]=0,0,1
Einsum 7 | f32[2,3] | f32[3,4] | equation=ij,jk->ik
Einsum 7 | f32[2,3,5] | f32[3,4] | equation=...jk,jl->...kl
Einsum 7 | f32[5,2,3] | f32[3,4] | equation=...ij,jk->...ik
Identity 16 | f32[2,3]
Slice 8 | f32[4,6] | i64[2]=1,-3 | i64[2]=9,4 | i64[2]=1,2 | i64[2]=0,-1
Slice 8 | f32[4,6] | i64[1]=1 | i64[1]=3 | i64[1]=1
StridedSlice 1 | f32[4,6] | i64[2]=1,0 | i64[2]=0,3 | i64[2]=1,2 | begin_mask=0,1 end_mask=1,0 new_axis_mask= shrink_axis_mask= ellipsis_mask=
StridedSlice 1 | f32[4,6] | i64[2]=1,0 | i64[2]=2,3 | begin_mask=0,1 end_mask=1,0 new_axis_mask=0,0 shrink_axis_mask=1,0 ellipsis_mask=0,0
SliceScatter 15 | f32[4,6] | f32[2,6] | i64[1]=1 | i64[1]=3 | i64[1]=1
SliceScatter 15 | f32[4,6] | f32[4,2] | i64[1]=1 | i64[1]=5 | i64[1]=2 | i64[1]=-1
Gather 8 | f32[2,3,4] | i64[2]=0,1 | i64[]=1 | batch_dims=0
Gather 8 | f32[2,3,4] | i64[2,2]=0,1 | i64[]=1 | batch_dims=1
Gather 7 | f32[2,3,4] | i64[2,2]=0,1 | i64[]=1 | batch_dims=1
Gather 1 | f32[2,3,4] | i64[2]=0,1 | i64[]=1
GatherElements 6 | f32[2,3] | i64[2,2]=0,1 | axis=1
GatherND 8 | f32[2,3,4] | i64[2,1]=0,1 | batch_dims=0
GatherND 8 | f32[2,3,4] | i64[2,2,1]=0,1 | batch_dims=1
GatherND 5 | f32[2,3,4] | i64[2,3,1]=0,1 | batch_dims=2
GatherTree 1 | f32[2,1,3] | f32[2,1,3] | f32[1] | f32[]
ScatterUpdate 3 | f32[2,3] | i64[2]=0,1 | f32[2,2] | i64[]=1
ScatterElementsUpdate 3 | f32[2,3] | i64[1,2]=0,1 | f32[1,2] | i64[]=1
ScatterElementsUpdate 12 | f32[2,3] | i64[1,2]=0,1 | f32[1,2] | i64[]=1 | reduction=sum use_init_val=true
ScatterNDUpdate 4 | f32[2,3] | i64[2,1]=0,1 | f32[2,3]
ScatterNDUpdate 15 | f32[2,3] | i64[2,1]=0,1 | f32[2,3] | reduction=sum
TopK 11 :2 | f32[2,4] | i64[]=2 | axis=1 mode=max sort=value index_element_type=i32 stable=false
TopK 3 :2 | f32[2,4] | i64[]=2 | axis=1 mode=max sort=value index_element_type=i32
TopK 1 :2 | f32[2,4] | i64[]=2 | axis=1 mode=max sort=value
NonZero 3 | f32[2,3] | output_type=i64
Unique 10 :4 | f32[2,3] | i64[]=1 | sorted=true index_element_type=i64 count_element_type=i64
Unique 10 :4 | f32[2,3] | sorted=true index_element_type=i64 count_element_type=i64
NonMaxSuppression 9 :3 | f32[2,3,4] | f32[2,2,3] | i64[]=2 | f32[]=0.5 | f32[]=0.0 | f32[]=0.0 | box_encoding=corner sort_result_descending=true output_type=i64
NonMaxSuppression 5 :3 | f32[2,3,4] | f32[2,2,3] | i64[]=2 | f32[]=0.5 | f32[]=0.0 | f32[]=0.0 | box_encoding=corner sort_result_descending=true output_type=i64
NonMaxSuppression 4 | f32[2,3,4] | f32[2,2,3] | i64[]=2 | f32[]=0.5 | f32[]=0.0 | box_encoding=corner sort_result_descending=true output_type=i64
NonMaxSuppression 3 | f32[2,3,4] | f32[2,2,3] | i64[]=2 | f32[]=0.5 | f32[]=0.0 | box_encoding=corner sort_result_descending=true output_type=i64
NonMaxSuppression 1 | f32[2,3,4] | f32[2,2,3] | i64[]=2 | f32[]=0.5 | f32[]=0.0 | box_encoding=corner sort_result_descending=true
NMSRotated 13 :3 | f32[2,3,5] | f32[2,2,3] | i64[]=2 | f32[]=0.5 | f32[]=0.0 | sort_result_descending=true output_type=i64 clockwise=true
MatrixNms 8 :3 | f32[2,3,4] | f32[2,2,3] | sort_result_type=score sort_result_across_batch=false output_type=i64 score_threshold=0.0 nms_top_k=-1 keep_top_k=-1 background_class=-1 decay_function=linear gaussian_sigma=2.0 post_threshold=0.0 normalized=true
MulticlassNms 8 :3 | f32[2,3,4] | f32[2,2,3] | sort_result_type=score sort_result_across_batch=false output_type=i64 iou_threshold=0.5 score_threshold=0.0 nms_top_k=-1 keep_top_k=-1 background_class=-1 nms_eta=1.0 normalized=true
MulticlassNms 9 :3 | f32[2,3,4] | f32[2,3] | i64[2] | sort_result_type=score sort_result_across_batch=false output_type=i64 iou_threshold=0.5 score_threshold=0.0 nms_top_k=-1 keep_top_k=-1 background_class=-1 nms_eta=1.0 normalized=true
MatMul 1 | f32[2,3,4] | f32[4,5] | transpose_a=false transpose_b=false
MatMul 1 | f32[4,3] | f32[2,5,4] | transpose_a=true transpose_b=true
MatMul 1 | f32[4] | f32[2,4,5] | transpose_a=false transpose_b=false
LSTMCell 4 :2 | f32[2,3] | f32[2,2] | f32[2,2] | f32[8,3] | f32[8,2] | f32[8] | hidden_size=2 activations=sigmoid,tanh,tanh clip=0.0
LSTMCell 1 :2 | f32[2,3] | f32[2,2] | f32[2,2] | f32[8,3] | f32[8,2] | f32[8] | hidden_size=2 activations=sigmoid,tanh,tanh clip=0.0 input_forget=false weights_format=fico
GRUCell 3 | f32[2,3] | f32[2,2] | f32[6,3] | f32[6,2] | f32[6] | hidden_size=2 linear_before_reset=false
GRUCell 3 | f32[2,3] | f32[2,2] | f32[6,3] | f32[6,2] | f32[8] | hidden_size=2 linear_before_reset=true
RNNCell 1 | f32[2,3] | f32[2,2] | f32[2,3] | f32[2,2] | f32[2] | hidden_size=2
LSTMSequence 5 :3 | f32[2,4,3] | f32[2,1,2] | f32[2,1,2] | i32[2]=4,3 | f32[1,8,3] | f32[1,8,2] | f32[1,8] | hidden_size=2 direction=forward activations=sigmoid,tanh,tanh clip=0.0
LSTMSequence 5 :3 | f32[2,4,3] | f32[2,2,2] | f32[2,2,2] | i32[2]=4,3 | f32[2,8,3] | f32[2,8,2] | f32[2,8] | hidden_size=2 direction=bidirectional activations=sigmoid,tanh,tanh clip=0.0
GRUSequence 5 :2 | f32[2,4,3] | f32[2,1,2] | i32[2]=4,3 | f32[1,6,3] | f32[1,6,2] | f32[1,6] | hidden_size=2 direction=forward activations=sigmoid,tanh clip=0.0 linear_before_reset=false
GRUSequence 5 :2 | f32[2,4,3] | f32[2,1,2] | i32[2]=4,3 | f32[1,6,3] | f32[1,6,2] | f32[1,8] | hidden_size=2 direction=reverse activations=sigmoid,tanh clip=0.0 linear_before_reset=true
RNNSequence 5 :2 | f32[2,4,3] | f32[2,1,2] | i32[2]=4,3 | f32[1,2,3] | f32[1,2,2] | f32[1,2] | hidden_size=2 direction=forward activations=tanh clip=0.0
ScaledDotProductAttention 13 | f32[2,3,4] | f32[2,5,4] | f32[2,5,6] | causal=false
ScaledDotProductAttention 13 | f32[2,3,4] | f32[2,5,4] | f32[2,5,6] | f32[3,5] | f32[] | causal=false
Convolution 1 | f32[1,2,6,5] | f32[4,2,3,2] | strides=1,2 pads_begin=0,1 pads_end=1,0 dilations=1,1 auto_pad=explicit
Convolution 1 | f32[1,2,6] | f32[4,2,3] | strides=2 pads_begin=0 pads_end=0 dilations=2 auto_pad=same_upper
GroupConvolution 1 | f32[1,2,6,5] | f32[2,3,1,3,2] | strides=1,2 pads_begin=0,1 pads_end=1,0 dilations=1,1 auto_pad=explicit
ConvolutionBackpropData 1 | f32[1,2,6,5] | f32[2,4,3,2] | strides=1,2 pads_begin=0,1 pads_end=1,0 dilations=1,1 auto_pad=explicit output_padding=0,1
ConvolutionBackpropData 1 | f32[1,2,6] | f32[2,4,3] | i64[1]=11 | strides=2 pads_begin=0 pads_end=0 dilations=1 auto_pad=same_upper output_padding=0
GroupConvolutionBackpropData 1 | f32[1,2,6,5] | f32[2,1,3,3,2] | strides=1,2 pads_begin=0,1 pads_end=1,0 dilations=1,1 auto_pad=explicit output_padding=0,1
BinaryConvolution 1 | f32[1,2,6,5] | u1[4,2,3,2] | strides=1,2 pads_begin=0,1 pads_end=1,0 dilations=1,1 auto_pad=explicit mode=xnor-popcount pad_value=0.0
DeformableConvolution 1 | f32[1,2,6,5] | f32[1,12,5,4] | f32[4,2,3,2] | strides=1,1 pads_begin=0,0 pads_end=1,0 dilations=1,1 auto_pad=explicit group=1 deformable_group=1
DeformableConvolution 8 | f32[1,2,6,5] | f32[1,12,5,4] | f32[4,2,3,2] | f32[1,6,5,4] | strides=1,1 pads_begin=0,0 pads_end=1,0 dilations=1,1 auto_pad=explicit group=1 deformable_group=1 bilinear_interpolation_pad=false
MaxPool 1 | f32[1,2,6,5] | strides=1,2 pads_begin=0,1 pads_end=1,0 kernel=3,2 rounding_type=floor auto_pad=explicit
MaxPool 8 :2 | f32[1,2,6,5] | strides=1,2 pads_begin=0,1 pads_end=1,0 dilations=1,1 kernel=3,2 rounding_type=floor auto_pad=explicit index_element_type=i64 axis=0
MaxPool 14 :2 | f32[1,2,6,5] | strides=2,2 pads_begin=0,1 pads_end=1,0 dilations=1,1 kernel=3,2 rounding_type=ceil_torch auto_pad=explicit index_element_type=i64 axis=2
AvgPool 1 | f32[1,2,6,5] | strides=1,2 pads_begin=0,1 pads_end=1,0 kernel=3,2 exclude-pad=true rounding_type=ceil auto_pad=explicit
AvgPool 14 | f32[1,2,6,5] | strides=2,2 pads_begin=0,1 pads_end=1,0 kernel=3,2 exclude-pad=true rounding_type=ceil_torch auto_pad=explicit
AvgPool 16 | f32[1,2,6,5] | strides=2,2 pads_begin=0,1 pads_end=1,0 dilations=1,1 kernel=3,2 exclude-pad=true rounding_type=ceil_torch auto_pad=explicit
AdaptiveAvgPool 8 | f32[1,2,6,5] | i64[2]=2,3
AdaptiveMaxPool 8 :2 | f32[1,2,6,5] | i64[2]=2,3 | index_element_type=i32
Interpolate 11 | f32[] | i64[0]= | i64[0]= | mode=nearest shape_calculation_mode=sizes
Interpolate 1 | f32[1,2,6,5] | i64[2]=5,6 | axes=2,3 mode=nearest align_corners=false antialias=false pads_begin=0 pads_end=0
Interpolate 4 | f32[1,2,6,5] | i64[2]=5,6 | f32[2]=2,2 | i64[2]=2,3 | mode=nearest shape_calculation_mode=sizes coordinate_transformation_mode=half_pixel nearest_mode=floor antialias=false pads_begin=0 pads_end=0 cube_coeff=-0.75
Interpolate 4 | f32[1,2,6,5] | i64[2]=5,6 | f32[2]=2,1.5 | i64[2]=2,3 | mode=linear_onnx shape_calculation_mode=scales coordinate_transformation_mode=half_pixel nearest_mode=floor antialias=false pads_begin=0,0,1,0 pads_end=0,0,0,1 cube_coeff=-0.75
Interpolate 11 | f32[1,2,6,5] | i64[2]=5,6 | i64[2]=2,3 | mode=nearest shape_calculation_mode=sizes coordinate_transformation_mode=half_pixel nearest_mode=floor antialias=false pads_begin=0 pads_end=0 cube_coeff=-0.75
Interpolate 11 | f32[1,2,6,5] | f32[2]=2,1.5 | i64[2]=2,3 | mode=nearest shape_calculation_mode=scales coordinate_transformation_mode=half_pixel nearest_mode=floor antialias=false pads_begin=0 pads_end=0 cube_coeff=-0.75
GridSample 9 | f32[2,3,4,4] | f32[2,3,5,2] | align_corners=true mode=bilinear padding_mode=zeros
ROIPooling 2 | f32[2,3,4,4] | f32[3,5]=0,1,1,2,2 | output_size=2,3 method=max spatial_scale=1.0
ROIPooling 1 | f32[2,3,4,4] | f32[3,5]=0,1,1,2,2 | pooled_h=2 pooled_w=3 method=max spatial_scale=1.0
ROIAlign 3 | f32[2,3,4,4] | f32[5,4] | i64[5]=0 | pooled_h=2 pooled_w=3 sampling_ratio=2 spatial_scale=1.0 mode=avg
ROIAlign 9 | f32[2,3,4,4] | f32[5,4] | i64[5]=0 | pooled_h=2 pooled_w=3 sampling_ratio=2 spatial_scale=1.0 mode=avg aligned_mode=asymmetric
ROIAlignRotated 15 | f32[2,3,4,4] | f32[5,5] | i64[5]=0 | pooled_h=2 pooled_w=3 sampling_ratio=2 spatial_scale=1.0 clockwise_mode=true
PSROIPooling 1 | f32[2,12,4,4] | f32[3,5]=0,1,1,2,2 | output_dim=3 group_size=2 spatial_scale=1.0 mode=average spatial_bins_x=1 spatial_bins_y=1
DeformablePSROIPooling 1 | f32[2,12,4,4] | f32[3,5]=0,1,1,2,2 | f32[3,2,2,2] | output_dim=3 group_size=2 spatial_scale=1.0 mode=bilinear_deformable spatial_bins_x=1 spatial_bins_y=1 trans_std=0.1 part_size=2
ExtractImagePatches 3 | f32[1,2,8,8] | sizes=3,3 strides=2,2 rates=1,1 auto_pad=valid
ReorgYolo 2 | f32[1,4,4,6] | stride=2
RegionYolo 1 | f32[1,27,4,4] | axis=1 coords=4 classes=4 end_axis=3 num=3 do_softmax=true mask=0,1,2 anchors=1.0,2.0
RegionYolo 1 | f32[1,27,4,4] | axis=1 coords=4 classes=4 end_axis=3 num=5 do_softmax=false mask=0,1,2 anchors=1.0,2.0
NV12toRGB 8 | u8[1,6,4,1]
NV12toBGR 8 | u8[1,4,4,1] | u8[1,2,2,2]
I420toRGB 8 | u8[1,6,4,1]
I420toBGR 8 | u8[1,4,4,1] | u8[1,2,2,1] | u8[1,2,2,1]
Col2Im 15 | f32[2,12,9] | i64[2]=4,4 | i64[2]=2,2 | strides=1,1 dilations=1,1 pads_begin=0,0 pads_end=0,0
DFT 7 | f32[3,4,2] | i64[1]=1
DFT 7 | f32[3,4,2] | i64[2]=0,1 | i64[2]=5,-1
IDFT 7 | f32[3,4,2] | i64[1]=-1
RDFT 9 | f32[3,4] | i64[1]=1
RDFT 9 | f32[3,4] | i64[2]=0,1 | i64[2]=2,3
IRDFT 9 | f32[3,4,2] | i64[1]=1
IRDFT 9 | f32[3,4,2] | i64[2]=0,1 | i64[2]=5,3
STFT 15 | f32[2,48] | f32[8] | i64[]=16 | i64[]=4 | transpose_frames=true
STFT 15 | f32[48] | f32[8] | i64[]=16 | i64[]=4 | transpose_frames=false
ISTFT 16 | f32[2,9,5,2] | f32[8] | i64[]=16 | i64[]=4 | center=false normalized=false
ISTFT 16 | f32[9,5,2] | f32[8] | i64[]=16 | i64[]=4 | i64[]=40 | center=true normalized=false
EmbeddingBagOffsetsSum 3 | f32[5,2] | i32[4]=0,1,2,3 | i32[3]=0,2,3
EmbeddingBagOffsetsSum 3 | f32[5,2] | i32[4]=0,1,2,3 | i32[3]=0,2,3 | i32[]=0 | f32[4]
EmbeddingBagPackedSum 3 | f32[5,2] | i32[3,2]=0,1,2,3
EmbeddingBagPackedSum 3 | f32[5,2] | i32[3,2]=0,1,2,3 | f32[3,2]
EmbeddingSegmentsSum 3 | f32[5,2] | i32[4]=0,1,2,3 | i32[4]=0,0,2,2 | i32[]=3 | i32[]=0 | f32[4]
EmbeddingSegmentsSum 3 | f32[5,2] | i32[4]=0,1,2,3 | i32[4]=0,0,2,2 | i32[]=3
EmbeddingBagOffsets 15 | f32[5,2] | i32[4]=0,1,2,3 | i32[3]=0,2,3 | i32[]=0 | f32[4] | reduction=sum
EmbeddingBagPacked 15 | f32[5,2] | i32[3,2]=0,1,2,3 | f32[3,2] | reduction=sum
CTCLoss 4 | f32[2,4,3] | i32[2]=4,3 | i32[2,4]=1 | i32[2]=2,1 | i32[]=0 | preprocess_collapse_repeated=false ctc_merge_repeated=true unique=false
CTCGreedyDecoder 1 | f32[4,2,3] | f32[4,2] | ctc_merge_repeated=true
CTCGreedyDecoderSeqLen 6 :2 | f32[2,4,3] | i32[2]=4,3 | i32[1]=2 | merge_repeated=true classes_index_type=i32 sequence_length_type=i32
PriorBox 1 | i64[2]=2,3 | i64[2]=32,32 | min_size=16.0 max_size=38.0 aspect_ratio=2.0 flip=true clip=false step=16.0 offset=0.5 variance=0.1,0.1,0.2,0.2 scale_all_sizes=true fixed_size= fixed_ratio= density=
PriorBox 8 | i64[2]=2,3 | i64[2]=32,32 | min_size=16.0 max_size=38.0 aspect_ratio=2.0 flip=true clip=false step=16.0 offset=0.5 variance=0.1,0.1,0.2,0.2 scale_all_sizes=true fixed_size= fixed_ratio= density= min_max_aspect_ratios_order=true
PriorBoxClustered 1 | i64[2]=2,3 | i64[2]=32,32 | width=4.0,3.0 height=3.0,2.0 clip=false step=16.0 offset=0.5 variance=0.1,0.1,0.2,0.2
Proposal 1 | f32[1,12,4,4] | f32[1,24,4,4] | f32[3]=64,64,1 | base_size=16 pre_nms_topn=6000 post_nms_topn=20 nms_thresh=0.7 feat_stride=16 min_size=16 ratio=0.5,1.0 scale=8.0,16.0,32.0 clip_before_nms=true clip_after_nms=false normalize=false box_size_scale=1.0 box_coordinate_scale=1.0 framework=
Proposal 4 :2 | f32[1,12,4,4] | f32[1,24,4,4] | f32[3]=64,64,1 | base_size=16 pre_nms_topn=6000 post_nms_topn=20 nms_thresh=0.7 feat_stride=16 min_size=16 ratio=0.5,1.0 scale=8.0,16.0,32.0 clip_before_nms=true clip_after_nms=false normalize=false box_size_scale=1.0 box_coordinate_scale=1.0 framework=
DetectionOutput 1 | f32[2,60] | f32[2,165] | f32[1,2,60] | num_classes=11 background_label_id=0 top_k=75 variance_encoded_in_target=false keep_top_k=50 code_type=caffe.PriorBoxParameter.CORNER share_location=true nms_threshold=0.5 confidence_threshold=0.3 clip_after_nms=false clip_before_nms=false decrease_label_id=false normalized=true input_height=1 input_width=1 objectness_score=0.0
DetectionOutput 8 | f32[2,60] | f32[2,165] | f32[1,2,60] | background_label_id=0 top_k=75 variance_encoded_in_target=false keep_top_k=50 code_type=caffe.PriorBoxParameter.CORNER share_location=true nms_threshold=0.5 confidence_threshold=0.3 clip_after_nms=false clip_before_nms=false decrease_label_id=false normalized=true input_height=1 input_width=1 objectness_score=0.0
ExperimentalDetectronDetectionOutput 6 :3 | f32[16,4] | f32[16,8] | f32[16,2] | f32[1,3] | score_threshold=0.05 nms_threshold=0.5 num_classes=2 post_nms_count=10 max_detections_per_image=10 class_agnostic_box_regression=false max_delta_log_wh=4.1 deltas_weights=10.0,10.0,5.0,5.0
ExperimentalDetectronGenerateProposalsSingleImage 6 :2 | f32[3] | f32[36,4] | f32[12,2,6] | f32[3,2,6] | min_size=0.0 nms_threshold=0.7 post_nms_count=6 pre_nms_count=1000
ExperimentalDetectronPriorGridGenerator 6 | f32[3,4] | f32[1,16,4,5] | f32[1,3,100,200] | flatten=true h=0 w=0 stride_x=4.0 stride_y=4.0
ExperimentalDetectronPriorGridGenerator 6 | f32[3,4] | f32[1,16,4,5] | f32[1,3,100,200] | flatten=false h=0 w=0 stride_x=4.0 stride_y=4.0
ExperimentalDetectronROIFeatureExtractor 6 :2 | f32[5,4] | f32[1,3,16,16] | f32[1,3,8,8] | output_size=7 sampling_ratio=2 pyramid_scales=4,8 aligned=false
ExperimentalDetectronTopKROIs 6 | f32[5,4] | f32[5] | max_rois=3
GenerateProposals 9 :3 | f32[2,3] | f32[2,6,3,4] | f32[2,12,2,6] | f32[2,3,2,6] | min_size=1.0 nms_threshold=0.7 pre_nms_count=14 post_nms_count=6 normalized=true nms_eta=1.0 roi_num_type=i64
SegmentMax 16 | f32[4,2] | i32[4]=0,0,1,2 | fill_mode=ZERO
SegmentMax 16 | f32[4,2] | i32[4]=0,0,1,2 | i32[]=5 | fill_mode=ZERO
SparseFillEmptyRows 16 :3 | f32[3] | i64[2]=4,5 | i64[3,2]=0,1,1,2,3,0 | f32[]=0
StringTensorUnpack 15 :3 | string[2]
Inverse 14 | f32[2,3,3] | adjoint=false
Multinomial 13 | f32[2,4] | i64[1]=3 | convert_type=i64 with_replacement=true log_probs=false global_seed=1 op_seed=1
Multinomial 13 | f32[2,4] | i64[]=3 | convert_type=i64 with_replacement=false log_probs=false global_seed=1 op_seed=1
ErfInv 17 | f32[2,3]
GroupedMatMul 17 | f32[4,3] | f32[2,5,3] | i32[2]=1,4
GroupedMatMul 17 | f32[2,4,3] | f32[2,5,3]
""".strip().splitlines()
