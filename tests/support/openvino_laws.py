"""Files of one OpenVINO operator each, pushed outside what OpenVINO accepts: the peer and the rule are compared.

A case is a line of text: the operator and its operator set, its inputs, its attributes.

    Split 1 :2 | f32[4,6] | i64[]=1 | num_splits=2

An input with elements is a constant, any other is a parameter. An iterator adds the slices of its first input, which
its attributes describe, to its second one. One thing at a time is changed: the rank of an input (0 to 6), one of its
sizes, its element type, an element of a constant, an attribute. What OpenVINO refuses, when it reads
the file or runs it, may not be proved; what it runs may not be said to fail, and has the shapes that were inferred.
"""

from __future__ import annotations

import math
import re
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import shapesmt
from tests.support.hang import PATIENCE

NUMPY = {"f16": "e", "f32": "f", "f64": "d", "boolean": "?", "i8": "b", "u8": "B", "i16": "h", "u16": "H"}
NUMPY |= {"i32": "i", "u32": "I", "i64": "q", "u64": "Q"}
WITHOUT_KERNEL = ("AdaptiveMaxPool", "BinaryConvolution", "GroupedMatMul")  # on the CPU; judged by being read
MISSING = ("is not implemented for op", "is not supported yet", "CPU plugin does not support")
WORDS = {
    "auto_broadcast": ["none", "numpy", "pdpd"],
    "auto_pad": ["explicit", "valid", "same_upper", "same_lower"],
    "mode": ["max", "min", "avg", "bilinear", "nearest", "linear", "cubic", "numpy", "bidirectional", "explicit"],
}


@dataclass(frozen=True)
class Given:
    """An input: its element type, its shape, and its elements if it is a constant."""

    dtype: str
    shape: tuple[int, ...]
    items: tuple[float, ...] | None = None

    def __str__(self) -> str:
        listed = "" if self.items is None else "=" + ",".join(f"{i:g}" for i in self.items[:12])
        return f"{self.dtype}[{','.join(map(str, self.shape))}]{listed}"

    def of(self, shape: Sequence[int]) -> Given:
        """Return the input with another shape; its elements are repeated or cut."""
        size = math.prod(shape)
        items = self.items and tuple(self.items[i % len(self.items)] for i in range(size))
        return replace(self, shape=tuple(shape), items=() if self.items is not None and not items else items)


class Case(NamedTuple):
    """One operator with its inputs and attributes."""

    op: str
    opset: str
    outputs: int
    inputs: tuple[Given, ...]
    attributes: dict[str, str]

    def __str__(self) -> str:
        attributes = " ".join(f"{name}={value}" for name, value in self.attributes.items())
        return " | ".join([f"{self.op} {self.opset} :{self.outputs}", *map(str, self.inputs), attributes])


def parsed(line: str) -> Case:
    """Return the case that a line describes."""
    head, *parts = (part.strip() for part in line.split("|"))
    op, opset, *outputs = head.split()
    inputs, attributes = [], {}
    for part in parts:
        found = re.fullmatch(r"(\w+)\[([\d,]*)\](?:=(.*))?", part)
        if found is None:
            attributes = dict(pair.split("=", 1) for pair in part.split())
            continue
        shape = tuple(int(d) for d in found[2].split(",") if d)
        items = None if found[3] is None else tuple(float(v) for v in found[3].split(",") if v)
        whole = None if items is None else Given(found[1], (), items).of(shape).items
        inputs.append(Given(found[1], shape, whole))
    return Case(op, opset, int(outputs[0][1:]) if outputs else 1, tuple(inputs), attributes)


