"""Every operator that ONNX Runtime runs on a CPU has a line in the catalogue of random cases, or a reason."""

from __future__ import annotations

import re

from shapesmt.entrypoints.api import supported_ops
from tests.oracle.catalogue import ALONE, RECIPES, UNDRAWN
from tests.oracle.edges import kernels, lines, operator
from tests.oracle.onnx_siblings import DOMAINS

EVERY = (*RECIPES, *ALONE)
NEW = {"GatedDeltaNet", "VarlenCausalConvWithState"}  # without a kernel on a CPU before ONNX Runtime 1.32


def test_every_rule_with_a_kernel_has_a_line_or_a_reason():
    written = {(r.domain, r.op) for r in EVERY} | {("", n) for r in EVERY for n in re.findall(r"\w+", r.code)}
    ruled = {(o.domain, o.name) for o in supported_ops().operators if o.domain in DOMAINS}
    assert {name for _, name in (ruled & kernels()) - written} - NEW == set().union(*UNDRAWN.values()) - NEW


def test_every_line_gives_a_call():
    drawn = {operator(call) for call in lines()}
    assert {(r.domain, r.op) for r in EVERY if not r.code} - drawn - {("com.microsoft", name) for name in NEW} == set()
