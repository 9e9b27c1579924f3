"""Messages that ONNX Runtime prints about calls, each of which breaks one law alone."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import onnx

from shapesmt.network.laws import Law
from tests.oracle import onnx_peer
from tests.oracle.test_needed import onnx as rows


class Said(NamedTuple):
    """A law, a model that breaks it, and what ONNX Runtime says about it, while it loads or runs the model."""

    law: Law
    model: onnx.ModelProto
    text: str

    @property
    def domains(self) -> set[str]:
        """The domains of its operators."""
        return {node.domain for node in self.model.graph.node}


@cache
def broken() -> list[Said]:
    """All calls that ONNX Runtime refuses with a message."""
    laws, calls = zip(*rows(), strict=True)
    runs = onnx_peer.outcomes(calls)
    told = [Said(law, call.proto, run.refused) for law, call, run in zip(laws, calls, runs, strict=True)]
    return [said for said in told if said.text and said.text not in ("the process died", "ONNX forbids it")]