def written(case: Case, folder: Path) -> Path:
    """Write the case as an IR file, with its constants next to it, and return its path."""
    layers, edges, weights = [], [], bytes(8)
    for i, given in enumerate(case.inputs):
        shape = ",".join(map(str, given.shape))
        dims = "".join(f"<dim>{d}</dim>" for d in given.shape)
        data, kind = f'element_type="{given.dtype}" shape="{shape}"', "Parameter"
        if given.items is not None:
            with np.errstate(all="ignore"):
                content = np.array(given.items, np.float64).astype(NUMPY[given.dtype]).tobytes()
            data, kind = f'{data} offset="{len(weights)}" size="{len(content)}"', "Const"
            weights += content
        port = f'<output><port id="0" precision="{_precision(given.dtype)}">{dims}</port></output>'
        layers.append(f'<layer id="{i}" name="x{i}" type="{kind}" version="opset1"><data {data}/>{port}</layer>')
        edges.append(f'<edge from-layer="{i}" from-port="0" to-layer="99" to-port="{i}"/>')
    count = len(case.inputs)
    reads = "".join(f'<port id="{i}" precision="{_precision(x.dtype)}"/>' for i, x in enumerate(case.inputs))
    makes = "".join(f'<port id="{count + i}" precision="FP32"/>' for i in range(case.outputs))
    settings = "".join(f' {name}="{value}"' for name, value in case.attributes.items())
    described = _iterator(case, settings) if case.op == "TensorIterator" else f"<data{settings}/>"
    layers.append(
        f'<layer id="99" name="node" type="{case.op}" version="opset{case.opset}">'
        f"{described}<input>{reads}</input><output>{makes}</output></layer>"
    )
    for i in range(case.outputs):
        port = '<input><port id="0" precision="FP32"/></input>'
        layers.append(f'<layer id="{100 + i}" name="r{i}" type="Result" version="opset1">{port}</layer>')
        edges.append(f'<edge from-layer="99" from-port="{count + i}" to-layer="{100 + i}" to-port="0"/>')
    text = f'<net name="g" version="11"><layers>{"".join(layers)}</layers><edges>{"".join(edges)}</edges></net>'
    folder.joinpath("model.bin").write_bytes(weights)
    path = folder / "model.xml"
    path.write_text(text)
    return path


def _iterator(case: Case, sliced: str) -> str:
    """Return the XML of an iterator's ports and body, which adds layer 0 (the slice) to layer 1 (the sum so far).

    `sliced` has the attributes of the slice.
    """
    layers = "".join(
        f'<layer id="{i}" name="p{i}" type="Parameter" version="opset1">'
        f'<data element_type="{x.dtype}" shape="{",".join("?" * len(x.shape))}"/>'
        f'<output><port id="0" precision="{_precision(x.dtype)}"/></output></layer>'
        for i, x in enumerate(case.inputs)
    )
    return f"""
        <port_map>
            <input external_port_id="0" internal_layer_id="0"{sliced}/>
            <input external_port_id="1" internal_layer_id="1"/><output external_port_id="2" internal_layer_id="3"/>
        </port_map>
        <back_edges><edge from-layer="3" to-layer="1"/></back_edges>
        <body><layers>{layers}
            <layer id="2" name="sum" type="Add" version="opset1">
                <input><port id="0"/><port id="1"/></input><output><port id="2" precision="FP32"/></output>
            </layer>
            <layer id="3" name="r" type="Result" version="opset1"><input><port id="0"/></input></layer>
        </layers><edges>
            <edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
            <edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
            <edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
        </edges></body>"""


def _precision(dtype: str) -> str:
    return "BOOL" if dtype == "boolean" else re.sub("^F(?=[0-9])", "FP", dtype.upper())


# What is changed


def changed(case: Case) -> Iterator[tuple[str, Case]]:
    """Yield the case with one thing changed, each time after a description of the change."""
    for i, given in enumerate(case.inputs):
        for what, other in _inputs(given):
            yield f"input {i} {what}", case._replace(inputs=(*case.inputs[:i], other, *case.inputs[i + 1 :]))
    for name, value in case.attributes.items():
        for other in dict.fromkeys(_values(name, value)):
            if other != value:
                yield f"{name}={other}", case._replace(attributes=case.attributes | {name: other})


