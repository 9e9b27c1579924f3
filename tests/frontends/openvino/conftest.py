"""What the tests of OpenVINO's files share."""

from __future__ import annotations

import pytest


@pytest.fixture
def oracle():
    pytest.importorskip("openvino", reason="openvino (extra `peers`) isn't installed")
    from tests.support import openvino as oracle

    return oracle
