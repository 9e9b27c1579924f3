"""A model with the notes that PyTorch's exporters leave: the metadata and documentation of its nodes are copies."""

from __future__ import annotations

import onnx

from shapesmt.network.graph.graph import SourceLine

TORCH = "/home/me/.venv/lib/python3.11/site-packages/torch"

CAT_STACK = """File "/home/me/unet/model.py", line 28, in forward
    return self.up2(self.up1(c, b), a)
  File "/home/me/unet/model.py", line 13, in forward
    return self.o(torch.cat([a, u], 1))"""
CAT = SourceLine(
    "/home/me/unet/model.py", 13, "forward", "return self.o(torch.cat([a, u], 1))", "up1", "/home/me/unet/model.py:28"
)
POOL_STACK = f'''File "/home/me/unet/model.py", line 12, in forward
    u = self.pool(u)
  File "{TORCH}/nn/modules/pooling.py", line 224, in forward
    return F.max_pool2d('''
_MODEL = """<ir_version: 8, opset_import: ["": 18]>
g (float[1, 3, h] image) => (y) {
  [MaxPool_0] half = MaxPool <kernel_shape = [2], strides = [2]> (image)
  [node_cat] y = Concat <axis = 1> (image, half)
}"""


def written(cat_stack: str = CAT_STACK) -> onnx.ModelProto:
    """Return a model with a Concat that fails, as the `torch.export` exporter writes it."""
    model = onnx.parser.parse_model(_MODEL)
    model.producer_name = "pytorch"
    for node, stack, scopes in zip(model.graph.node, (POOL_STACK, cat_stack), ("up1.pool", "up1"), strict=True):
        hierarchy = "['model.UNet', 'model.Up', 'aten.op.default']"
        notes = {"stack_trace": stack, "class_hierarchy": hierarchy, "name_scopes": f"['', '{scopes}', 'op']"}
        for key, value in notes.items():
            node.metadata_props.add(key=f"pkg.torch.onnx.{key}", value=value)
    return model


def traced(*frames: str) -> str:
    """Return a node's documentation as the TorchScript exporter writes it, with `frames` in the stack."""
    inner = (f"{TORCH}/nn/functional.py(837): _max_pool2d", f"{TORCH}/_jit_internal.py(637): fn", *frames)
    around = f"{TORCH}/nn/modules/module.py(1778): _wrapped_call_impl"
    outer = (around, f"{TORCH}/jit/_trace.py(131): wrapper", f"{TORCH}/onnx/__init__.py(334): export")
    return "".join(f"{frame}\n" for frame in (*inner, *outer, "/home/me/unet/export.py(8): <module>"))
