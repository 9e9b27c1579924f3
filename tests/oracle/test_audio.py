"""Networks that judge audio: a sampling rate that picks a branch, a state beside frames, pooled spectrograms."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np
import onnx
import onnxruntime
import pytest

import shapesmt

STATE = onnxruntime.capi.onnxruntime_pybind11_state
HEAD = '<ir_version: 8, opset_import: ["": 18]>\n'
VOICE = (  # as Silero's: both rates, a state, a window of the rate's length
    HEAD
    + """g (float[batch, sequence] input, float[2, batch, 4] state, int64 sr) => (output, next)
<int64 high = {16000}> {
    fast = Equal(sr, high)
    frames = If(fast) <
        then_branch = a () => (f16) {
            shape16 = Constant<value_ints=[4, 1, 192]>() w16 = ConstantOfShape(shape16)
            axis16 = Constant<value_ints=[1]>() x16 = Unsqueeze(input, axis16)
            f16 = Conv<strides=[64]>(x16, w16)
        },
        else_branch = b () => (f8) {
            shape8 = Constant<value_ints=[4, 1, 96]>() w8 = ConstantOfShape(shape8)
            axis8 = Constant<value_ints=[1]>() x8 = Unsqueeze(input, axis8)
            f8 = Conv<strides=[32]>(x8, w8)
        }>
    steps = Transpose<perm=[2, 0, 1]>(frames) one = Constant<value_int=1>() zero = Constant<value_int=0>()
    cell = Gather(state, one) hidden = Gather(state, zero)
    first = Constant<value_ints=[0]>() c0 = Unsqueeze(cell, first) h0 = Unsqueeze(hidden, first)
    ws = Constant<value_ints=[1, 16, 4]>() w = ConstantOfShape(ws)
    out, h, c = LSTM<hidden_size=4>(steps, w, w, , , h0, c0)
    output = ReduceMean<keepdims=0>(out, first) next = Concat<axis=0>(h, c)
}"""
)
ECHO = (  # as AECMOS's: three poolings, the greatest of each band, a recurrent state per sample
    HEAD
    + """g (float[batch, 1, frames, 33] mel, float[2, sample, 4] h0) => (score)
<float[4, 1, 3, 3] w1, float[4, 4, 3, 3] w2, int64[1] bands = {3}, int64[1] time = {0}> {
    a1 = Conv<pads=[1, 1, 1, 1]>(mel, w1) p1 = MaxPool<kernel_shape=[2, 2], strides=[2, 2]>(a1)
    a2 = Conv<pads=[1, 1, 1, 1]>(p1, w2) p2 = MaxPool<kernel_shape=[2, 2], strides=[2, 2]>(a2)
    a3 = Conv<pads=[1, 1, 1, 1]>(p2, w2) p3 = MaxPool<kernel_shape=[2, 2], strides=[2, 2]>(a3)
    best = ReduceMax<keepdims=0>(p3, bands) steps = Transpose<perm=[2, 0, 1]>(best)
    ws = Constant<value_ints=[2, 12, 4]>() w = ConstantOfShape(ws)
    out, last = GRU<hidden_size=4, direction="bidirectional">(steps, w, w, , , h0)
    score = ReduceMean<keepdims=0>(last, time)
}"""
)
LOSS = (  # as PLCMOS's: frames of the signal by a window, so many as fit, in groups of five
    HEAD
    + """g (float[batch, samples] audio) => (score)
<int64[1] middle = {1}, int64 step = {16}, int64 five = {5}, int64[1] last = {-1}, float[32] window> {
    x = Unsqueeze(audio, last)
    spectrum = STFT<onesided=1>(x, step, window)
    size = Shape<start=1, end=2>(spectrum)
    groups = Div(size, five1) five1 = Constant<value_ints=[5]>() used = Mul(groups, five1)
    zero1 = Constant<value_ints=[0]>() kept = Slice(spectrum, zero1, used, middle)
    rest = Constant<value_ints=[5, 17, 2]>() batch = Shape<end=1>(audio) target = Concat<axis=0>(batch, groups, rest)
    grouped = Reshape(kept, target)
    score = ReduceMax<keepdims=0>(grouped, middle)
}"""
)


def fill(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with zeros for the constants that the text declares without numbers."""
    for info in [i for i in model.graph.value_info if i.name in ("w1", "w2", "window")]:
        dims = [d.dim_value for d in info.type.tensor_type.shape.dim]
        model.graph.initializer.append(onnx.numpy_helper.from_array(np.ones(dims, np.float32), info.name))
    return model


def runs(session: onnxruntime.InferenceSession, at: Mapping[str, int]) -> bool:
    """Whether ONNX Runtime runs the model at these sizes and values."""
    feed: dict[str, np.ndarray] = {}
    for entry in session.get_inputs():
        if entry.type == "tensor(int64)":
            feed[entry.name] = np.array(at["sr"], np.int64)
        else:
            feed[entry.name] = np.zeros([d if isinstance(d, int) else at[d] for d in entry.shape], np.float32)
    try:
        session.run(None, feed)
    except (STATE.Fail, STATE.InvalidArgument, STATE.RuntimeException):
        return False
    return True


@pytest.mark.parametrize(
    ("text", "dims", "values", "tried"),
    [
        (VOICE, {"batch": "1..2", "sequence": "1..400"}, {"sr": "8000..16000:8000"},
         {"batch": (1, 2), "sequence": (1, 95, 96, 97, 191, 192, 256, 400), "sr": (8000, 16000)}),
        (ECHO, {"batch": "1..3", "frames": "1..40", "sample": "1..3"}, {},
         {"batch": (1, 2, 3), "frames": (1, 7, 8, 9, 15, 16, 40), "sample": (1, 2, 3)}),
        (LOSS, {"batch": "1..2", "samples": "1..300"}, {},
         {"batch": (1, 2), "samples": (1, 31, 32, 95, 96, 97, 175, 176, 300)}),
    ],
    ids=["voice", "echo", "loss"],
)  # fmt: skip
def test_the_region_is_where_it_runs(text, dims, values, tried):
    model = fill(onnx.parser.parse_model(text))
    session = onnxruntime.InferenceSession(model.SerializeToString())
    report = shapesmt.check(model, dims=dims, values=values)
    assert report.verdict is shapesmt.Verdict.DEPENDS
    assert report.precondition.exact
    for numbers in product(*tried.values()):
        at = dict(zip(tried, numbers, strict=True))
        assert bool(eval(report.precondition.whole, {}, at)) == runs(session, at), (at, report.precondition.whole)
