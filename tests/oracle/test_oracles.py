"""Each oracle refuses what is known to fail, and runs what is known to run, before anyone believes it.

The failures are found while a model runs, from numbers that aren't in the file: 12 elements don't fill a shape of
`[5, 2]`, nor a table of 5 rows an index of 9.
"""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from tests.oracle.onnx_calls import k, op, x
from tests.oracle.onnx_peer import outcomes
from tests.oracle.runner import Execution
from tests.support.harness import build, node, runner

FITTING, UNFIT = [6, 2], [5, 2]


@pytest.mark.parametrize("backend", ["onnxruntime", "reference"])
def test_a_failing_run_is_told_from_one_that_succeeds(backend: str) -> None:
    model = build([node("Reshape", ["x", "t"])], {"x": ["n", "m"], "t": [2]}, {"t": "int64"})
    name, run = runner(model, backend)
    assert name == backend
    feeds = {"x": np.ones((3, 4), np.float32)}
    made = run({**feeds, "t": np.array(FITTING)})
    assert made is not None
    assert made[0].shape == (6, 2)
    assert run({**feeds, "t": np.array(UNFIT)}) is None


def test_a_failing_node_is_found_in_a_graph() -> None:
    nodes = [node("Relu", ["x"], ["r"]), node("Reshape", ["r", "t"], ["y"]), node("Shape", ["y"], ["s"])]
    model = build(nodes, {"x": ["n", 4], "t": [2]}, {"t": "int64"})
    fed = {"x": np.ones((3, 4), np.float32)}
    good = Execution(model, lambda i, _: fed.get(i.name, np.array(FITTING))).run({"n": 3})
    bad = Execution(model, lambda i, _: fed.get(i.name, np.array(UNFIT))).run({"n": 3})
    assert (good.failing, good.shapes["y"]) == ((), (6, 2))
    assert (bad.failing, bad.missing) == (("reshape",), ("shape",))


def test_onnxruntime_refuses_calls() -> None:
    calls = [op("Reshape", x(3, 4), k(target)) for target in (FITTING, UNFIT)]
    good, bad = outcomes(calls)
    assert ([shape for _, _, shape in good.made], good.refused) == ([(6, 2)], "")
    assert "Reshape" in bad.refused
    assert not bad.open


def test_the_reference_evaluator_runs_what_onnxruntime_has_no_kernel_for() -> None:
    model = build([node("BitwiseAnd", ["x", "y"])], {"x": ["n"], "y": ["m"]}, {"x": "int64", "y": "int64"})
    with_reference = runner(model, "reference")[1]
    fed = {"x": np.ones(3, np.int64), "y": np.ones(3, np.int64)}
    made = with_reference(fed)
    assert made is not None
    assert made[0].shape == (3,)
    assert with_reference({**fed, "y": np.ones(2, np.int64)}) is None


class TestOpenVino:
    """On one thread a run that fails returns empty tensors: that is what the first test would find."""

    def test_a_failing_run_is_told_from_one_that_succeeds(self) -> None:
        pytest.importorskip("openvino", reason="openvino (extra `peers`) isn't installed")
        from openvino import PartialShape, opset15 as op

        from tests.support import openvino as oracle
        from tests.support.openvino_runtime import compiled

        model = oracle.made(lambda x, t: op.reshape(x, t, False), "[?,?]", "[2]", dtypes=("f32", "i64"))
        ready = compiled(model)
        ones = np.ones((3, 4), np.float32)
        assert ready([ones, np.array(FITTING)])[0].shape == (6, 2)
        with pytest.raises(RuntimeError):
            ready([ones, np.array(UNFIT)])
        sized = oracle.made(lambda x: op.reshape(x, np.array(FITTING), False), "[?,?]")
        assert oracle.run(sized, {"x": (3, 4)}) is not None
        assert oracle.run(sized, {"x": (3, 5)}) is None
        assert PartialShape("[?,?]") == model.inputs[0].partial_shape

    def test_the_process_that_reads_files_refuses_what_fails_in_a_run(self, tmp_path) -> None:
        pytest.importorskip("openvino", reason="openvino (extra `peers`) isn't installed")
        from tests.support.openvino_laws import Peer, parsed, written

        peer = Peer()
        said = {}
        for index in (4, 9):
            case = parsed(f"EmbeddingBagPackedSum 3 | f32[5,2] | i32[2,1]=0,{index}")
            said[index] = peer.judge(written(case, tmp_path))
        died = peer.judge(written(parsed("Broadcast 3 | f32[3,1] | i64[3]=2,3,-2 | mode=numpy"), tmp_path))
        peer.close()
        assert said[4] == ("ran", ([[("f32", (2, 2))]] * 2, False))
        assert said[9][0] == "refused"
        assert "invalid embedding bag index" in said[9][1]
        assert died[0] == "died"


def test_tensorflow_refuses() -> None:
    pytest.importorskip("tensorflow", reason="tensorflow (extra `peers`) isn't installed")
    import tensorflow as tf

    from tests.oracle import tensorflow_calls as calls, tensorflow_peer
    from tests.support.tensorflow import run

    every = [call for t in (FITTING, UNFIT) for call in calls.op("Reshape", calls.x(3, 4), calls.k(t))]
    good, bad = tensorflow_peer.outcomes(every)
    assert (good.shapes, good.refused) == (((6, 2),), "")
    assert bad.refused
    reshape = tf.function(tf.reshape, input_signature=[tf.TensorSpec(None), tf.TensorSpec([2], tf.int32)])
    made = run(reshape, [tf.ones([3, 4]), tf.constant(FITTING)])
    assert made is not None
    assert made[0].shape == (6, 2)
    assert run(reshape, [tf.ones([3, 4]), tf.constant(UNFIT)]) is None


def test_torch_refuses() -> None:
    pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")
    from tests.oracle.torch.calls import f, op as torch_op
    from tests.oracle.torch.judge import run

    good, bad = (run(torch_op("reshape.default", self=f(3, 4), shape=tuple(t)), {}) for t in (FITTING, UNFIT))
    assert (good.outputs, good.refused) == ((((6, 2), "float32"),), "")
    assert "invalid for input of size 12" in bad.refused


@pytest.mark.parametrize(("relation", "verdict"), [("=", "unsat"), ("distinct", "sat")])
def test_the_solvers_tell_a_theorem_from_what_is_none(relation: str, verdict: str) -> None:
    pytest.importorskip("cvc5", reason="cvc5 (extra `peers`) isn't installed")
    from tests.oracle.solvers import cvc5_verdict, z3_verdict

    claim = f"(not ({relation} (* 2 (+ n 1)) (+ n n 2)))"
    text = f"(set-logic ALL)\n(declare-const n Int)\n(assert (>= n 0))\n(assert {claim})\n(check-sat)\n"
    assert cvc5_verdict(text) == verdict
    assert z3_verdict(text) == verdict


def test_the_checker_of_files_refuses_a_broken_one() -> None:
    broken = build([node("Reshape", ["x", "nowhere"])], {"x": [3, 4]})
    with pytest.raises(onnx.checker.ValidationError):
        onnx.checker.check_model(broken)
