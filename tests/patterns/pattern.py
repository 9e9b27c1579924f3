"""A bug that people make, as a graph: what has to be said of it, and how it is written down.

A body is ONNX's text syntax; weights too large for it are given by their shapes and hold zeros.

>>> sum_ = Pattern("0", "a sum", "(float[n] x, float[2] y) => (z) { [add] z = Add (x, y) }", dims={"n": "2..4"})
>>> sum_.model.graph.node[0].name
'add'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import onnx
import onnx.parser
from onnx import numpy_helper

Sizes = Mapping[str, int]


@dataclass(frozen=True)
class Pattern:
    """One pattern and what `check` has to say of it.

    Attributes:
        number: Its number, with a letter where there are several of its kind.
        dims: The declared ranges.
        weights: Shapes of float constants that the body reads.
        region: The precondition, which has to be exact; `()` where all inputs run, `("False",)` where none does.
        node: The node that fails first, by the first finding.
        broken: The first finding's counterexample.
        fine: An input next to it that runs.
        warnings: The kinds of the warnings.
        huge: No machine has the memory to run it.
    """

    number: str
    title: str
    body: str
    dims: Mapping[str, object] = field(default_factory=dict)
    weights: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    assume: tuple[str, ...] = ()
    region: tuple[str, ...] = ()
    node: str = ""
    broken: Sizes = field(default_factory=dict)
    fine: Sizes = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    huge: bool = False
    opset: int = 18

    @property
    def verdict(self) -> str:
        """What `check` says: by the region."""
        return "PROVED" if not self.region else "FAILS" if self.region == ("False",) else "DEPENDS"

    @cached_property
    def model(self) -> onnx.ModelProto:
        """The graph as a model that ONNX accepts."""
        head = f'<ir_version: 8, opset_import: ["": {self.opset}]>\ng '
        model = onnx.parser.parse_model(head + self.body)
        for name, shape in self.weights.items():
            model.graph.initializer.append(numpy_helper.from_array(np.zeros(shape, np.float32), name))
        return model

    def __str__(self) -> str:
        return f"{self.number} {self.title}"


def fails(number: str, title: str, body: str, node: str, broken: Sizes, **more: object) -> Pattern:
    """A pattern that no input runs."""
    return Pattern(number, title, body, region=("False",), node=node, broken=broken, **more)  # type: ignore[arg-type]  # fields
