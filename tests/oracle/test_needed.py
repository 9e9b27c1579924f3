"""Every law is needed: a call breaks it, the runtime refuses that call, and without the statement nobody would say so.

Each row names a law and a call that breaks just that one. The law is reported, and nothing else; with the place in the
rule that states it left out, it isn't; and the runtime refuses the call, where it has a kernel. Each function of the
rules that names a law has a row for it.
"""

from __future__ import annotations

import importlib
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import pytest

import shapesmt
from shapesmt.frontends import load
from tests.oracle import onnx_peer
from tests.oracle.torch import calls as torch_calls
from tests.support import laws
from tests.support.openvino_laws import Peer, parsed, written
from tests.support.statements import named, needed
from tests.support.versions import NEW, following

ONNX = ("math", "layout", "windows", "control", "formats", "ml", "extensions")
CONTRIB = ("contrib_attention", "contrib_decoding", "contrib_fused", "contrib_other")
TORCH = tuple(
    f"torch_{each}"
    for each in (
        "shapes",
        "sizes",
        "linear",
        "indexing",
        "convolution",
        "windows",
        "layers",
        "quantized",
        "recurrent",
        "signals",
    )
)
TENSORFLOW = ("tensorflow_layers", "tensorflow_shapes", "tensorflow_containers")


def onnx():
    """Laws and calls of ONNX and ONNX Runtime."""
    modules = [importlib.import_module(f"tests.oracle.broken.{family}") for family in ONNX + CONTRIB]
    newer = [row for module in modules if NEW for row in getattr(module, "NEWER_ROWS", [])]
    return [row for module in modules for row in module.ROWS] + newer


def older():
    """Laws and calls of ONNX Runtime 1.31, of those that 1.32 runs."""
    families = map(importlib.import_module, ("tests.oracle.broken.math", "tests.oracle.broken.layout"))
    return [row for family in families for row in family.OLDER_ROWS]


def tensorflow():
    """Laws and calls of TensorFlow."""
    pytest.importorskip("tensorflow", reason="tensorflow (extra `peers`) isn't installed")
    modules = [importlib.import_module(f"tests.oracle.broken.{family}") for family in TENSORFLOW]
    return [(law, call) for module in modules for law, [call] in module.ROWS]


def torch():
    """Laws and calls of PyTorch."""
    return [row for family in TORCH for row in importlib.import_module(f"tests.oracle.broken.{family}").ROWS]


def older_torch():
    """Laws and calls of PyTorch before 2.15."""
    families = ("tests.oracle.broken.torch_signals", "tests.oracle.broken.torch_windows")
    return [row for family in map(importlib.import_module, families) for row in family.OLDER_ROWS]


def newer_torch():
    """Laws and calls of PyTorch since 2.14."""
    return importlib.import_module("tests.oracle.broken.torch_layers").NEWER_ROWS


def openvino():
    """Laws and cases of OpenVINO."""
    lines = (Path(__file__).parent / "broken" / "openvino.txt").read_text().splitlines()
    return [(getattr(laws, name), parsed(case)) for name, case in (line.split(" | ", 1) for line in lines)]


RUNTIMES = (onnx, older, tensorflow, torch, older_torch, newer_torch, openvino)


def check_onnx(call):
    return lambda: shapesmt.check(call.proto)


def check_older(call):
    def check():
        with following(1, 31):
            return shapesmt.check(call.proto)

    return check


def check_tensorflow(call):
    from tests.oracle.tensorflow_peer import graph_of

    return lambda: shapesmt.check(load(graph_of(call).SerializeToString()))


def check_torch(call, **versions):
    graph = torch_calls.graph_of(call)
    return lambda: shapesmt.check(replace(graph, opsets={**graph.opsets, **versions}))


def check_openvino(case, folder):
    path = written(case, folder)
    return lambda: shapesmt.check(path, declared="ignore")


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """The rows of a runtime, which of them aren't as they should be and why, and the statements of the others."""
    checks = {onnx: check_onnx, older: check_older, tensorflow: check_tensorflow, torch: check_torch}
    checks |= {older_torch: partial(check_torch, torch=213), newer_torch: partial(check_torch, torch=215)}
    checks[openvino] = partial(check_openvino, folder=tmp_path_factory.mktemp("openvino"))
    return cache(lambda runtime: (rows := runtime(), *unneeded(rows, checks[runtime])))


