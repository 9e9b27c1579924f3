"""Calls that break one law each, of PyTorch's operators: losses and normalization."""

from __future__ import annotations

from tests.oracle.torch.calls import c, f, i, k, op
from tests.support import laws

ROWS = [
    (laws.AXIS_SPLITS_EVENLY, op("glu.default", self=f(1, 8, 2), dim=0)),
    (laws.RANK_AT_MOST_1, op("prelu.default", self=f(4, 8, 3), weight=f(2, 4))),
    (laws.PARAMETERS_PER_CHANNEL, op("prelu.default", self=f(2, 8, 3), weight=f(4))),
    (laws.WEIGHTS_BROADCAST_TO_INPUT, op("binary_cross_entropy.default", self=f(2, 3), target=f(2, 3), weight=f(0))),
    (
        laws.RANK_AT_MOST_1,
        op("cosine_embedding_loss.default", input1=f(5, 5), input2=f(5, 5), target=f(1, 5), margin=0.9329070713842775),
    ),
    (
        laws.TENSORS_ONE_RANK,
        op("cosine_embedding_loss.default", input1=f(5, 5), input2=f(5), target=f(5), margin=0.9329070713842775),
    ),
    (laws.ELEMENT_TYPE, op("mse_loss.default", self=i(5), target=i(5), reduction=0)),
    (laws.TARGET_BROADCASTS_TO_INPUT, op("soft_margin_loss.default", self=f(5), target=f(2, 5))),
    (laws.INPUT_BROADCASTS_TO_TARGET, op("binary_cross_entropy_with_logits.default", self=f(2, 5), target=f(5))),
    (
        laws.TARGET_BROADCASTS_TO_INPUT,
        op("binary_cross_entropy_with_logits.default", self=f(5), target=f(2, 5), pos_weight=f(5)),
    ),
    (
        laws.WEIGHTS_BROADCAST_TO_TARGET,
        op("binary_cross_entropy_with_logits.default", self=f(5), target=f(5), weight=f(2, 5)),
    ),
    (laws.ELEMENT_TYPE, op("l1_loss.default", self=i(5), target=i(5))),
    (laws.NAMED_ATTRIBUTE_NOT_NEGATIVE, op("smooth_l1_loss.default", self=f(5), target=f(5), reduction=1, beta=-1.0)),
    (laws.NAMED_ATTRIBUTE_POSITIVE, op("huber_loss.default", self=f(5), target=f(5), reduction=1, delta=0.0)),
    (laws.RANK_AT_MOST_1, op("multi_margin_loss.default", self=f(5, 4), target=f(5, 4), p=0, margin=1.0)),
    (laws.TENSORS_ONE_RANK, op("nll_loss_nd.default", self=f(5, 4), target=i(5, 4))),
    (laws.LABEL_PER_SAMPLE_AND_POSITION, op("multi_margin_loss.default", self=f(5, 4), target=f(4), p=1, margin=1.0)),
    (laws.WEIGHT_PER_CLASS, op("nll_loss_nd.default", self=f(2, 1), target=k(0, 0), weight=f(3), reduction=0)),
    (laws.INPUT_AND_TARGET_SAME_SHAPE, op("cross_entropy_loss.default", self=f(2, 0, 1), target=f(2, 3, 1))),
    (laws.WEIGHT_PER_CLASS, op("cross_entropy_loss.default", self=f(2), target=i(2), weight=f(3))),
    (laws.RANK_AT_MOST_2, op("multi_margin_loss.default", self=f(1, 5, 4), target=f(5, 4), p=1, margin=1.0)),
    (laws.A_CLASS, op("multi_margin_loss.default", self=f(0), target=f(5), p=1, margin=1.0)),
    (laws.RANK_AT_MOST_2, op("multilabel_margin_loss.default", self=f(1, 5, 4), target=f())),
    (laws.A_CLASS, op("multilabel_margin_loss.default", self=f(3, 0), target=i(3, 0))),
    (laws.INPUT_AND_TARGET_SAME_SHAPE, op("multilabel_margin_loss.default", self=f(5), target=f())),
    (
        laws.PARAMETERS_PER_CHANNEL,
        op(
            "instance_norm.default",
            input=f(2, 3, 4),
            weight=f(1),
            bias=f(3),
            use_input_stats=True,
            momentum=0.1,
            eps=1e-05,
            cudnn_enabled=False,
        ),
    ),
    (
        laws.INPUT_NOT_EMPTY,
        op(
            "_batch_norm_with_update.default",
            4,
            input=f(0, 2, 4),
            weight=f(2),
            bias=f(2),
            running_mean=f(2),
            running_var=f(2),
            momentum=-1.2,
            eps=1e-05,
        ),
    ),
    (
        laws.STATISTICS_GIVEN,
        op(
            "instance_norm.default",
            input=f(2, 3, 4),
            weight=f(3),
            bias=f(3),
            use_input_stats=False,
            momentum=0.1,
            eps=1e-05,
            cudnn_enabled=False,
        ),
    ),
    (
        laws.BATCH_NOT_EMPTY,
        op(
            "instance_norm.default",
            input=f(0, 3, 4),
            weight=f(3),
            bias=f(3),
            use_input_stats=True,
            momentum=0.1,
            eps=1e-05,
            cudnn_enabled=False,
        ),
    ),
    (
        laws.NORMALIZED_AXES,
        op("rms_norm.default", input=c(1, 2, 3), normalized_shape=(1, 2, 3, 3), weight=c(1, 2, 3), eps=0.5),
    ),
    (
        laws.PARAMETERS_SHAPED_AS_NORMALIZED,
        op("rms_norm.default", input=c(1, 2, 3), normalized_shape=(1, 2, 9), weight=c(1, 2, 3), eps=0.5),
    ),
    (
        laws.GROUP_POSITIVE,
        op(
            "native_group_norm.default", 3, input=f(1, 6, 3), weight=f(6), bias=f(6), N=1, C=6, HxW=3, group=-1, eps=0.5
        ),
    ),
    (laws.GROUPS_DIVIDE_CHANNELS, op("group_norm.default", input=f(4, 3), num_groups=2, weight=f(4), bias=f(4))),
    (
        laws.PARAMETERS_PER_CHANNEL,
        op("native_group_norm.default", 3, input=f(1, 6, 3), weight=f(6), bias=f(7), N=1, C=6, HxW=3, group=2, eps=0.5),
    ),
    (
        laws.ELEMENT_COUNT_KEPT,
        op("native_group_norm.default", 3, input=f(1, 6), weight=f(6), bias=f(6), N=1, C=6, HxW=3, group=2, eps=0.5),
    ),
    (
        laws.HEADS_OF_KEYS_DIVIDE_HEADS_OF_QUERIES,
        op(
            "scaled_dot_product_attention.default",
            query=f(2, 4, 4, 6),
            key=f(2, 5, 5, 6),
            value=f(2, 2, 5, 6),
            enable_gqa=True,
        ),
    ),
    (
        laws.KEY_SIZED_AS_QUERY,
        op(
            "_scaled_dot_product_flash_attention_for_cpu.default",
            query=f(2, 3, 4, 6),
            key=f(2, 3, 5, 6),
            value=f(2, 3, 5, 2),
            attn_mask=f(4, 5),
        ),
    ),
    (laws.WEIGHTS_NOT_EMPTY, op("norm_except_dim.default", v=f(0, 4, 2), pow=4, dim=0)),
    (
        laws.MASK_OR_CAUSAL,
        op(
            "scaled_dot_product_attention.default",
            query=f(3, 4),
            key=f(3, 4),
            value=f(3, 4),
            attn_mask=f(3, 3),
            is_causal=True,
        ),
    ),
    (
        laws.STATISTICS_GIVEN,
        op("batch_norm.default", input=f(2, 3), training=False, momentum=0.1, eps=1e-5, cudnn_enabled=False),
    ),
    (
        laws.RANK_AT_LEAST,
        op("batch_norm.default", input=f(3), training=True, momentum=0.1, eps=1e-5, cudnn_enabled=False),
    ),
    (
        laws.PARAMETERS_NOT_EMPTY,
        op(
            "batch_norm.default", input=f(0, 3), weight=f(0), training=True, momentum=0.1, eps=1e-5, cudnn_enabled=False
        ),
    ),
    (
        laws.PARAMETERS_PER_CHANNEL,
        op(
            "instance_norm.default",
            input=f(2, 3, 4),
            running_mean=f(2),
            running_var=f(3),
            use_input_stats=True,
            momentum=0.1,
            eps=1e-5,
            cudnn_enabled=False,
        ),
    ),
    (laws.FIRST_OR_LAST_AXIS, op("_weight_norm_interface.default", 2, v=f(3, 4, 2), g=f(1, 4, 1), dim=1)),
    (laws.WEIGHTS_NOT_EMPTY, op("_weight_norm.default", v=f(3, 0, 2), g=f(1, 0, 1), dim=1)),
    (
        laws.OPERANDS_SAME_SHAPE,
        op("_softmax_backward_data.default", grad_output=f(3), output=f(2), dim=0, input_dtype="float32"),
    ),
    (laws.RANK_2_OR_3, op("ctc_loss.IntList", log_probs=f(4), targets=i(3), input_lengths=(4,), target_lengths=(3,))),
    (
        laws.INPUT_NOT_EMPTY,
        op("ctc_loss.IntList", log_probs=f(0, 4), targets=i(3), input_lengths=(0,), target_lengths=(3,)),
    ),
    (
        laws.NAMED_ATTRIBUTE_NOT_NEGATIVE,
        op("ctc_loss.IntList", log_probs=f(4, 4), targets=i(3), input_lengths=(4,), target_lengths=(3,), blank=-1),
    ),
    (
        laws.INDEX_INSIDE_AXIS,
        op("ctc_loss.IntList", log_probs=f(4, 4), targets=i(3), input_lengths=(4,), target_lengths=(3,), blank=4),
    ),
    (
        laws.RANK_1_OR_2,
        op("ctc_loss.IntList", log_probs=f(4, 1, 4), targets=i(1, 3, 1), input_lengths=(4,), target_lengths=(1,)),
    ),
    (
        laws.LENGTHS_AT_MOST_SEQUENCE,
        op("ctc_loss.IntList", log_probs=f(4, 4), targets=i(3), input_lengths=(5,), target_lengths=(3,)),
    ),
    (
        laws.LABELS_PER_SAMPLE,
        op("ctc_loss.IntList", log_probs=f(4, 1, 4), targets=i(2, 3), input_lengths=(4,), target_lengths=(3,)),
    ),
    (
        laws.LENGTHS_ADD_UP_TO_AXIS,
        op("ctc_loss.IntList", log_probs=f(4, 4), targets=i(3), input_lengths=(4,), target_lengths=(2,)),
    ),
    (
        laws.LENGTHS_INSIDE_AXIS,
        op("ctc_loss.IntList", log_probs=f(4, 4), targets=i(1, 3), input_lengths=(4,), target_lengths=(4,)),
    ),
    (
        laws.LENGTH_PER_SAMPLE,
        op("ctc_loss.IntList", log_probs=f(4, 1, 4), targets=i(1, 3), input_lengths=(4,), target_lengths=(3, 3)),
    ),
    (
        laws.LENGTH_PER_SAMPLE,
        op("ctc_loss.Tensor", log_probs=f(4, 1, 4), targets=i(1, 3), input_lengths=i(2), target_lengths=i(1)),
    ),
]

NEWER_ROWS = [(laws.IMAGE_NOT_EMPTY, op("group_norm.default", input=f(1, 2, 0), num_groups=2))]
"""Calls that PyTorch before 2.14 runs."""
