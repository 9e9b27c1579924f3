"""OpenVINO's operators outside what they accept: OpenVINO reads and runs each file, and judges the rule."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

pytest.importorskip("openvino", reason="openvino (extra `peers`) isn't installed")

from tests.support.each import each
from tests.support.openvino_catalogue import CASES
from tests.support.openvino_laws import Peer, changed, compared, contradicted, parsed, undefined

SEED, SAMPLE = 7, 150
UNTRUE = ("unsound", "wrong", "shape")


@pytest.fixture(scope="module")
def peer():
    made = Peer()
    yield made
    made.close()


@each("line", CASES)
def test_valid_cases_are_proved(line, peer, tmp_path):
    found = compared(parsed(line), tmp_path, peer)
    assert found.kind in ("agree", "died"), found
    assert found.ours.startswith("PROVED"), found


UNREFUSED = """
Multinomial 13 | f32[2,3] | i64[]=4 | convert_type=i64 with_replacement=false log_probs=false global_seed=1 op_seed=1
Interpolate 4 | f32[1,2,6,5] | i64[3]=5,6,7 | f32[]=2 | i64[2]=2,3 | mode=nearest shape_calculation_mode=sizes
Interpolate 11 | f32[1,2,6,5] | f32[3]=2,1.5,2 | i64[2]=2,3 | mode=nearest shape_calculation_mode=scales
Interpolate 11 | f32[1,2,6,5] | f32[1]=2 | i64[2]=2,3 | mode=nearest shape_calculation_mode=scales
Interpolate 11 | f32[1,2,6,5] | i64[1]=2 | i64[2]=2,3 | mode=nearest shape_calculation_mode=sizes
PriorBox 8 | i64[2]=3,-1 | i64[2]=1,32 | min_size=16.0 max_size=38.0 step=16.0 offset=0.5 variance=0.1
PriorBox 1 | i64[2]=2,3 | i64[2]=32,32 | min_size=16.0 aspect_ratio=0.0 flip=true step=16.0 offset=0.5 variance=0.1
Multinomial 13 | f32[2,4] | i64[1]=-1 | convert_type=i64 with_replacement=true log_probs=false global_seed=1 op_seed=1
SegmentMax 16 | f32[4,2] | i32[4]=0,0,1,2 | i32[]=-1 | fill_mode=ZERO
GroupedMatMul 17 | f32[4,3] | f32[2,5,3] | i32[3]=1,4,4
RegionYolo 1 | f32[1,27,4,4] | axis=2 coords=4 classes=4 end_axis=1 num=3 do_softmax=true mask=0,1,2 anchors=1.0,2.0
RegionYolo 1 | f32[1,27,4,4] | axis=1 coords=4 classes=4 end_axis=3 num=0 do_softmax=true mask=0,1,2 anchors=1.0,2.0
NonMaxSuppression 3 | f32[2,3,4] | f32[2,2,3] | i64[]=2 | f32[]=0.5 | f32[]=9 | box_encoding=corner output_type=i64
NonMaxSuppression 1 | f32[2,3,4] | f32[2,2,3] | i64[]=2 | f32[]=0.5 | f32[]=9 | box_encoding=corner
Interpolate 1 | f32[1,2,6,5] | i64[2]=5,6 | axes=3,2,2 mode=nearest align_corners=false pads_begin=0 pads_end=0
Interpolate 1 | f32[1,2,6,5] | i64[2]=5,6 | axes=2 mode=nearest align_corners=false pads_begin=0 pads_end=0
Interpolate 1 | f32[1,2,6,5] | i64[3]=5,6,5 | axes=2,3 mode=nearest align_corners=false pads_begin=0 pads_end=0
Interpolate 4 | f32[1,2,6,5] | i64[1]=5 | f32[1]=2 | i64[1]=1 | mode=nearest shape_calculation_mode=scales pads_end=1
Reverse 1 | f32[2,3] | i64[2]=1,-1 | mode=index
Broadcast 1 | f32[3,1] | i64[3]=2,3,4 | mode=explicit
Broadcast 3 | f32[3,1] | i64[3]=2,3,-2 | mode=numpy
ISTFT 16 | f32[2,9,5,4] | f32[8] | i64[]=16 | i64[]=4 | center=false normalized=false
PriorBoxClustered 1 | i64[2]=2,-1 | i64[2]=32,32 | width=4.0 height=3.0 step=16.0 offset=0.5 variance=0.1
PSROIPooling 1 | f32[2,12,4,4] | f32[1,5] | output_dim=3 group_size=2 spatial_scale=1.0 mode=average spatial_bins_x=0
EmbeddingBagOffsetsSum 3 | f32[5,2] | i32[4]=9,1,2,3 | i32[3]=1,2,3
EmbeddingSegmentsSum 3 | f32[5,2] | i32[4]=0,1,2,9 | i32[4]=0,0,2,2 | i32[]=2
EmbeddingBagPackedSum 3 | f32[5,0] | i32[2,1]=9,9
ROIAlign 9 | f32[2,3,4,4] | f32[3,4] | i64[3]=0,-1,9 | pooled_h=2 pooled_w=3 sampling_ratio=2 spatial_scale=1.0 mode=avg
RNNSequence 5 :2 | f32[2,4,3] | f32[2,1,2] | i32[2]=9,3 | f32[1,2,3] | f32[1,2,2] | f32[1,2] | activations=tanh
ExperimentalDetectronPriorGridGenerator 6 | f32[3,4] | f32[1,16,4,5] | f32[1,3,10,20] | h=0 w=0 stride_x=4 stride_y=4
ExperimentalDetectronPriorGridGenerator 6 | f32[3,4] | f32[1,16,4,5] | f32[1,3,10,20] | h=4 w=5 stride_x=4 stride_y=4
IRDFT 9 | f32[3,1,2] | i64[1]=1
"""


@each("line", UNREFUSED.strip().splitlines())
def test_what_is_said_of_it_was_not_true(line, peer, tmp_path):
    found = compared(parsed(line), tmp_path, peer)
    assert found.kind in ("agree", "open", "died"), found


@pytest.mark.parametrize("how", ["rank", "range", "nothing"])
def test_less_is_known(how, peer, tmp_path, full):
    lines = CASES if full else Random(SEED).sample(CASES, 40)
    told = {line: contradicted(parsed(line), tmp_path, peer, how) for line in lines}
    assert {line: text for line, text in told.items() if text} == {}


def test_one_thing_changed(peer, tmp_path, full):
    drawn = [(what, case) for line in CASES for what, case in changed(parsed(line))]
    sample = drawn if full else Random(SEED).sample(drawn, SAMPLE)
    kinds, untrue = Counter(), []
    for what, case in sample:
        found = compared(case, tmp_path, peer)
        kinds[found.kind] += 1
        if found.kind in UNTRUE and not undefined(what, found):
            untrue.append(f"{what}: {case}\n  {found.kind}: {found.ours} | {found.theirs[-200:]}")
    assert not untrue, f"seed {SEED}: {len(untrue)} of {sum(kinds.values())} {dict(kinds)}\n" + "\n".join(untrue)
    assert kinds["agree"] > len(sample) / 2
