"""What the tests of OpenVINO's rules share."""

from __future__ import annotations

from functools import partial

import pytest

SAMPLED = 7  # sizes of each test that are run without --full


@pytest.fixture
def agree(full):
    """The oracle, at a sample of the sizes unless all are asked for."""
    from tests.support import openvino as oracle

    return partial(oracle.agree, most=None if full else SAMPLED)
