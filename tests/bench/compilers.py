"""`python -m tests.bench.compilers FOLDER [--only TEXT]`: nodes after `simplify`, beside onnxsim's and onnxslim's.

FOLDER has a `manifest.json` that lists models with their ranges and relations (`file`, `ranges`, `relations`).
Constants don't count. A peer that isn't installed, or fails, shows as `-`; "then" is what onnxslim makes of the
simplified model.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx

import shapesmt
from shapesmt.optimize.protobuf import nodes_of

COLUMNS = ("before", "onnxsim", "onnxslim", "simplify", "then", "seconds")


def onnxsim(model: onnx.ModelProto) -> onnx.ModelProto:
    """What onnxsim makes of a model."""
    import onnxsim as peer

    return peer.simplify(model)[0]


def onnxslim(model: onnx.ModelProto) -> onnx.ModelProto:
    """What onnxslim makes of a model."""
    import onnxslim as peer

    return peer.slim(model)


def counted(peer: Callable[[onnx.ModelProto], onnx.ModelProto], model: onnx.ModelProto) -> int | None:
    """The nodes that a peer leaves; None where it isn't installed or fails."""
    if importlib.util.find_spec(peer.__name__) is None:
        return None
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    try:
        return nodes_of(peer(copy))
    except Exception:  # the peers raise whatever they like
        return None


def measured(path: Path, entry: dict[str, Any]) -> dict[str, float | None]:
    """One row."""
    dims = {name: f"{low}..{'' if high is None else high}" for name, (low, high) in (entry.get("ranges") or {}).items()}
    model, started = onnx.load(path), time.process_time()
    smaller = shapesmt.simplify(path, dims=dims, assume=entry.get("relations") or [], valid_only=True)
    seconds = round(time.process_time() - started, 2)
    row = nodes_of(model), counted(onnxsim, model), counted(onnxslim, model), nodes_of(smaller)
    return dict(zip(COLUMNS, (*row, counted(onnxslim, smaller), seconds), strict=True))


def main() -> None:
    """Print a row for each model, and the sums over those that every column has."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    manifest = json.loads((options.folder / "manifest.json").read_text())
    entries = manifest["models"] if isinstance(manifest, dict) else manifest
    print(*(f"{name:>9}" for name in COLUMNS), " model")
    rows = []
    for entry in entries:
        if options.only in entry["file"]:
            rows.append(row := measured(options.folder / entry["file"], entry))
            print(*(f"{'-' if n is None else n:>9}" for n in row.values()), "", entry["file"], flush=True)
    whole = [row for row in rows if None not in row.values()]
    print(*(f"{round(sum(row[name] or 0 for row in whole), 2):>9}" for name in COLUMNS), f" sum of {len(whole)}")


if __name__ == "__main__":
    main()