def _inputs(given: Given) -> Iterator[tuple[str, Given]]:
    rank = len(given.shape)
    for other in range(7):
        if other != rank:
            yield f"of rank {other}", given.of([*[1] * (other - rank), *given.shape][max(0, rank - other) :])
            yield f"of rank {other} behind", given.of([*given.shape, *[1] * (other - rank)][:other])
    for axis, size in enumerate(given.shape):
        for d in {0, 1, size - 1, size + 1, 2 * size} - {size}:
            yield f"axis {axis} of {d}", given.of([*given.shape[:axis], d, *given.shape[axis + 1 :]])
    for dtype in ("f32", "i32", "i64", "boolean"):
        if dtype != given.dtype:
            yield f"as {dtype}", replace(given, dtype=dtype)
    for i, item in enumerate((given.items or ())[:6]):
        for other in {-9, -2, -1, 0, 1, 2, 3, 9, item + 1, item - 1} - {item}:
            if other >= 0 or given.dtype[0] != "u":
                items = (*given.items[:i], other, *given.items[i + 1 :])  # type: ignore[index]
                yield f"item {i} is {other:g}", replace(given, items=items)


def _values(name: str, value: str) -> Iterator[str]:
    if value in ("true", "false"):
        yield from ("true", "false")
    elif re.fullmatch(r"-?\d+", value):
        yield from map(str, (-3, -2, -1, 0, 1, 2, 3, 5, int(value) + 1))
    elif re.fullmatch(r"-?[\d.e-]+", value):
        yield from ("-1", "0", "0.5", "2.5")
    elif re.fullmatch(r"-?[\d.]+(,-?[\d.]+)*,?", value):
        items = [v for v in value.split(",") if v]
        yield from (",".join(items[:-1]), ",".join([*items, items[-1]]))
        for i in range(len(items)):
            for other in ("-1", "0", "1", "2", "5"):
                yield ",".join([*items[:i], other, *items[i + 1 :]])
    else:
        yield from ("bogus", *WORDS.get(name, []))


# Who judges


