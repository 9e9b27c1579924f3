"""Random graphs with sizes that data decides, held against running them on many data of each size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Any

import numpy as np
import onnx.parser
import pytest

import shapesmt
from shapesmt.prover.algebra import Verdict
from tests.oracle.runner import Execution, NoBlame, Run, value

DEFAULT, FULL = 20, 1000
NODES = 6
SIZES = {"n": range(1, 4), "m": range(1, 5)}
DATA = 40  # of each size
HEADER = '<ir_version: 8, opset_import: ["": 18]> '
INPUTS = "float[n] x, float[m] w, float[n] y, bool[n] b, bool[m] c, int64[n] i"
CONSTANTS = "c0 = Constant<value_ints=[0]>() c1 = Constant<value_ints=[1]>() s0 = Constant<value_int=0>() "
CONSTANTS += "s1 = Constant<value_int=1>() half = Constant<value_float=0.5>() "
NMS = """bx{0} = Unsqueeze({a}, c0) by{0} = Unsqueeze(bx{0}, c0) bz{0} = Transpose<perm = [0, 2, 1]>(by{0})
    k4{0} = Constant<value_ints=[1, 1, 4]>() bb{0} = Expand(bz{0}, k4{0}) ms{0} = Cast<to=7>(c1)
    z{0} = NonMaxSuppression(bb{0}, by{0}, ms{0}, half, half) p{0} = Constant<value_ints=[2]>()
    r{0} = Gather<axis=1>(z{0}, p{0}) {out} = Squeeze(r{0}, c1)"""

# What makes what of what: `f` are float vectors, `m` masks, `v` integers, `j` indices, `k` lists of one number that is
# followed, `g` of one that is not: no node reads it that could fail, as it would be taken to be right.
STEPS = [
    ("m", "f", "{out} = Greater({a}, half)"),
    ("m", "ff", "{out} = Greater({a}, {b})"),
    ("m", "m", "{out} = Not({a})"),
    ("m", "m", "{out} = Identity({a})"),
    ("m", "mm", "{out} = And({a}, {b})"),
    ("m", "j", "{out} = Cast<to=9>({a})"),
    ("m", "v", "{out} = Cast<to=9>({a})"),
    ("j", "m", "z{0} = NonZero({a}) {out} = Squeeze(z{0}, c0)"),
    ("j", "f", "z{0} = NonZero({a}) {out} = Squeeze(z{0}, c0)"),
    ("j", "k", "q{0} = Squeeze({a}, c0) {out} = Range(s0, q{0}, s1)"),
    ("v", "f", NMS),
    ("f", "fm", "{out} = Compress<axis = 0>({a}, {b})"),
    ("f", "fm", "z{0} = NonZero({b}) t{0} = Transpose(z{0}) {out} = GatherND({a}, t{0})"),
    ("f", "fmf", "z{0} = NonZero({b}) t{0} = Transpose(z{0}) {out} = ScatterND({a}, t{0}, {c})"),
    ("f", "fj", "{out} = Gather<axis = 0>({a}, {b})"),
    ("f", "f", "{out}, u1{0}, u2{0}, u3{0} = Unique({a})"),
    ("f", "ff", "{out} = Add({a}, {b})"),
    ("f", "mff", "{out} = Where({a}, {b}, {c})"),
    ("f", "ff", "{out} = Concat<axis = 0>({a}, {b})"),
    ("f", "k", "{out} = ConstantOfShape({a})"),
    ("f", "fk", "{out}, t{0} = TopK({a}, {b})"),
    ("f", "fk", "{out} = Slice({a}, c0, {b})"),
    ("f", "fk", "{out} = Expand({a}, {b})"),
    ("f", "fk", "{out} = Reshape({a}, {b})"),
    ("f", "j", "{out} = Cast<to=1>({a})"),
    ("k", "m", "t{0} = Cast<to=7>({a}) {out} = ReduceSum<keepdims = 1>(t{0})"),
    ("k", "f", "{out} = Shape({a})"),
    ("k", "j", "{out} = Shape({a})"),
    ("g", "v", "{out} = ReduceMax<keepdims = 1>({a})"),
    ("g", "g", "{out} = Add({a}, c1)"),
    ("g", "gk", "{out} = Max({a}, {b})"),
    ("v", "g", "q{0} = Squeeze({a}, c0) {out} = Range(s0, q{0}, s1)"),
    ("f", "fg", "{out} = Slice({a}, c0, {b})"),
    ("f", "v", "{out} = Cast<to=1>({a})"),
    ("k", "k", "{out} = Add({a}, c1)"),
    ("k", "k", "{out} = Max({a}, c1)"),
    ("k", "kk", "{out} = Min({a}, {b})"),
    ("k", "kk", "{out} = Sub({a}, {b})"),
    ("k", "kk", "{out} = Mul({a}, {b})"),
]


def generate(seed: int) -> onnx.ModelProto:
    """A model in which what was made lately is used first."""
    r = Random(seed)
    pool = {"f": ["x", "w", "y"], "m": ["b", "c"], "j": ["p"], "k": ["c1"], "v": ["i"], "g": ["t"]}
    lines = ["first = NonZero(b) p = Squeeze(first, c0) t = ReduceMax<keepdims = 1>(i)"]
    for number in range(NODES):
        made, reads, text = r.choice(STEPS)
        names = [pool[kind][-1] if r.random() < 0.4 else r.choice(pool[kind]) for kind in reads]
        out = f"o{number}"
        lines.append(text.replace("{0}", str(number)).format(out=out, **dict(zip("abc", names, strict=False))))
        pool[made].append(out)
    return onnx.parser.parse_model(f"{HEADER} g ({INPUTS}) => ({out}) {{ {CONSTANTS}{' '.join(lines)} }}")


def fed(seed: int) -> Any:
    """Data that are the same everywhere, or drawn: for each input another way."""
    r = np.random.default_rng(seed)

    def feed(info: onnx.ValueInfoProto, shape: tuple[int, ...]) -> Any:
        dtype = onnx.helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type)
        fill = r.choice([0, 3, -1, None, None])
        made = np.full(shape, fill) if fill is not None else r.choice([0, 0, -1, 1, 2, 3], shape)
        return (made > 0 if dtype == np.bool_ else made).astype(dtype)

    return feed


def runs_of(model: onnx.ModelProto) -> Iterator[tuple[dict[str, int], Run]]:
    execution = Execution(model)
    for sizes in (dict(zip(SIZES, chosen, strict=True)) for chosen in product(*SIZES.values())):
        for seed in range(DATA):
            execution.feed = fed(seed)
            run = execution.run(sizes)
            if not run.odd:
                yield sizes, run


def wrong_in(seed: int, counts: Counter[str]) -> list[str]:
    """What is wrong in the answers about the model of this seed."""
    model = generate(seed)
    for index, node in enumerate(model.graph.node):
        node.name = node.name or f"{node.op_type}_{index}"
    try:
        runs = list(runs_of(model))
    except NoBlame:
        counts["no blame"] += 1
        return []
    dims = {name: (values[0], values[-1]) for name, values in SIZES.items()}
    report, bounds = shapesmt.check(model, dims=dims, session="file"), shapesmt.bounds(model, dims=dims, session="file")
    counts[str(report.verdict)] += 1
    counts["hinges on data"] += any(f.kind == "data" for f in report.findings)
    return [*_verdicts(report, runs, counts), *_regions(report, runs), *_bounds(bounds, runs, counts)]


def _verdicts(report: shapesmt.Report, runs: list[tuple[dict[str, int], Run]], counts: Counter[str]) -> Iterator[str]:
    found = {f.node: f for f in report.findings}
    for sizes, run in runs:
        if run.failing and found.keys().isdisjoint(run.failing):
            yield f"{run.failing} fails at {sizes}, and {[*found]} are reported"
            break
    failing = {name for _, run in runs for name in run.failing}
    for name, finding in found.items():
        tried = [run for _, run in runs if name not in run.missing and name not in run.failing]
        if finding.verdict is Verdict.FAILS and tried:
            yield f"{name} FAILS ({finding.condition}), and runs {len(tried)} times"
        if finding.verdict is Verdict.DEPENDS:
            counts["depends"] += 1
            counts["depends, and never seen to fail"] += name not in failing


def _regions(report: shapesmt.Report, runs: list[tuple[dict[str, int], Run]]) -> Iterator[str]:
    region = report.precondition
    assert region is not None
    if report.verdict is Verdict.UNKNOWN:
        return
    for sizes, run in runs:
        safe = all(value(text, sizes) for text in region.text)
        if safe and run.failing and (region.exact or region.data):
            yield f"{region.text} holds at {sizes}, where {run.failing} fails"
            break
        if not safe and not run.failing and region.exact:
            yield f"{region.text} doesn't hold at {sizes}, which runs"
            break


def _bounds(bounds: shapesmt.Bounds, runs: list[tuple[dict[str, int], Run]], counts: Counter[str]) -> Iterator[str]:
    valid = [run for _, run in runs if not run.failing]
    if not bounds.valid:
        if valid:
            yield "no valid input, and some run"
        return
    for name, found in bounds.tensors.items():
        seen = [run.shapes[name] for run in valid if name in run.shapes]
        for axis, dim in enumerate(found.shape or () if seen else ()):
            sizes = [shape[axis] for shape in seen]
            where = f"{name}[{axis}] in {dim.min}..{dim.max} ({dim.expr})"
            if min(sizes) < dim.min or (dim.max is not None and max(sizes) > dim.max):
                yield f"{where}, really {min(sizes)}..{max(sizes)}"
            elif dim.exact and (min(sizes), max(sizes)) != (dim.min, dim.max):
                counts["exact, and not seen"] += 1
                if len(valid) > len(runs) / 2:
                    yield f"{where} is called exact, and only {min(sizes)}..{max(sizes)} is seen"


def test_random_graphs(request: pytest.FixtureRequest, full: bool) -> None:
    first, counts = request.config.getoption("--seed"), Counter[str]()
    for seed in range(first, first + (FULL if full else DEFAULT)):
        assert wrong_in(seed, counts) == [], f"seed {seed}"
    assert counts["PROVED"] > counts["no blame"]
    assert counts["hinges on data"]
