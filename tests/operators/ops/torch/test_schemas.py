"""What PyTorch has no kernel for isn't proved to run."""

from __future__ import annotations

import pytest

import shapesmt
from shapesmt.prover.algebra import Verdict
from tests.oracle.torch.calls import f, graph_of, i, op


@pytest.mark.parametrize("dtype", ["int64", "bool", "complex64", "uint8"])
def test_a_type_without_a_kernel_is_left_open(dtype: str) -> None:
    report = shapesmt.check(graph_of(op("layer_norm.default", input=f(2, 3, dtype=dtype), normalized_shape=(3,))))
    assert report.verdict is Verdict.UNKNOWN
    assert [finding.law for finding in report.findings] == ["PyTorch has a kernel for these element types"]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float64", "float16"])
def test_a_type_with_a_kernel_is_proved(dtype: str) -> None:
    call = op("layer_norm.default", input=f(2, 3, dtype=dtype), normalized_shape=(3,))
    assert shapesmt.check(graph_of(call)).verdict is Verdict.PROVED


def test_indices_beside_floats_and_results_of_another_type_are_proved() -> None:
    losses = op("nll_loss_nd.default", self=f(2, 3), target=i(2))
    drawn = op("randn_like.default", self=i(2, 3), dtype="float32")
    assert {shapesmt.check(graph_of(call)).verdict for call in (losses, drawn)} == {Verdict.PROVED}


def test_no_call_of_the_table_runs() -> None:
    pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")
    from tests.oracle.torch.judge import run

    calls = [
        op("layer_norm.default", input=i(2, 3), normalized_shape=(3,)),
        op("gelu.default", self=i(2)),
        op("linalg_inv.default", A=i(2, 2)),
        op("max_pool1d.default", self=i(1, 2, 4), kernel_size=(2,)),
    ]
    assert all(run(call, {}).refused for call in calls)
