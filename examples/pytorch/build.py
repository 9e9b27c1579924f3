"""The file that PyTorch 2.13 exports from `model.py`, built without PyTorch.

`model.py` declares that `seq` goes up to 1024, and the export succeeds. The table of positions has 512 rows. The nodes
and their names are those of the export, and so are the notes about their source; weights differ.

    shapesmt check examples/pytorch/classifier.onnx --dim batch=1..32 --dim seq=1..1024
    shapesmt check examples/pytorch/classifier.onnx --shape ids=1x600
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx

TEXT = """
<ir_version: 10, opset_import: ["": 20], producer_name: "pytorch", producer_version: "2.13.0+cpu">
main_graph (int64[batch, seq] ids) => (float[batch, 5] linear)
<int64 val_2 = {0}, int64 val_4 = {1}, int64[1] val_7 = {1}>
{
    [node_Shape_0] val_0 = Shape <end = 2, start = 1> (ids)
    [node_sym_size_int_4] sym_size_int_4 = Squeeze (val_0)
    [node_arange] arange = Range (val_2, sym_size_int_4, val_4)
    [node_embedding] embedding = Gather <axis = 0> ("words.weight", ids)
    [node_embedding_1] embedding_1 = Gather <axis = 0> ("positions.weight", arange)
    [node_add_9] add_9 = Add (embedding, embedding_1)
    [node_mean] mean = ReduceMean <noop_with_empty_axes = 0, keepdims = 0> (add_9, val_7)
    [node_linear] linear = Gemm <beta = 1.0, transB = 1, alpha = 1.0, transA = 0> (mean, "head.weight", "head.bias")
}
"""
WEIGHTS = {"words.weight": (10, 8), "positions.weight": (512, 8), "head.weight": (5, 8), "head.bias": (5,)}
LINES = {
    17: ("order = torch.arange(ids.shape[1])", ["node_arange"]),
    18: ("x = self.words(ids) + self.positions(order)", ["node_embedding", "node_embedding_1", "node_add_9"]),
    19: ("return self.head(x.mean(dim=1))", ["node_mean", "node_linear"]),
}


def model() -> onnx.ModelProto:
    """Word numbers [batch, seq] -> logits [batch, 5]."""
    built = onnx.parser.parse_model(TEXT)
    for name, shape in WEIGHTS.items():
        values = (np.arange(np.prod(shape)) % 5 - 2) / 8
        built.graph.initializer.append(onnx.numpy_helper.from_array(values.astype(np.float32).reshape(shape), name))
    for line, (code, names) in LINES.items():
        stack = f'File "examples/pytorch/model.py", line {line}, in forward\n    {code}'
        for node in built.graph.node:
            if node.name in names:
                node.metadata_props.add(key="pkg.torch.onnx.stack_trace", value=stack)
    ranges = "{s23: VR[1, 32], s27: VR[1, 1024]}"
    built.graph.metadata_props.add(key="pkg.torch.export.ExportedProgram.range_constraints", value=ranges)
    return built


if __name__ == "__main__":
    onnx.save(model(), Path(__file__).with_name("classifier.onnx"))
