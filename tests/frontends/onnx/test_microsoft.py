"""The table of ONNX Runtime's own operators is what the installed runtime says of them, and nodes are held to it."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

import onnxruntime.capi.onnxruntime_pybind11_state as runtime
import pytest

import shapesmt
from shapesmt.frontends.onnx import microsoft
from shapesmt.frontends.onnx.schemas import dtype_of

TABLE = Path(microsoft.__file__).with_name("microsoft.txt")
MOST = 2**31 - 1


def table() -> str:
    """The file's text, written anew."""
    every = runtime.get_all_operator_schema()
    schemas = [s for s in every if s.domain.startswith("com.microsoft") or (not s.domain and s.name in microsoft.ADDED)]
    lines = sorted({line(s) for s in schemas})
    return f"# What onnxruntime {version('onnxruntime')} says of its operators (read by microsoft.py).\n" + "".join(
        lines
    )


def line(schema: Any) -> str:
    marks = {"Single": "", "Optional": "?", "Variadic": "*"}
    inputs = [f"{i.name}{marks[i.option.name]}:{kind(i)}" for i in schema.inputs]
    attributes = [f"{name}{'!' * a.required}:{a.type.name.lower()}" for name, a in sorted(schema.attributes.items())]
    types = [
        f"{t.type_param_str}={','.join(sorted(map(dtype_of, t.allowed_type_strs)))}" for t in schema.type_constraints
    ]
    ends = [schema.min_input, min(schema.max_input, MOST), schema.min_output, min(schema.max_output, MOST)]
    fields = (f"{schema.domain}.{schema.name}", ends, inputs, attributes, sorted(types))
    return " | ".join(f if isinstance(f, str) else " ".join(map(str, f)) for f in fields) + "\n"


def kind(parameter: Any) -> str:
    """What names the types of an input: what it shares with others, or its own type; "~" where each may differ."""
    named = parameter.typeStr if "(" not in parameter.typeStr else dtype_of(parameter.typeStr)
    return f"{named}{'' if parameter.isHomogeneous else '~'}"


@pytest.mark.skipif(f"onnxruntime {version('onnxruntime')} " not in TABLE.read_text(), reason="of another version")
def test_the_table_is_what_the_runtime_says() -> None:
    assert TABLE.read_text() == table()


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