def unneeded(rows, check):
    """The rows that aren't as they should be, and the statements of the others."""
    wrong, statements = [], set()
    for law, call in rows:
        try:
            statements.add(needed(law, check(call)))
        except AssertionError as error:  # noqa: PERF203 - of each row
            wrong.append(f"{law} {call}: {error}")
    return wrong, statements


def test_onnx_laws(judged):
    rows, wrong, _ = judged(onnx)
    assert wrong == []
    runs = zip(rows, onnx_peer.outcomes([call for _, call in rows]), strict=True)
    ran = [(law, call) for (law, call), run in runs if not run.refused]
    assert [f"{law} {call}" for law, call in ran if not onnx_peer.runs_in_newer(check_onnx(call)())] == []


def test_laws_of_an_older_runtime(judged):
    rows, wrong, _ = judged(older)
    assert wrong == []
    runs = zip(rows, onnx_peer.outcomes([call for _, call in rows]), strict=True)
    assert [f"{law} {call}" for (law, call), run in runs if bool(run.refused) is NEW] == []
    with following(1, 32):
        assert [law for law, call in rows if check_onnx(call)().verdict != "PROVED"] == []


def test_tensorflow_laws(judged):
    rows, wrong, _ = judged(tensorflow)
    assert wrong == []
    from tests.oracle import tensorflow_peer

    runs = zip(rows, tensorflow_peer.outcomes([call for _, call in rows]), strict=True)
    assert [f"{law} {call}" for (law, call), run in runs if not run.refused] == []


def test_torch_laws(judged):
    rows, wrong, _ = judged(torch)
    assert wrong == []
    pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")
    from tests.oracle.torch.judge import run

    assert [f"{law} {call}" for law, call in rows if not run(call, {}).refused] == []


def test_laws_of_other_versions_of_torch(judged):
    older, newer = judged(older_torch), judged(newer_torch)
    assert older[1] == newer[1] == []
    pytest.importorskip("torch", reason="torch (extra `torch`) isn't installed")
    from tests.oracle.torch.judge import run

    installed = torch_calls.OPSETS["torch"]
    assert {bool(run(call, {}).refused) for _, call in older[0]} == {installed < 215}
    assert {bool(run(call, {}).refused) for _, call in newer[0]} == {installed >= 214}
    for rows, version in ((older[0], 215), (newer[0], 213)):
        assert [law for law, call in rows if check_torch(call, torch=version)().verdict != "PROVED"] == []


def test_openvino_laws(judged, tmp_path):
    rows, wrong, _ = judged(openvino)
    assert wrong == []
    pytest.importorskip("openvino", reason="openvino (extra `peers`) isn't installed")
    peer = Peer()
    runs = [(law, case, peer.run(written(case, tmp_path))[0]) for law, case in rows]
    peer.close()
    assert [f"{law} {case}" for law, case, said in runs if said == "ran"] == []


def test_every_law_that_a_rule_names_is_broken(judged):
    """Each is violated by some row; `unbroken.txt` lists the functions and laws that no call violates alone.

    ONNX's schema checks its two as well; `infer_shapes`, which ignores types, needs them. OpenVINO reads past the axis
    of a loop's slices. PRelu's sizes fail in a later node, while the file is loaded. Sizes of these calls are numbers:
    none decides an axis. Their lists have entries.
    """
    if not NEW:
        pytest.skip("some rows are for ONNX Runtime 1.32")
    broken = [statement for runtime in RUNTIMES for statement in judged(runtime)[2]]
    where = {(s.file, s.function, s.law) for s in broken}
    anywhere = {
        (s.file or "operators/ops/shared/choices.py", s.law) for s in broken
    }  # of tables, and of what formats say
    left = [at for at in named() if at not in where and (at[1] not in ("", "broken_law") or at[::2] not in anywhere)]
    listed = (Path(__file__).parent / "unbroken.txt").read_text().splitlines()
    assert sorted(map(" ".join, left)) == listed
