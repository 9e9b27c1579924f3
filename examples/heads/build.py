"""Attention heads split by a Reshape of the wrong width: 48 features into 12 heads of 5.

ONNX's own checker and its shape inference accept the file, since the sizes in front are symbols. No input runs.

    shapesmt check examples/heads/heads.onnx
"""

from __future__ import annotations

from pathlib import Path

import onnx

TEXT = """
<ir_version: 8, opset_import: ["": 18]>
heads (float[batch, seq, 48] hidden) => (float[batch, 12, seq, 5] queries)
<int64[4] sizes = {0, 0, 12, 5}>
{
    [split_heads] split = Reshape (hidden, sizes)
    [swap] queries = Transpose <perm = [0, 2, 1, 3]> (split)
}
"""


def model() -> onnx.ModelProto:
    """Hidden [batch, seq, 48] -> queries [batch, 12, seq, 5]."""
    return onnx.parser.parse_model(TEXT)


if __name__ == "__main__":
    onnx.save(model(), Path(__file__).with_name("heads.onnx"))