class Peer:
    """OpenVINO in a separate process, since some models end it."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        self.pipe, theirs = get_context("spawn").Pipe()
        self.process = get_context("spawn").Process(target=_serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()

    def judge(self, path: Path) -> tuple[str, Any]:
        """Return the result of `run`; if the process dies, try once more in a new one: earlier runs may be to blame."""
        said, detail = self.run(path)
        return self.run(path) if said == "died" else (said, detail)

    def run(self, path: Path) -> tuple[str, Any]:
        """Return ("refused", reason), ("ran", (the outputs of each run, whether a run failed)) or ("died", "")."""
        try:
            self.pipe.send(str(path))
            if self.pipe.poll(PATIENCE):
                return self.pipe.recv()
        except (EOFError, ConnectionError):
            pass
        self.close()
        self._start()
        return "died", ""

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _serve(pipe: Any) -> None:
    from tests.support.openvino_runtime import CORE

    while True:
        path = pipe.recv()
        try:
            pipe.send(_run(CORE.read_model(path)))
        except (RuntimeError, ValueError) as error:
            pipe.send(("refused", str(error)))
        except Exception:
            pipe.send(("refused", traceback.format_exc()))


def _run(model: Any) -> tuple[str, Any]:
    try:
        return _executed(model)
    except RuntimeError as error:
        ports = [(p.element_type.get_type_name(), p.partial_shape) for p in model.outputs]
        lacking = any(op.get_type_name() in WITHOUT_KERNEL for op in model.get_ops())
        if not lacking or not any(sign in str(error) for sign in MISSING):
            raise
        return "ran", ([[(dtype, tuple(shape.to_shape())) for dtype, shape in ports]], False)


def _executed(model: Any) -> tuple[str, Any]:
    from tests.support.openvino_runtime import compiled

    ready = compiled(model)
    errors, shapes = [], []
    for fill in (1, 0):
        given = [np.full(tuple(p.shape), fill, p.element_type.to_dtype()) for p in ready.inputs]
        try:
            result = ready(given)
        except RuntimeError as error:
            errors.append(str(error))
        else:
            ports = ready.outputs
            shapes.append([(port.element_type.get_type_name(), tuple(np.shape(result[port]))) for port in ports])
    return ("ran", (shapes, bool(errors))) if shapes else ("refused", errors[0])


class Found(NamedTuple):
    """The result of a comparison, and what each side reports."""

    kind: str
    ours: str
    theirs: str


def compared(case: Case, folder: Path, peer: Peer) -> Found:
    """Compare OpenVINO with the rule in one case.

    The kind of the result is "agree", "unsound" (proved, but refused or dead), "wrong" (said to fail, but runs),
    "shape", "open" (undecided) or "died".
    """
    path = written(case, folder)
    said, detail = peer.judge(path)
    verdict, why, shapes = _judged(path)
    if said == "died":
        return Found("unsound" if verdict == "PROVED" else "died", f"{verdict} {why}", "the process died")
    if said == "refused":
        kind = {"PROVED": "unsound", "UNKNOWN": "open"}.get(verdict, "agree")
        return Found(kind, f"{verdict} {why}", detail)
    made, sometimes = detail
    if verdict == "FAILS" or (verdict == "DEPENDS" and not sometimes):
        return Found("wrong", f"{verdict} {why}", str(made))
    kind = "open" if verdict == "UNKNOWN" else "agree"
    for real, ours in (pair for run in made for pair in zip(run, shapes, strict=True)):
        if not _fits(real, ours):
            return Found("shape", f"{verdict} {ours}", str(real))
    return Found(kind, f"{verdict} {why}", str(made))


def loosened(case: Case, folder: Path, how: str) -> Path:
    """Write the case with parameters that declare only their "rank", "nothing", or a "range", and return its path."""
    path = written(case, folder)

    def less(found: re.Match[str]) -> str:
        sizes = [int(d) for d in found[2].split(",") if d]
        wide = {"rank": "?", "range": "{}..{}"}
        told = ",".join(wide[how].format(max(d - 1, 0), d + 2) for d in sizes) if how in wide else "..."
        return f'type="Parameter" version="opset1"><data element_type="{found[1]}" shape="{told}"'

    pattern = r'type="Parameter" version="opset1"><data element_type="(\w+)" shape="([\d,]*)"'
    path.write_text(re.sub(pattern, less, path.read_text()))
    return path


def contradicted(case: Case, folder: Path, peer: Peer, how: str) -> str:
    """Return the answers about the loosened file that a run of the case contradicts; "" if there are none."""
    said, detail = peer.run(written(case, folder))
    if said != "ran":
        return ""
    verdict, why, shapes = _judged(loosened(case, folder, how))
    if verdict == "FAILS":
        return f"{verdict} {why}"
    pairs = (pair for run in detail[0] for pair in zip(run, shapes, strict=True))
    return "; ".join(f"{ours}, not {real}" for real, ours in pairs if not _fits(real, ours))


def undefined(what: str, found: Found) -> bool:
    """Whether OpenVINO defines no result: a negative size counts as a huge one, and kernels differ on empty tensors."""
    return what.endswith("of 0") or (found.kind == "wrong" and re.search(r"=(.*,)?-", what) is not None)


TYPES = {"bool": "boolean", "bfloat16": "bf16", "": ""}


def _judged(path: Path) -> tuple[str, str, list[Any]]:
    try:
        report = shapesmt.check(path, declared="ignore")
    except shapesmt.base.errors.ShapesmtError as error:
        return "FAILS", str(error), []
    why = "; ".join(f.law for f in report.findings)
    verdict = report.verdict.value
    if verdict in ("FAILS",):
        return verdict, why, []
    found = shapesmt.bounds(path)
    return verdict, why, [(t.dtype, t.shape) for name, t in found.tensors.items() if name.startswith("node")]


def _fits(real: Any, ours: Any) -> bool:
    dtype, shape = ours
    kind = re.sub(r"^(float|int|uint)(\d+)$", lambda m: m[1][0] + m[2], TYPES.get(dtype, dtype))
    if kind and kind != real[0]:
        return False
    if shape is None:
        return True
    return len(shape) == len(real[1]) and all(
        d.min <= size and (d.max is None or size <= d.max) for d, size in zip(shape, real[1], strict=True)
    )
