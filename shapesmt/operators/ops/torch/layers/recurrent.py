"""Recurrent layers and cells."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.operators.ops.torch.call import Call, operator
from shapesmt.operators.ops.torch.following import sequences
from shapesmt.operators.rules import Tensor, tensor
from shapesmt.prover.algebra import Dim, any_of, equal

LSTM = 4
GATES = {"lstm": LSTM, "gru": 3, "rnn_relu": 1, "rnn_tanh": 1}


def gates(call: Call) -> int:
    """Return the number of gates, by the operator's name."""
    return next(count for name, count in GATES.items() if f".{name}" in call.ctx.node.op)


WEIGHTS_GATES_INPUT = laws.SM117.law("the weights of the input are [gates*hidden, input]")
WEIGHTS_GATES_STATE = laws.SM117.law("the weights of the state are [gates*hidden, state]")
PROJECTION_STATE_CELLS = laws.SM117.law("a projection is [state, hidden]")


def require_cell(call: Call, weights: list[Tensor], features: Dim, state: Dim, hidden: Dim) -> None:
    """Require the shapes of a cell's weights: `[gates*h, features]`, `[gates*h, state]`, biases and a projection.

    PyTorch checks few of them, and none for an LSTM layer; the node is undecided for sizes that violate another one.
    """
    ctx, rows = call.ctx, hidden * gates(call)
    laws_of = (WEIGHTS_GATES_INPUT, WEIGHTS_GATES_STATE)
    for w, columns, law in zip(weights[:2], (features, state), laws_of, strict=True):
        ctx.require_rank(w, 2)
        call.open_if_broken(equal(w[0], rows), law)
        if "aten.lstm.input" in ctx.node.op:
            call.open_if_broken(equal(w[1], columns), law)
        else:
            ctx.require_equal(w[1], columns, law)
    for bias in (w for w in weights[2:] if w.rank != 2):
        ctx.require_rank(bias, 1)
        call.open_if_broken(equal(bias[0], rows), laws.BIAS_GATES_CELLS)
    for projection in (w for w in weights[2:] if w.rank == 2):
        for size, expected in zip(projection.dims, (state, hidden), strict=True):
            call.open_if_broken(equal(size, expected), PROJECTION_STATE_CELLS)


def states_of(call: Call) -> list[Tensor]:
    """Return the initial states; for an LSTM also the cell states."""
    states = call.tensors("hx") if gates(call) == LSTM else [call.tensor("hx")]
    return [state for state in states if state is not None] or call.open("hx")


def _require_state(call: Call, state: Tensor, runs: int, batch: Dim) -> None:
    """Require a state `[runs, batch, h]`, with a run per layer and direction; undecided if PyTorch doesn't check it."""
    ctx, law = call.ctx, laws.STATE_DIRECTIONS_BATCH_HIDDEN
    ctx.require_rank(state, 3)
    ctx.require_at_least(state[0], runs, law)
    call.open_if_broken(equal(state[0], runs), law)
    ctx.require(any_of(equal(state[1], batch), equal(batch, 1)), law, state[1], batch)
    call.open_if_broken(equal(state[1], batch), law)


@operator("lstm.input", "gru.input", "rnn_relu.input", "rnn_tanh.input", follows=sequences)
def recurrent(call: Call) -> list[Tensor]:
    """Run layers: `[steps, n, i]`, states `[layers*directions, n, h]` -> `[steps, n, directions*h]` and new states."""
    ctx, states, x = call.ctx, states_of(call), call.tensor("input", 3)
    steps, batch = (x[1], x[0]) if call.flag("batch_first") else (x[0], x[1])
    directions = 1 + call.flag("bidirectional")
    runs = call.integer("num_layers") * directions
    for state in states:
        _require_state(call, state, runs, batch)
    ctx.require_at_least(steps, 1, laws.A_STEP)
    _require_layers(call, runs, directions, states)
    y = tensor(x.dtype, [*x.dims[:2], states[0][2] * directions])
    return [y, *(tensor(x.dtype, state.dims) for state in states)]


WEIGHTS_FOR_EACH_LAYER = laws.SM117.law("there are weights for each layer and direction")


def _require_layers(call: Call, runs: int, directions: int, states: list[Tensor]) -> None:
    """Require the weights of each of `runs` cells, one per layer and direction.

    Each layer after the first reads the previous layer's output, `hidden` elements per direction.
    """
    weights = [w for w in call.tensors("params") if w is not None]
    each = len(weights) // runs if runs else 0
    call.ctx.check(each >= 2 and each * runs == len(weights), WEIGHTS_FOR_EACH_LAYER)
    hidden = states[0][2]
    for run in range(runs):
        features = call.tensor("input")[2] if run < directions else hidden * directions
        require_cell(call, weights[run * each : (run + 1) * each], features, hidden, states[-1][2])


@operator("lstm_cell.default", "gru_cell.default", "rnn_relu_cell.default", "rnn_tanh_cell.default")
def cell(call: Call) -> list[Tensor]:
    """Run one cell step: `[n, i]` and states `[n, h]` -> states `[n, h]`."""
    x, states = call.tensor("input"), states_of(call)
    for tensors in (x, *states):
        call.ctx.require_rank(tensors, 2)
        call.ctx.require_equal(tensors[0], x[0], laws.STATE_BATCH_HIDDEN)
    given = [call.optional(name) for name in ("w_ih", "w_hh", "b_ih", "b_hh")]
    require_cell(call, [w for w in given if w is not None], x[1], states[0][1], states[-1][1])
    return [tensor(x.dtype, state.dims) for state in states]
