"""What the tests of TensorFlow's rules share."""

from __future__ import annotations

from functools import partial

import pytest


@pytest.fixture
def agree(full):
    """The oracle, at a sample of the sizes unless all are asked for."""
    from tests.support import tensorflow as oracle

    return partial(oracle.agree, most=None if full else oracle.SAMPLED)
