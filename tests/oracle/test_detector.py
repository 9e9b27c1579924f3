"""A detector such as RT-DETR: anchors that Range counts in float64, beside the tokens of two levels, and the best."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime

import shapesmt

LEVEL = """
    f{k} = Conv<kernel_shape=[3, 3], strides=[{stride}, {stride}], pads=[1, 1, 1, 1]>(image, weights)
    s{k} = Shape(f{k}) rows{k} = Gather(s{k}, two) columns{k} = Gather(s{k}, three)
    high{k} = Cast<to=11>(rows{k}) wide{k} = Cast<to=11>(columns{k})
    ys{k} = Range(zero, high{k}, one) xs{k} = Range(zero, wide{k}, one)
    yc{k} = Unsqueeze(ys{k}, last) xc{k} = Unsqueeze(xs{k}, first) grid{k} = Add(yc{k}, xc{k})
    anchors{k} = Reshape(grid{k}, flat) t{k} = Reshape(f{k}, tokens) memory{k} = Transpose<perm=[0, 2, 1]>(t{k})
"""
DETECTOR = f"""<ir_version: 8, opset_import: ["": 18]>
g (float[b, 3, height, width] image, float[4, 3, 3, 3] weights) => (best)
<int64 two = {{2}}, int64 three = {{3}}, double zero = {{0.0}}, double one = {{1.0}}, int64[1] first = {{0}},
 int64[1] last = {{1}}, int64[2] sides = {{0, 2}}, int64[1] features = {{2}}, int64[1] flat = {{-1}},
 int64[3] tokens = {{0, 0, -1}}, int64[1] count = {{30}}>
{{
    {LEVEL.format(k=0, stride=2)} {LEVEL.format(k=1, stride=4)}
    anchors = Concat<axis=0>(anchors0, anchors1) memory = Concat<axis=1>(memory0, memory1)
    places = Cast<to=1>(anchors) wide = Unsqueeze(places, sides) scored = Add(memory, wide)
    score = ReduceMax<keepdims=0>(scored, features) best, index = TopK<axis=1>(score, count)
}}"""
SIZES = range(1, 21)


def test_a_detector_runs_where_it_has_anchors_enough() -> None:
    model = onnx.parser.parse_model(DETECTOR)
    session = onnxruntime.InferenceSession(model.SerializeToString())

    def runs(height: int, width: int) -> bool:
        feed = {"image": np.zeros((1, 3, height, width), np.float32), "weights": np.zeros((4, 3, 3, 3), np.float32)}
        try:
            return session.run(None, feed)[0].shape == (1, 30)
        except onnxruntime.capi.onnxruntime_pybind11_state.Fail:
            return False

    report = shapesmt.check(model, dims={"height": "1..20", "width": "1..20"}, certify=True)
    (condition,) = report.precondition.text
    assert (str(report.verdict), report.precondition.exact, report.certificate) == ("DEPENDS", True, "REFUTED")
    for height, width in [(h, w) for h in SIZES for w in SIZES]:
        assert eval(condition, {}, {"height": height, "width": width}) == runs(height, width), (height, width)
    assert str(shapesmt.check(model, dims={"height": "10..640", "width": "10..640"}).verdict) == "PROVED"
