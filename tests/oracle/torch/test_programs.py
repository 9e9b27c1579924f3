"""Programs with control flow, and of layers, exported and run by PyTorch at every size of a small range."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")

from tests.oracle.torch.flows import FLOWS, IN_PLACE, OPEN
from tests.oracle.torch.judge import RIGHT, UNKNOWN
from tests.oracle.torch.nets import NETS
from tests.oracle.torch.programs import judged


@pytest.mark.parametrize("program", [*FLOWS, *IN_PLACE], ids=lambda p: p.body.__name__)
def test_memory_is_followed_through_control_flow_and_changes_in_place(program) -> None:
    assert judged(program).keys() == {RIGHT}


@pytest.mark.parametrize("program", OPEN, ids=lambda p: p.body.__name__)
def test_operands_that_are_not_read_leave_a_node_open(program) -> None:
    assert judged(program).keys() == {UNKNOWN}


@pytest.mark.parametrize("name", NETS)
def test_memory_of_layers_is_as_that_of_their_inputs(name, full) -> None:
    for decomposed in (True, False) if full else (True,):
        assert judged(NETS[name], decomposed=decomposed).keys() == {RIGHT}
