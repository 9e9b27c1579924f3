"""OpenVINO's operators outside what they accept: OpenVINO reads and runs each file, and judges the rule."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

pytest.importorskip("openvino", reason="openvino (an extra) isn't installed")

from tests.ops.openvino_catalogue import CASES
from tests.ops.openvino_laws import Peer, changed, compared, contradicted, parsed, undefined

SEED, SAMPLE = 7, 150
UNTRUE = ("unsound", "wrong", "shape")


@pytest.fixture(scope="module")
def peer():
    made = Peer()
    yield made
    made.close()


@pytest.mark.parametrize("line", CASES)
def test_valid_cases_are_proved(line, peer, tmp_path):
    found = compared(parsed(line), tmp_path, peer)
    assert found.kind in ("agree", "died"), found
    assert found.ours.startswith("PROVED"), found


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
