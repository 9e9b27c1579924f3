"""The newest files that ONNX Runtime loads, compared with the runtime."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from onnx import ModelProto, helper, parser

import shapesmt
from shapesmt.base.version import NEWEST, OLDEST
from shapesmt.frontends.onnx.limits import ONNX, OTHERS, broken_limits
from tests.support.versions import following, require_runtime

IMPORTS = {"": 18, "f": 1}


def model(ir: int | None, imports: Mapping[str, int], of_function: Mapping[str, int]) -> ModelProto:
    """A file of this IR version, with a function that nothing calls."""
    made = parser.parse_model('<opset_import: ["": 18]> g (float[n] x) => (float[m] y) { y = Abs(x) }')
    nodes = [helper.make_node("Abs", ["x"], ["y"])]
    sets = [[helper.make_opsetid(*pair) for pair in (IMPORTS | opsets).items()] for opsets in (imports, of_function)]
    made.functions.append(helper.make_function("f", "h", ["x"], ["y"], nodes, sets[1]))
    del made.opset_import[:]
    made.opset_import.extend(sets[0])
    made.ClearField("ir_version")
    for version in () if ir is None else (ir,):
        made.ir_version = version
    return made


def agree(ir: int | None = 9, imports: Mapping[str, int] = IMPORTS, of_function: Mapping[str, int] = IMPORTS) -> None:
    """A finding has a law of files that aren't loaded exactly where the runtime doesn't load the file."""
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime (extra `replay`) isn't installed")
    require_runtime()
    runtime.set_default_logger_severity(4)
    proto = model(ir, imports, of_function)
    try:
        runtime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    except Exception:
        loads = False
    else:
        loads = True
    report = shapesmt.check(proto)
    assert str(report.verdict) == ("PROVED" if loads else "FAILS")
    assert [f.code for f in report.findings] == ["SM408"] * (not loads)


@pytest.mark.parametrize("ir", [None, *range(1, 17), 99])
def test_a_file_states_an_ir_version_that_the_runtime_loads(ir: int | None) -> None:
    agree(ir)


@pytest.mark.parametrize("domain", ["", "com.example", *OTHERS])
def test_operator_sets_are_no_newer_than_those_of_the_runtime_in_functions_too(domain: str) -> None:
    for version in (1, 2, 5, 6, 1000) if domain else (7, 26, 27, 28, 29, 1000):
        agree(imports={domain: version})
        agree(of_function={domain: version})


@pytest.mark.parametrize("version", [OLDEST, NEWEST])
def test_each_known_version_of_the_runtime_has_limits(version: tuple[int, int]) -> None:
    newest_ir, newest_opset = ONNX[version]
    with following(*version):
        assert not [*broken_limits(newest_ir, {"model": {"": newest_opset}})]
        assert len([*broken_limits(newest_ir + 1, {"model": {"": newest_opset + 1}})]) == 2
    with following(NEWEST[0], NEWEST[1] + 1):
        assert not [*broken_limits(newest_ir + 9, {"model": {"": newest_opset + 9}})]
