"""The tables of operators are what the installed packages say of them, and nodes are held to them."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version

import pytest
from onnx import defs

import shapesmt
from shapesmt.frontends.onnx import reader, tables
from tests.frontends.onnx import write_tables


@pytest.mark.parametrize(("package", "write"), [("onnx", write_tables.onnx), ("onnxruntime", write_tables.microsoft)])
def test_a_table_is_what_the_package_says(package: str, write: Callable[[], str]) -> None:
    text = (write_tables.FOLDER / f"{write.__name__}.txt").read_text()
    if f" {package} {version(package)} " not in text:
        pytest.skip(f"the table is of another version of {package} than the installed {version(package)}")
    assert text == write()


@pytest.mark.parametrize("domain", tables.DOMAINS)
def test_a_table_says_what_the_package_says(domain: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compared are all versions of each operator, also a version between two changes."""
    keys = [(s.domain, s.name, s.since_version + k) for s in defs.get_all_schemas_with_history() for k in (0, 1)]
    keys = [key for key in keys if key[0] == domain and tables.find(*key) is not None]
    listed = {key: tables.find(*key) for key in keys}
    monkeypatch.setattr(tables, "find", lambda *_: None)
    schemas = type(reader.schemas())(lambda *_: None)
    for key, own in listed.items():
        signature = schemas.signature(*key)
        assert signature is not None
        assert (own.signature.inputs, own.parameters) == (signature.inputs, schemas.parameters(*key)), key
    assert keys


def test_what_is_newer_than_the_table_is_asked_of_onnx() -> None:
    newest = max(s.since_version for s in defs.get_all_schemas_with_history() if s.domain == "")
    assert tables.find("", "Add", newest) is not None
    assert tables.find("", "Add", newest + 1) is None
    assert reader.schemas().parameters("", "Add", newest + 1) == reader.schemas().parameters("", "Add", newest)


HEADER = '<ir_version: 10, opset_import: ["": 18, "com.microsoft": 1]>\n'


@pytest.mark.parametrize(
    ("node", "law"),
    [
        ("com.microsoft.Gelu(i)", "'X' is of type bfloat16, float16, float32 or float64, not int64"),
        ("com.microsoft.Gelu(x, x)", "it has at most 1 input, not 2"),
        ("com.microsoft.Gelu()", "it has at least 1 input, not 0"),
        ("com.microsoft.BiasGelu(x, i)", "'B' is of type bfloat16, float16, float32 or float64, not int64"),
        ("com.microsoft.FusedMatMul<transA = 1.0>(x, x)", "attribute 'transA' is an integer"),
        ("com.microsoft.FusedMatMul<trans = 1>(x, x)", "there is no attribute 'trans'"),
        ("com.microsoft.GroupNorm<groups = 1>(x, x, x)", "attribute 'activation' is given"),
        ("com.microsoft.SkipLayerNormalization(x, , x)", "input 'skip' is given"),
        ("com.microsoft.nchwc.ReorderInput(i)", "'X' is of type float32, not int64"),
    ],
)
def test_nodes_are_held_to_it(node: str, law: str) -> None:
    header = HEADER.replace('"com.microsoft"', '"com.microsoft.nchwc"') if "nchwc" in node else HEADER
    report = shapesmt.check(f"{header}g (float[n, 4] x, int64[n] i) => (float[a, b] y) {{ y = {node} }}".encode())
    assert [f.law for f in report.findings if f.kind == "requirement"] == [law]
    assert report.verdict.value == "FAILS"
