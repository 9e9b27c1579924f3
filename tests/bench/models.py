"""What the benchmark runs on: exported networks where a folder of them is given, and decoders of any length."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FOLDER = "SHAPESMT_MODELS"
GENERATED = (1, 12, 48)  # layers


@dataclass(frozen=True)
class Subject:
    """A model's file with the ranges and relations it is asked about."""

    path: Path
    dims: dict[str, tuple[int, int | None]]
    assume: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.path.name.removesuffix(".onnx")

    @cached_property
    def model(self) -> onnx.ModelProto:
        return onnx.load(self.path, load_external_data=False)

    @property
    def nodes(self) -> int:
        return len(self.model.graph.node)


def subjects(folder: str | None, place: Path) -> list[Subject]:
    """The models of a folder with a `manifest.json`, the smallest files first; without one, generated decoders."""
    if folder is None:
        return [generated(layers, place) for layers in GENERATED]
    found = [subject(path, entry) for path, entry in listed(Path(folder))]
    return sorted(found, key=lambda s: s.path.stat().st_size)


def listed(folder: Path, only: str = "") -> Iterator[tuple[Path, dict[str, Any]]]:
    """The models of a folder with this text in their name, each with its entry in the manifest."""
    manifest = json.loads((folder / "manifest.json").read_text())
    for entry in manifest["models"] if isinstance(manifest, dict) else manifest:
        if only in entry["file"]:
            yield folder.absolute() / entry["file"], entry


def subject(path: Path, entry: dict[str, Any]) -> Subject:
    """A model of a manifest."""
    dims = {name: (lo, hi) for name, (lo, hi) in (entry.get("ranges") or {}).items()}
    return Subject(path, dims, entry.get("relations") or [])


def generated(layers: int, folder: Path) -> Subject:
    """A decoder as exporters write it, in a file, with its ranges."""
    path = folder / f"decoder of {layers} layers.onnx"
    onnx.save(decoder(layers), path)
    dims: dict[str, tuple[int, int | None]] = {"batch": (1, 16), "past": (0, 1024), "seq": (1, 512)}
    return Subject(path, dims)


def decoder(layers: int, hidden: int = 64, heads: int = 4) -> onnx.ModelProto:
    """Attention over a cache and a gated product per layer, each size read off a tensor and put together again.

    Weights are shared by all layers, as shapes don't tell them apart.
    """
    maker = _Maker()
    head = hidden // heads
    x, caches = "x", []
    for k in range(layers):
        batch, seq = maker.size(x, 0), maker.size(x, 1)
        split = maker.node("Concat", batch, seq, "c_heads", "c_head", axis=0)
        flat = maker.node("Concat", batch, seq, "c_hidden", axis=0)
        normed = maker.norm(x)
        q, key, value = (
            maker.node(
                "Transpose", maker.node("Reshape", maker.node("MatMul", normed, "w_square"), split), perm=[0, 2, 1, 3]
            )
            for _ in range(3)
        )
        caches += [f"past_{k}_key", f"past_{k}_value"]
        key = maker.node("Concat", caches[-2], key, axis=2)
        value = maker.node("Concat", caches[-1], value, axis=2)
        scores = maker.node("MatMul", q, maker.node("Transpose", key, perm=[0, 1, 3, 2]))
        weights = maker.node("Softmax", maker.node("Div", scores, "c_scale"), axis=-1)
        mixed = maker.node("Transpose", maker.node("MatMul", weights, value), perm=[0, 2, 1, 3])
        attended = maker.node("MatMul", maker.node("Reshape", mixed, flat), "w_square")
        x = maker.node("Add", x, attended)
        wide = maker.node("MatMul", maker.norm(x), "w_up")
        gated = maker.node("Mul", wide, maker.node("Sigmoid", wide))
        x = maker.node("Add", x, maker.node("MatMul", gated, "w_down"))
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", "seq", hidden])]
    inputs += [helper.make_tensor_value_info(c, TensorProto.FLOAT, ["batch", heads, "past", head]) for c in caches]
    constants = {
        "c_0": np.array(0), "c_1": np.array(1), "c_axis": np.array([0]), "c_heads": np.array([heads]),
        "c_head": np.array([head]), "c_hidden": np.array([hidden]), "c_last": np.array([-1]),
        "c_scale": np.float32([2]), "c_two": np.float32(2), "c_epsilon": np.float32(1e-5),
        "w_norm": np.zeros(hidden, "f4"),
        "w_square": np.zeros((hidden, hidden), "f4"), "w_up": np.zeros((hidden, 4 * hidden), "f4"),
        "w_down": np.zeros((4 * hidden, hidden), "f4"),
    }  # fmt: skip
    outputs = [onnx.ValueInfoProto(name=x)]
    weights_ = [numpy_helper.from_array(np.asarray(v), name) for name, v in constants.items()]
    graph = helper.make_graph(maker.nodes, "decoder", inputs, outputs, weights_)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


class _Maker:
    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []

    def node(self, op: str, *inputs: str, **attributes: object) -> str:
        name = f"{op}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [f"{name}_out"], name=name, **attributes))
        return f"{name}_out"

    def size(self, tensor: str, axis: int) -> str:
        """One size of a tensor, as a vector of one."""
        number = self.node("Gather", self.node("Shape", tensor), f"c_{axis}", axis=0)
        return self.node("Unsqueeze", number, "c_axis")

    def norm(self, x: str) -> str:
        """Root mean square normalization, spelled out."""
        squares = self.node("ReduceMean", self.node("Pow", x, "c_two"), "c_last")
        root = self.node("Sqrt", self.node("Add", squares, "c_epsilon"))
        return self.node("Mul", self.node("Div", x, root), "w_norm")
