"""What the tests of ONNX Runtime's own operators share."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.harness import agree, node

DOMAIN = "com.microsoft"
BYTES = "uint8"


def run(op: str, shapes: dict[str, Any], ranges: dict[str, tuple[int, int]], **options: Any) -> None:
    """Assert that the rule of `op` agrees with ONNX Runtime for all sizes in `ranges`.

    The inputs are in the order of `shapes`, `items` and `constants`, unless `inputs` lists them. `agree` describes the
    other options.
    """
    attributes = options.pop("attributes", {})
    given = [*shapes, *options.get("items", ()), *options.get("constants", ())]
    names = options.pop("inputs", None) or given
    outputs = options.pop("outputs", ["out"])
    found = agree(node(op, names, outputs, DOMAIN, **attributes), shapes, ranges, **options)
    assert found.backend == "onnxruntime", found.backend
    assert found.ran, "nothing ran"


def scalars(*names: str, dtype: Any = np.float32) -> dict[str, Any]:
    return {name: np.array(1, dtype) for name in names}
