"""Which samples of a batch each tensor depends on, as running with one sample changed at a time shows it."""

from __future__ import annotations

from tests.oracle.samples.models import generate
from tests.oracle.samples.scoring import remarks
from tests.oracle.samples.truth import truth_of
from tests.oracle.samples.written import written


def test_random_models_stay_apart_and_mix(seeds: range) -> None:
    cases = [generate(seed) for seed in seeds]
    truths = [truth_of(case.model, case.high, case.seed) for case in cases]
    verdicts = [truth.verdicts[name] for truth in truths if truth.tells for name in truth.outputs]
    assert min(verdicts.count("apart"), verdicts.count("mixed")) > len(verdicts) // 5


def test_what_mixes_is_seen() -> None:
    model = written("13 | float[batch, 4] x | a = Relu (x) b = Softmax <axis = 0> (a) y = Tanh (b)")
    truth = truth_of(model, {})
    assert truth.verdicts == {"a": "apart", "b": "mixed", "y": "mixed"}
    assert truth.culprits("y") == ["Softmax_1"]
    claim = {"verdict": "apart", "axis": 0, "outer": "1", "inner": "1"}
    said = remarks(truth, {"verdict": "PROVED", "outputs": {"y": claim}})
    assert [remark.kind for remark in said] == ["false"]
