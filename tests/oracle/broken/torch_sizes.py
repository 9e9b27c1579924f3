"""Calls that break one law each, of PyTorch's numbers: sizes, Python's operators, assertions and guards."""

from __future__ import annotations

from shapesmt.network.graph import GUARDS
from tests.oracle.torch.calls import Call, f, op
from tests.support import laws

ROWS = [
    (laws.GUARD_HOLDS, Call(GUARDS, {"x": f(3), "guards": ("i0_0 != 3",)}, 0)),
    (laws.INPUT_GIVEN, Call("_operator.add", {"a": 3})),
    (laws.NOT_DIVIDED_BY_ZERO, Call("_operator.floordiv", {"a": 3, "b": 0})),
    (laws.INPUT_NOT_EMPTY, op("_local_scalar_dense.default", self=f(0))),
    (laws.ASSERTED, op("_assert_scalar.default", 0, self=0, assert_msg="the batch is even")),
    (laws.ASSERTION_HOLDS, op("sym_constrain_range.default", 0, size=5, min=6)),
    (laws.ASSERTION_HOLDS, op("_assert_tensor_metadata.default", 0, a=f(2), size=(3,))),
]
