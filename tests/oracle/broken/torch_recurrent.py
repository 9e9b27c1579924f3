"""Calls that break one law each, of PyTorch's operators: recurrent layers and attention."""

from __future__ import annotations

from tests.oracle.torch.calls import f, op
from tests.support import laws

ROWS = [
    (laws.KEY_SIZED_AS_QUERY,
     op("scaled_dot_product_attention.default", query=f(4, 3, 8), key=f(4, 6, 0), value=f(4, 6, 8), dropout_p=0.5,
        is_causal=True)),
    (laws.VALUE_PER_KEY,
     op("scaled_dot_product_attention.default", query=f(4, 3, 8), key=f(4, 6, 8), value=f(4, 5, 8), dropout_p=0.5,
        is_causal=True)),
    (laws.BATCH_SIZES_BROADCAST,
     op("scaled_dot_product_attention.default", query=f(4, 3, 8), key=f(4, 6, 8), value=f(5, 6, 8), dropout_p=0.5,
        is_causal=True)),
    (laws.RANK_AT_LEAST,
     op("scaled_dot_product_attention.default", query=f(4, 3, 8), key=f(), value=f(4, 6, 8), dropout_p=0.0,
        is_causal=True)),
    (laws.MASK_BROADCASTS_TO_SCORES,
     op("scaled_dot_product_attention.default", query=f(2, 2, 2, 4), key=f(2, 2, 3, 4), value=f(2, 2, 3, 4),
        attn_mask=f(3, 3))),
    (laws.WEIGHTS_GATES_INPUT,
     op("gru.input", 2, input=f(3, 2, 0), hx=f(1, 2, 5), params=(f(15, 4), f(15, 5), f(15), f(15)), has_biases=True,
        num_layers=1, dropout=0.0, train=False, bidirectional=False, batch_first=False)),
    (laws.WEIGHTS_GATES_STATE,
     op("gru.input", 2, input=f(3, 2, 4), hx=f(1, 2, 5), params=(f(15, 4), f(15, 1), f(15), f(15)), has_biases=True,
        num_layers=1, dropout=0.0, train=False, bidirectional=False, batch_first=False)),
    (laws.STATE_DIRECTIONS_BATCH_HIDDEN,
     op("lstm.input", 3, input=f(3, 2, 4), hx=(f(1, 2, 5), f(1, 2, 5)), params=(f(20, 4), f(20, 5)), has_biases=False,
        num_layers=2, dropout=0.0, train=False, bidirectional=False, batch_first=False)),
    (laws.A_STEP,
     op("lstm.input", 3, input=f(0, 2, 4), hx=(f(1, 2, 5), f(1, 2, 5)), params=(f(20, 4), f(20, 5)), has_biases=False,
        num_layers=1, dropout=0.0, train=False, bidirectional=False, batch_first=False)),
    (laws.WEIGHTS_FOR_EACH_LAYER,
     op("lstm.input", 3, input=f(3, 2, 4), hx=(f(1, 2, 5), f(1, 2, 5)), params=(f(20, 4), f(20, 5)), has_biases=False,
        num_layers=-1, dropout=0.0, train=False, bidirectional=False, batch_first=False)),
    (laws.STATE_BATCH_HIDDEN,
     op("lstm_cell.default", 2, input=f(2, 4), hx=(f(3, 5), f(2, 5)), w_ih=f(20, 4), w_hh=f(20, 5), b_ih=f(20),
        b_hh=f(20))),
]  # fmt: skip
