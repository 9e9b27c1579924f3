"""Which operators the oracle of single calls leaves out: those without a kernel on a CPU, and a few others."""

from __future__ import annotations

from onnxruntime.capi.onnxruntime_pybind11_state import get_all_opkernel_def

from shapesmt.api import supported_ops
from tests.oracle.catalogue import RECIPES
from tests.oracle.onnx_calls import calls
from tests.oracle.onnx_siblings import DOMAINS

UNCALLED = {
    "takes or makes a map, which isn't a tensor": {"CastMap", "DictVectorizer", "ZipMap"},
    "stands only in graphs that ONNX Runtime has optimized": {"MemcpyFromHost", "MemcpyToHost"},
    "runs graphs of whole language models": {"BeamSearch", "GreedySearch", "Sampling", "WhisperBeamSearch"},
    "takes a sparse tensor": {"SparseToDenseMatMul"},
    "needs caches that share their memory with its outputs": {"SparseAttention"},
}
NEW = {"GatedDeltaNet", "VarlenCausalConvWithState"}  # without a kernel on a CPU before ONNX Runtime 1.32


def test_every_operator_that_runs_on_a_cpu_has_a_call_or_a_reason():
    kernels = {(k.domain, k.op_name) for k in get_all_opkernel_def() if k.provider == "CPUExecutionProvider"}
    called = {(n.domain, n.op_type) for c in calls(range(2 * len(RECIPES))) for n in c.proto.graph.node}
    ruled = {(o.domain, o.name) for o in supported_ops().operators if o.domain in DOMAINS}
    uncalled = {name for _, name in (ruled & kernels) - called}
    assert uncalled - NEW == set().union(*UNCALLED.values())
    assert NEW.isdisjoint(name for _, name in called)
