"""The benchmark's lines. Ratios are ours over theirs: below 1 is faster."""

from __future__ import annotations

import contextlib
import io
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnx

import shapesmt
from shapesmt.errors import ShapesmtError
from tests.bench.measure import process, timed
from tests.bench.models import Subject, generated, subjects

SYMBOLIC = ("unet", "yolo")  # models that onnxruntime's tool is timed on
OURS = "from shapesmt.cli import main; assert main(['check', sys.argv[1], *sys.argv[2:]]) in (0, 1, 3)"
THEIRS = """import onnx
model = onnx.load(sys.argv[1], load_external_data=False)
onnx.shape_inference.infer_shapes(model, data_prop=True)"""


def report(folder: str | None = None, only: str = "", repeats: int = 5) -> Iterator[str]:
    """Every comparison, line by line as it is made."""
    chosen = [s for s in subjects(folder) if only in s.name]
    yield from _inference(chosen, repeats)
    yield from _symbolic(chosen, repeats)
    yield from _growth(chosen, repeats)
    yield from _processes(chosen, repeats)


def ask(verb: str, subject: Subject) -> Any:
    return getattr(shapesmt, verb)(subject.model, dims=subject.dims, assume=subject.assume)


def _inference(chosen: list[Subject], repeats: int) -> Iterator[str]:
    heads = "".join(f"{head:>9}" for head in ("onnx", "check", "bounds"))
    yield f"{'model':32} {'nodes':>6}{heads}  {'ratios':>11}   first   verdict  (milliseconds)"
    sums = [0.0, 0.0, 0.0]
    for subject in chosen:
        try:
            verdict = ask("check", subject).verdict
            ours = [timed(lambda verb=verb, s=subject: ask(verb, s), repeats) for verb in ("check", "bounds")]  # type: ignore[misc]
        except (ShapesmtError, RuntimeError) as error:
            yield f"{subject.name:32} {subject.nodes:6} {error}"
            continue
        peer = timed(lambda s=subject: onnx.shape_inference.infer_shapes(s.model, data_prop=True), repeats)  # type: ignore[misc]
        row = [peer.median, ours[0].median, ours[1].median]
        sums = [a + b for a, b in zip(sums, row, strict=True)]
        yield f"{subject.name:32} {subject.nodes:6} {_row(row)} {1e3 * ours[0].first:7.1f}   {verdict}"
    yield f"{'sum':32} {sum(s.nodes for s in chosen):6} {_row(sums)}"


def _row(seconds: list[float]) -> str:
    texts = [f"{1e3 * s:8.1f}" for s in seconds]
    return " ".join(texts) + f"  {seconds[1] / seconds[0]:5.2f} {seconds[2] / seconds[0]:5.2f}"


def _symbolic(chosen: list[Subject], repeats: int) -> Iterator[str]:
    try:
        from onnxruntime.tools.symbolic_shape_infer import SymbolicShapeInference
    except ImportError as error:
        yield f"onnxruntime's symbolic inference: not there ({error})"
        return
    for subject in chosen:
        if subject.name.split(".")[0] in SYMBOLIC or len(chosen) <= 3:
            ours = timed(lambda s=subject: ask("bounds", s), repeats).median  # type: ignore[misc]
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    copy = onnx.ModelProto.FromString(subject.model.SerializeToString())
                    peer = timed(lambda m=copy: SymbolicShapeInference.infer_shapes(m, auto_merge=True), 1).median  # type: ignore[misc]
            except Exception as error:
                yield f"onnxruntime's symbolic inference of {subject.name}: {type(error).__name__}"
                continue
            times = f"{1e3 * peer:.0f} ms, bounds {1e3 * ours:.1f} ms, ratio {ours / peer:.4f}"
            yield f"onnxruntime's symbolic inference of {subject.name}: {times}"


def _growth(chosen: list[Subject], repeats: int) -> Iterator[str]:
    """Time per node of a model three times as large."""
    large = [s for s in chosen if "synth" in s.name and s.nodes > 10_000][:2] or [generated(334), generated(1112)]
    for verb in ("check", "bounds"):
        per_node = [timed(lambda v=verb, s=s: ask(v, s), repeats).median / s.nodes for s in large]  # type: ignore[misc]
        sizes = " and ".join(f"{1e6 * t:.2f} us at {s.nodes}" for t, s in zip(per_node, large, strict=True))
        ratio = f", ratio {per_node[-1] / per_node[0]:.2f}"
        yield f"{verb} per node: {sizes}{ratio if len(large) > 1 else ''}"


def _processes(chosen: list[Subject], repeats: int) -> Iterator[str]:
    """A whole process on a small, a middling and the largest model."""
    picked = {len(chosen) // 4, len(chosen) // 2, len(chosen) - 1} if chosen else set()
    for subject in [chosen[i] for i in sorted(picked)]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "model.onnx")
            path.write_bytes(subject.model.SerializeToString())
            options = [f"--dim={n}={lo}..{'' if hi is None else hi}" for n, (lo, hi) in subject.dims.items()]
            options += [f"--assume={text}" for text in subject.assume]
            ours, peer = (
                process(OURS, str(path), *options, repeats=repeats),
                process(THEIRS, str(path), repeats=repeats),
            )
        yield (
            f"process on {subject.name} ({subject.nodes} nodes): "
            f"check {ours.seconds:.2f} s, {ours.memory / 1e6:.0f} MB; "
            f"import, load, infer by onnx {peer.seconds:.2f} s, {peer.memory / 1e6:.0f} MB; "
            f"ratios {ours.seconds / peer.seconds:.2f}, {ours.memory / peer.memory:.2f}"
        )
