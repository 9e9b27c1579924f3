"""The version of ONNX Runtime that rules follow, and what rests on it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import onnx
import onnxruntime
import pytest

import shapesmt
from shapesmt.base.version import NEWEST, OLDEST, followed_runtime, installed_runtime
from tests.support.versions import following

SPLIT = "Split<num_outputs = 3>(x)"
HINT = "Split: judged as ONNX Runtime {} runs it; other versions differ at some sizes"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file of an ONNX Runtime that is found first."""
    monkeypatch.delitem(sys.modules, "onnxruntime")
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "onnxruntime").mkdir()
    installed_runtime.cache_clear()
    yield tmp_path / "onnxruntime" / "__init__.py"
    installed_runtime.cache_clear()


def test_the_installed_version_is_followed_runtime() -> None:
    installed = tuple(map(int, onnxruntime.__version__.split(".")[:2]))
    assert followed_runtime() == min(max(installed, OLDEST), NEWEST)


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ('"""1.2"""\n__version__ = "1.31.1"\n', (1, 31)),
        ('__version__ = "1.32.0"\n', (1, 32)),
        ('__version__ = "1.20.3"\n', OLDEST),
        ('__version__ = "2.0.0.dev1"\n', NEWEST),
        ("__version__ = other\n", NEWEST),
        ("\udcff", NEWEST),
    ],
    ids=["older", "newer", "oldest", "unknown", "unreadable", "damaged"],
)
def test_a_version_is_read_without_importing_it(package: Path, text: str, version: tuple[int, int]) -> None:
    package.write_bytes(text.encode(errors="surrogateescape"))
    assert followed_runtime() == version
    assert "onnxruntime" not in sys.modules


def test_without_a_runtime_the_newest_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    installed_runtime.cache_clear()
    assert followed_runtime() == NEWEST
    installed_runtime.cache_clear()


def model(body: str, inputs: str = "float[n] x") -> onnx.ModelProto:
    return onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["": 18, "l": 1]> g ({inputs}) => (a) {{ {body} }}')


@pytest.mark.parametrize("version", [(1, 31), (1, 32)])
def test_a_hint_names_the_version_that_an_answer_rests_on(version: tuple[int, int]) -> None:
    with following(*version):
        report = shapesmt.check(model(f"a, b, c = {SPLIT}"))
    assert report.hints == (HINT.format("1.31" if version == (1, 31) else "1.32"),)
    assert report.to_dict()["hints"] == [*report.hints]


@pytest.mark.parametrize(
    ("inputs", "body"),
    [
        ("float[n] x, bool c", f"a = If(c) <then_branch = g () => (p) {{ p, q, r = {SPLIT} }}, "
         "else_branch = h () => (y) { y = Identity(x) }>"),
        ("float[n] x", "y = Squeeze(x) a = Identity(y)"),
        ("float[1] x", "a, b = Split<num_outputs = 2>(x)"),
        ("float[6] x", f"a, b, c = {SPLIT}"),
        ("float[n, k] x, float[k, m] y", "a = MatMul(x, y)"),
        ("float[b, n, k] x, float[c, k, m] y", "a = MatMul(x, y)"),
    ],
    ids=["branch", "other", "one", "even", "matrices", "batches"],
)  # fmt: skip
def test_only_nodes_that_versions_run_otherwise_are_named(inputs: str, body: str) -> None:
    hints = shapesmt.check(model(body, inputs)).hints
    named = "then_branch" in body or inputs == "float[1] x"
    told = [hint.partition(":")[0] for hint in hints if not hint.startswith("nothing varies")]
    assert told == ["If" if "If(" in body else "Split"] * named


def test_where_sizes_may_be_0_products_are_named() -> None:
    product = model("a = MatMul(x, y)", "float[b, n, k] x, float[c, k, m] y")
    dims = {"b": "0..2", "c": "0..2"}
    regions = {}
    for version in ((1, 31), (1, 32)):
        with following(*version):
            report = shapesmt.check(product, dims=dims)
            regions[version] = report.precondition
            assert [hint.partition(":")[0] for hint in report.hints] == ["MatMul"]
    assert all(region is not None and region.exact for region in regions.values())
    assert regions[1, 31] != regions[1, 32]
