"""Limits: the newest file formats and operator sets that ONNX Runtime loads, by its version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from shapesmt.base.errors import printable
from shapesmt.base.version import Version, followed_runtime, newer_runtime
from shapesmt.network import laws
from shapesmt.network.laws import Law

ONNX: dict[Version, tuple[int, int]] = {(1, 31): (13, 26), (1, 32): (14, 28)}
"""The newest IR version and ONNX operator set that each version of ONNX Runtime loads."""
OTHERS = {"ai.onnx.ml": 5, "ai.onnx.preview": 1, "ai.onnx.preview.training": 1, "ai.onnx.training": 1} | dict.fromkeys(
    ("com.microsoft", "com.microsoft.experimental", "com.microsoft.nchwc", "org.pytorch.aten"), 1
)
"""The newest version of other operator sets that ONNX Runtime knows; it accepts any version of an unknown set."""

IR_VERSION_STATED = laws.SM408.law("the file states its IR version")
IR_VERSION_LOADED = laws.SM408.law(
    "the IR version is at most {newest}, the newest that ONNX Runtime {runtime} loads, not {version}"
)
OPSET_LOADED = laws.SM408.law(
    "the {where} imports at most version {newest} of the operator set '{domain}', the newest that ONNX Runtime "
    "{runtime} loads, not {version}",
)


def broken_limits(ir_version: int | None, opsets: Mapping[str, Mapping[str, int]]) -> Iterator[Law]:
    """Yield the laws that a file breaks because ONNX Runtime doesn't know the version of its format or operators.

    The limits of an ONNX Runtime that is newer than the rules aren't known, so nothing is refused because of them.

    Args:
        ir_version: The version of the file's format; None if the file doesn't state it.
        opsets: The operator sets that the model and each of its functions import, by their names in messages.
    """
    if ir_version is None:
        yield IR_VERSION_STATED
    if newer_runtime():
        return
    runtime = followed_runtime()
    newest_ir, newest_opset = ONNX[runtime]
    text = ".".join(map(str, runtime))
    if ir_version is not None and ir_version > newest_ir:
        yield IR_VERSION_LOADED.of(newest=newest_ir, runtime=text, version=ir_version)
    for where, imported in opsets.items():
        for domain, version in imported.items():
            newest = OTHERS.get(domain, version) if domain else newest_opset
            if version > newest:
                title = printable(domain or "ai.onnx")
                yield OPSET_LOADED.of(where=where, newest=newest, domain=title, runtime=text, version=version)
