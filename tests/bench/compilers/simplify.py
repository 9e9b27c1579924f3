"""Nodes after `simplify`, beside onnxsim's and onnxslim's, as written and after ONNX Runtime's own optimizer.

Constants don't count. A peer that isn't installed, fails or takes longer than --patience shows as `-`; "then" is what
onnxslim makes of the simplified model.
"""

from __future__ import annotations

import argparse
import importlib.util
import multiprocessing
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import onnx
from onnx.helper import make_tensor_value_info

import shapesmt
from shapesmt.tasks.simplify.protobuf import nodes_of
from tests.bench.models import Subject, listed, subject

COLUMNS = ("before", "onnxsim", "onnxslim", "simplify", "then")
"""The variants of a model, in the order of the columns."""


def onnxsim(model: onnx.ModelProto) -> onnx.ModelProto:
    """What onnxsim makes of a model."""
    import onnxsim as peer

    return peer.simplify(model)[0]


def onnxslim(model: onnx.ModelProto) -> onnx.ModelProto:
    """What onnxslim makes of a model."""
    import onnxslim as peer

    return peer.slim(model)


def made(peer: Callable[[onnx.ModelProto], onnx.ModelProto], model: onnx.ModelProto, patience: float) -> bytes | None:
    """The model that a peer leaves; None where it isn't installed, fails or takes too long."""
    if importlib.util.find_spec(peer.__name__) is None:
        return None
    mine, its = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(target=lambda: its.send_bytes(peer(model).SerializeToString()))
    process.start()
    its.close()
    try:
        return mine.recv_bytes() if mine.poll(patience) else None
    except EOFError:  # it has failed
        return None
    finally:
        process.kill()


def optimized(model: onnx.ModelProto | None) -> int | None:
    """The nodes that ONNX Runtime's optimizer leaves of a model; None where it doesn't load it."""
    import onnxruntime as ort

    if model is None:
        return None
    with TemporaryDirectory() as folder:
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
        options.optimized_model_filepath, options.log_severity_level = str(Path(folder, "m.onnx")), 4
        try:
            ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        except Exception:  # whatever ONNX Runtime says of a model that it doesn't take
            return None
        return nodes_of(onnx.load(options.optimized_model_filepath))


def variants(one: Subject, patience: float) -> tuple[dict[str, onnx.ModelProto | None], float]:
    """The model by column, and the seconds that `simplify` took."""
    model, started = bare(one.model), time.process_time()
    smaller = shapesmt.simplify(model, dims=one.dims, assume=one.assume, valid_only=True)
    seconds = time.process_time() - started
    parts = [made(onnxsim, model, patience), made(onnxslim, model, patience), made(onnxslim, smaller, patience)]
    sim, slim, then = (None if part is None else onnx.ModelProto.FromString(part) for part in parts)
    return dict(zip(COLUMNS, (model, sim, slim, smaller, then), strict=True)), seconds


def bare(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with weights that lie outside the file as inputs: they may not be there."""
    outside = [t for t in model.graph.initializer if t.external_data]
    inside = [t for t in model.graph.initializer if not t.external_data]
    copy = onnx.ModelProto.FromString(model.SerializeToString())
    del copy.graph.initializer[:]
    copy.graph.initializer.extend(inside)
    copy.graph.input.extend(make_tensor_value_info(t.name, t.data_type, t.dims) for t in outside)
    return copy


def row(one: Subject, patience: float) -> list[float | None]:
    """The nodes of each variant, those after ONNX Runtime's optimizer, and the seconds."""
    models, seconds = variants(one, patience)
    plain = [None if model is None else nodes_of(model) for model in models.values()]
    return [*plain, *map(optimized, models.values()), round(seconds, 2)]


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this table."""
    parser.add_argument(
        "--patience",
        type=float,
        default=200,
        metavar="SECONDS",
        help="for each call of a peer, here and for the table of speed",
    )
    parser.add_argument("--largest", type=int, metavar="N", help="only the N largest files")


def main(options: argparse.Namespace) -> None:
    """Print a row for each model, the sums over those that every column has, and their ratios."""
    chosen = list(listed(options.folder, options.only))
    if options.largest:
        chosen = sorted(chosen, key=lambda pair: -pair[0].stat().st_size)[: options.largest]
    print(*(f"{name:>12}" for name in (*COLUMNS, *(f"ort:{n}" for n in COLUMNS), "seconds")), " model")
    rows = []
    for path, entry in chosen:
        rows.append(row(subject(path, entry), options.patience))
        print(*(f"{'-' if n is None else n:>12}" for n in rows[-1]), "", path.name, flush=True)
    for part, what in ((slice(0, 5), "as written"), (slice(5, 10), "after ONNX Runtime's optimizer")):
        _sums([r[part] for r in rows], what)
        _pairs({path.name: r[part][COLUMNS.index("simplify")] for (path, _), r in zip(chosen, rows, strict=True)}, what)


def _sums(rows: Sequence[Sequence[float | None]], what: str) -> None:
    """Print the sums of the models that each column has, and ours divided by the better peer's."""
    for columns, ours in ((slice(1, 4), "simplify"), (slice(1, 5), "then")):
        whole = [r for r in rows if None not in r[columns]]
        sums = {name: sum(r[columns][i] or 0 for r in whole) for i, name in enumerate(COLUMNS[columns])}
        if whole:
            best = min(sums["onnxsim"], sums["onnxslim"])
            print(f"{what}, {len(whole)} models: {sums}; {ours} is {sums[ours] / best:.3f} of the better peer")


def _pairs(nodes: Mapping[str, float | None], what: str) -> None:
    """Print where the export by tracing has more nodes than PyTorch's newer one of the same model, simplified."""
    pairs = {
        name: (n, nodes.get(name.replace(".legacy.", ".dynamo."))) for name, n in nodes.items() if ".legacy." in name
    }
    both = {name.split(".")[0]: a / b for name, (a, b) in pairs.items() if a and b}
    more = ", ".join(f"{name} {ratio:.3f}" for name, ratio in both.items() if ratio > 1.03) or "none"
    print(f"{what}, legacy exports of {len(both)} with over 3 % more nodes than dynamo's: {more}")
